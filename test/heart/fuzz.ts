// One fuzzed life story of a hub, from a seed: people write, answer, stop and wait; machines die, stores fail, lanes are stolen.
// Then everything calms down, and the oracle judges what is left.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LaneId, NodeId, ProcessId, SessionId, TurnId } from '../../src/base/ids.ts'
import { countingIds, handClock } from '../../src/base/testing.ts'
import type { Item } from '../../src/journal/commit.ts'
import type { JournalStore } from '../../src/journal/journal-store.ts'
import type { ProcessInfo } from '../../src/lanes/engine.ts'
import type { Event } from '../../src/protocol/event.ts'
import { delayed, seededPause } from '../../src/store/delayed.ts'
import { type Faults, faulty } from '../../src/store/faulty.ts'
import { memoryStore } from '../../src/store/memory/memory.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { type Living, live, type Machine, steal } from './life.ts'
import { judge } from './oracle.ts'
import { calmDown, type Outside, outside, tick, ticks } from './outside.ts'
import { answerOne, type Crowd, control, deeds, pickOf } from './people.ts'
import { programmed } from './program.ts'
import { watch } from './watch.ts'

/** Over which store; `pair`: two nodes share one. */
export type StoreKind = 'memory' | 'late' | 'sqlite' | 'pair'
export type Story = {
  readonly seed: number
  readonly kind: StoreKind
  readonly problems: readonly string[]
  readonly turns: number
  readonly crashes: number
  readonly events: number
  readonly effects: number
}

type Hub = Crowd & {
  readonly machine: Machine
  readonly raw: JournalStore
  readonly faults: Faults
  version: number
  /** The machines that run now: one, or a pair. */
  readonly running: Living[]
  lives: number
}

export async function story(seed: number, kind: StoreKind): Promise<Story & { readonly all: readonly Event[] }> {
  const opened = await openStore(seed, kind)
  const hub = await openHub(seed, opened.store, kind)
  try {
    await disturb(hub)
    const stuck = await quiet(hub)
    await hub.seen.look()
    const { events } = hub.seen
    const judged = await judge(hub.raw, { events, world: hub.world, acked: hub.acked, isShared: kind === 'pair' })
    const problems = [...(stuck ? [stuck] : []), ...hub.world.problems, ...judged]
    const turns = events.filter((e) => e.type === 'turn-started').length
    return {
      all: events,
      seed,
      kind,
      problems,
      turns,
      crashes: hub.lives - hub.running.length,
      events: events.length,
      effects: hub.world.effects.length,
    }
  } finally {
    for (const life of hub.running) life.die()
    await opened.close()
  }
}

