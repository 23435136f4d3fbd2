// A route: who should do this, why, and what was considered and dropped. The same text, context, table and rules give the same bytes.
import type { RouteContext, Tier } from './table.ts'

/** `clarify`: nobody is sure enough, and the questions say what is missing. `leave`: nothing was found; whoever leads the session answers. */
export type Decision = 'dispatch' | 'chain' | 'refusal_reroute' | 'clarify' | 'leave'

/** What decided, in the order in which it is asked (DESIGN section 7). */
export const ways = ['address', 'mention', 'question', 'rule', 'keywords', 'cortex'] as const
export type Way = (typeof ways)[number]

export type RouteStep = {
  readonly agent: string
  readonly class: string
  readonly tier: Tier
  readonly edgeOrigin: 'roster' | 'composition' | 'implicit'
  /** The template that it comes from; null: it was put there because its class was triggered. */
  readonly template: string | null
}

/** One look at one member: everything that made its score. */
export type Scored = {
  readonly agent: string
  readonly class: string
  /** Distinct phrases that matched, as the table has them. */
  readonly matched: readonly string[]
  readonly named: boolean
  readonly base: number
  readonly signals: readonly { readonly id: string; readonly boost: number }[]
  /** Uncapped; may be negative. */
  readonly score: number
  /** Phrases of its refusals that occur. */
  readonly refused: readonly string[]
}

/** Something that was possible and was not taken. */
export type Dropped = { readonly what: string; readonly why: string }

/** One gate, refusal or cost rule of a deep run (reference/eidolons.md 1.11), evaluated whether it applies or not. */
export type Gate = {
  readonly id: string
  readonly holds: boolean
  readonly text: string
  /** How many are set to the same work, where the gate says so: the traces of G2. */
  readonly count?: number
}

export type Clarification = {
  /** One to three. */
  readonly questions: readonly { readonly text: string; readonly options: readonly string[] }[]
}

export type Route = {
  readonly decision: Decision
  readonly by: Way | null
  /** Agent names; the first one works first. */
  readonly selected: readonly string[]
  /** Empty unless the decision is a chain. */
  readonly chain: readonly RouteStep[]
  readonly tier: 'standard' | 'trance'
  /** Of a deep run: who leads and who works. */
  readonly models: { readonly lead: Tier; readonly workers: Tier } | null
  /** 0 to 1. */
  readonly confidence: number
  /** Plain sentences, the one that decided first. */
  readonly reasons: readonly string[]
  /** Two readings that stand against each other, or what nobody can do: marked, not merged. */
  readonly marks: readonly { readonly mark: 'GAP' | 'DISPUTED' | 'DECISION' | 'BLOCKED'; readonly text: string }[]
  readonly clarification: Clarification | null
  /** Present with a phrase, a name or a signal; members with none of these are not listed. The best first. */
  readonly scores: readonly Scored[]
  /** Ids of those that fired, with the phrases that did it. */
  readonly signals: readonly { readonly id: string; readonly matched: readonly string[] }[]
  readonly template: string | null
  readonly gates: readonly Gate[]
  readonly dropped: readonly Dropped[]
  readonly thresholds: Readonly<Record<string, number>>
  readonly context: RouteContext
  /** Only so many characters of a very long text were looked at; null: all. */
  readonly looked: number | null
  /** Hashes of what it was computed from, 16 hexadecimal digits. */
  readonly rosterVersion: string
  readonly rulesVersion: string
}
