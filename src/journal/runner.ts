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

export type RunnersOptions = {
  readonly store: JournalStore
  readonly follow: (after: number, signal?: AbortSignal) => AsyncGenerator<readonly Event[]>
  readonly log: Log
}

export class Runners {
  readonly #given: RunnersOptions
  readonly #runners = new Map<string, Runner>()

  constructor(given: RunnersOptions) {
    this.#given = given
  }

  /** Resolves when the projection has passed `head`. */
  async add(projection: Projection, head: number): Promise<void> {
    const position = await projection.position()
    const runner: Runner = {
      projection,
      position: position ?? 0,
      stopped: null,
      waiting: [],
      abort: new AbortController(),
      loop: Promise.resolve(),
    }
    this.#runners.set(projection.name, runner)
    if (position === null) await this.rebuild(projection.name)
    else runner.loop = this.#run(runner)
    await passedBy(runner, head)
  }

  async passed(cursor: number, name?: string): Promise<void> {
    const asked = name === undefined ? [...this.#runners.values()] : [this.#runners.get(name)].filter((runner) => runner !== undefined)
    await Promise.all(asked.map((runner) => passedBy(runner, cursor)))
  }

  /** Builds aside while the old tables serve; only the last few events are applied with the following stopped. */
  async rebuild(name: string): Promise<void> {
    const runner = this.#runners.get(name)
    if (!runner) throw new Error(`there is no projection ${name}; there are ${[...this.#runners.keys()].join(', ')}`)
    const aside = await runner.projection.rebuild()
    try {
      const position = await this.#fill(aside, 0)
      runner.abort.abort()
      await runner.loop
      runner.position = await this.#fill(aside, position)
      await aside.replace()
    } catch (thrown) {
      await aside.abandon()
      throw thrown
    }
    runner.abort = new AbortController()
    runner.stopped = null
    advance(runner, runner.position)
    runner.loop = this.#run(runner)
  }

  list(): readonly { readonly name: string; readonly position: number; readonly stopped: string | null }[] {
    return [...this.#runners.values()].map((r) => ({ name: r.projection.name, position: r.position, stopped: r.stopped }))
  }

  async close(): Promise<void> {
    for (const runner of this.#runners.values()) runner.abort.abort()
    await Promise.all([...this.#runners.values()].map((runner) => runner.loop))
  }

  async #run(runner: Runner): Promise<void> {
    for await (const events of this.#given.follow(runner.position, runner.abort.signal)) {
      const last = events.at(-1)
      if (!last) continue
      // Who only follows hears first: an answer that left need not wait for tables that nobody asks for yet.
      const when = runner.waiting.length === 0 ? 'soon' : 'now'
      try {
        await runner.projection.apply(events, last.cursor, when)
      } catch (thrown) {
        return this.#stop(runner, thrown)
      }
      advance(runner, last.cursor)
    }
  }

  #stop(runner: Runner, thrown: unknown): void {
    runner.stopped = messageOf(thrown)
    this.#given.log('error', 'a projection stopped', { projection: runner.projection.name, after: runner.position, why: runner.stopped })
    for (const waiting of runner.waiting) waiting.resolve()
    runner.waiting = []
  }

  async #fill(aside: Rebuilding, after: number): Promise<number> {
    for (let at = after; ; ) {
      const { events, safe } = await this.#given.store.readAll(at, pageLength)
      const last = events.at(-1)
      if (!last) return Math.max(at, safe)
      await aside.apply(events, last.cursor)
      at = last.cursor
      await new Promise<void>((next) => setImmediate(next))
    }
  }
}

function advance(runner: Runner, position: number): void {
  runner.position = position
  if (runner.waiting.length === 0) return
  const ready = runner.waiting.filter((waiting) => waiting.cursor <= position)
  runner.waiting = runner.waiting.filter((waiting) => waiting.cursor > position)
  for (const waiting of ready) waiting.resolve()
}

function passedBy(runner: Runner, cursor: number): Promise<void> {
  if (runner.position >= cursor || runner.stopped !== null) return Promise.resolve()
  return new Promise((resolve) => runner.waiting.push({ cursor, resolve }))
}
