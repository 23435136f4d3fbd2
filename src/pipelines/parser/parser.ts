// The parser: from what a person writes to expressions. Owns: normalizers, dictionaries, corrections, how their findings become one
// meaning, and which patterns of configurations are safe. Pure. Leaves what expressions lead to, to rules.
//
// Y8   Sources are asked in their order; quick replies of the step before come first.
// Y11  The longest phrase first; the first solution counts.
// Y14  A pattern that can be slow is refused when it is compiled, and sees 128 characters.
// Y16  What a person writes stands inside of one expression; it closes none.
import { InvalidInput } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'
import type { Dictionary, ParserConfig, ParserExtension, QuickReply } from '../configuration.ts'
import type { Memory } from '../conversation.ts'
import { type Expression, expressionsText, expressionText, namesOf, parseExpressions } from '../expressions/expressions.ts'
import { quickRepliesOf } from '../output/output.ts'
import { builtinSource, builtins } from './builtin.ts'
import { cellsOf } from './cells.ts'
import { corrections } from './corrections.ts'
import { newEffort } from './effort.ts'
import type { Correction, Source } from './found.ts'
import { byToken, firstTokens, type Normalizer, normalizers } from './normalizers.ts'
import { compilePattern } from './pattern/pattern.ts'
import { replyExpressions, replySource } from './replies.ts'
import { isOn, mostNormalized, type ParserSettings, settingsOf } from './settings.ts'
import { type Entry, expressionsOf, type Slot, type Solution, slotsOf, solutionsOf } from './solve.ts'
import { regularSource } from './vocabulary.ts'

export { distanceOf } from './distance.ts'
export { type CompiledPattern, compilePattern, mostSeen, PatternFault, patternFault } from './pattern/pattern.ts'
export { replyExpressions } from './replies.ts'
export type { Entry, Solution } from './solve.ts'
export { expressionsIn } from './vocabulary.ts'

export type Parser = {
  readonly settings: ParserSettings
  /** Whether it has normalizers, so that what templates see as the input is what they made of it. */
  readonly isNormalizing: boolean
  parse(input: string, given: Given): Parsed
  /** All that the input may mean, the best first, at most `maxSolutions`. */
  solutions(input: string, given: Given): readonly Solution[]
}

/** `temporary`: the quick replies of the step before. */
export type Given = { readonly language: string; readonly temporary: readonly QuickReply[] }

/** `matches`: what each part of the input was taken for, for a person who looks why. */
export type Parsed = {
  readonly normalized: string
  readonly expressions: readonly Expression[]
  readonly intents: readonly string[]
  readonly matches: readonly Json[]
}

/** A configuration that can't run: an unknown type, a missing dictionary, a slow pattern. `path`: where in the configuration. */
export class ParserFault extends InvalidInput {}

/** `dictionaryOf` gives null for one that does not exist. Throws ParserFault. */
export function compileParser(config: ParserConfig, dictionaryOf: (uri: string) => Dictionary | null): Parser {
  const { extensions } = config
  const settings = settingsOf(config.config)
  const chain = extensions.normalizer.map((one, at) => compiled('normalizer', { ...one, at }, normalizers)(one.config))
  const sources = extensions.dictionaries.map((one, at) => compiledSource(one, at, dictionaryOf))
  const corrects = extensions.corrections.map((one, at) => compiled('corrections', { ...one, at }, corrections)(one.config))
  const machine: Machine = { settings, sources, corrections: corrects, normalize: chained(chain) }
  return {
    settings,
    isNormalizing: chain.length > 0,
    parse: (input, given) => parse(machine, input, given),
    solutions(input, given) {
      const { rows } = rowsOf(machine, normalizedIn(machine, input), given)
      return [...solutionsOf(rows, Math.min(settings.maxSolutions, settings.maxSuggestions))]
    },
  }
}

