// One group, one transaction, two journeys: read and lock what it names; write, take the cursor lock, number, commit. The lock is
// held to the end of the transaction, so numbers are given in the order of commits and no reader ever skips one (S8).

import { messageOf } from '../../base/errors.ts'
import type { LaneId } from '../../base/ids.ts'
import type { Applied, Committed, Item, ItemResult, Posted } from '../../journal/commit.ts'
import type { Event } from '../../protocol/event.ts'
import { allUnavailable, applyItem } from '../rules.ts'
import { type Connections, type Db, isCollision, isDataFault } from './db.ts'
import { load } from './load.ts'
import { groupTables, namesIn, unnumbered } from './tables.ts'
import { write } from './write.ts'

/** Groups that share a lane keep the order in which they were given; others may be in flight at once. Never throws. */
export function applier(connections: Connections): (group: readonly Item[]) => Promise<Applied> {
  const inFlight = new Map<LaneId, Promise<unknown>>()
  return async function apply(group) {
    if (group.length === 0) return { results: [], events: [] }
    const { all } = namesIn(group)
    const before = Promise.all(all.map((lane) => inFlight.get(lane)))
    const mine = before.then(() => attempt(connections, group))
    for (const lane of all) inFlight.set(lane, mine)
    const applied = await mine
    for (const lane of all) if (inFlight.get(lane) === mine) inFlight.delete(lane)
    return applied
  }
}

async function attempt(connections: Connections, group: readonly Item[]): Promise<Applied> {
  try {
    return await connections.alone((db) => again(db, group))
  } catch (thrown) {
    if (!isDataFault(thrown)) return { results: allUnavailable(group, messageOf(thrown)), events: [] }
    const [only] = group
    if (group.length === 1 && only) return { results: [refused(only, messageOf(thrown))], events: [] }
    return oneByOne(connections, group)
  }
}

/** A value that the database refuses spoils the whole statement: the group is done again, each item for itself. */
async function oneByOne(connections: Connections, group: readonly Item[]): Promise<Applied> {
  const done: Applied[] = []
  for (const item of group) done.push(await attempt(connections, [item]))
  return { results: done.flatMap((one) => one.results), events: done.flatMap((one) => one.events) }
}

function refused(item: Item, why: string): ItemResult {
  return 'commit' in item ? { commit: { ok: false, reason: 'invalid', why } } : { post: { ok: false, reason: 'unavailable', why } }
}

/** Another node that was in the way is gone by the next time; more often than this it is a fault. */
const mostCollisions = 5

async function again(db: Db, group: readonly Item[]): Promise<Applied> {
  for (let collisions = 0; ; collisions++) {
    try {
      return await transaction(db, group)
    } catch (thrown) {
      if (!isCollision(thrown) || collisions === mostCollisions) throw thrown
    }
  }
}

async function transaction(db: Db, group: readonly Item[]): Promise<Applied> {
  try {
    const [, loaded] = await Promise.all([db.run('BEGIN'), load(db, namesIn(group))])
    const { tables, changes } = groupTables(loaded)
    const events: Event[] = []
    const results = group.map((item) => applyItem(tables, item, events))
    return numbered({ results, events }, await commit(db, write(db, changes)))
  } catch (thrown) {
    // Also when the wire is down: whether COMMIT was done is then unknown, and is never asked on this connection.
    await db.run('ROLLBACK').catch(() => db.drop())
    throw thrown
  }
}

/** The statements and COMMIT travel together; after a failed statement the server answers COMMIT with ROLLBACK. */
async function commit(db: Db, { base, sent }: ReturnType<typeof write>): Promise<number> {
  const [end, ...writes] = await Promise.allSettled([db.run('COMMIT'), ...sent])
  for (const done of writes) if (done.status === 'rejected') throw done.reason
  if (end.status === 'rejected') throw end.reason
  if (end.value.command !== 'COMMIT') throw new Error(`the database answered COMMIT with ${end.value.command}`)
  return base
}

/** The same answers with true cursors: `base` was the newest one before the group. */
function numbered({ results, events }: Applied, base: number): Applied {
  const real = (cursor: number) => (cursor < unnumbered ? cursor : cursor - unnumbered + base)
  const post = (posted: Posted): Posted => (posted.ok ? { ...posted, cursor: real(posted.cursor) } : posted)
  const commit = (done: Committed): Committed =>
    done.ok ? { ...done, cursor: real(done.cursor), posted: done.posted.map((to) => ({ ...to, result: post(to.result) })) } : done
  return {
    results: results.map((result) => ('commit' in result ? { commit: commit(result.commit) } : { post: post(result.post) })),
    events: events.map((event) => ({ ...event, cursor: real(event.cursor) })),
  }
}