async function openStore(seed: number, kind: StoreKind) {
  const clock = handClock()
  if (kind !== 'sqlite') return { store: { raw: memoryStore({ now: clock.now }), clock }, close: async () => {} }
  const folder = mkdtempSync(join(tmpdir(), `steward-fuzz-${seed}-`))
  const opened = await openSqliteStore({ file: join(folder, 'steward.db'), now: clock.now })
  return {
    store: { raw: opened.journal, clock },
    async close() {
      await opened.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function openHub(
  seed: number,
  { raw, clock }: { raw: JournalStore; clock: ReturnType<typeof handClock> },
  kind: StoreKind,
): Promise<Hub> {
  const world = outside(seed)
  const { random } = world
  const newId = countingIds()
  const faults = faulty(counted(raw, world))
  const late = kind === 'memory' ? faults.store : delayed(faults.store, seededPause(seed ^ 0x5bd1, 1 + random.int(4)))
  const lanes: LaneId[] = []
  const hub = { version: 1 }
  const machine: Machine = {
    world,
    store: late,
    clock,
    newId,
    maxOpen: random.pick([2, 3, 1000]),
    ...(kind === 'pair' && { shared: true, lease: { ttlMs: 3_000, marginMs: 1_000 } }),
    engine: (life) =>
      programmed({ world, life, lanes: () => lanes, now: clock.now }, hub.version, hub.version === 1 ? [] : random.pick([[1], [1], []])),
  }
  const life = await live(machine, 1)
  const running = kind === 'pair' ? [life, await live(machine, 2)] : [life]
  const processes = Array.from(
    { length: 3 + random.int(3) },
    (_, i): ProcessInfo => ({
      id: newId('prc') as ProcessId,
      session: newId('ses') as SessionId,
      tenant: 'default',
      project: 'shop',
      agent: 'script',
      engine: 'script',
      params: {},
      user: 'ada',
      parent: null,
      facesPerson: i < 2,
    }),
  )
  for (const process of processes) {
    await life.lanes.create(process, 'user:ada')
    lanes.push(process.id as string as LaneId)
  }
  const rest = {
    world,
    newId,
    machine,
    raw,
    faults,
    seen: watch(raw),
    processes,
    lanes,
    posted: [],
    acked: new Map(),
    running,
    lives: running.length,
  }
  const whole: Hub = Object.assign(hub, rest, { door: () => some(whole).lanes })
  return whole
}

function some(hub: Hub): Living {
  return hub.world.random.pick(hub.running)
}

/** Knows what is durable, also when the answer gets lost. */
function counted(raw: JournalStore, world: Outside): JournalStore {
  const apply: JournalStore['apply'] = async (group) => {
    const epochs = await epochsOf(raw, group)
    const applied = await raw.apply(group)
    for (const event of applied.events) world.durable = Math.max(world.durable, event.cursor)
    for (const [i, item] of group.entries()) {
      const result = applied.results[i]
      if (!('commit' in item) || !result || !('commit' in result) || !result.commit.ok) continue
      const { lane, epoch } = item.commit
      // L7: who was replaced writes nothing.
      if (epoch < (epochs.get(lane) ?? 0)) world.problems.push(`${lane}: the owner of epoch ${epoch} wrote in epoch ${epochs.get(lane)}`)
    }
    return applied
  }
  return new Proxy(raw, { get: (target, key) => (key === 'apply' ? apply : Reflect.get(target, key)) })
}

async function epochsOf(raw: JournalStore, group: readonly Item[]): Promise<ReadonlyMap<LaneId, number>> {
  const epochs = new Map<LaneId, number>()
  for (const item of group) if ('commit' in item) epochs.set(item.commit.lane, (await raw.head(item.commit.lane))?.epoch ?? 0)
  return epochs
}

// ---- disturbing ---------------------------------------------------------------------------------------------------------------------

async function disturb(hub: Hub): Promise<void> {
  const { random } = hub.world
  for (let left = 15 + random.int(60); left > 0; left--) {
    await hub.seen.look()
    await pickOf(doings, random.next())(hub)
    await ticks(random.pick([0, 1, 3, 12, 30]), random)
    await raise(hub)
  }
}

const doings: readonly (readonly [number, (hub: Hub) => unknown])[] = [
  ...deeds,
  [10, (hub) => hub.machine.clock.advance(1 + hub.world.random.int(hub.world.random.pick([20, 900, 6000])))],
  [5, (hub) => some(hub).die()],
  [5, (hub) => some(hub).arm(1 + hub.world.random.int(6), hub.world.random.pick(['before', 'after']))],
  [3, (hub) => some(hub).poison(hub.world.random.pick(['moved_on', 'invalid']))],
  [3, (hub) => steal(hub.raw, hub.world.random.pick(hub.lanes), 'nod_thief' as NodeId)],
  [4, (hub) => hub.faults.failNext(hub.world.random.pick(['before', 'after']), 1 + hub.world.random.int(2))],
  [4, (hub) => hub.running.length > 1 && some(hub).cut()],
  [6, (hub) => hub.running.length > 1 && some(hub).mend()],
  [3, (hub) => some(hub).shake(1 + hub.world.random.int(4))],
  [10, () => tick()],
]

/** Starts again what died. */
async function raise(hub: Hub): Promise<void> {
  for (const [i, life] of hub.running.entries()) if (!life.alive) await restart(hub, i)
}

async function restart(hub: Hub, i: number): Promise<void> {
  const { random } = hub.world
  hub.running[i]?.die()
  if (hub.version === 1 && hub.running.length === 1 && random.next() < 0.03) hub.version = 2
  // A start may itself be cut short.
  for (;;) {
    hub.lives += 1
    const life = await live(hub.machine, hub.lives)
    hub.running[i] = life
    if (hub.world.calm || random.next() < 0.75) return
    life.arm(1 + random.int(2), random.pick(['before', 'after']))
    await ticks(40, random)
    life.die()
  }
}

// ---- calming down -------------------------------------------------------------------------------------------------------------------

/** Drives the hub until nothing is left to do. Says what is stuck when that never comes. */
async function quiet(hub: Hub): Promise<string | null> {
  calmDown(hub.world)
  hub.faults.failNext('before', 0)
  for (const life of hub.running) {
    life.mend()
    life.shake(0)
  }
  if (hub.world.random.next() < 0.5) await restart(hub, 0)
  let idle = 0
  for (let round = 0; round < 400; round++) {
    await still(hub)
    // A machine may still die of what was armed before, and a lane that was shut out waits for the next start.
    for (const life of hub.running) if (life.lanes.stats().quarantined.length > 0) life.die()
    await raise(hub)
    if (await isDone(hub)) return null
    if (await help(hub, round)) idle = 0
    else if (++idle > 8) break
  }
  const turns = [...hub.seen.turns].map(([lane, turn]) => `${lane} ${turn}`).join(', ')
  return `stuck: open turns ${turns || 'none'}; ${await hub.raw.countWaiting()} entries wait; unfinished ${(await unfinished(hub)).join()}`
}

/** Until the journal has not grown for a while and nothing is on its way to it. */
async function still(hub: Hub): Promise<void> {
  let last = -1
  for (let same = 0, left = 5_000; same < 50 && left > 0; left--) {
    await tick()
    const now = hub.world.durable
    same = now === last && hub.running.every((life) => life.journal.health().pending === 0) ? same + 1 : 0
    last = now
    if (isReadOnly(hub)) return
  }
}

const isReadOnly = (hub: Hub) => hub.running.some((life) => life.journal.readOnly)
const unfinished = (hub: Hub) => hub.raw.unfinished('nod_any' as NodeId, 100)

async function isDone(hub: Hub): Promise<boolean> {
  await hub.seen.look()
  if (isReadOnly(hub) || hub.seen.turns.size + hub.seen.suspended.size > 0) return false
  if ((await unfinished(hub)).length > 0 || (await hub.raw.countWaiting()) > 0) return false
  return (await hub.raw.nextDue()) === null
}

/** What people and time would do. False when only time passed. */
async function help(hub: Hub, round: number): Promise<boolean> {
  const { seen, machine } = hub
  if (hub.running.length > 1) await pass(hub, 1_400)
  if (isReadOnly(hub)) {
    await pass(hub, 5_000)
    return round < 300
  }
  let did = 0
  for (const [ask, { lane, kind }] of seen.open) if (kind === 'question' && ++did > 0) answerOne(hub, ask, lane)
  for (const [turn, lane] of seen.paused) if (++did > 0) control(hub, lane, { kind: 'resume', turn })
  for (const lane of seen.suspended) if (++did > 0) control(hub, lane, { kind: 'wake' })
  if (did > 0) return true
  const due = await hub.raw.nextDue()
  if (due !== null) {
    await pass(hub, due > machine.clock.now() ? due - machine.clock.now() : 1_000)
    return round < 300
  }
  const waiting = [...seen.turns].filter(([lane, turn]) => seen.parked.has(turn) && ![...seen.open.values()].some((a) => a.lane === lane))
  for (const [lane, turn] of waiting) control(hub, lane, { kind: 'stop', turn: turn as TurnId })
  await pass(hub, 11_000)
  return waiting.length > 0 && round < 300
}

/** Time passes; where there are leases, not faster than they are renewed. */
async function pass(hub: Hub, ms: number): Promise<void> {
  const step = hub.running.length > 1 ? 700 : ms
  for (let left = ms; left > 0; left -= step) {
    hub.machine.clock.advance(Math.min(step, left))
    if (hub.running.length > 1) for (let i = 0; i < 20; i++) await tick()
  }
}