/** What is wrong with a dictionary, for who saves one: patterns that can be slow, expressions that can't be read. */
export function dictionaryFaults({ words, phrases, regExs }: Dictionary): readonly string[] {
  const texts = [...words, ...phrases, ...regExs].map(({ expressions }) => expressions)
  return [
    ...regExs.map(
      ({ regEx }) =>
        () =>
          compilePattern(regEx),
    ),
    ...texts.map((text) => () => parseExpressions(text)),
  ].flatMap((read) => {
    try {
      read()
      return []
    } catch (error) {
      if (error instanceof InvalidInput) return [error.message]
      throw error
    }
  })
}

type Machine = {
  readonly settings: ParserSettings
  readonly sources: readonly Source[]
  readonly corrections: readonly Correction[]
  readonly normalize: Normalizer
}

function chained(chain: readonly Normalizer[]): Normalizer {
  const spaced = byToken((token) => token)
  return (text) => chain.reduce((before, next) => next(before), spaced(text))
}

// ---- compiling

type Part = keyof ParserConfig['extensions']

const partNames: Readonly<Record<Part, string>> = { normalizer: 'normalizers', dictionaries: 'dictionaries', corrections: 'corrections' }

/** What makes it, wrapped so that its faults say where. */
function compiled<T>(
  part: Part,
  { type, at }: ParserExtension & { readonly at: number },
  makers: Readonly<Record<string, (config: ParserExtension['config']) => T>>,
) {
  const name = nameOf(part, type)
  const make = Object.hasOwn(makers, name) ? makers[name] : undefined
  const place = `/extensions/${part}/${at}`
  if (make === undefined) throw unknownType({ part, type, names: Object.keys(makers), place })
  return (config: ParserExtension['config']): T => {
    try {
      return make(config)
    } catch (error) {
      if (error instanceof InvalidInput || error instanceof RangeError)
        throw new ParserFault(`${type}: ${error.message}`, { path: place, cause: error })
      throw error
    }
  }
}

function compiledSource(one: ParserExtension, at: number, dictionaryOf: (uri: string) => Dictionary | null): Source {
  const makers = Object.fromEntries(Object.entries(builtins).map(([name, kind]) => [name, () => builtinSource(kind)]))
  const regular = ({ uri, lookupIfKnown }: ParserExtension['config']): Source => {
    if (typeof uri !== 'string' || uri === '') throw new ParserFault('"uri" has to name a dictionary')
    const dictionary = dictionaryOf(uri)
    if (dictionary === null) throw new ParserFault(`there is no dictionary ${uri}`)
    return regularSource(dictionary, isOn(lookupIfKnown, false))
  }
  return compiled('dictionaries', { ...one, at }, { regular, ...makers })(one.config)
}

/** The last part of `eddi://ai.labs.parser.dictionaries.integer`; '' when it is of another part. */
function nameOf(part: Part, type: string): string {
  const [, of = '', name = ''] = /^(?:eddi:\/\/)?ai\.labs\.parser\.(\w+)\.(\w+)$/.exec(type) ?? []
  return of === partNames[part] ? name : ''
}

type UnknownType = { readonly part: Part; readonly type: string; readonly names: readonly string[]; readonly place: string }

function unknownType({ part, type, names, place }: UnknownType): ParserFault {
  const known = names.map((name) => `eddi://ai.labs.parser.${partNames[part]}.${name}`).join(', ')
  return new ParserFault(`"${type}" is no type of ${partNames[part]}; there are ${known}`, { path: place })
}

// ---- parsing

/** What is behind `mostNormalized` characters stays as it is; most likely it is too long to be parsed anyway. */
function normalizedIn(machine: Machine, input: string): string {
  if (input.length <= mostNormalized) return machine.normalize(input)
  const cut = input.lastIndexOf(' ', mostNormalized)
  const at = cut > 0 ? cut : mostNormalized
  return `${machine.normalize(input.slice(0, at))} ${input.slice(at).trim()}`
}

