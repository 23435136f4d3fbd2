// Scores and who is best: the arithmetic of the source (reference/eidolons.md 1.3, 1.4, 1.6). Nothing here is rounded or capped.
import type { Compiled, CompiledSignal } from './compiled.ts'
import { hasPath, isQuestion } from './form.ts'
import type { Hits } from './lexicon.ts'
import type { RouteContext } from './table.ts'

/** Score by the number of phrases. */
const curve: readonly number[] = [0, 0.8, 0.9, 0.97]
export const nameBonus = 0.5

export function baseOf(raw: number, isNamed: boolean): number {
  return (curve[Math.min(raw, curve.length - 1)] ?? 0) + (isNamed ? nameBonus : 0)
}

/** Signals that fire, in the table's order: one of their phrases occurs, or the context says so, and nothing holds them back. */
export function firedSignals(compiled: Compiled, text: string, given: { hits: Hits; context: RouteContext }): readonly CompiledSignal[] {
  const asks = once(() => isQuestion(text))
  const names = once(() => hasPath(text))
  return compiled.signals.filter(({ signal }, position) => {
    const isSaid = given.hits.signals.has(position) || (signal.byContext === 'prior_failure' && given.context.priorFailure === true)
    return isSaid && (!signal.onlyQuestions || asks()) && (!signal.notWithPath || !names())
  })
}

/** By position of member: base and name, then what the signals add, each once. Added in the table's order, so that sums are the same. */
export function scoresOf({ table }: Compiled, { triggers, named }: Hits, fired: readonly CompiledSignal[]): Float64Array {
  const added = new Float64Array(table.members.length)
  for (const { boosts } of fired) for (const [member, boost] of boosts) added[member] = (added[member] ?? 0) + boost
  const scores = new Float64Array(table.members.length)
  for (const position of scores.keys()) {
    scores[position] = baseOf(triggers.get(position)?.length ?? 0, named.has(position)) + (added[position] ?? 0)
  }
  return scores
}

/** The first of those with the highest score whom `accept` takes; -1: nobody. */
export function bestOf(scores: Float64Array, accept: (position: number) => boolean = () => true): number {
  let best = -1
  for (const [position, score] of scores.entries()) {
    if ((best === -1 || score > (scores[best] ?? 0)) && accept(position)) best = position
  }
  return best
}

/** Who leads: among those with the highest score the first default seat of its class, else the first. -1: there are no members. */
export function leaderOf({ table }: Compiled, scores: Float64Array): number {
  const first = bestOf(scores)
  const most = scores[first]
  const seat = bestOf(scores, (position) => scores[position] === most && table.members[position]?.isDefault === true)
  return seat === -1 ? first : seat
}

function once<T>(work: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: work() }
    return made.value
  }
}
