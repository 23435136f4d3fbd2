// Waiting for what an entry brings about, by hearing the events of its session.
import type { EntryId, SessionId } from '../../base/ids.ts'
import type { Event } from '../../protocol/event.ts'
import type { Hub } from '../hub.ts'

/** waits: its turn waits for a person. late: it is not done in the time that somebody waits. */
export type TurnEnd = 'settled' | 'waits' | 'refused' | 'late'

export type HeardTurn = {
  /** Resolves also when who waits is gone, or the hub closes. */
  ended(limit: { readonly seconds: number; readonly signal: AbortSignal }): Promise<TurnEnd>
  /** The turn that took the entry, once it has. */
  turn(): string | null
  /** Why that turn failed as a whole; null when it did not. A task that fails is no such failure. */
  failure(): string | null
  stop(): void
}

/** Hears from now on: begin before posting, and call `stop` in every case. */
export function listenForTurn(hub: Hub, session: SessionId, entry: EntryId): HeardTurn {
  return listen(hub, session, { entry, turn: null })
}

/** The same for a turn that runs already; null: one that is over. */
export function listenForEnd(hub: Hub, session: SessionId, turn: string | null): HeardTurn {
  return listen(hub, session, { entry: null, turn })
}

type From = { readonly entry: EntryId | null; readonly turn: string | null }

function listen(hub: Hub, session: SessionId, { entry, turn: known }: From): HeardTurn {
  const { promise, resolve } = Promise.withResolvers<TurnEnd>()
  let turn = known
  let failure: string | null = null
  if (entry === null && turn === null) resolve('settled')
  const stop = hub.feed.session(session, {
    event({ event }) {
      if (entry !== null && takes(event, entry)) turn = String(event.data['turn'])
      const end = endIn(event, { turn, entry })
      if (end === null) return
      failure = failureIn(event)
      resolve(end)
    },
  })
  return {
    async ended({ seconds, signal }) {
      const late = () => resolve('late')
      const alarm = hub.clock.after(seconds * 1000, late)
      signal.addEventListener('abort', late)
      hub.waits.add(late)
      try {
        return await promise
      } finally {
        hub.waits.delete(late)
        signal.removeEventListener('abort', late)
        alarm.cancel()
      }
    },
    turn: () => turn,
    failure: () => failure,
    stop,
  }
}

function takes({ type, data }: Event, entry: EntryId): boolean {
  if (type !== 'turn-started' && type !== 'arrivals-taken') return false
  const { taken } = data
  return Array.isArray(taken) && taken.some((one) => typeof one === 'object' && one !== null && 'entry' in one && one.entry === entry)
}

function failureIn({ type, data }: Event): string | null {
  return type === 'turn-settled' && data['outcome'] === 'failed' ? String(data['error'] ?? 'nobody knows why') : null
}

const asking: ReadonlySet<string> = new Set(['question-asked', 'approval-requested'])

function endIn({ type, data }: Event, { turn, entry }: { readonly turn: string | null; readonly entry: EntryId | null }): TurnEnd | null {
  if (type === 'entry-refused' && entry !== null && data['entry'] === entry) return 'refused'
  if (turn === null || data['turn'] !== turn) return null
  if (type === 'turn-settled') return 'settled'
  return asking.has(type) ? 'waits' : null
}
