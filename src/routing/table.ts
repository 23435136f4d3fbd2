// The data that routing computes with: members with their phrases, signals, templates, thresholds. Data only, no behaviour (I-C2).
// Two things make one: a routing table from elsewhere (foreign.ts) and the roster of a place with its routing rules (rules.ts).
import type { Agent } from '../agents/agent.ts'

export type Tier = Agent['tier']

/** Who can be chosen. The order of members is part of the table: it settles ties. */
export type Member = {
  /** How the answer names it: the agent's name, or the key in a foreign table. */
  readonly name: string
  readonly aliases: readonly string[]
  readonly class: string
  readonly tier: Tier
  /** Its tier in the words of a foreign table, where those are none of ours; only strict mode shows it. */
  readonly statedTier?: string
  /** Phrases of one or more words. Strict mode compares them as they are, so that one with a capital letter never matches there. */
  readonly triggers: readonly string[]
  readonly refuses: readonly string[]
  /** Names of members. */
  readonly handsOff: readonly string[]
  /** The seat that wins a tie within its class. */
  readonly isDefault: boolean
  /** Whoever takes over where `requiresHostTier` is not met. */
  readonly fallback: string | null
  readonly requiresHostTier: string | null
  readonly degradedMode: 'fanout' | 'sample-select' | null
  readonly escalation: Escalation | null
}

export type Escalation = {
  readonly onFail: 'reroute' | 'escalate-tier'
  readonly to: string | null
  readonly most: number
}

/** Adds to the scores of members once, however many of its phrases occur. */
export type Signal = {
  readonly id: string
  readonly match: readonly string[]
  /** By member name, or by class as `class:coder`. */
  readonly boost: Readonly<Record<string, number>>
  /** It speaks of high stakes. */
  readonly stakes: boolean
  readonly onlyQuestions: boolean
  readonly notWithPath: boolean
  /** It fires also by the context. */
  readonly byContext: 'prior_failure' | null
}

/** An order of steps for a set of classes. */
export type Template = {
  readonly name: string
  /** Names of members; with `class:coder` the class's first seat. */
  readonly steps: readonly string[]
  readonly classes: readonly string[]
  readonly when: string
}

export type Thresholds = {
  readonly tauStandard: number
  readonly tauTrance: number
  readonly chainFloor: number
  readonly maxReroutes: number
  readonly maxParallel: number
  readonly surfaceFiles: number
  readonly surfaceModules: number
}

export type RoutingTable = {
  readonly version: string
  readonly members: readonly Member[]
  readonly signals: readonly Signal[]
  readonly templates: readonly Template[]
  readonly thresholds: Thresholds
  /** Tiers of a deep run's lead and workers; null: not said. */
  readonly trance: { readonly lead: Tier; readonly workers: Tier } | null
  /** Suggested tier by class; `default` for the rest. */
  readonly classTiers: Readonly<Record<string, Tier>>
}

/** What is known beside the text. Absent: 0, false, null. */
export type RouteContext = {
  readonly surfaceFiles?: number
  readonly surfaceModules?: number
  readonly tranceToken?: boolean
  readonly priorFailure?: boolean
  readonly hostTier?: string | null
  /** The text already holds answers to the questions of clarify: there is no second round. */
  readonly answered?: boolean
}