/** The parts of the input; `isOffered`: a quick reply is among them. */
function rowsOf(machine: Machine, normalized: string, { language, temporary }: Given) {
  const tokens = firstTokens(normalized, machine.settings.maxInputTokens)
  const offered = replySource(temporary, machine.normalize)
  const spoken = machine.sources.filter((source) => source.language === null || source.language.toLowerCase() === language.toLowerCase())
  const sources = offered === null ? spoken : [offered, ...spoken]
  const effort = newEffort()
  const rows = slotsOf(cellsOf(tokens, { sources, corrections: machine.corrections, effort }), sources, effort)
  return { rows, isOffered: offered !== null && rows[0]?.some(({ source }) => source === 0) === true }
}

function parse(machine: Machine, input: string, given: Given): Parsed {
  const normalized = normalizedIn(machine, input)
  const { rows, isOffered } = rowsOf(machine, normalized, given)
  const [best = []] = solutionsOf(rows, 1)
  const fallback = isOffered ? undefined : given.temporary.find(({ isDefault }) => isDefault)
  const solution = fallback === undefined ? best : caught(best, rows[0] ?? [], parseExpressions(replyExpressions(fallback)))
  const expressions = filterExpressions(expressionsOf(solution), machine.settings)
  return { normalized, expressions, intents: namesOf(expressions), matches: solution.flatMap(matchesOf) }
}

/** With what nothing is known of taken for the default reply, once, where the first of it stands. */
function caught(solution: Solution, slots: readonly Slot[], expressions: readonly Expression[]): Solution {
  const isUnmatched = slots.map(({ readings }) => readings.length === 0)
  const first = isUnmatched.indexOf(true)
  return solution.flatMap((entry, at): Entry[] => {
    if (!isUnmatched[at]) return [entry]
    const value = solution.flatMap((one, place) => (isUnmatched[place] ? [one.value] : [])).join(' ')
    return at === first ? [{ value, reading: [{ word: value, expressions, accuracy: 0, isCorrected: false }] }] : []
  })
}

/** Without those named `unused` and `unknown`, as far as the settings say so. */
export function filterExpressions(
  expressions: readonly Expression[],
  { includeUnused, includeUnknown }: Pick<ParserSettings, 'includeUnused' | 'includeUnknown'>,
): readonly Expression[] {
  return expressions.filter(({ name }) => (includeUnused || name !== 'unused') && (includeUnknown || name !== 'unknown'))
}

function matchesOf({ value, reading }: Entry): readonly Json[] {
  return reading.map(({ word, expressions, accuracy, isCorrected }) => ({
    input: value,
    word,
    expressions: expressionsText(expressions),
    accuracy: Math.round(accuracy * 1_000) / 1_000,
    corrected: isCorrected,
  }))
}

// ---- the task

/**
 * Parses the input into the current step: its data `input:normalized`, `expressions:parsed`, `expressions:matches` and `intents`, none of
 * them public, and the outputs `input`, `expressions` and `intents`. An input without a word leaves no trace.
 */
export function parseStep(parser: Parser, memory: Memory, input: string): void {
  if (input.trim() === '') return
  const { current, past, language } = memory
  const last = past.at(-1)
  const parsed = parser.parse(input, { language, temporary: last === undefined ? [] : quickRepliesOf(last) })
  const before = parser.settings.appendExpressions ? parsedIn(current.get('expressions:parsed')) : []
  const expressions = [...before, ...parsed.expressions.filter((one) => !before.some((other) => isTwice(one, other)))]
  const intents = namesOf(expressions)
  current.set('input:normalized', parsed.normalized)
  current.set('expressions:parsed', expressionsText(expressions))
  current.set('expressions:matches', parsed.matches)
  current.set('intents', intents)
  current.out('input', parser.isNormalizing ? parsed.normalized : input)
  current.out('expressions', expressionsText(expressions))
  current.out('intents', intents)
}

function parsedIn(value: Json | undefined): readonly Expression[] {
  return parseExpressions(typeof value === 'string' ? value : '')
}

/** Written alike: a `*` is itself here. */
function isTwice(a: Expression, b: Expression): boolean {
  return expressionText(a) === expressionText(b)
}
