// Entries on their way: the event that records an arrival, chains and their limits (L1, L10).
import type { MessageId, NewId } from '../base/ids.ts'
import type { Chain, Entry } from '../protocol/entry.ts'
import type { NewEvent } from '../protocol/event.ts'
import { type Draft, draft } from './draft.ts'
import type { Line } from './events.ts'

export type ChainLimits = { readonly depth: number; readonly hops: number }

/** L10's defaults: deeper or longer chains are held until a person says "go on". */
export const defaultChainLimits: ChainLimits = { depth: 3, hops: 50 }

/** Why a chain is over its limits; null when it isn't. */
export function overLimits(chain: Chain, limits: ChainLimits): string | null {
  if (chain.depth > limits.depth) return `it is ${chain.depth} delegations deep; ${limits.depth} are allowed`
  if (chain.hops > limits.hops) return `it is entry ${chain.hops} of its chain; ${limits.hops} are allowed`
  return null
}

/** The event of an entry's arrival. It carries the body, so that projections can be rebuilt from the journal (T28). */
export function arrival(entry: Entry, newId: NewId): NewEvent {
  const event = arrivalDraft(entry)
  return {
    id: newId('evt'),
    type: event.type,
    at: entry.at,
    actor: entry.from,
    visibility: event.visibility,
    data: event.data,
    cause: entry.chain.root === entry.id ? null : entry.chain.root,
    correlation: entry.chain.root,
    session: entry.body.kind === 'message' ? entry.body.session : null,
    v: 1,
  }
}

function arrivalDraft(entry: Entry): Draft {
  if (entry.held) return draft('entry-held', { entry, why: 'its chain of causes is over the limits' })
  const line = userLine(entry)
  return line ? draft('chat-message-appended', { message: line, entry }) : draft('entry-received', { entry })
}

function userLine(entry: Entry): Line | null {
  const { body, ref } = entry
  if (body.kind !== 'message' || ref === undefined) return null
  return {
    id: ref as MessageId,
    ...(body.clientId !== undefined && { clientId: body.clientId }),
    session: body.session,
    // Where it stands is known when it is taken, unless it names its parent.
    parent: body.parent ?? null,
    role: 'user',
    actor: entry.from,
    text: body.text,
    ...(body.attachments && { attachments: [...body.attachments] }),
    status: 'queued',
  }
}
