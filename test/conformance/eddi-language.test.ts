// The language of EDDI's pipelines, over the recorded facts about it: expressions, paths, normalizers, dictionaries, corrections.
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import type { Dictionary, ParserConfig, QuickReply } from '../../src/pipelines/configuration.ts'
import * as language from '../../src/pipelines/expressions/expressions.ts'
import { builtinSource, builtins, isDecimal, isInteger, ordinalOf, timeOf } from '../../src/pipelines/parser/builtin.ts'
import { accuracyOf, corrections } from '../../src/pipelines/parser/corrections.ts'
import { distanceOf } from '../../src/pipelines/parser/distance.ts'
import { newEffort } from '../../src/pipelines/parser/effort.ts'
import { hasPunctuation, keptSigns, normalizers, punctuationOf } from '../../src/pipelines/parser/normalizers.ts'
import { compileParser, filterExpressions, replyExpressions } from '../../src/pipelines/parser/parser.ts'
import { classOf } from '../../src/pipelines/parser/pattern/pattern.ts'
import { regularSource } from '../../src/pipelines/parser/vocabulary.ts'
import { pathMatches, sizeOf, valueAt, withValueAt } from '../../src/pipelines/paths/paths.ts'
import { describeShared } from '../shared.ts'

type Row = JsonObject & { readonly id: string }
type Judge = (row: Row) => void

const { parseExpressions: parse } = language
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const objectOf = (value: Json | undefined): JsonObject => JSON.parse(JSON.stringify(value ?? {}))
const pairs = (value: Json | undefined): readonly (readonly [string, string])[] => JSON.parse(JSON.stringify(value ?? []))
const texts = (value: Json | undefined): readonly string[] => pairs(value).map(String)

function judge(row: Row, judges: Readonly<Record<string, Judge>>, kind: Json | undefined): void {
  const one = Object.hasOwn(judges, textOf(kind)) ? judges[textOf(kind)] : undefined
  if (one === undefined) throw new Error(`The kind "${textOf(kind)}" of ${row.id} is not known here`)
  one(row)
}

// ---- expressions

const typed = (one: language.Expression): Json => ({ name: one.name, type: language.kindOf(one), children: one.children.map(typed) })
const first = (text: Json | undefined) => parse(textOf(text))[0] ?? language.expressionOf('')

const expressionJudges: Readonly<Record<string, Judge>> = {
  parseExpressions({ input, expected, expectedString }) {
    const found = parse(input === null ? null : textOf(input))
    expect(found.map(typed)).toEqual(expected)
    expect(language.expressionsText(found)).toBe(expectedString)
  },
  createExpression({ predicate, values, expectedString }) {
    expect(language.expressionText(language.expressionOf(textOf(predicate), ...texts(values)))).toBe(expectedString)
  },
  equals: ({ a, b, expected }) => expect(language.sameExpression(first(a), first(b))).toBe(expected),
  valueEquals: ({ a, b, expected }) => expect(language.sameExpression(first(a), first(b))).toBe(expected),
  contiguousSublistMatch({ needle, haystack, expectedIndex, expectedMatch }) {
    const [wanted, list] = [parse(textOf(needle)), parse(textOf(haystack))]
    expect([language.sublistAt(list, wanted), language.hasSublist(list, wanted)]).toEqual([expectedIndex, expectedMatch])
  },
  setExpressionName: ({ input, expected }) => expect(language.domainOf(textOf(input))).toEqual(expected),
  written: ({ input, expected }) => expect(language.expressionsText(parse(textOf(input)))).toBe(expected),
  findByName({ input, names, expectedCount }) {
    expect(language.withName(parse(textOf(input)), ...texts(names))).toHaveLength(Number(expectedCount))
  },
  valueType({ input, isNumeric, isDouble, isBoolean }) {
    const type = language.valueType(textOf(input))
    if (isNumeric !== null) expect(type === 'integer' || type === 'decimal').toBe(isNumeric)
    if (isDouble !== null) expect(type === 'decimal').toBe(isDouble)
    if (isBoolean !== null) expect(type === 'boolean').toBe(isBoolean)
  },
  extractAllValues: ({ input, expectedCount }) => expect(language.valuesIn(parse(textOf(input)))).toHaveLength(Number(expectedCount)),
}

describeShared('expressions of EDDI', 'eddi/expressions.json', ({ rows }) => {
  test.each(rows as readonly Row[])('[Y1] [Y2] $id $kind', (row) =>
    judge(row, expressionJudges, row['kind'] === 'toString' ? 'written' : (row['kind'] ?? null)),
  )
})

// ---- paths

const pathJudges: Readonly<Record<string, Judge>> = {
  getValue: ({ path, root, expected }) => expect(valueAt(path === null ? null : textOf(path), root ?? null) ?? null).toEqual(expected),
  setValue: ({ path, root, value, expectedRoot }) => expect(withValueAt(textOf(path), objectOf(root), value ?? null)).toEqual(expectedRoot),
  valuePathMatch({ root, valuePath, equals, contains, expected }) {
    const match = { valuePath: textOf(valuePath), equals: textOf(equals), contains: textOf(contains) }
    expect(pathMatches(match, root ?? null)).toBe(expected)
  },
  determineSize: ({ value, expected }) => expect(sizeOf(value)).toBe(expected),
}

