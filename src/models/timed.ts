// The time that a request gives itself, over all that is asked for it. It says nothing about a provider, so none rests for it.
import type { Ask, Room } from './attempt.ts'
import { failure, type ModelReply } from './message.ts'

export async function timed({ clock }: Pick<Room, 'clock'>, ask: Ask, make: (ask: Ask) => Promise<ModelReply>): Promise<ModelReply> {
  const { timeoutMs } = ask.request
  if (timeoutMs === undefined) return make(ask)
  const over = new AbortController()
  const alarm = clock.after(Math.min(timeoutMs, longestMs), () => over.abort())
  try {
    const reply = await make({ ...ask, asked: { ...ask.asked, signal: AbortSignal.any([ask.asked.signal, over.signal]) } })
    const isOver = over.signal.aborted && !ask.asked.signal.aborted && !reply.ok && reply.code === 'aborted'
    return isOver ? { ...reply, ...failure('timeout', `No answer came within ${timeoutMs / 1000} seconds.`) } : reply
  } finally {
    alarm.cancel()
  }
}

/** What a timer can hold. */
const longestMs = 2_000_000_000
