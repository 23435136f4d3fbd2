import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../base/json.ts'
import type { Dictionary, ParserConfig, QuickReply } from '../configuration.ts'
import { type Memory, openStep, type Step } from '../conversation.ts'
import { expressionsText } from '../expressions/expressions.ts'
import { timeOf } from './builtin.ts'
import { corrections } from './corrections.ts'
import { newEffort } from './effort.ts'
import { type Source, sealed, type Vocabulary } from './found.ts'
import { compileParser, dictionaryFaults, expressionsIn, ParserFault, parseStep } from './parser.ts'
import { mostReplies } from './replies.ts'
import { regularSource } from './vocabulary.ts'

type Listed = readonly (readonly [string, string])[]
type Made = { readonly lang?: string; readonly words?: Listed; readonly phrases?: Listed; readonly regExs?: Listed }

function dictionary({ lang = '', words = [], phrases = [], regExs = [] }: Made): Dictionary {
  return {
    lang,
    words: words.map(([word, expressions]) => ({ word, expressions, frequency: 0 })),
    phrases: phrases.map(([phrase, expressions]) => ({ phrase, expressions })),
    regExs: regExs.map(([regEx, expressions]) => ({ regEx, expressions })),
  }
}

type Parts = {
  readonly normalizers?: readonly (string | readonly [string, JsonObject])[]
  readonly builtins?: readonly string[]
  readonly dictionaries?: readonly Made[]
  readonly corrections?: readonly (string | readonly [string, JsonObject])[]
  readonly config?: JsonObject
  readonly regular?: JsonObject
}

const extension = (part: string) => (one: string | readonly [string, JsonObject]) => ({
  type: `eddi://ai.labs.parser.${part}.${typeof one === 'string' ? one : one[0]}`,
  config: typeof one === 'string' ? {} : one[1],
})

function parserOf(parts: Parts) {
  const made = parts.dictionaries ?? []
  const regular = made.map((_, at): readonly [string, JsonObject] => ['regular', { uri: String(at), ...parts.regular }])
  const config: ParserConfig = {
    config: parts.config ?? {},
    extensions: {
      normalizer: (parts.normalizers ?? []).map(extension('normalizers')),
      dictionaries: [...(parts.builtins ?? []), ...regular].map(extension('dictionaries')),
      corrections: (parts.corrections ?? []).map(extension('corrections')),
    },
  }
  const all = made.map(dictionary)
  return compileParser(config, (uri) => all[Number(uri)] ?? null)
}

const reply = (value: string, expressions = '', isDefault = false): QuickReply => ({ value, expressions, isDefault })

function read(
  parts: Parts,
  input: string,
  { language = 'en', temporary = [] }: { language?: string; temporary?: readonly QuickReply[] } = {},
) {
  return expressionsText(parserOf(parts).parse(input, { language, temporary }).expressions)
}

const hello: Made = { words: [['hello', 'greeting(hello)'], ['Wien', 'city(vienna)']] } // biome-ignore format: a table

