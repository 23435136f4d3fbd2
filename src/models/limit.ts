// How many calls one provider gets at once, and who is next (L14): person before agent before background, with ageing.
import type { Clock } from '../base/clock.ts'
import type { Priority } from '../lanes/engine.ts'

/** A waiter counts as if it had come later by this much; who has waited longer than the difference goes first all the same. */
const headStartMs: Record<Priority, number> = { person: 0, agent: 10_000, background: 30_000 }

export type Waiting<T> = { readonly item: T; readonly key: number; readonly order: number }

/** The queue with one more; sorted by arrival plus head start, then by order of arrival. Pure. */
export function enqueue<T>(
  queue: readonly Waiting<T>[],
  item: T,
  at: { readonly now: number; readonly order: number; readonly priority: Priority },
): readonly Waiting<T>[] {
  const one = { item, key: at.now + headStartMs[at.priority], order: at.order }
  const place = queue.findIndex((other) => other.key > one.key)
  return place < 0 ? [...queue, one] : [...queue.slice(0, place), one, ...queue.slice(place)]
}

export type Limit = {
  /**
   * Resolves with the way to give the slot back (once; more often does nothing) as soon as one is free, with null when the
   * signal aborts first. Never rejects.
   */
  acquire(priority: Priority, signal: AbortSignal): Promise<(() => void) | null>
  readonly running: number
  readonly waiting: number
}

/** `slots` >= 1 calls at once. */
export function openLimit(slots: number, clock: Pick<Clock, 'now'>): Limit {
  let queue: readonly Waiting<() => void>[] = []
  let running = 0
  let order = 0

  function release(): void {
    const [next, ...rest] = queue
    queue = rest
    if (next) next.item()
    else running--
  }

  function slot(): () => void {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      release()
    }
  }

  function wait(priority: Priority, signal: AbortSignal): Promise<(() => void) | null> {
    return new Promise((resolve) => {
      const start = () => {
        signal.removeEventListener('abort', leave)
        resolve(slot())
      }
      const leave = () => {
        queue = queue.filter((one) => one.item !== start)
        resolve(null)
      }
      signal.addEventListener('abort', leave, { once: true })
      queue = enqueue(queue, start, { now: clock.now(), order: order++, priority })
    })
  }

  return {
    async acquire(priority, signal) {
      if (signal.aborted) return null
      if (running >= slots) return wait(priority, signal)
      running++
      return slot()
    },
    get running() {
      return running
    },
    get waiting() {
      return queue.length
    },
  }
}
