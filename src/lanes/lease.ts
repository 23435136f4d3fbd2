// The node's lease (L7): one heartbeat row, renewed long before it ends. Where one process owns the store there is none.
import type { Alarm, Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { NodeId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { JournalStore } from '../journal/journal-store.ts'

/** Where nodes share a store: the lease's length, and what must be left of it for an effect to start (L7). */
export type LanesLease = { readonly ttlMs: number; readonly marginMs: number }

export type Lease = {
  /** False when less than the margin is left: no effect may start. */
  mayAct(): boolean
  start(): Promise<void>
  stop(): void
}

export function openLease(given: {
  readonly store: JournalStore
  readonly clock: Clock
  readonly node: NodeId
  readonly log: Log
  readonly lease?: LanesLease
}): Lease {
  const { store, clock, node, log, lease } = given
  let until = Number.POSITIVE_INFINITY
  let alarm: Alarm | null = null
  let stopped = false
  const stop = () => {
    stopped = true
    alarm?.cancel()
  }
  if (!lease) return { mayAct: () => !stopped, start: async () => {}, stop }
  const { ttlMs, marginMs } = lease

  async function renew(): Promise<void> {
    // Counted from before the call: the store's clock started it no earlier.
    const from = clock.now()
    await store.heartbeat(node, ttlMs)
    until = from + ttlMs
  }

  function again(): void {
    if (stopped) return
    alarm = clock.after(ttlMs / 3, () => {
      renew()
        .catch((thrown: unknown) => log('error', 'the lease could not be renewed', { why: messageOf(thrown) }))
        .finally(again)
    })
  }

  return {
    mayAct: () => !stopped && clock.now() < until - marginMs,
    async start() {
      await renew()
      again()
    },
    stop,
  }
}
