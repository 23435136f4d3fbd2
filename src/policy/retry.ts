// What follows a failure: tried again, asked, or told and given up. Pure; the classes are of the failure, not of who made it.

/** transient: it may go away by itself. ambiguous: nobody can know what was meant, or whether it happened. persistent: it will not go away. */
export const failureClasses = ['transient', 'ambiguous', 'persistent'] as const
export type FailureClass = (typeof failureClasses)[number]

export type Failure = {
  readonly class: FailureClass
  /** Attempts made, this one included: from 1. */
  readonly attempt: number
  /** What the other side asked for. */
  readonly retryAfterMs?: number
}

export type NextStep =
  | { readonly action: 'retry'; readonly afterMs: number }
  /** The person decides; nothing is done meanwhile. */
  | { readonly action: 'ask' }
  /** The person is told, the log has it, the work ends. `escalated`: it had been tried again before. */
  | { readonly action: 'abort'; readonly inform: true; readonly log: true; readonly escalated: boolean }

/** Retries after the first attempt. */
export const mostRetries = 3
const firstPauseMs = 500
const longestPauseMs = 30_000
/** Longer than this nobody waits in front of a screen: then it is told instead. */
const longestAskedMs = 60_000

/** `random`: 0 <= x < 1; spreads those that failed together. Throws for an attempt below 1: a bug. */
export function nextStep(failure: Failure, random: () => number): NextStep {
  const { attempt, retryAfterMs } = failure
  if (!(attempt >= 1)) throw new Error(`Attempts count from 1, not ${attempt}.`)
  if (failure.class === 'ambiguous') return { action: 'ask' }
  const isOver = attempt > mostRetries || (retryAfterMs ?? 0) > longestAskedMs
  if (failure.class === 'persistent' || isOver)
    return { action: 'abort', inform: true, log: true, escalated: failure.class === 'transient' }
  return { action: 'retry', afterMs: Math.max(retryAfterMs ?? 0, pauseMs(attempt, random)) }
}

/** Doubled each time, between half of it and all of it. */
export function pauseMs(attempt: number, random: () => number): number {
  const most = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1))
  return Math.round(most / 2 + (most / 2) * random())
}

const transientWords = /^(timeout|rate_limit|rate_limited|overloaded|network|unreachable|unavailable|full|interrupted|too_many_requests)$/
const ambiguousWords = /^(ambiguous|unknown_outcome|unknown|unclear|several)$/

/** The class of a failure that has an HTTP status or a code of ours. What nobody knows is persistent: it is told, not repeated. */
export function classOf(failure: { readonly status?: number; readonly code?: string }): FailureClass {
  const { status, code = '' } = failure
  // An empty account does not fill by itself, whatever number it is told with.
  if (/quota|billing|credit|payment/i.test(code)) return 'persistent'
  if (ambiguousWords.test(code)) return 'ambiguous'
  if (transientWords.test(code)) return 'transient'
  if (status === undefined) return 'persistent'
  return status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501) ? 'transient' : 'persistent'
}

// ---- when nothing answers any more

/** While every provider fails: told once, looked at every quarter of an hour, told once when it is over. */
export type Outage = { readonly since: number; readonly probeAt: number } | null
export const probeEveryMs = 15 * 60_000

export type OutageStep = {
  readonly outage: Outage
  /** What people are told now; null: nothing. */
  readonly tell: 'down' | 'up' | null
  readonly probe: boolean
}

/** `answered`: whether somebody answered just now; null: nobody was asked, only time has passed. */
export function outageStep(outage: Outage, answered: boolean | null, now: number): OutageStep {
  if (answered === true) return { outage: null, tell: outage === null ? null : 'up', probe: false }
  if (outage === null) {
    if (answered === null) return { outage, tell: null, probe: false }
    return { outage: { since: now, probeAt: now + probeEveryMs }, tell: 'down', probe: false }
  }
  if (answered === false) return { outage: { ...outage, probeAt: Math.max(outage.probeAt, now + probeEveryMs) }, tell: null, probe: false }
  const isDue = now >= outage.probeAt
  return { outage: isDue ? { ...outage, probeAt: now + probeEveryMs } : outage, tell: null, probe: isDue }
}
