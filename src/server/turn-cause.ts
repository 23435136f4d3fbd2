// Why a turn ran: who asked for it, and who asked those, up to a person, a schedule or something from outside (L10).
import { isId } from '../base/ids.ts'
import { isObject } from '../base/json.ts'
import type { CausedBy } from '../protocol/api-turns.ts'
import type { Event } from '../protocol/event.ts'
import { eventNear } from './event-near.ts'
import type { Hub } from './hub.ts'

/** Chains are a few delegations deep; what is longer is cut here. */
const mostCauses = 8

/** `started`: the turn's first event. The nearest cause first. */
export async function causesOf(hub: Hub, started: Event): Promise<readonly CausedBy[]> {
  const causes: CausedBy[] = []
  let turn: Event | null = started
  while (turn !== null && causes.length < mostCauses) {
    const { actor, entry, message } = askedBy(turn)
    const sent: Event | null = actor.startsWith('process:') ? await sending(hub, entry) : null
    const by = sent === null ? null : { turn: String(sent.data['turn']), session: sent.session ?? '' }
    causes.push({ actor, ...(message === null ? {} : { message }), ...by })
    turn = sent === null ? null : await startOf(hub, String(sent.data['turn']))
  }
  return causes
}

function askedBy({ data }: Event): { readonly actor: string; readonly entry: string; readonly message: string | null } {
  const taken: readonly unknown[] = Array.isArray(data['taken']) ? data['taken'] : []
  const first = isObject(taken[0]) ? taken[0] : {}
  return {
    actor: String(data['from']),
    entry: String(first['entry']),
    message: typeof first['message'] === 'string' ? first['message'] : null,
  }
}

/** The event by which a turn sent that entry; null when it came from no turn, or its id says nothing about its time. */
async function sending(hub: Hub, entry: string): Promise<Event | null> {
  if (!isId('ent', entry)) return null
  return eventNear(hub, entry, ({ type, data }) => (type === 'delegated' || type === 'posted') && data['entry'] === entry)
}

async function startOf(hub: Hub, turn: string): Promise<Event | null> {
  if (!isId('trn', turn)) return null
  return eventNear(hub, turn, ({ type, data }) => type === 'turn-started' && data['turn'] === turn)
}
