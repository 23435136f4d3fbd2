// Timers (T30): one alarm for the next due row, none per wait. A timer posts its entry under the timer's own id, so that two
// tickers post once; whoever is first in the mailbox, answer or timeout, wins.
import type { Alarm, Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Posted, Timer } from '../journal/commit.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { Entry } from '../protocol/entry.ts'

const pageLength = 100
/** After a due row could not be posted. */
const retryMs = 1_000

export type Timers = {
  /** A timer was set: look again no later than then. */
  set(due: number): void
  start(): Promise<void>
  stop(): void
}

export function openTimers(given: {
  readonly store: JournalStore
  readonly clock: Clock
  readonly log: Log
  readonly post: (entry: Entry) => Promise<Posted>
}): Timers {
  const { store, clock, log, post } = given
  let alarm: Alarm | null = null
  let next = Number.POSITIVE_INFINITY
  let running = false
  /** A timer rang while due rows were read: they may have been read before it was set. */
  let rang = false
  let stopped = true

  function set(due: number): void {
    if (stopped || due >= next) return
    next = due
    alarm?.cancel()
    alarm = clock.after(Math.max(0, due - clock.now()), ring)
  }

  function ring(): void {
    next = Number.POSITIVE_INFINITY
    alarm = null
    if (stopped) return
    rang = running
    if (running) return
    running = true
    fire()
      .catch((thrown: unknown) => {
        log('error', 'timers could not be read', { why: messageOf(thrown) })
        return clock.now() + retryMs
      })
      .then((due) => {
        running = false
        if (rang) ring()
        else if (due !== null) set(due)
      })
  }

  /** Posts what is due; answers when to look again, null when nothing is set. */
  async function fire(): Promise<number | null> {
    for (;;) {
      const due = await store.due(clock.now(), pageLength)
      if (due.length === 0) return store.nextDue()
      const posted = await Promise.all(due.map((timer: Timer) => post({ ...timer.entry, at: clock.now() })))
      if (posted.some((result) => !result.ok && result.reason === 'unavailable')) return clock.now() + retryMs
      if (due.length < pageLength) return store.nextDue()
    }
  }

  return {
    set,
    async start() {
      stopped = false
      const due = await store.nextDue()
      if (due !== null) set(due)
    },
    stop() {
      stopped = true
      alarm?.cancel()
    },
  }
}
