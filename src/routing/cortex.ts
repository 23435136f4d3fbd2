// The cortex: a table made ready for answering. Pure: no clock, no randomness, no model; what is slow is done once, when it is compiled.
import type { Clarification, Dropped, Gate, Route, RouteStep, Scored } from './route.ts'
import type { RouteContext, RoutingTable } from './table.ts'

/** The answer of the cortex alone, before mentions, rules and keywords have a say. */
export type CortexAnswer = Pick<
  Route,
  'tier' | 'models' | 'confidence' | 'reasons' | 'marks' | 'scores' | 'signals' | 'template' | 'thresholds' | 'looked'
> & {
  /** `leave`: no phrase, name or signal speaks for anybody, and nothing says that work is asked for. */
  readonly decision: Route['decision']
  readonly selected: readonly string[]
  readonly chain: readonly RouteStep[]
  readonly clarification: Clarification | null
  readonly gates: readonly Gate[]
  readonly dropped: readonly Dropped[]
}

/** The source's own artifact, with its own member names (reference/eidolons.md 1.12). */
export type StrictArtifact = {
  readonly decision: 'dispatch' | 'chain' | 'refusal_reroute' | 'clarify'
  readonly selected: readonly string[]
  readonly chain: readonly {
    readonly eidolon: string
    readonly role: string
    readonly edge_origin: 'routing'
    readonly template?: string
  }[]
  readonly model_tier_per_step: readonly string[]
  readonly degraded_mode?: string | null
  readonly degraded_mode_per_step?: readonly (string | null)[]
  readonly escalation: { readonly on_fail: string; readonly reroute_to?: string | null; readonly max_escalations?: number } | null
  readonly fallthrough_reason: 'declared-fallback' | 'host-tier-fallthrough' | 'actionable-fallthrough' | null
  readonly confidence: number
  readonly clarification_request: string | null
  readonly refusal_rerouting: boolean
  readonly assumptions: readonly string[]
  readonly tier: 'standard' | 'trance'
  readonly model_tier_lead?: string
  readonly model_tier_workers?: string
  readonly incoming_verify?: IncomingVerify
  /** Only where it was asked for: everybody, the best first; the score is capped at 1. */
  readonly _scores?: readonly {
    readonly name: string
    readonly class: string
    readonly score: number
    readonly raw: number
    readonly named: boolean
  }[]
}

/** What was found out about the envelope that the text came with. */
export type IncomingVerify = { readonly verdict: string; readonly mode: string; readonly envelope: string }

export type StrictOptions = { readonly explain?: boolean; readonly incomingVerify?: IncomingVerify | null }

export type Cortex = {
  readonly table: RoutingTable
  /** Exactly the arithmetic of the source. */
  strict(text: string, context?: RouteContext, options?: StrictOptions): StrictArtifact
  /** The same, minus its known defects (docs/compatibility.md). */
  decide(text: string, context?: RouteContext): CortexAnswer
}

export type { Scored }
