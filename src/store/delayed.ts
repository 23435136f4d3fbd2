// Makes any store late, so that nothing above it can depend on answers inside the tick.

import type { JournalStore } from '../journal/journal-store.ts'

/** Resolves when the call may go on; asked once before and once after each verb. */
export type Pause = (verb: string, when: 'before' | 'after') => Promise<void>

/** Every verb waits for `pause` before and after its work. apply() calls keep their order, reads overtake each other. */
export function delayed(store: JournalStore, pause: Pause): JournalStore {
  let applies: Promise<unknown> = Promise.resolve()
  const late =
    <A extends unknown[], R>(verb: string, act: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await pause(verb, 'before')
      const result = await act(...args)
      await pause(verb, 'after')
      return result
    }
  const apply = late('apply', (group: Parameters<JournalStore['apply']>[0]) => store.apply(group))
  return {
    generation: store.generation,
    apply(group) {
      const mine = applies.then(() => apply(group))
      applies = mine.catch(() => undefined)
      return mine
    },
    claim: late('claim', (lanes, node) => store.claim(lanes, node)),
    release: late('release', (lanes, node) => store.release(lanes, node)),
    heartbeat: late('heartbeat', (node, ttlMs) => store.heartbeat(node, ttlMs)),
    probe: late('probe', () => store.probe()),
    head: late('head', (lane) => store.head(lane)),
    snapshot: late('snapshot', (lane, version) => store.snapshot(lane, version)),
    readLane: late('readLane', (lane, after, limit) => store.readLane(lane, after, limit)),
    readAll: late('readAll', (after, limit, where) => store.readAll(after, limit, where)),
    last: late('last', () => store.last()),
    waiting: late('waiting', (lane) => store.waiting(lane)),
    held: late('held', (lane) => store.held(lane)),
    entries: late('entries', (lane, ids) => store.entries(lane, ids)),
    unfinished: late('unfinished', (node, limit, after) => store.unfinished(node, limit, after)),
    countWaiting: late('countWaiting', (lane) => store.countWaiting(lane)),
    due: late('due', (now, limit) => store.due(now, limit)),
    nextDue: late('nextDue', () => store.nextDue()),
    body: late('body', (hash) => store.body(hash)),
  }
}

/** Between none and `mostTurns` turns of the event loop, from a seed. */
export function seededPause(seed: number, mostTurns = 4): Pause {
  let state = seed >>> 0
  // A linear congruential generator; its high bits are good enough to shuffle with.
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  return async () => {
    for (let left = below(mostTurns + 1); left > 0; left--) await new Promise<void>((go) => setImmediate(go))
  }
}

export type Gate = {
  readonly pause: Pause
  /** From now on every verb (or only that one) stands still before its work. */
  shut(verb?: string): void
  /** Lets those that stand go on, and all that come. */
  open(): void
  /** How many calls stand there. */
  readonly standing: number
}

/** A pause that is driven by hand. */
export function gate(): Gate {
  let shut: string | true | null = null
  let standing: (() => void)[] = []
  return {
    pause: (verb, when) =>
      when === 'before' && (shut === true || shut === verb) ? new Promise((go) => void standing.push(go)) : Promise.resolve(),
    shut: (verb) => {
      shut = verb ?? true
    },
    open() {
      shut = null
      const go = standing
      standing = []
      for (const next of go) next()
    },
    get standing() {
      return standing.length
    },
  }
}
