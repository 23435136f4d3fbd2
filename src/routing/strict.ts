// Strict mode: the decision of the source's own program, step by step (reference/eidolons.md 1.2 to 1.12), with its known defects.
import type { Compiled, CompiledTemplate } from './compiled.ts'
import type { StrictArtifact, StrictOptions } from './cortex.ts'
import type { Hits } from './lexicon.ts'
import { beginningOf, lowerAscii } from './phrases.ts'
import { isActionable } from './predicate.ts'
import { bestOf, firedSignals, leaderOf, scoresOf } from './rank.ts'
import type { Member, RouteContext } from './table.ts'

/** Pure: the same table, text, context and options give the same bytes. Never throws. */
export function strict(compiled: Compiled, given: string, asked: { context: RouteContext; options: StrictOptions }): StrictArtifact {
  const { text, looked } = beginningOf(given)
  const seen = see(compiled, lowerAscii(text), asked.context)
  const decided = withTier(seen, ladder(seen), asked.context)
  const answer = decided.decision === 'clarify' && isActionable(text) ? fallenThrough(compiled, decided) : decided
  const cut = looked === null ? [] : [`[GAP] only the first ${looked} of ${given.length} characters were looked at`]
  return {
    ...answer,
    assumptions: [...answer.assumptions, ...cut],
    ...(asked.options.incomingVerify ? { incoming_verify: asked.options.incomingVerify } : {}),
    ...(asked.options.explain === true ? { _scores: allScores(seen) } : {}),
  }
}

/** What the text says under that table, before anything is decided. */
type Seen = {
  readonly compiled: Compiled
  readonly hits: Hits
  readonly scores: Float64Array
  readonly hasStakes: boolean
  /** Who is best after the host gate; -1: there is nobody. */
  readonly top: number
  readonly fallthrough: 'declared-fallback' | 'host-tier-fallthrough' | null
}

function see(compiled: Compiled, text: string, context: RouteContext): Seen {
  const hits = compiled.lexicon.look(text)
  const fired = firedSignals(compiled, text, { hits, context })
  const scores = scoresOf(compiled, hits, fired)
  const gate = hostGate({ compiled, hits, scores }, leaderOf(compiled, scores), context.hostTier ?? null)
  return { compiled, hits, scores, hasStakes: fired.some(({ signal }) => signal.stakes), ...gate }
}

/** Whoever leads and needs another host, and was not called by name, gives way: to a declared peer, else to the next that is as good. */
function hostGate(
  { compiled, hits, scores }: Pick<Seen, 'compiled' | 'hits' | 'scores'>,
  leader: number,
  hostTier: string | null,
): Pick<Seen, 'top' | 'fallthrough'> {
  const member = compiled.table.members[leader]
  const needs = member?.requiresHostTier ?? null
  if (member === undefined || needs === null || needs === hostTier || hits.named.has(leader)) return { top: leader, fallthrough: null }
  const peer = member.fallback === null ? undefined : compiled.at.get(member.fallback)
  if (peer !== undefined && !hits.refusals.has(peer)) return { top: peer, fallthrough: 'declared-fallback' }
  const floor = (scores[leader] ?? 0) * 0.99
  const next = bestOf(scores, (position) => position !== leader && (scores[position] ?? 0) >= floor)
  return { top: next === -1 ? leader : next, fallthrough: 'host-tier-fallthrough' }
}

type Decided = Omit<StrictArtifact, 'tier' | 'model_tier_lead' | 'model_tier_workers' | 'incoming_verify' | '_scores'>

/** A chain, else a reroute, else one who is good enough, else a question. */
function ladder(seen: Seen): Decided {
  const { compiled, scores, top, fallthrough } = seen
  const { thresholds } = compiled.table
  const contenders = [...scores.keys()].filter((position) => (scores[position] ?? 0) >= thresholds.chainFloor)
  const template = templateFor(compiled, contenders)
  if (template !== null) return chained(compiled, template, Math.min(...contenders.map((position) => scores[position] ?? 0)))
  const moved = reroute(seen)
  if (moved !== null) return rerouted(seen, moved)
  const score = scores[top] ?? 0
  if (top !== -1 && score >= thresholds.tauStandard) return { ...single(seen, top), decision: 'dispatch' }
  return {
    decision: 'clarify',
    selected: [],
    chain: [],
    model_tier_per_step: [],
    degraded_mode: null,
    escalation: null,
    fallthrough_reason: fallthrough,
    confidence: shown(score),
    clarification_request:
      `Nobody reaches ${thresholds.tauStandard}. Please say: (1) only read, or also write? (2) which file or area? ` +
      '(3) a decision, something new, or a fault to find?',
    refusal_rerouting: false,
    assumptions: ['nobody reaches tau_standard, so nobody is sent'],
  }
}

/** The first with most classes of which none is missing, where at least two classes came up. */
function templateFor({ table, templates }: Compiled, contenders: readonly number[]): CompiledTemplate | null {
  const classes = new Set(contenders.map((position) => table.members[position]?.class))
  if (classes.size < 2) return null
  return templates.find(({ template }) => template.classes.every((needed) => classes.has(needed))) ?? null
}

