// A process that writes to a SQLite store as fast as it can and says what was acknowledged, until it is killed.
// node store-writer.ts FILE LANES

import { mkdirSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { LaneId } from '../src/base/ids.ts'
import { ulids } from '../src/base/ids.ts'
import type { Commit } from '../src/journal/commit.ts'
import type { NewEvent } from '../src/protocol/event.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite.ts'

const [file = '', lanes = '4'] = process.argv.slice(2)
mkdirSync(dirname(file), { recursive: true })
const store = await openSqliteStore({ file, now: Date.now })
const newId = ulids(Date.now)
writeSync(1, 'open\n')

const fact = (type: string, data: NewEvent['data']): NewEvent => ({
  id: newId('evt'),
  type,
  at: Date.now(),
  actor: 'system',
  visibility: 'internal',
  data,
  cause: null,
  correlation: null,
  session: null,
  v: 1,
})

/** Two events, one entry for the lane beside, and a timer: all of it or none. */
function next(lane: LaneId, beside: LaneId, after: number): Commit {
  const id = `entry-${lane}-${after}` as never
  const entry = {
    lane: beside,
    id,
    from: 'system',
    body: { kind: 'note', topic: 't', data: { after } },
    chain: { root: 'r', depth: 0, hops: 0 },
    at: 0,
  } as const
  return {
    lane,
    epoch: 0,
    after,
    events: [fact('one', { text: 'x'.repeat(after % 7000) }), fact('two', {})],
    posts: [{ entry, event: fact('entry-received', { entry }) }],
    timers: {
      set: [{ id: `tmr-${lane}-${after}` as never, lane, due: after, entry: { ...entry, id: `due-${lane}-${after}` as never } }],
      clear: [],
    },
  }
}

const names = Array.from({ length: Number(lanes) }, (_, i) => `prc_${i}` as LaneId)
const seqs = new Map<LaneId, number>()
for (const lane of names) {
  await store.journal.apply([{ commit: { lane, epoch: 0, after: 0, events: [], creates: { session: null, mailbox: true } } }])
  seqs.set(lane, (await store.journal.head(lane))?.seq ?? 0)
}
for (;;) {
  const group = names.map((lane, i) => ({ commit: next(lane, names[(i + 1) % names.length] ?? lane, seqs.get(lane) ?? 0) }))
  const { results } = await store.journal.apply(group)
  for (const [i, result] of results.entries()) {
    const lane = names[i]
    if (lane === undefined || !('commit' in result) || !result.commit.ok) throw new Error(JSON.stringify(result))
    seqs.set(lane, (seqs.get(lane) ?? 0) + 2)
  }
  writeSync(1, `${JSON.stringify([...seqs.values()])}\n`)
}
