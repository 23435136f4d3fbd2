// What people do to a hub: they write, twice and differently too, answer late and twice, stop, pause, close.
import type { AskId, LaneId, NewId } from '../../src/base/ids.ts'
import { canonical, type Json } from '../../src/base/json.ts'
import type { ProcessInfo } from '../../src/lanes/engine.ts'
import type { Lanes, NewEntry } from '../../src/lanes/lanes.ts'
import type { Actor } from '../../src/protocol/actor.ts'
import type { Control, Work } from '../../src/protocol/entry.ts'
import type { Outside } from './outside.ts'
import { orders } from './program.ts'
import type { Watch } from './watch.ts'

export type Crowd = {
  readonly world: Outside
  readonly newId: NewId
  readonly seen: Watch
  readonly processes: readonly ProcessInfo[]
  readonly lanes: readonly LaneId[]
  /** What was sent, to be sent again. */
  readonly posted: NewEntry[]
  /** Contents of what was acknowledged, by lane and entry. */
  readonly acked: Map<string, string>
  /** The door that people come through now. */
  door(): Pick<Lanes, 'post'>
  /** Called once for each acknowledged key. */
  readonly onAck?: (key: string, content: string) => void
}

type Deed = (crowd: Crowd) => unknown

function send(crowd: Crowd, entry: NewEntry): void {
  const { world, acked } = crowd
  const key = `${entry.lane} ${entry.id}`
  const content = canonical([entry.from, entry.body])
  const before = acked.get(key)
  void crowd
    .door()
    .post(entry)
    .then((result) => {
      const known = acked.get(key)
      if (result.ok && known !== undefined && known !== content) world.problems.push(`${key}: a conflict was acknowledged`)
      if (result.ok && before === content && !result.duplicate) world.problems.push(`${key}: accepted twice`)
      if (!result.ok && known === content && result.reason !== 'unavailable')
        world.problems.push(`${key}: known, and refused as ${result.reason}`)
      if (result.ok && known === undefined) crowd.onAck?.(key, content)
      if (result.ok) acked.set(key, content)
    })
}

export function message(crowd: Crowd): void {
  const { world, newId } = crowd
  const { random } = world
  const process = random.pick(crowd.processes)
  const text = orders(random.int(1e9), random.int(4))
  const from: Actor = random.pick(['user:ada', 'user:ada', 'user:ada', 'user:bob', 'outside:hook'])
  const body: Work = {
    kind: 'message',
    session: process.session,
    text,
    ...(random.next() < 0.1 && { when: 'next' as const }),
    ...(random.next() < 0.05 && { parent: null }),
  }
  const chain = random.next() < 0.05 ? { chain: { root: 'far', depth: random.int(5), hops: random.int(60) } } : {}
  const entry: NewEntry = {
    lane: process.id as string as LaneId,
    id: newId('ent'),
    from,
    body,
    ref: newId('msg'),
    ...chain,
  }
  crowd.posted.push(entry)
  send(crowd, entry)
}

function twice(crowd: Crowd): void {
  const entry = crowd.world.random.pick(crowd.posted)
  if (entry) send(crowd, entry)
}

function changed(crowd: Crowd): void {
  const entry = crowd.world.random.pick(crowd.posted)
  if (entry?.body.kind === 'message') send(crowd, { ...entry, body: { ...entry.body, text: `${entry.body.text}0` } })
}

export function control(crowd: Crowd, lane: LaneId, body: Control, from: Actor = 'user:ada'): void {
  send(crowd, { lane, id: crowd.newId('ent'), from, body })
}

const said: readonly Json[] = ['Yes, it happened', 'No, do it again', 'Leave it', { option: 'Leave it' }, { text: 'blue' }, 7]

function answer(crowd: Crowd): void {
  const { random } = crowd.world
  const open = [...crowd.seen.open].filter(([, { kind }]) => kind === 'question')
  const picked = random.pick(open)
  if (picked) answerOne(crowd, picked[0], picked[1].lane)
  if (picked && random.next() < 0.2) answerOne(crowd, picked[0], picked[1].lane)
}

export function answerOne(crowd: Crowd, ask: AskId, lane: LaneId): void {
  control(crowd, lane, { kind: 'answer', ask, value: crowd.world.random.pick(said) })
}

function lateAnswer(crowd: Crowd): void {
  const picked = crowd.world.random.pick(crowd.seen.closed)
  if (picked) answerOne(crowd, ...picked)
}

function stop(crowd: Crowd): void {
  const picked = crowd.world.random.pick([...crowd.seen.turns])
  if (picked) control(crowd, picked[0], { kind: 'stop', turn: picked[1] })
}

function staleStop(crowd: Crowd): void {
  const picked = crowd.world.random.pick(crowd.seen.ended)
  if (picked) control(crowd, picked[1], { kind: 'stop', turn: picked[0] })
}

function pause(crowd: Crowd): void {
  const picked = crowd.world.random.pick([...crowd.seen.turns])
  if (picked) control(crowd, picked[0], { kind: 'pause', turn: picked[1] })
}

function resume(crowd: Crowd): void {
  const picked = crowd.world.random.pick([...crowd.seen.paused])
  if (picked) control(crowd, picked[1], { kind: 'resume', turn: picked[0] })
}

function withdraw(crowd: Crowd): void {
  const picked = crowd.world.random.pick(crowd.seen.work.slice(-4))
  if (picked) control(crowd, picked[1], { kind: 'withdraw', entry: picked[0], reason: 'changed my mind' })
}

function select(crowd: Crowd): void {
  control(crowd, crowd.world.random.pick(crowd.lanes), { kind: 'select', leaf: null })
}

function suspend(crowd: Crowd): void {
  control(crowd, crowd.world.random.pick(crowd.lanes), { kind: 'suspend' })
}

function wake(crowd: Crowd): void {
  const lane = crowd.world.random.pick([...crowd.seen.suspended])
  if (lane) control(crowd, lane, { kind: 'wake' })
}

function close(crowd: Crowd): void {
  control(crowd, crowd.world.random.pick(crowd.lanes), { kind: 'close', reason: 'DONE' })
}

function goOn(crowd: Crowd): void {
  const picked = crowd.world.random.pick([...crowd.seen.held])
  if (picked) control(crowd, picked[1], { kind: 'go-on', entry: picked[0] })
}

export const deeds: readonly (readonly [number, Deed])[] = [
  [24, message],
  [5, twice],
  [3, changed],
  [18, answer],
  [4, lateAnswer],
  [4, stop],
  [2, staleStop],
  [3, pause],
  [4, resume],
  [2, withdraw],
  [1, select],
  [2, suspend],
  [3, wake],
  [0.4, close],
  [2, goOn],
]

/** One of the weighted ones. */
export function pickOf<T>(weighted: readonly (readonly [number, T])[], at: number): T {
  let left = at * weighted.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, each] of weighted) {
    left -= weight
    if (left < 0) return each
  }
  throw new Error('nothing to pick from')
}