function chained({ table }: Compiled, { template, steps }: CompiledTemplate, least: number): Decided {
  const members = steps.flatMap((position) => table.members[position] ?? [])
  return {
    decision: 'chain',
    selected: members.map(({ name }) => name),
    chain: members.map((member) => ({ ...stepOf(member), template: template.name })),
    model_tier_per_step: members.map(tierOf),
    degraded_mode_per_step: members.map(({ degradedMode }) => degradedMode),
    escalation: escalationOf(members[0]),
    fallthrough_reason: null,
    confidence: shown(least),
    clarification_request: null,
    refusal_rerouting: false,
    assumptions: [`chain '${template.name}': ${template.when}`],
  }
}

type Moved = { readonly from: number; readonly to: number }

/** Whoever is called by name and refuses, else the best when it refuses, gives way to the best that does not; a score is not asked for. */
function reroute({ compiled, hits, scores, top }: Seen): Moved | null {
  const named = [...hits.named].filter((position) => hits.refusals.has(position))
  if (named.length === 0 && !hits.refusals.has(top)) return null
  const from = named.length === 0 ? top : Math.min(...named)
  const to = bestOf(scores, (position) => !hits.refusals.has(position))
  return to === -1 || compiled.table.members[from] === undefined || to === from ? null : { from, to }
}

function rerouted(seen: Seen, { from, to }: Moved): Decided {
  const nameOf = (position: number): string => seen.compiled.table.members[position]?.name ?? ''
  return {
    ...single(seen, to),
    decision: 'refusal_reroute',
    refusal_rerouting: true,
    assumptions: [`[DECISION] ${nameOf(from)} refuses such work, so it goes to ${nameOf(to)}`],
  }
}

function single({ compiled, scores, fallthrough }: Seen, position: number): Omit<Decided, 'decision'> {
  const member = compiled.table.members[position]
  const members = member === undefined ? [] : [member]
  return {
    selected: members.map(({ name }) => name),
    chain: members.map(stepOf),
    model_tier_per_step: members.map(tierOf),
    degraded_mode: member?.degradedMode ?? null,
    escalation: escalationOf(member),
    fallthrough_reason: fallthrough,
    confidence: shown(scores[position] ?? 0),
    clarification_request: null,
    refusal_rerouting: false,
    assumptions: [],
  }
}

/** A deep run needs work that is large and work that matters; the token alone is taken for both. */
function withTier({ compiled, hasStakes }: Seen, decided: Decided, context: RouteContext): StrictArtifact {
  const { thresholds, trance } = compiled.table
  const isAsked = context.tranceToken === true
  const isLarge = (context.surfaceFiles ?? 0) >= thresholds.surfaceFiles || (context.surfaceModules ?? 0) >= thresholds.surfaceModules
  if (decided.selected.length === 0 || !(isLarge || isAsked) || !(hasStakes || isAsked)) return { ...decided, tier: 'standard' }
  const why = `[DECISION] deep run: it is large and much is at stake; at most ${thresholds.maxParallel} at once (C1)`
  return {
    ...decided,
    assumptions: [...decided.assumptions, why],
    tier: 'trance',
    ...(trance === null ? {} : { model_tier_lead: trance.lead, model_tier_workers: trance.workers }),
  }
}

/** Who takes what nobody is best for. The program says this name, whether the table has it or not. */
const generalist = 'gilgamesh'

function fallenThrough({ table }: Compiled, decided: StrictArtifact): StrictArtifact {
  const called = table.members.find(({ name, aliases }) => name === generalist || aliases.includes(generalist))?.name ?? generalist
  return {
    ...decided,
    decision: 'dispatch',
    selected: [called],
    chain: [{ eidolon: called, role: 'generalist', edge_origin: 'routing' }],
    model_tier_per_step: ['standard'],
    degraded_mode: null,
    escalation: null,
    fallthrough_reason: 'actionable-fallthrough',
    clarification_request: null,
    assumptions: ['[DECISION] no specialist reaches tau_standard, and the text says what, where and until when: S1 to S5 hold'],
    tier: 'standard',
  }
}

function stepOf({ name, class: role }: Member): StrictArtifact['chain'][number] {
  return { eidolon: name, role, edge_origin: 'routing' }
}

function tierOf({ tier, statedTier }: Member): string {
  return statedTier ?? tier
}

function escalationOf(member: Member | undefined): StrictArtifact['escalation'] {
  if (!member?.escalation) return null
  const { onFail, to, most } = member.escalation
  return { on_fail: onFail, ...(to === null ? {} : { reroute_to: to }), max_escalations: most }
}

/** Capped at 1; without what a sum of fractions leaves behind. */
function shown(score: number): number {
  return Math.round(Math.min(score, 1) * 1e10) / 1e10
}

function allScores({ compiled, hits, scores }: Seen): NonNullable<StrictArtifact['_scores']> {
  return compiled.table.members
    .map(({ name, class: own }, position) => ({ name, class: own, position, score: scores[position] ?? 0 }))
    .sort((a, b) => b.score - a.score)
    .map(({ name, class: own, position, score }) => {
      const raw = hits.triggers.get(position)?.length ?? 0
      return { name, class: own, score: shown(score), raw, named: hits.named.has(position) }
    })
}
