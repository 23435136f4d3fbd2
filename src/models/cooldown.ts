// Which models rest, how long, and who is next when the rest is over. The key is the account with the model; the account alone
// only when the provider says that all of it is concerned (F06).
import type { Clock } from '../base/clock.ts'
import type { Choice } from './choice.ts'
import type { FailureCode, ModelFailure } from './message.ts'

type Which = Pick<Choice, 'account' | 'name'>

export type Rest = {
  readonly model: string
  /** Until then another model of the chain answers; epoch milliseconds. */
  readonly until: number
  readonly code: FailureCode
  readonly message: string
  /** Every model of the account rests. */
  readonly isWide: boolean
  /** When this rest began. */
  readonly since: number
}

export type Cooldowns = {
  /** null: it may be asked. */
  restOf(choice: Which): Rest | null
  /** `startedAt`: when the call began; calls that were under way together count as one failure. */
  note(choice: Which, failure: ModelFailure, given: { readonly isWide: boolean; readonly startedAt: number }): void
  /** It answered. */
  clear(choice: Which): void
  /**
   * When a caller that has nothing else may ask it, epoch milliseconds. Each caller gets a time of its own, so that no second sees
   * more of them than `perSecond` (F07). Not later than now when it does not rest.
   */
  turn(choice: Which): number
  /** From when on it may be asked with nothing else in the chain; takes no turn. */
  againAt(choice: Which): number
  /** True once for each person and rest: somebody has not been told yet. */
  tell(choice: Which, person: string): boolean
  /** What rests now, for people. */
  list(): readonly Rest[]
}

type Entry = Rest & {
  readonly failures: number
  /** With nothing else in the chain it may be asked again from here on. */
  readonly againAt: number
  readonly told: Set<string>
  nextTurn: number
}

const longestMs = 3_600_000
/** From here on, what rests no more is forgotten: accounts that agents bring are many. */
const mostEntries = 1_000
/** A rest that nobody set is about so long; it doubles with each failure in a row. */
const usualMs: Readonly<Partial<Record<FailureCode, number>>> = {
  rate_limited: 30_000,
  overloaded: 15_000,
  network: 10_000,
  timeout: 30_000,
  bad_reply: 10_000,
  quota: 900_000,
  auth: 300_000,
  invalid_request: 300_000,
}
const longestUsualMs = 900_000

/** `perSecond`: how many callers a second are let back to a model that rested. `random`: 0 <= x < 1. */
export function openCooldowns({
  clock,
  random,
  perSecond,
}: {
  clock: Pick<Clock, 'now'>
  random: () => number
  perSecond: number
}): Cooldowns {
  const entries = new Map<string, Entry>()
  const find = ({ account, name }: Which): Entry | undefined => {
    const [own, wide] = [entries.get(`${account} ${name}`), entries.get(account)]
    return own && wide ? (own.until > wide.until ? own : wide) : (own ?? wide)
  }
  // A window of a second touches at most so many of these intervals, each with one caller in it.
  const spacing = 1000 / Math.max(1, perSecond - 1)

  return {
    restOf(choice) {
      const found = find(choice)
      return found !== undefined && found.until > clock.now() ? found : null
    },
    note(choice, failure, { isWide, startedAt }) {
      const key = isWide ? choice.account : `${choice.account} ${choice.name}`
      const before = entries.get(key)
      const isSame = before !== undefined && startedAt <= before.since
      const failures = isSame ? before.failures : (before?.failures ?? 0) + 1
      const times = timesOf(failure, failures, random)
      const now = clock.now()
      const until = Math.max(now + times.restMs, isSame ? before.until : 0)
      const againAt = Math.max(now + times.againMs, isSame ? before.againAt : 0)
      if (entries.size >= mostEntries) for (const [name, one] of entries) if (one.until <= now) entries.delete(name)
      entries.set(key, {
        ...{ model: choice.name, code: failure.code, message: failure.message, isWide, until, failures, againAt },
        since: isSame ? before.since : now,
        told: isSame ? before.told : new Set(),
        nextTurn: Math.max(againAt, isSame ? before.nextTurn : 0),
      })
    },
    clear({ account, name }) {
      if (entries.size === 0) return
      entries.delete(`${account} ${name}`)
      entries.delete(account)
    },
    turn(choice) {
      const found = find(choice)
      const now = clock.now()
      if (found === undefined) return now
      const at = Math.max(now, found.nextTurn)
      found.nextTurn = at + spacing
      return at + random() * spacing
    },
    againAt: (choice) => Math.max(clock.now(), find(choice)?.nextTurn ?? 0),
    tell(choice, person) {
      const found = find(choice)
      if (found === undefined || found.told.has(person)) return false
      found.told.add(person)
      return true
    },
    list: () => [...entries.values()].filter((one) => one.until > clock.now()).map(shown),
  }
}

function shown({ model, until, code, message, isWide, since }: Rest): Rest {
  return { model, until, code, message, isWide, since }
}

/** The provider's own word counts, a little later so that not all come at once; otherwise about a second, then three, ... */
function timesOf({ code, retryAfterMs }: ModelFailure, failures: number, random: () => number): { restMs: number; againMs: number } {
  if (retryAfterMs !== undefined) {
    const ms = Math.min(retryAfterMs, longestMs) * (1 + random() / 4)
    return { restMs: ms, againMs: ms }
  }
  const usual = Math.min((usualMs[code] ?? 10_000) * 2 ** Math.min(failures - 1, 10), longestUsualMs)
  return { restMs: usual * (0.75 + random() / 2), againMs: 1000 * 3 ** Math.min(failures - 1, 3) * (0.5 + random()) }
}
