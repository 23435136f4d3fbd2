// Who is next (L14): lanes that have something to do, in order of priority, with ageing; so many milliseconds of a tick, then the
// loop is given back. A lane is in it once, and starts at most one turn each time it comes up (T24).
import type { LaneId } from '../base/ids.ts'
import { type Priority, priorities } from './engine.ts'

/** A lane that has waited this long comes before any that has waited less, whatever its priority. */
const ageingMs = 500
const budgetMs = 8

export type Pump = {
  add(lane: LaneId, priority: Priority): void
  readonly length: number
  stop(): void
}

/** `now` is monotonic milliseconds; `work` must not throw. */
export function openPump(given: { readonly work: (lane: LaneId) => void; readonly now: () => number }): Pump {
  const { work, now } = given
  const queues: Record<Priority, Map<LaneId, number>> = { person: new Map(), agent: new Map(), background: new Map() }
  let scheduled = false
  let stopped = false

  function schedule(): void {
    if (scheduled || stopped) return
    scheduled = true
    setImmediate(tick)
  }

  function tick(): void {
    scheduled = false
    const end = now() + budgetMs
    // Each lane at most once a tick: what is added meanwhile waits for the next one.
    for (let left = length(); left > 0 && !stopped && now() < end; left--) {
      const lane = next()
      if (lane !== null) work(lane)
    }
    if (length() > 0) schedule()
  }

  function next(): LaneId | null {
    let chosen: { lane: LaneId; queue: Map<LaneId, number> } | null = null
    let oldest = now() - ageingMs
    for (const priority of priorities) {
      const queue = queues[priority]
      const head = queue.entries().next().value
      if (!head) continue
      const [lane, since] = head
      if (!chosen || since < oldest) chosen = { lane, queue }
      oldest = Math.min(oldest, since)
    }
    chosen?.queue.delete(chosen.lane)
    return chosen?.lane ?? null
  }

  function length(): number {
    return queues.person.size + queues.agent.size + queues.background.size
  }

  return {
    add(lane, priority) {
      if (stopped) return
      for (const other of priorities) {
        const since = queues[other].get(lane)
        if (since === undefined) continue
        if (priorities.indexOf(other) <= priorities.indexOf(priority)) return
        queues[other].delete(lane)
      }
      queues[priority].set(lane, now())
      schedule()
    },
    get length() {
      return length()
    },
    stop() {
      stopped = true
      for (const queue of Object.values(queues)) queue.clear()
    },
  }
}
