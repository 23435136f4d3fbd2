// Settings of a parser as configurations hold them: numbers and switches, often as texts. What is malformed is the default.
import type { Json, JsonObject } from '../../base/json.ts'

/** Characters of an input that normalizers see. */
export const mostNormalized = 32_768

/** What a configuration may raise a limit to. */
export const parserLimits = { maxInputTokens: 1_000, maxSuggestions: 10_000, maxSolutions: 1_000 } as const

export type ParserSettings = {
  readonly appendExpressions: boolean
  readonly includeUnused: boolean
  readonly includeUnknown: boolean
  readonly maxInputTokens: number
  readonly maxSuggestions: number
  readonly maxSolutions: number
}

export function settingsOf(config: JsonObject): ParserSettings {
  return {
    appendExpressions: isOn(config['appendExpressions'], true),
    includeUnused: isOn(config['includeUnused'], true),
    includeUnknown: isOn(config['includeUnknown'], true),
    maxInputTokens: countOf(config['maxInputTokens'], 200, parserLimits.maxInputTokens),
    maxSuggestions: countOf(config['maxSuggestions'], 1_000, parserLimits.maxSuggestions),
    maxSolutions: countOf(config['maxSolutions'], 100, parserLimits.maxSolutions),
  }
}

export function isOn(value: Json | undefined, otherwise: boolean): boolean {
  const text = String(value).trim().toLowerCase()
  return text === 'true' || (text !== 'false' && otherwise)
}

/** A whole number above 0, at most `most`. */
export function countOf(value: Json | undefined, otherwise: number, most: number): number {
  const text = String(value).trim()
  const count = /^\d{1,15}$/.test(text) ? Number(text) : 0
  return count > 0 ? Math.min(count, most) : otherwise
}
