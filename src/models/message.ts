// What a model is asked and what it answers, in our own words; no provider's type leaves this room.

import type { JsonObject } from '../base/json.ts'
import type { Priority } from '../lanes/engine.ts'
import type { Micros, Spender } from '../policy/budget.ts'

export const tiers = ['light', 'standard', 'deep'] as const
export type Tier = (typeof tiers)[number]

export type ModelMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly text: string }

/**
 * `incomplete`: its arguments were cut or are no JSON object. It must not be executed; whoever runs tools answers it with a
 * result that says so (`incompleteText` in repair.ts). `raw` is at most 500 characters of what came. `mark`: the provider's own
 * note on the call, kept and given back to it unread.
 */
export type ToolCall =
  | { readonly state: 'complete'; readonly id: string; readonly name: string; readonly input: JsonObject; readonly mark?: string }
  | { readonly state: 'incomplete'; readonly id: string; readonly name: string; readonly raw: string }

/** `schema` is a JSON schema of type object. */
export type ModelTool = { readonly name: string; readonly description: string; readonly schema: JsonObject }

export type ModelRequest = {
  readonly tier: Tier
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  /**
   * `<provider>/<model>`: asked before the chain of the tier. A name that is wrong, or a model that can't be called here, is passed
   * over: the answer has it in `fellBack` and says so in `notice`; with nothing in the tier the call fails as `no_model`.
   */
  readonly model?: string
  /** Whoever asks has an account of their own for `model`: it is asked there and nowhere else, the tier's chain is no fallback. */
  readonly account?: OwnAccount
  /** 0 to 2. A provider that takes none for this model is asked again without. */
  readonly temperature?: number
  /** Above 0, at most 1; like `temperature`. */
  readonly topP?: number
  /** The whole call, with waiting and with all that is asked instead, takes at most so long; then it fails as `timeout`. */
  readonly timeoutMs?: number
  /** At most so many tokens of answer; absent: the provider's own limit. */
  readonly maxOutputTokens?: number
  /** Whether it must call a tool; default: as it likes. */
  readonly toolChoice?: 'auto' | 'required'
  /** Who pays. Absent in tests and for the hub's own small calls: nobody's budget. */
  readonly spender?: Spender
  /** The project is local-only: no model elsewhere may see it, also not as a fallback. */
  readonly localOnly?: boolean
}

/**
 * For this call only: never kept, never logged, in no failure. Without `baseUrl` the address that the hub uses for this provider;
 * without `key` none is sent, never the hub's. `fetch`: the way there, when the hub's owner did not choose the address: the guard's.
 */
export type OwnAccount = { readonly provider: string; readonly baseUrl?: string; readonly key?: string; readonly fetch?: Way }

/** As fetch does it, without following redirects. */
export type Way = (url: string, init?: RequestInit) => Promise<Response>

export const finishes = ['stop', 'tool-calls', 'length', 'content-filter', 'other'] as const
export type Finish = (typeof finishes)[number]

/** Tokens; null where the provider did not say. `cached` is the part of `input` that the provider had in its cache. */
export type Usage = { readonly input: number | null; readonly output: number | null; readonly cached: number | null }

export type ModelAnswer = {
  readonly ok: true
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly finish: Finish
  readonly usage: Usage
  /** `<provider>/<model>` that answered. */
  readonly model: string
  /** What it cost by the price table; null: it has no price there. */
  readonly cost?: Micros | null
  /** Models that were asked before and could not, the first choice first. */
  readonly fellBack?: readonly FellBack[]
  /** Who answered instead of whom, and why: to be shown. It comes once a cool-down and person, not with every answer. */
  readonly notice?: string
  /** What attempts within this call are counted with that broke off before they answered. */
  readonly lost?: Micros
}

export type FellBack = { readonly model: string; readonly code: FailureCode; readonly message: string }

const failureCodes = [
  'no_model',
  'auth',
  'rate_limited',
  /** The account has no money or its quota is used up: not tried again. */
  'quota',
  /** A budget of the person stands against it (policy/budget.ts); `budget` says which. */
  'budget',
  'overloaded',
  'context_length',
  'invalid_request',
  'network',
  'timeout',
  'aborted',
  'bad_reply',
] as const
export type FailureCode = (typeof failureCodes)[number]

/**
 * `message` is a sentence for a person: no stack, no key. `retryAfterMs` is the provider's own wish. `lost`: like that of an answer,
 * `lostBy` the last model that it is counted for.
 */
export type ModelFailure = {
  readonly ok: false
  readonly code: FailureCode
  readonly message: string
  readonly retryAfterMs?: number
  readonly budget?: { readonly id: string; readonly text: string; readonly spent: Micros; readonly wanted: Micros }
  readonly lost?: Micros
  readonly lostBy?: string
}

export type ModelReply = ModelAnswer | ModelFailure

export type StreamOptions = {
  readonly signal: AbortSignal
  /** Words as they come; never half of a character. Not called again after the reply. */
  readonly onText: (words: string) => void
  readonly priority: Priority
}

export function failure(code: FailureCode, message: string, retryAfterMs?: number): ModelFailure {
  return { ok: false, code, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}
