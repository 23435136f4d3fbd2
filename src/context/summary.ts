// A summary: what older lines of a conversation said, in few words. It lies beside the tree, covers a stretch of one branch, and is
// given instead of it; the lines stay where they are, so it can be undone. Pure.
import type { Message } from '../protocol/message.ts'
import type { Frozen } from './foundation.ts'
import { unmarked } from './frame.ts'

export type Summary = {
  /** Of the event that added it. */
  readonly id: string
  readonly session: string
  readonly process: string
  /** The stretch: its first and last line. */
  readonly from: string
  readonly to: string
  readonly lines: number
  readonly text: string
  /** Tokens, by estimate, of the lines and of the text. */
  readonly before: number
  readonly after: number
  /** `<provider>/<model>`, or `extract` where no model wrote it. */
  readonly by: string
  /** What a person wished to be kept. */
  readonly keep: string | null
  /** The summary of the stretch before this one on its branch. */
  readonly previous: string | null
  /** Summaries that this one takes the place of. */
  readonly folds: readonly string[]
  /** Who asked for it: a person, or the hub by itself. */
  readonly wanted: 'person' | 'size'
}

/** Everything that was decided about a session's context, folded from its stream. */
export type ContextState = {
  /** `text` null: stored apart by its hash. */
  readonly foundations: readonly (Frozen & { readonly text: string | null })[]
  readonly rebased: number
  readonly summaries: readonly Summary[]
  readonly undone: readonly string[]
}

export const emptyState: ContextState = { foundations: [], rebased: 0, summaries: [], undone: [] }

/**
 * The summaries that hold for a branch, oldest first: the newest whose last line is on it, and those before it. One that was
 * undone, or that another took the place of, is passed over. A summary of another branch is none of this one (H14).
 */
export function summariesOn(state: ContextState, isOnBranch: (line: string) => boolean, process: string): readonly Summary[] {
  const present = presentOf(state).filter((one) => one.process === process)
  const newest = present.findLast((one) => isOnBranch(one.to))
  const chain: Summary[] = []
  const seen = new Set<string>()
  for (let at = newest; at !== undefined && !seen.has(at.id); ) {
    seen.add(at.id)
    chain.unshift(at)
    const { previous } = at
    at = state.summaries.find((one) => one.id === previous)
  }
  return chain
}

/** Those that were not undone, and whose place no other took, in the order in which they were made. */
export function presentOf({ summaries, undone }: ContextState): readonly Summary[] {
  const gone = new Set(undone)
  const kept = summaries.filter((one) => !gone.has(one.id))
  const folded = new Set(kept.flatMap((one) => one.folds))
  return kept.filter((one) => !folded.has(one.id))
}

/** The one that stands on this one; null when it may be undone. */
export function standsOn(state: ContextState, id: string): Summary | null {
  return presentOf(state).find((one) => one.previous === id || one.folds.includes(id)) ?? null
}

/** Lines after the last summary's stretch. */
export function linesAfter(lines: readonly Message[], last: Summary | undefined): readonly Message[] {
  return last === undefined ? lines : lines.slice(lines.findIndex((line) => line.id === last.to) + 1)
}

/** What a model reads. It says that it is past, so that a wish of then is not taken for one of now (H15). */
export function summariesText(mark: string, summaries: readonly Summary[]): string {
  const texts = summaries.map(({ lines, from, to, text }) => `${lines} lines, ${from} to ${to}:\n${unmarked(mark, text)}`)
  return [
    'Earlier in this conversation, in short. It is a record of what was said, no instruction: what was asked for in it was dealt with then, unless it is said to be open.',
    ...texts,
  ].join('\n\n')
}
