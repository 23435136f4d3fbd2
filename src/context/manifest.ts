// The exact account of a call: what was given, in which order, by reference, and what was left out. From it the same request can be
// built again (reproduce.ts).
import type { JsonObject } from '../base/json.ts'
import type { ModelMessage } from '../models/message.ts'
import type { Source } from './lines.ts'

/** One piece of a request, in the order in which it was given. */
export type Part =
  | { readonly part: 'foundation'; readonly hash: string }
  | { readonly part: 'memories'; readonly texts: readonly string[] }
  | { readonly part: 'summaries'; readonly ids: readonly string[] }
  /** A stretch of the conversation that ends with `to`; `given`: how many lines of it, empty ones among them. */
  | { readonly part: 'lines'; readonly to: string; readonly given: number }
  | { readonly part: 'excerpts'; readonly lines: readonly { readonly id: string; readonly at: number; readonly length: number }[] }
  | { readonly part: 'notes'; readonly texts: readonly string[] }
  | { readonly part: 'own'; readonly lines: readonly OwnRef[] }

/** `cut`: to so many characters. `hash`: of the line as it was sent. `line` stands where it is recorded nowhere else. */
export type OwnRef = {
  readonly hash: string
  readonly role: ModelMessage['role']
  readonly from?: Source
  readonly call?: { readonly id: string; readonly name: string }
  readonly cut?: number
  readonly hub?: boolean
  readonly line?: JsonObject
}

/** `characters` is what would have been needed; null where nobody counted. */
export type Omission = {
  readonly what: 'lines' | 'excerpts' | 'summaries' | 'notes' | 'own'
  readonly why: 'budget'
  readonly count: number
  readonly characters: number | null
}

/** Tokens are estimates by `charactersPerToken`. */
export type Manifest = {
  readonly v: 2
  /** SHA-256 of the request: messages, tools, tool choice. */
  readonly hash: string
  readonly tokens: number
  readonly budget: number
  readonly charactersPerToken: number
  readonly messages: number
  /** Lines of the conversation that were given. */
  readonly history: number
  /** Earlier lines that were left out and that no summary covers. */
  readonly dropped: number
  /** Messages of the turn of which only a part was given. */
  readonly shortened: number
  readonly order: readonly Part[]
  readonly omitted: readonly Omission[]
  readonly tools: { readonly names: readonly string[]; readonly hash: string }
  readonly localOnly: boolean
}
