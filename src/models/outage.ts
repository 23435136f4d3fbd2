// When nothing answers any more: the failed turn says so, and the first answer afterwards says that it is over, once (D13). It is
// kept in memory and by person; nobody is woken, and no call is made only to find out.
import type { Clock } from '../base/clock.ts'
import { type Outage, outageStep } from '../policy/retry.ts'
import type { FailureCode, ModelReply } from './message.ts'

export type Outages = {
  /** The same reply; the first answer after a failure has a notice more. */
  after(reply: ModelReply, user: string): ModelReply
}

/** What is wrong at the other end, and not with the request or the person's own account. */
const faults: ReadonlySet<FailureCode> = new Set(['rate_limited', 'overloaded', 'network', 'timeout'])
const over = 'The models answer again.'

export function openOutages({ now }: Pick<Clock, 'now'>): Outages {
  const outages = new Map<string, Outage>()
  return {
    after(reply, user) {
      if (!reply.ok && !faults.has(reply.code)) return reply
      const { outage, tell } = outageStep(outages.get(user) ?? null, reply.ok, now())
      if (outage === null) outages.delete(user)
      else outages.set(user, outage)
      if (!reply.ok || tell !== 'up') return reply
      return { ...reply, notice: reply.notice === undefined ? over : `${over} ${reply.notice}` }
    },
  }
}
