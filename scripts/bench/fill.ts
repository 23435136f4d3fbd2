/**
 * Fills a home through the hub's own rooms, faster than over HTTP; prints JSON.
 *
 *     fill.ts HOME long EVENTS      two sessions: one with so many events, one with 120 turns           {long, short, events}
 *     fill.ts HOME waiting ENTRIES  so many entries that wait in lanes of 5 each, and no turn was run   {sessions, entries}
 */

import { laneOf, type ProcessId, type SessionId } from '../../src/base/ids.ts'
import { userActor } from '../../src/protocol/actor.ts'
import type { Session } from '../../src/protocol/shapes.ts'
import { type BenchRooms, openRooms } from './rooms.ts'

export type Filled = { readonly long: string; readonly short: string; readonly events: number }
export type Waiting = { readonly sessions: number; readonly entries: number }

const [home = '', what = '', amount = ''] = process.argv.slice(2)
const shortTurns = 120
const entriesALane = 5
/** So many lanes are filled at once: that is what group commit lives from. */
const atOnce = 64

const rooms = await openRooms(home)
const result = what === 'long' ? await fillLong(rooms, Number(amount)) : await fillWaiting(rooms, Number(amount))
await rooms.close()
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit())

async function fillLong(at: BenchRooms, events: number): Promise<Filled> {
  await at.lanes.start()
  const [long, short] = [await newSession(at), await newSession(at)]
  for (let turn = 0; turn < shortTurns; turn++) await say(at, short, turn)
  const from = at.journal.head()
  const settled = settledTurns(at, long.id)
  // A window of messages that wait: each is still a turn of its own.
  for (let turn = 0; at.journal.head() - from < events; turn++) {
    await say(at, long, turn)
    await settled.atLeast(turn - 2)
  }
  await at.journal.passed(at.journal.head())
  settled.stop()
  return { long: long.id, short: short.id, events: at.journal.head() - from }
}

/** Counts turns of that session as they settle. */
function settledTurns({ journal }: BenchRooms, session: string) {
  const abort = new AbortController()
  let count = 0
  let next = Promise.withResolvers<void>()
  async function follow(): Promise<void> {
    for await (const batch of journal.follow(journal.head(), { signal: abort.signal })) {
      count += batch.filter((event) => event.type === 'turn-settled' && event.session === session).length
      next.resolve()
      next = Promise.withResolvers()
    }
  }
  void follow()
  return {
    stop: () => abort.abort(),
    async atLeast(wanted: number): Promise<void> {
      while (count < wanted) await next.promise
    },
  }
}

async function fillWaiting(at: BenchRooms, entries: number): Promise<Waiting> {
  const sessions = Math.ceil(entries / entriesALane)
  for (let done = 0; done < sessions; done += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, sessions - done) }, () => fillOne(at)))
  }
  return { sessions, entries: sessions * entriesALane }
}

async function fillOne(at: BenchRooms): Promise<void> {
  const session = await newSession(at)
  for (let n = 0; n < entriesALane; n++) await say(at, session, n)
}

async function newSession({ scopes, people }: BenchRooms): Promise<Session> {
  const user = people.owner.name
  return (await scopes.sessions.create({ user }, userActor(user))).value
}

async function say({ lanes, newId, people }: BenchRooms, session: Session, n: number): Promise<void> {
  const text = `What was said as number ${n}, in a sentence of about the length that people write in a chat.`
  const posted = await lanes.post({
    lane: laneOf(session.process as ProcessId),
    id: newId('ent'),
    from: userActor(people.owner.name),
    body: { kind: 'message', session: session.id as SessionId, text },
    ref: newId('msg'),
  })
  if (!posted.ok) throw new Error(`an entry was refused: ${posted.reason}`)
}
