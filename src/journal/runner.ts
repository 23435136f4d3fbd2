// Runs projections (J4, J5): each follows the journal by its own cursor, stops itself when it fails, and can be rebuilt aside.
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Event } from '../protocol/event.ts'
import type { JournalStore } from './journal-store.ts'
import type { Projection, Rebuilding } from './projection.ts'

const pageLength = 500

type Runner = {
  readonly projection: Projection
  position: number
  stopped: string | null
  waiting: { readonly cursor: number; readonly resolve: () => void }[]
  abort: AbortController
  loop: Promise<void>
}

type Runners = {
  add(projection: Projection, head: number): Promise<void>
  passed(cursor: number, name?: string): Promise<void>
  rebuild(name: string): Promise<void>
  list(): readonly { readonly name: string; readonly position: number; readonly stopped: string | null }[]
  close(): Promise<void>
}

export function openRunners(given: {
  readonly store: JournalStore
  readonly follow: (after: number, signal?: AbortSignal) => AsyncGenerator<readonly Event[]>
  readonly log: Log
}): Runners {
  const { store, follow, log } = given
  const runners = new Map<string, Runner>()

  async function add(projection: Projection, head: number): Promise<void> {
    const position = await projection.position()
    const runner: Runner = {
      projection,
      position: position ?? 0,
      stopped: null,
      waiting: [],
      abort: new AbortController(),
      loop: Promise.resolve(),
    }
    runners.set(projection.name, runner)
    if (position === null) await rebuild(projection.name)
    else runner.loop = run(runner)
    await passedBy(runner, head)
  }

  async function run(runner: Runner): Promise<void> {
    for await (const events of follow(runner.position, runner.abort.signal)) {
      const last = events.at(-1)
      if (!last) continue
      try {
        await runner.projection.apply(events, last.cursor)
      } catch (thrown) {
        return stop(runner, thrown)
      }
      advance(runner, last.cursor)
    }
  }

  function advance(runner: Runner, position: number): void {
    runner.position = position
    if (runner.waiting.length === 0) return
    const ready = runner.waiting.filter((waiting) => waiting.cursor <= position)
    runner.waiting = runner.waiting.filter((waiting) => waiting.cursor > position)
    for (const waiting of ready) waiting.resolve()
  }

  function stop(runner: Runner, thrown: unknown): void {
    runner.stopped = messageOf(thrown)
    log('error', 'a projection stopped', { projection: runner.projection.name, after: runner.position, why: runner.stopped })
    for (const waiting of runner.waiting) waiting.resolve()
    runner.waiting = []
  }

  function passedBy(runner: Runner, cursor: number): Promise<void> {
    if (runner.position >= cursor || runner.stopped !== null) return Promise.resolve()
    return new Promise((resolve) => runner.waiting.push({ cursor, resolve }))
  }

  async function rebuild(name: string): Promise<void> {
    const runner = runners.get(name)
    if (!runner) throw new Error(`there is no projection ${name}; there are ${[...runners.keys()].join(', ')}`)
    const aside = await runner.projection.rebuild()
    try {
      const position = await fill(aside, 0)
      runner.abort.abort()
      await runner.loop
      runner.position = await fill(aside, position)
      await aside.replace()
    } catch (thrown) {
      await aside.abandon()
      throw thrown
    }
    runner.abort = new AbortController()
    runner.stopped = null
    advance(runner, runner.position)
    runner.loop = run(runner)
  }

  async function fill(aside: Rebuilding, after: number): Promise<number> {
    for (let at = after; ; ) {
      const { events, safe } = await store.readAll(at, pageLength)
      const last = events.at(-1)
      if (!last) return Math.max(at, safe)
      await aside.apply(events, last.cursor)
      at = last.cursor
      await new Promise<void>((next) => setImmediate(next))
    }
  }

  return {
    add,
    async passed(cursor, name) {
      const asked = name === undefined ? [...runners.values()] : [runners.get(name)].filter((r) => r !== undefined)
      await Promise.all(asked.map((runner) => passedBy(runner, cursor)))
    },
    rebuild,
    list: () => [...runners.values()].map((r) => ({ name: r.projection.name, position: r.position, stopped: r.stopped })),
    async close() {
      for (const runner of runners.values()) runner.abort.abort()
      await Promise.all([...runners.values()].map((runner) => runner.loop))
    },
  }
}
