// What runs as long as the hub does: tasks that come again, and closing in good order.
import { type Clock, every } from './base/clock.ts'
import { messageOf } from './base/errors.ts'
import type { Log } from './base/log.ts'

/** Runs `work` again and again; a failure is logged and the next one comes all the same. Returns the way to stop. */
export function regularly({ clock, log }: Running, ms: number, work: () => Promise<void>): () => void {
  const failed = (error: unknown) => log('warn', 'a regular task failed; it is tried again', { error: messageOf(error) })
  return every(clock, ms, () => void work().catch(failed)).cancel
}

type Running = { readonly clock: Clock; readonly log: Log }

/** Closes what was opened, the last first. What fails is told and holds up nothing. */
export function closer(closers: (() => unknown)[], log: Log): () => Promise<void> {
  let closing: Promise<void> | null = null
  const run = async (): Promise<void> => {
    for (const one of closers) {
      try {
        await one()
      } catch (error) {
        log('warn', 'something could not be closed in good order', { error: messageOf(error) })
      }
    }
  }
  return () => {
    closing ??= run()
    return closing
  }
}
