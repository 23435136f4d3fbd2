// A session's own stream: what was decided about it. Its status while it is open is derived elsewhere (session-status.ts). Pure.
import { Conflict, NotFound } from '../base/errors.ts'
import type { ProcessId, SessionId } from '../base/ids.ts'
import type { Fold } from '../journal/stream.ts'
import type { NewEvent } from '../protocol/event.ts'
import { type Policies, type SessionFacts, type SessionLife, scopeFact } from './events.ts'
import { quote } from './names.ts'

export type SessionState = {
  /** null: there is no such session. */
  readonly facts: SessionFacts | null
  readonly life: SessionLife
  readonly pinned: boolean
  /** Processes that were told to suspend and not yet to wake. */
  readonly told: readonly ProcessId[]
}

export const defaultPolicies: Policies = {
  onDisconnect: 'KEEP_OPEN',
  onIdle: 'SUSPEND',
  onSuspend: 'KEEP',
  idleTimeoutMs: 30 * 60_000,
  suspendKeepDurationMs: 24 * 3_600_000,
}

export const sessionFold: Fold<SessionState> = {
  empty: { facts: null, life: 'OPEN', pinned: false, told: [] },
  evolve(state, event) {
    const fact = scopeFact(event)
    if (fact?.type === 'session-created') return { ...state, facts: fact.data.session }
    if (fact?.type !== 'session-updated' || state.facts === null) return state
    const { title, profile, pinned, status, told } = fact.data
    return {
      facts: { ...state.facts, ...(title === undefined ? {} : { title }), ...(profile === undefined ? {} : { profile }) },
      life: status === undefined ? state.life : lifeOf(status),
      pinned: pinned ?? state.pinned,
      told: status === undefined ? state.told : (told ?? []),
    }
  },
}

export function lifeOf(status: 'IDLE' | Exclude<SessionLife, 'OPEN'>): SessionLife {
  return status === 'IDLE' ? 'OPEN' : status
}

/** The facts of a session that exists. */
export function known(state: SessionState, id: SessionId): SessionFacts {
  if (state.facts !== null) return state.facts
  throw new NotFound(`There is no session ${quote(id)}.`)
}

/** Refuses what a session in that life can't take any more. */
export function checkLife(state: SessionState, id: SessionId, allowed: readonly SessionLife[]): void {
  known(state, id)
  if (allowed.includes(state.life)) return
  const now = state.life.toLowerCase()
  throw new Conflict(`The session ${quote(id)} is ${now}; this is possible while it is ${allowed.join(' or ').toLowerCase()}.`)
}

/** A change that says nothing new is none. */
export function unless(isSo: boolean, event: () => NewEvent): readonly NewEvent[] {
  return isSo ? [] : [event()]
}
