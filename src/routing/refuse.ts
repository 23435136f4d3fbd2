// Refusals. What a member refuses stays refused: it is left to the class that is asked for it too, or to somebody who doesn't refuse.
import type { Prepared } from './prepared.ts'
import type { Refusal, Span, Weight } from './weigh.ts'

/** Who else there is, and which clause each word stands in. */
export type Around = { readonly takers: readonly Weight[]; readonly clauseOf: readonly number[] }

/** Phrases that the member refuses and that no other class takes. */
export function refusedBy(weight: Weight, around: Around): readonly string[] {
  const left = weight.refusals.filter((refusal) => takerOf(weight, refusal, around) === null)
  return [...new Set(left.map(({ says }) => says))]
}

/** What the member refuses and others of the route do. */
export function leftToOthers(weight: Weight, around: Around): readonly { readonly says: string; readonly to: string }[] {
  const out = new Map<string, string>()
  for (const refusal of weight.refusals) {
    const taker = takerOf(weight, refusal, around)
    if (taker !== null) out.set(refusal.says, taker.scored.agent)
  }
  return [...out].map(([says, to]) => ({ says, to }))
}

/** Whoever of another class has the phrase, or else its clause, in which the refuser has no work: "write a runbook". */
function takerOf(weight: Weight, refusal: Refusal, { takers, clauseOf }: Around): Weight | null {
  const others = takers.filter((taker) => taker.class !== weight.class)
  const here = (one: Weight) => one.spans.some(({ start }) => clauseOf[start] === clauseOf[refusal.start])
  return others.find(({ spans }) => covers(spans, refusal)) ?? (here(weight) ? null : (others.find(here) ?? null))
}

/** Of phrases that nobody takes: those beside the member's own work, in a clause where none of it stands. */
export function besideOwn(weight: Weight, says: readonly string[], clauseOf: readonly number[]): readonly string[] {
  const own = new Set(weight.spans.map(({ start }) => clauseOf[start]))
  return says.filter((phrase) => weight.refusals.every((refusal) => refusal.says !== phrase || !own.has(clauseOf[refusal.start])))
}

function covers(spans: readonly Span[], { start, end }: Span): boolean {
  return spans.some((span) => span.start < end && span.end > start)
}

export type Rerouted = {
  readonly to: Weight | null
  /** Who was asked before and refuses too. */
  readonly passed: readonly string[]
  /** As many refused as a text may be passed on. */
  readonly blocked: boolean
}

/** The best who refuses nothing of it and has a score of its own, tau at least; nobody is asked after `maxReroutes` refusals. */
export function rerouted(prepared: Prepared, ranked: readonly Weight[], refuser: Weight): Rerouted {
  const { tauStandard, maxReroutes } = prepared.table.thresholds
  const passed: string[] = []
  for (const weight of ranked) {
    if (weight.member === refuser.member || weight.scored.score < tauStandard) continue
    if (passed.length >= maxReroutes) return { to: null, passed, blocked: true }
    if (weight.refusals.length === 0) return { to: weight, passed, blocked: false }
    passed.push(weight.scored.agent)
  }
  return { to: null, passed, blocked: false }
}