describeShared('paths of EDDI', 'eddi/paths.json', ({ rows }) => {
  test.each(rows as readonly Row[])('[Y3] [Y4] $id $kind', (row) => judge(row, pathJudges, row['kind']))
})

describeShared('sizes of EDDI', 'eddi/behavior.json', ({ rows }) => {
  const sizes = (rows as readonly Row[]).filter(({ kind }) => kind === 'determineSize')
  test.each(sizes)('[Y4] $id $kind', (row) => judge(row, pathJudges, row['kind']))
})

// ---- normalizers

const normalizerJudges: Readonly<Record<string, Judge>> = {
  normalize({ normalizer, config, input, expected }) {
    expect(normalizers[textOf(normalizer)]?.(objectOf(config))(textOf(input))).toBe(expected)
  },
  containsPunctuation({ config, input, expected }) {
    expect(hasPunctuation(textOf(input), punctuationOf(objectOf(config)))).toBe(expected)
  },
  deleteUndefinedChars: ({ pattern, input, expected }) => expect(keptSigns(textOf(input), classOf(textOf(pattern)))).toBe(expected),
  isNumber: ({ input, mustContainComma, expected }) =>
    expect(mustContainComma === true ? isDecimal(textOf(input)) : language.isNumber(textOf(input))).toBe(expected),
  isStringInteger: ({ input, expected }) => expect(isInteger(textOf(input))).toBe(expected),
  isTimeExpression: ({ input, expected }) => expect(timeOf(textOf(input)) !== null).toBe(expected),
  extractOrdinalValue: ({ input, expected }) => expect(ordinalOf(textOf(input))).toBe(expected),
}

describeShared('normalizers of EDDI', 'eddi/normalizers.json', ({ rows }) => {
  test.each(rows as readonly Row[])('[Y5] [Y6] [Y7] $id', (row) => judge(row, normalizerJudges, row['kind'] ?? 'normalize'))
})

// ---- dictionaries

const uri = 'eddi://ai.labs.dictionary/dictionarystore/dictionaries/one?version=1'
const given = { language: 'en', temporary: [] }

function dictionaryOf({ words, phrases, regex, dictionaryLanguage, dictionary }: Row | JsonObject): Dictionary {
  const listed = Array.isArray(dictionary) ? texts(dictionary).map((word): readonly [string, string] => [word, `found(${word})`]) : []
  return {
    lang: textOf(dictionaryLanguage),
    words: [...pairs(words), ...listed].map(([word, expressions]) => ({ word, expressions, frequency: 0 })),
    phrases: pairs(phrases).map(([phrase, expressions]) => ({ phrase, expressions })),
    regExs: pairs(regex).map(([regEx, expressions]) => ({ regEx, expressions })),
  }
}

function parserOf(row: Row) {
  const regular = { type: 'eddi://ai.labs.parser.dictionaries.regular', config: { uri, lookupIfKnown: row['lookupIfKnown'] === true } }
  const config: ParserConfig = { config: {}, extensions: { normalizer: [], dictionaries: [regular], corrections: [] } }
  return compileParser(config, (wanted) => (wanted === uri ? dictionaryOf(row) : null))
}

const reply = ([value, expressions]: readonly [string, string]): QuickReply => ({ value, expressions, isDefault: false })