describe('dictionaries', () => {
  test('[Y8] are asked in their order; a later one only about what is not known yet', () => {
    const parts: Parts = { dictionaries: [{ words: [['hi', 'first']] }, { words: [['hi', 'second'], ['ho', 'third']] }] } // biome-ignore format: a table
    expect(read(parts, 'hi ho hu')).toBe('first, third, unknown(hu)')
    const given = { language: 'en', temporary: [] }
    expect(parserOf(parts).solutions('hi', given)).toHaveLength(1)
    expect(parserOf({ ...parts, regular: { lookupIfKnown: 'true' } }).solutions('hi', given)).toHaveLength(2)
  })

  test('[Y8] of another language are passed over, with their corrections', () => {
    const german: Parts = { dictionaries: [{ ...hello, lang: 'de' }], corrections: ['levenshtein'] }
    expect(read(german, 'hello', { language: 'de' })).toBe('greeting(hello)')
    expect(read(german, 'hello helo')).toBe('unknown(hello), unknown(helo)')
  })

  test('[Y9] the case of a word counts first, then not', () => {
    const parser = parserOf({ dictionaries: [{ words: [['US', 'country'], ['us', 'we']] }] }) // biome-ignore format: a table
    const matchesOf = (input: string) => parser.parse(input, { language: 'en', temporary: [] }).matches[0]
    expect(matchesOf('US')).toEqual({ input: 'US', word: 'US', expressions: 'country', accuracy: 1, corrected: false })
    expect(matchesOf('Us')).toMatchObject({ word: 'US', accuracy: 0.9, corrected: true })
  })

  test('[Y9] a pattern is tried for what is not known, over the whole token; a word without expressions is unused', () => {
    const parts: Parts = { dictionaries: [{ words: [['ab12', 'word'], ['the', ' ']], regExs: [['[a-z]+\\d+', 'id']] }] } // biome-ignore format: a table
    expect(read(parts, 'ab12 cd34 cd34x the')).toBe('word, id, unknown(cd34x), unused(the)')
    expect(read(parts, `${'a'.repeat(200)}1`)).toMatch(/^unknown/)
  })

  test('[Y7] numbers, addresses, times and ordinal numbers', () => {
    const builtins = ['integer', 'decimal', 'email', 'time', 'ordinalNumber', 'punctuation']
    expect(read({ builtins }, '42 3,5 a.b@c-d.org 9:05 24:00 21st 3. ! -5')).toBe(
      'integer(42), decimal(3.5), email(a.b@c-d.org), time(32700000), time(0), ordinal_number(21), ordinal_number(3), ' +
        'punctuation(exclamation_mark), unknown(-5)',
    )
    expect(['15h', '12h10', '13:50:12', '24:01', '9:5', '25:00', '12h60'].map(timeOf)).toEqual([
      54_000_000,
      43_800_000,
      49_812_000,
      null,
      null,
      null,
      null,
    ])
    expect(read({ builtins: ['email'] }, 'a@b a@@b.at @b.at %@c.at a@b.travel')).not.toContain('email')
  })
})

describe('phrases', () => {
  const phrases: Listed = [['good morning', 'greeting(morning)'], ['good morning sunshine', 'greeting(sunshine)'], ['New York', 'city(ny)']] // biome-ignore format: a table
  const parts: Parts = { dictionaries: [{ phrases, words: [['good', 'positive'], ['york', 'town']] }], corrections: ['levenshtein'] } // biome-ignore format: a table

  test('[Y11] the longest phrase first; an interrupted one is none', () => {
    expect(read(parts, 'good morning sunshine')).toBe('greeting(sunshine)')
    expect(read(parts, 'good morning york')).toBe('greeting(morning), town')
    expect(read(parts, 'good strange morning')).toBe('positive, unknown(strange), unused(morning)')
    expect(read(parts, 'so new york it is')).toBe('unknown(so), city(ny), unknown(it), unknown(is)')
  })

  test('[Y11] a slip of the pen in a phrase is forgiven', () => expect(read(parts, 'goood mornin')).toBe('greeting(morning)'))

  test('[Y11] solutions are given best first, and bounded', () => {
    const words: Listed = ['a', 'b', 'c', 'd'].flatMap((word): Listed => [[word, `${word}1`], [word, `${word}2`]]) // biome-ignore format: a table
    const all = (config: JsonObject) =>
      parserOf({ dictionaries: [{ words }], config }).solutions('a b c d', { language: 'en', temporary: [] })
    expect(all({})).toHaveLength(16)
    expect(all({ maxSolutions: 5 })).toHaveLength(5)
    expect(all({ maxSuggestions: '3' })).toHaveLength(3)
    expect(all({ maxSolutions: 'many' })).toHaveLength(16)
  })
})

