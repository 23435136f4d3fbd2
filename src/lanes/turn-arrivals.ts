// Safe points (L2): work that came in meanwhile joins the turn, recorded under the safe point's name.
import type { Entry } from '../protocol/entry.ts'
import type { LaneCore } from './core.ts'
import { draft } from './draft.ts'
import { joinablePrefix, placed } from './mailbox.ts'
import type { Run } from './running.ts'

export function arrivals(run: Run, name: string): readonly Entry[] {
  const found = run.enter(name, 'arrivals')
  if (found?.kind === 'arrivals') return found.entries.map((id) => run.core.body(id))
  // What an earlier run did after this point hadn't seen the new work: it waits for a point behind all that (T9).
  return run.replaying() ? [] : takeArrivals(run.core, name)
}

/** Takes what may join, in one commit with its record. */
export function takeArrivals(core: LaneCore, name: string): readonly Entry[] {
  const { turn } = core.state()
  if (!turn) return []
  const entries = joinablePrefix(core.inbox(), turn)
  if (entries.length === 0) return []
  const { taken } = placed(entries, turn.tip)
  core.took(entries)
  const accepted = taken.flatMap((t) =>
    t.message === undefined
      ? []
      : [draft('chat-message-updated', { id: t.message, status: 'accepted', parent: t.parent ?? null, turn: turn.id })],
  )
  void core.write({
    events: [draft('arrivals-taken', { turn: turn.id, name, taken }), ...accepted],
    takes: entries.map((entry) => entry.id),
  })
  return entries
}
