// One life of the machine over a store that outlives it. A death leaves nothing behind: what was not committed never was, what was
// committed without an answer stays, alarms and answers of the dead never arrive.
import type { LaneId, NewId, NodeId } from '../../src/base/ids.ts'
import { type Log, silent } from '../../src/base/log.ts'
import { type HandClock, seeded } from '../../src/base/testing.ts'
import type { Item } from '../../src/journal/commit.ts'
import { type Journal, openJournal } from '../../src/journal/journal.ts'
import type { JournalStore } from '../../src/journal/journal-store.ts'
import type { Engine } from '../../src/lanes/engine.ts'
import { type Lanes, openLanes } from '../../src/lanes/lanes.ts'
import { never, type Outside } from './outside.ts'
import type { Life } from './program.ts'

export type Living = Life & {
  readonly journal: Journal
  readonly lanes: Lanes
  /** The machine dies at the n-th next group, before or after it was written. */
  arm(groups: number, when: 'before' | 'after'): void
  /** The next commit of an owned lane is spoilt. */
  poison(how: 'moved_on' | 'invalid'): void
  die(): void
  /** The line to the store is cut: what is on its way stays on its way until it is mended. */
  cut(): void
  mend(): void
  /** The next so many reads fail. */
  shake(reads: number): void
}

export type Machine = {
  readonly world: Outside
  readonly store: JournalStore
  readonly clock: HandClock
  readonly newId: NewId
  readonly maxOpen: number
  readonly node?: NodeId
  readonly shared?: boolean
  readonly lease?: { readonly ttlMs: number; readonly marginMs: number }
  readonly engine: (life: Life) => Engine
}

const readVerbs = ['claim', 'readLane', 'readAll', 'waiting', 'held', 'entries', 'snapshot', 'body', 'due', 'nextDue', 'unfinished']

export async function live(machine: Machine, number: number): Promise<Living> {
  const { clock, newId } = machine
  const life: Life = { number, alive: true, leaseUntil: Number.POSITIVE_INFINITY }
  let fuse = Number.POSITIVE_INFINITY
  let fused: 'before' | 'after' = 'before'
  let poisoned: 'moved_on' | 'invalid' | null = null
  // The time that work takes, so that a seed tells the same story on every machine.
  const haste = seeded(number)
  let spent = 0
  let shaken = 0
  let started = false
  let line = gate()
  line.open()

  function die(): void {
    life.alive = false
  }

  async function apply(group: readonly Item[]) {
    fuse -= 1
    if (fuse <= 0 && fused === 'before') die()
    if (!life.alive) return never<never>()
    const applied = await machine.store.apply(group.map(spoilt))
    if (fuse <= 0) die()
    return life.alive ? applied : never<never>()
  }

  function spoilt(item: Item): Item {
    if (!poisoned || !('commit' in item) || item.commit.epoch === 0) return item
    const how = poisoned
    poisoned = null
    const { commit } = item
    if (how === 'moved_on') return { commit: { ...commit, after: commit.after + 1000 } }
    return { commit: { ...commit, snapshot: { lane: commit.lane, seq: 1e9, version: 1, state: '{}' } } }
  }

  const store = new Proxy(machine.store, {
    get(target, key) {
      const verb: unknown = key === 'apply' ? apply : Reflect.get(target, key)
      if (typeof verb !== 'function') return verb
      return async (...args: unknown[]) => {
        await line.whole
        if (!life.alive) return never()
        if (shaken > 0 && readVerbs.includes(String(key)) && shaken--) throw new Error('the store could not be read')
        const from = clock.now()
        const result: unknown = await verb.apply(target, args)
        await line.whole
        if (key === 'heartbeat' && life.alive) life.leaseUntil = from + Number(args[1])
        return life.alive ? result : never()
      }
    },
  })
  const log: Log = process.env['STEWARD_FUZZ_LOG']
    ? (...said) => life.alive && console.log(JSON.stringify([number, clock.now() % 1e7, ...said]))
    : silent
  const mortal = { now: clock.now, after: (ms: number, ring: () => void) => clock.after(ms, () => life.alive && ring()) }
  const journal = await openJournal({ store, clock: mortal, log, shared: machine.shared ?? false })
  const lanes = openLanes({
    journal,
    store,
    clock: mortal,
    newId,
    node: machine.node ?? newId('nod'),
    log,
    maxOpen: machine.maxOpen,
    monotonic() {
      spent += haste.next()
      return spent
    },
    ...(machine.lease && { lease: machine.lease }),
  })
  const living: Living = Object.assign(life, {
    journal,
    lanes,
    arm(groups: number, when: 'before' | 'after') {
      fuse = groups
      fused = when
    },
    poison: (how: 'moved_on' | 'invalid') => {
      poisoned = how
    },
    cut: () => {
      line.open()
      line = gate()
    },
    mend: () => line.open(),
    shake: (reads: number) => {
      shaken = started ? reads : 0
    },
    die() {
      die()
      void lanes.stop()
    },
  })
  lanes.registerEngine(machine.engine(living))
  // A machine that dies while it starts never gets there.
  lanes.start().then(
    () => {
      started = true
    },
    (thrown: unknown) => life.alive && machine.world.problems.push(`the start failed: ${String(thrown)}`),
  )
  return living
}

function gate(): { readonly whole: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { whole: promise, open: resolve }
}

/** Lets another node take the lane for a moment. */
export async function steal(store: JournalStore, lane: LaneId, node: NodeId): Promise<void> {
  await store.claim([lane], node)
  await store.release([lane], node)
}