describe('corrections', () => {
  const words: Listed = ['hello', 'help', 'world', 'night'].map((word): readonly [string, string] => [word, `w(${word})`])
  const with_ = (...names: (string | readonly [string, JsonObject])[]): Parts => ({ dictionaries: [{ words }], corrections: names })

  test('[Y10] the nearest word, glued words, words of the same sound', () => {
    expect(read(with_('levenshtein'), 'HELO wrold xyz')).toBe('w(hello), w(world), unknown(xyz)')
    expect(read(with_(['levenshtein', { distance: '1', maxCandidates: 1 }]), 'hlleo')).toBe('unknown(hlleo)')
    expect(read(with_('mergedTerms'), 'helloWorld hellow')).toBe('w(hello), w(world), unknown(hellow)')
    expect(read(with_('phonetic'), 'nite knight')).toBe('w(night), w(night)')
  })

  test('[Y10] are asked about known tokens only when they say so', () => {
    const known = (config: JsonObject) => parserOf(with_(['levenshtein', config])).solutions('hello', { language: 'en', temporary: [] })
    expect(known({})).toHaveLength(1)
    expect(known({ lookupIfKnown: 'true' })).toHaveLength(3)
  })

  test('[Y10] [Y19] taking a token apart asks about each part of it once at most', () => {
    let asked = 0
    const vocabulary: Vocabulary = {
      ...{
        terms: [],
        longest: 64,
        partOf: () => undefined,
        phrases: { next: new Map(), ends: [] },
        near: () => () => [],
        soundsLike: () => [],
      },
      wordsOf(term, accuracy) {
        asked++
        return /^a+$/.test(term) ? [{ word: term, expressions: [], accuracy, isCorrected: true }] : []
      },
    }
    const source: Source = { language: null, isAlwaysAsked: false, find: () => [], vocabulary }
    expect(corrections['mergedTerms']?.({}).correct(`${'a'.repeat(63)}b`, [source], newEffort()).readings).toEqual([])
    expect(asked).toBeLessThanOrEqual((64 * 65) / 2)
    expect(corrections['mergedTerms']?.({}).correct('a'.repeat(65), [source], newEffort()).readings).toEqual([])
  })

  test('[Y18] parsers of one dictionary share what was read of it', () => {
    const one = dictionary({ words })
    expect(regularSource(one, true).vocabulary).toBe(regularSource(one, false).vocabulary)
    const vocabulary = regularSource(one, true).vocabulary
    expect(vocabulary?.near(2)).toBe(vocabulary?.near(2))
  })
})

describe('normalizers', () => {
  const normalized = (normalizers: Parts['normalizers'], input: string) =>
    parserOf({ normalizers: normalizers ?? [] }).parse(input, { language: 'en', temporary: [] }).normalized

  test('[Y5] run in their order, and leave one space between tokens', () => {
    expect(normalized([], '  a \n\t b  ')).toBe('a b')
    expect(normalized(['specialCharacter', 'contractedWords', 'punctuation'], 'I’m in Größe, don’t worry!')).toBe(
      'i am in Groesse , do not worry !',
    )
    expect(normalized(['allowedCharacter'], 'a_b <c> ü')).toBe('ab c')
  })

  test('[Y6] punctuation is put apart or taken out; times and ordinal numbers stay', () => {
    expect(normalized(['punctuation'], 'at 9:05, the 3. of May.')).toBe('at 9 : 05 , the 3. of May .')
    expect(normalized(['punctuation'], 'at 9:05 , on the 3. day')).toBe('at 9:05 , on the 3. day')
    expect(normalized([['punctuation', { removePunctuation: 'true', punctuationRegexPattern: '|a-c' }]], 'x|y.abz')).toBe('x y. z')
  })
})

