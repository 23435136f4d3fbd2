// Texts and rosters that would make a careless matcher slow or wrong.
import { describe, expect, test } from 'vitest'
import { compileCortex } from '../../src/routing/compile.ts'
import { openKeywords } from '../../src/routing/keywords.ts'
import { routeAt } from '../../src/routing/ladder.ts'
import { mentionsIn } from '../../src/routing/mention.ts'
import { openPhrases } from '../../src/routing/phrases.ts'
import { placeOfTable } from '../../src/routing/place.ts'
import { bundledTable } from '../routing/tables.ts'
import { growth, memberOf, tableOf } from './work.ts'

const bundled = bundledTable()
const cortex = compileCortex(bundled)
const place = placeOfTable(bundled)
const modes = {
  default: (text: string) => cortex.decide(text),
  strict: (text: string) => cortex.strict(text),
  'the whole way': (text: string) => routeAt(place, { text }),
}

/** Each as long as it is asked for. */
const texts: Readonly<Record<string, string>> = {
  'one letter': 'a',
  'tiny words': 'a ',
  'nested repeats': 'aab',
  mentions: '@a ',
  'only the sign of mentions': '@',
  'names without an end': '@a-_',
  addresses: 'a@b.c ',
  backticks: '`',
  'backticks with words': '`a ',
  quotes: '"a ',
  apostrophes: "a'",
  slashes: '/a',
  dots: '.',
  'dots and slashes': './',
  'ends of sentences': '.?!',
  'a home': '~.',
  'line ends': '\n ',
  'carriage returns': '\n\r',
  'list items': '\n- ',
  'combining marks': 'e\u0301',
  'marks on one letter': '\u0301',
  folding: 'İßﬁς',
  'right to left': '\u202efix ',
  'of no width': 'f\u200bix',
  'zero bytes': '\u0000',
  'lone high surrogates': '\ud800',
  'lone low surrogates': '\udc00',
  emoji: '\u{1f600}',
  verbs: 'fix ',
  'verbs in all forms': 'fixing fixed fixes ',
  negations: "don't not never ",
  greetings: 'hey hi please ',
  questions: 'why how what ',
  'German verbs apart': 'fasse das ',
  digits: '1',
  'percent signs': '9%',
}

describe.each(Object.entries(modes))('%s', (_, decide) => {
  test.each(Object.entries(texts))('[R35] ten times as much of %s is no hundred times the work', (_name, unit) => {
    const long = unit.repeat(Math.ceil(6_000 / unit.length))
    expect(
      growth(
        () => decide(long.slice(0, 600)),
        () => decide(long),
      ),
    ).toBeLessThan(40)
  })

  test('[R35] a text of any length has its work bounded by the part that is looked at', () => {
    for (const unit of Object.values(texts)) {
      const most = unit.repeat(Math.ceil(16_384 / unit.length))
      expect(
        growth(
          () => decide(most),
          () => decide(unit.repeat(Math.ceil(163_840 / unit.length))),
        ),
      ).toBeLessThan(40)
    }
  })

  test('[R36] each gives an answer, the same bytes again, that JSON gives back', () => {
    for (const unit of Object.values(texts)) {
      const one = JSON.stringify(decide(`fix ${unit.repeat(50)} map`))
      expect(JSON.stringify(decide(`fix ${unit.repeat(50)} map`))).toBe(one)
      expect(JSON.stringify(JSON.parse(one))).toBe(one)
    }
  })
})

