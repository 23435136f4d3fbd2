// How far the summaries of a long branch reach, when its newest lines hold the end of none. A branch only grows, and what was decided
// about a session changes seldom: what a long look found is kept beside that state, and counted on from there.
import type { MessageId } from '../base/ids.ts'
import type { Message } from '../protocol/message.ts'
import type { Conversation } from '../scopes/scopes.ts'
import { type ContextState, linesAfter, type Summary, summariesOn } from './summary.ts'

/** The newest lines of a branch, that end with the leaf. */
export type Newest = { readonly process: string; readonly leaf: MessageId | null; readonly walked: readonly Message[] }

/** `after`: lines behind the newest of them, up to the leaf. */
type Reach = { readonly leaf: string; readonly found: readonly Summary[]; readonly after: number }

/** Further lines that are looked through for a summary. */
const farLines = 5_000
const mostKept = 20
/** By process; states are never changed, only followed by others. */
const known = new WeakMap<ContextState, Map<string, Reach>>()

/** The summaries that hold on the branch, and whether every line before those that were walked is covered by them. */
export async function reachOf(
  conversation: Pick<Conversation, 'walk'>,
  state: ContextState,
  { process, leaf, walked }: Newest,
): Promise<{ readonly summaries: readonly Summary[]; readonly isCovered: boolean }> {
  const kept = known.get(state) ?? new Map<string, Reach>()
  known.set(state, kept)
  const before = kept.get(process)
  const at = before === undefined ? -1 : walked.findLastIndex((line) => line.id === before.leaf)
  const { found, after } =
    before !== undefined && at >= 0
      ? { found: before.found, after: before.after + walked.length - 1 - at }
      : await look(conversation, state, { process, leaf, walked })
  if (kept.size >= mostKept) kept.clear()
  kept.set(process, { leaf: walked.at(-1)?.id ?? '', found, after })
  return { summaries: found, isCovered: after <= walked.length }
}

async function look(
  conversation: Pick<Conversation, 'walk'>,
  state: ContextState,
  { process, leaf }: Newest,
): Promise<Omit<Reach, 'leaf'>> {
  const lines = await conversation.walk(leaf, farLines)
  const ids = new Set<string>(lines.map((line) => line.id))
  const found = summariesOn(state, (id) => ids.has(id), process)
  return { found, after: linesAfter(lines, found.at(-1)).length }
}