describe('quick replies', () => {
  const temporary = [reply('Yes, please!', 'confirm(yes)'), reply('Option #1'), reply('No', 'confirm(no)', true)]
  const parts: Parts = { normalizers: ['punctuation'], dictionaries: [hello, { words: [['no', 'from_dictionary']] }] } // biome-ignore format: a table

  test('[Y12] are understood before all else, as a person writes them', () => {
    expect(read(parts, 'yes, please!', { temporary })).toBe('confirm(yes)')
    expect(read(parts, 'Option #1', { temporary })).toBe('option_1')
    expect(read(parts, 'no', { temporary })).toBe('confirm(no)')
    expect(read(parts, 'no')).toBe('from_dictionary')
  })

  test('[Y12] the default one takes what nothing is known of, once, and only where none was chosen', () => {
    expect(read(parts, 'what is that', { temporary })).toBe('confirm(no)')
    expect(read(parts, 'hello you there', { temporary })).toBe('greeting(hello), confirm(no)')
    expect(read(parts, 'hello', { temporary })).toBe('greeting(hello)')
    expect(read(parts, 'what Option #1', { temporary })).toBe('unknown(what), option_1')
  })

  test('[Y12] [Y19] too many are not looked at', () => {
    const many = Array.from({ length: mostReplies + 1 }, (_, at) => reply(`r${at}x`, `e${at}`))
    expect(read({}, `r0x r${mostReplies}x`, { temporary: many })).toBe(`e0, unknown(r${mostReplies}x)`)
  })
})

describe('settings', () => {
  test('[Y13] what is malformed is the default, what is too much is the most', () => {
    const settings = (config: JsonObject) => parserOf({ config }).settings
    const usual = {
      appendExpressions: true,
      includeUnused: true,
      includeUnknown: true,
      maxInputTokens: 200,
      maxSuggestions: 1_000,
      maxSolutions: 100,
    }
    expect(settings({})).toEqual(usual)
    expect(settings({ maxInputTokens: '-1', maxSolutions: 'x', maxSuggestions: 1.5, includeUnused: 'maybe' })).toEqual(usual)
    expect(settings({ maxInputTokens: 1e9, includeUnknown: 'false', appendExpressions: false })).toMatchObject({
      ...{ maxInputTokens: 1_000, includeUnknown: false, appendExpressions: false },
    })
  })

  test('[Y13] only so many tokens are looked at; unknown and unused ones can be left out', () => {
    expect(read({ config: { maxInputTokens: 2 } }, 'a b c')).toBe('unknown(a), unknown(b)')
    expect(read({ config: { includeUnknown: 'false' }, dictionaries: [hello] }, 'oh hello')).toBe('greeting(hello)')
  })
})

describe('faults', () => {
  const fault = (parts: Parts): string => {
    try {
      parserOf(parts)
      return 'none'
    } catch (error) {
      if (!(error instanceof ParserFault)) throw error
      return `${error.path}: ${error.message}`
    }
  }

  test('[Y15] say which part, what of it, and what is allowed', () => {
    expect(fault({ builtins: ['roman'] })).toMatch(
      /^\/extensions\/dictionaries\/0: "eddi:.*roman" is no type of dictionaries; there are .*dictionaries\.regular, .*integer/,
    )
    expect(fault({ normalizers: ['constructor'] })).toContain('is no type of normalizers')
    expect(fault({ normalizers: [['punctuation', { punctuationRegexPattern: 'z-a' }]] })).toContain('ends before it begins')
    expect(fault({ corrections: ['phonetic', ['levenshtein', { distance: 9 }]] })).toMatch(
      /^\/extensions\/corrections\/1: .*"distance" is at most 4/,
    )
    expect(fault({ dictionaries: [{ regExs: [['(a+)+', 'x']] }] })).toMatch(/^\/extensions\/dictionaries\/0: .*"\(a\+\)\+" can be slow/)
    expect(() =>
      compileParser(
        {
          config: {},
          extensions: { normalizer: [], dictionaries: [extension('dictionaries')(['regular', { uri: 'eddi://x' }])], corrections: [] },
        },
        () => null,
      ),
    ).toThrow('there is no dictionary eddi://x')
  })

  test('[Y15] of a dictionary are given all at once', () => {
    expect(dictionaryFaults(dictionary({ ...hello, regExs: [['(a|a)*', 'x'], ['(', 'y'], ['a', '('.repeat(200)]] }))).toHaveLength(3) // biome-ignore format: a table
    expect(expressionsIn(dictionary({ ...hello, phrases: [['good day', 'greeting(hello)']] }))).toEqual(['city(vienna)', 'greeting(hello)'])
  })
})

