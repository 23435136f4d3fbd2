// How a turn starts: what it took, where that stands in the tree, and what it inherits. Pure.
import type { TurnId } from '../base/ids.ts'
import type { Entry } from '../protocol/entry.ts'
import { draft } from './draft.ts'
import { chainOf, placed, priorityOf } from './mailbox.ts'
import type { ChainLimits } from './post.ts'
import type { LaneState } from './state.ts'
import type { Write } from './write.ts'

/** `entries`: at least one, the oldest of the mailbox, of one sender. */
export function starting(
  state: LaneState,
  entries: readonly Entry[],
  given: { readonly turn: TurnId; readonly version: number; readonly limits: ChainLimits },
): Write {
  const [first] = entries
  if (!first || !state.process) throw new Error('a turn starts in a process, with at least one entry')
  const { turn, version } = given
  const { taken, tip } = placed(entries, state.leaf)
  const started = draft('turn-started', {
    turn,
    engine: state.process.engine,
    version,
    taken,
    from: first.from,
    leaf: tip,
    chain: chainOf(entries, given.limits),
    priority: priorityOf(first),
  })
  const accepted = taken.flatMap(({ message, parent }) =>
    message === undefined ? [] : [draft('chat-message-updated', { id: message, status: 'accepted', parent: parent ?? null, turn })],
  )
  return { events: [started, ...accepted], takes: entries.map((entry) => entry.id) }
}
