// Routing: who a text is for, with all reasons. Owns: mentions, keyword scores, the cortex, routing rules and corrections of them.
// Leaves who is there to agents, what a route becomes to engines. Others also import route.ts, table.ts, foreign.ts, cortex.ts,
// compile.ts, cortex-text.ts, open-routing.ts, rules.ts (the form of routing.yaml), clarify.ts (joinAnswer, languageOf) and finding.ts.
import type { MessageId } from '../base/ids.ts'
import type { Actor } from '../protocol/actor.ts'
import type { ScopeRef } from '../scopes/scopes.ts'
import type { Cortex } from './cortex.ts'
import type { Route } from './route.ts'
import type { RouteContext, RoutingTable } from './table.ts'

export type Asked = {
  readonly text: string
  readonly scope: ScopeRef
  readonly context?: RouteContext
  /** The agent that the client addressed by name (`to`). */
  readonly to?: string | null
  /** The agent whose question is open in the session: an answer goes there. */
  readonly asking?: string | null
  /** The agent that leads the session; never chosen by score. */
  readonly leader?: string | null
}

export type Routing = {
  /** From memory until a document of agents or rules changes. Never throws for a wrong rules document: its faults are in `faults`. */
  route(asked: Asked): Promise<Route>
  /** `direct`: keywords and cortex decide alone; `hint`: they advise who leads. The setting `routing`, else the documents. */
  mode(scope: ScopeRef): Promise<RoutingMode>
  /** The cortex over who is there, or over a table from elsewhere, for whoever wants the source's own answer. */
  cortex(scope: ScopeRef): Promise<Cortex>
  /** The default mode over a table from elsewhere: its members can be mentioned; no rule and no keyword of this place counts. */
  routeWith(table: RoutingTable, asked: Pick<Asked, 'text' | 'context'>): Route
  readonly corrections: Corrections
  /** Faults of routing documents that the scope sees: a sentence each, with file and line. */
  faults(scope: ScopeRef): Promise<readonly string[]>
  close(): void
}

export const routingModes = ['hint', 'direct'] as const
export type RoutingMode = (typeof routingModes)[number]

/** A person's "that should have gone to X". */
export type Correction = {
  readonly text: string
  readonly message: MessageId | null
  readonly to: string
  readonly scope: ScopeRef
  /** Words or phrases of the text that the rule asks for; absent: its telling words are found. */
  readonly when?: readonly string[]
}

export type RuleProposal = {
  readonly id: string
  readonly rule: LearnedRule
  /** Past messages of the person in that place that the rule would send elsewhere, newest first, 20 at most. */
  readonly changes: readonly { readonly message: MessageId; readonly text: string; readonly was: string | null; readonly would: string }[]
  /** How many past messages were looked at. */
  readonly looked: number
}

export type LearnedRule = {
  readonly id: string
  /** All of these words or phrases occur. */
  readonly when: readonly string[]
  readonly to: string
  readonly from: MessageId | null
  readonly at: number
  readonly by: Actor
}

export type Corrections = {
  /**
   * Throws NotFound for an agent that isn't there, InvalidInput when that agent refuses such a text or nothing in it is telling; names
   * why. Changes nothing yet. The proposal outlives a restart; only the newest hundred of a person are kept.
   */
  propose(given: Correction, by: Actor): Promise<RuleProposal>
  /** The next decision follows it; the same again is the same rule. Only a person may. Throws NotFound when the proposal is gone. */
  accept(proposal: string, by: Actor): Promise<LearnedRule>
  list(scope: ScopeRef): Promise<readonly LearnedRule[]>
  /** False: there was none. Throws Conflict for one that stands further out than project and home. */
  undo(rule: string, scope: ScopeRef, by: Actor): Promise<boolean>
}