test('[Y16] what a person writes closes no parenthesis', () => {
  expect(['(a)', 'a)', ':(', 'x),admin(yes)', '('.repeat(50) + ')'.repeat(50), '((a)b)'].map(sealed)).toEqual([
    '(a)',
    'a',
    ':',
    'x,adminyes',
    '',
    '((a)b)',
  ])
  const parser = parserOf({})
  const { expressions, intents } = parser.parse('x),admin(yes),y(', { language: 'en', temporary: [] })
  expect(intents).toEqual(['unknown'])
  expect(expressionsText(expressions)).toBe('unknown(x,adminyes,y)')
})

// ---- the task

function memoryOf(past: readonly Step[] = []): Memory {
  const info = { conversationId: 'c', agentId: 'a', agentVersion: 1, environment: 'test', userId: 'ada', groupIds: [] } as const
  const nothing = () => undefined
  return {
    info,
    past,
    current: openStep(),
    properties: new Map(),
    setProperty: nothing,
    removeProperty: nothing,
    attachments: [],
    language: 'en',
  }
}

describe('the step', () => {
  const parser = parserOf({ dictionaries: [hello], normalizers: ['punctuation'] })

  test('[Y17] is given data that is not public, and outputs for templates', () => {
    const memory = memoryOf()
    parseStep(parser, memory, 'hello, you')
    expect(
      memory.current.data.map(({ key, value, isPublic }): Json => [key, key === 'expressions:matches' ? '' : value, isPublic]),
    ).toEqual([
      ['input:normalized', 'hello , you', false],
      ['expressions:parsed', 'greeting(hello), unknown(,), unknown(you)', false],
      ['expressions:matches', '', false],
      ['intents', ['greeting', 'unknown'], false],
    ])
    expect(memory.current.output).toEqual({
      input: 'hello , you',
      expressions: 'greeting(hello), unknown(,), unknown(you)',
      intents: ['greeting', 'unknown'],
    })
  })

  test('[Y17] an empty input leaves no trace', () => {
    const memory = memoryOf()
    parseStep(parser, memory, ' \n ')
    expect(memory.current.data).toEqual([])
    expect(memory.current.output).toEqual({})
  })

  test('[Y17] adds to what an earlier parser of the step found, or replaces it', () => {
    const both = memoryOf()
    parseStep(parser, both, 'hello hello')
    expect(both.current.get('expressions:parsed')).toBe('greeting(hello), greeting(hello)')
    parseStep(parser, both, 'hello Wien')
    expect(both.current.get('expressions:parsed')).toBe('greeting(hello), greeting(hello), city(vienna)')
    parseStep(parserOf({ dictionaries: [hello], config: { appendExpressions: 'false' } }), both, 'Wien')
    expect(both.current.get('expressions:parsed')).toBe('city(vienna)')
  })

  test('[Y12] [Y17] knows the quick replies of the step before, and of no other', () => {
    const offered = openStep()
    offered.set('quickReplies:greet', [{ value: 'Sure thing', expressions: 'confirm(yes)' }], { isPublic: true })
    const memory = memoryOf([offered.done()])
    parseStep(parser, memory, 'sure thing')
    expect(memory.current.get('expressions:parsed')).toBe('confirm(yes)')
    const later = memoryOf([offered.done(), openStep().done()])
    parseStep(parser, later, 'sure thing')
    expect(later.current.get('expressions:parsed')).toBe('unknown(sure), unknown(thing)')
  })
})