describe('rosters', () => {
  const bits = (count: number, of: readonly [string, string], tail = '') =>
    Array.from({ length: count }, (_, at) => `${Array.from({ length: 13 }, (_bit, place) => of[(at >> place) & 1]).join(' ')}${tail}`)
  const agents = (phrases: readonly string[]) => phrases.map((phrase, at) => memberOf(`a${at}`, { triggers: [phrase] }))
  const rosters: Readonly<Record<string, readonly [of: (count: number) => Parameters<typeof tableOf>[0], text: string]>> = {
    'phrases with one beginning': [(count) => agents(Array.from({ length: count }, (_, at) => `go to the${at}`)), 'go to the '.repeat(400)],
    'phrases in two forms of each word, that end nowhere': [(count) => agents(bits(count, ['fix', 'fixe'], ' zzz')), 'fixing '.repeat(800)],
    'repeats of one word': [
      (count) => agents(Array.from({ length: count / 10 }, (_, at) => 'a '.repeat((at % 100) + 1).trim())),
      'a '.repeat(3_000),
    ],
    'phrases of 200 signs': [
      (count) => agents(Array.from({ length: count / 10 }, (_, at) => `${'x'.repeat(190)}${at}`)),
      `${'x'.repeat(194)} `.repeat(30),
    ],
    'what looks like a pattern': [
      (count) => agents(Array.from({ length: count }, (_, at) => `(a+)+$ .* [^${at}]{1,99}`)),
      '(a+)+$ .* [^1 '.repeat(400),
    ],
    'names with one beginning': [
      (count) => Array.from({ length: count }, (_, at) => memberOf(`fix-${at}`, { aliases: [`fix-it-${at}`] })),
      'fix '.repeat(1_500),
    ],
    'many names': [
      (count) => Array.from({ length: count }, (_, at) => memberOf(`n${at}`, { triggers: [] })),
      '@n1 @n2 @n3 @zz '.repeat(300),
    ],
  }

  test.each(Object.entries(rosters))('[R35] ten times as many of these do not make a decision slower: %s', (_name, [of, text]) => {
    const [few, many] = [200, 2_000].map((count) => compileCortex(tableOf(of(count))))
    const [fewThere, manyThere] = [200, 2_000].map((count) => placeOfTable(tableOf(of(count))))
    expect(
      growth(
        () => few?.decide(text),
        () => many?.decide(text),
      ),
    ).toBeLessThan(40)
    expect(
      growth(
        () => few?.strict(text),
        () => many?.strict(text),
      ),
    ).toBeLessThan(40)
    expect(
      growth(
        () => fewThere && routeAt(fewThere, { text }),
        () => manyThere && routeAt(manyThere, { text }),
      ),
    ).toBeLessThan(40)
  })

  test('[R35] ten times the roster is no hundred times the work to make it ready', () => {
    for (const [of] of Object.values(rosters)) {
      expect(
        growth(
          () => compileCortex(tableOf(of(200))),
          () => compileCortex(tableOf(of(2_000))),
        ),
      ).toBeLessThan(50)
    }
  })

  test('[R35] so many base forms of each word as one likes: the steps are counted, and eight readings at most are followed', () => {
    const stepsOf = (words: number): number => {
      let asked = 0
      const fold = (): readonly string[] => {
        asked += 1
        return ['x', 'y', 'z', 'u', 'v', 'w']
      }
      const phrases = openPhrases(bits(2_000, ['x', 'y']), { fold })
      phrases.in('x '.repeat(words))
      return asked
    }
    expect([stepsOf(100), stepsOf(1_000)]).toEqual([100, 1_000])
    const letters = Array.from(
      { length: 400 },
      (_, at) => `${'xyzuvw'.charAt(at % 6)} ${'xyzuvw'.charAt((at * 7) % 6)} ${'xyzuvw'.charAt((at * 5) % 6)} end`,
    )
    const slow = openPhrases(letters, { fold: () => ['x', 'y', 'z', 'u', 'v', 'w'] })
    expect(
      growth(
        () => slow.in('q '.repeat(500)),
        () => slow.in('q '.repeat(5_000)),
      ),
    ).toBeLessThan(40)
  })
})

describe('what stands in a text is found where it stands, and nowhere else', () => {
  const found = (phrases: readonly string[], text: string) =>
    [...openPhrases(phrases, { fold: () => [] }).in(text)].map((at) => phrases[at])

  test.each([
    ['straße', 'Die Straße', ['straße']],
    ['σας', 'ΣΑΣ', ['σας']],
    ['find', 'ﬁnd it', []],
    ['fix', 'f\u200bix', []],
    ['fix', '\u202efix\u202c', ['fix']],
    ['fix', 'fix\u0301', []],
    ['fix', 'fix\u0000it', ['fix']],
    ['fix', '\ud800fix\udc00', ['fix']],
    ['a b', 'a\u00a0\n b', ['a b']],
    ['map', 'flowmap map_x xmap', []],
  ])('%j in %j', (phrase, text, expected) => {
    expect(found([phrase], text)).toEqual(expected)
  })

  test('the first of 64 thousand mentions that somebody has is heard, within those that are looked up', () => {
    expect(mentionsIn(`${'@nobody '.repeat(150)}@scout ${'@nobody '.repeat(64_000)}`, (name) => name === 'scout')).toEqual(['scout'])
    expect(mentionsIn('@nobody '.repeat(64_000), (name) => name === 'scout')).toEqual([])
  })

  test('an unclosed backtick hides nothing', () => {
    expect(cortex.decide('fix ` the login').selected).toEqual(['coder'])
    expect(cortex.decide('`fix` is a word').selected).toEqual([])
  })

  test('a keyword list of patterns matches its own signs only', () => {
    expect(openKeywords(new Map([['data', ['a.c', '(x+x+)+y']]])).scores('abc xxxxxxxxxxxxxxxxxxxxxxxxxx')).toEqual([])
    expect(openKeywords(new Map([['data', ['a.c']]])).scores('A.C')).toMatchObject([{ score: 1 }])
  })
})