const dictionaryJudges: Readonly<Record<string, Judge>> = {
  builtin({ dictionary, lookup, expected, expectedMatch }) {
    const kind = builtins[textOf(dictionary) === 'timeExpression' ? 'time' : textOf(dictionary)]
    const found = kind === undefined ? [] : builtinSource(kind).find(textOf(lookup), newEffort())
    const text = found[0] === undefined ? null : language.expressionsText(found[0].expressions)
    if (expectedMatch === undefined) expect(text).toBe(expected)
    else expect(/^time\(\d+\)$/.test(text ?? '')).toBe(expectedMatch)
  },
  regular(row) {
    const source = regularSource(dictionaryOf({ ...row, dictionary: null }), false)
    const found = source.find(textOf(row['lookup']), newEffort())
    const isPart = source.vocabulary?.partOf(textOf(row['lookup']).toLowerCase()) !== undefined
    if (row['expectedCount'] !== undefined) expect(found).toHaveLength(Number(row['expectedCount']))
    if (row['expectedNonEmpty'] !== undefined) expect(found.length > 0 || isPart).toBe(row['expectedNonEmpty'])
    if (row['corrected'] !== undefined) expect(found[0]).toMatchObject({ isCorrected: row['corrected'], accuracy: row['accuracy'] })
  },
  lookupIfKnown({ dictionary, expected }) {
    const name = textOf(dictionary) === 'timeExpression' ? 'time' : textOf(dictionary)
    const regular = regularSource(dictionaryOf({}), false)
    expect((builtins[name] ? builtinSource(builtins[name]) : regular).isAlwaysAsked).toBe(expected)
  },
  parse(row) {
    const { input, userLanguage, expectedEntry, expectedSolutionCount, expectedFirst } = row
    const solutions = parserOf(row).solutions(textOf(input), { ...given, language: textOf(userLanguage) || 'en' })
    const best = solutions[0] ?? []
    const read = best.map(({ value, reading }) => ({
      value,
      expression: language.expressionsText(reading.flatMap(({ expressions }) => expressions)),
    }))
    if (row['expectedContainsGreeting'] === true) expect(read).toContainEqual(expect.objectContaining({ expression: 'greeting' }))
    if (expectedEntry !== undefined) {
      const { index, ...entry } = objectOf(expectedEntry)
      expect(read[Number(index)]).toEqual(entry)
    }
    if (expectedSolutionCount !== undefined) expect(solutions).toHaveLength(Number(expectedSolutionCount))
    if (expectedFirst !== undefined) expect(best.map(({ value }) => value)).toEqual(expectedFirst)
  },
  parseWithTemporary(row) {
    const temporary = [...pairs(row['temporaryWords']), ...pairs(row['temporaryPhrases'])].map(reply)
    const parser = parserOf(row)
    const found = parser.parse(textOf(row['input']), { ...given, temporary })
    const wanted = row['expected'] ?? row['expectedFirst']
    expect(language.expressionsText(found.expressions)).toBe(wanted)
    if (row['expectedSolutionCount'] === undefined) return
    expect(parser.solutions(textOf(row['input']), { ...given, temporary })).toHaveLength(Number(row['expectedSolutionCount']))
  },
  filterExpressions({ input, includeUnused, includeUnknown, expected }) {
    const kept = filterExpressions(parse(textOf(input)), { includeUnused: includeUnused === true, includeUnknown: includeUnknown === true })
    expect(language.expressionsText(kept)).toBe(expected)
  },
  quickReplyGeneratedExpression: ({ value, expected }) => expect(replyExpressions(reply([textOf(value), '']))).toBe(expected),
}

describeShared('dictionaries of EDDI', 'eddi/dictionaries.json', ({ rows }) => {
  const kindOf = ({ kind, dictionary }: Row) => kind ?? (dictionary === 'regular' ? 'regular' : 'builtin')
  test.each(rows as readonly Row[])('[Y8] [Y9] [Y11] [Y12] $id', (row) => judge(row, dictionaryJudges, kindOf(row)))
})

// ---- corrections

function guesses(row: Row, kind: string, config: JsonObject) {
  const source = regularSource(dictionaryOf(row), false)
  const temporary = regularSource(dictionaryOf({ dictionary: row['temporaryDictionary'] ?? [] }), false)
  const guess = corrections[kind]?.(config).correct(textOf(row['lookup']), [temporary, source], newEffort())
  return guess?.readings.flat() ?? []
}

const correctionJudges: Readonly<Record<string, Judge>> = {
  distance: ({ a, b, expected }) => expect(distanceOf(textOf(a), textOf(b))).toBe(expected),
  accuracy: ({ distance, maxDistance, expected }) =>
    expect(accuracyOf(Number(distance), Number(maxDistance))).toBeCloseTo(Number(expected), 5),
  correct(row) {
    const found = guesses(row, 'levenshtein', { distance: row['maxDistance'] ?? 2, maxCandidates: row['maxCandidates'] ?? 5 })
    const words = found.map(({ word }) => word)
    if (row['expectedCount'] !== undefined) expect(found).toHaveLength(Number(row['expectedCount']))
    if (row['expectedFirst'] !== undefined) expect(words[0]).toBe(row['expectedFirst'])
    for (const word of texts(row['expectedNotContains'])) expect(words).not.toContain(word)
    for (const { accuracy } of found) expect(accuracy > 0 && accuracy <= 1).toBe(true)
  },
  correctLanguage(row) {
    const { lookup, userLanguage, expectedMatch } = row
    const config: ParserConfig = {
      config: {},
      extensions: {
        normalizer: [],
        dictionaries: [{ type: 'eddi://ai.labs.parser.dictionaries.regular', config: { uri } }],
        corrections: [{ type: 'eddi://ai.labs.parser.corrections.levenshtein', config: { lookupIfKnown: true } }],
      },
    }
    const found = compileParser(config, () => dictionaryOf(row)).parse(textOf(lookup), { ...given, language: textOf(userLanguage) })
    expect(found.intents.includes('found')).toBe(expectedMatch)
  },
  mergedTerms: (row) => expect(guesses(row, 'mergedTerms', {})).toHaveLength(Number(row['expectedCount'])),
  phonetic(row) {
    const words = guesses(row, 'phonetic', {}).map(({ word }) => word)
    if (row['expectedSet'] !== undefined) expect(new Set(words)).toEqual(new Set(texts(row['expectedSet'])))
    if (row['expectedNonEmpty'] !== undefined) expect(words.length > 0).toBe(row['expectedNonEmpty'])
  },
}

describeShared('corrections of EDDI', 'eddi/damerau.json', ({ rows }) => {
  test.each(rows as readonly Row[])('[Y10] $id $kind', (row) => judge(row, correctionJudges, row['kind']))
})
