// A turn as its events tell it. Found without a table: its id carries the time when it started, and the journal is in order of time.

import type { z } from 'zod'
import { iso } from '../base/clock.ts'
import { isId, type SessionId, type TurnId, timeOf } from '../base/ids.ts'
import type { turnView } from '../protocol/api.ts'
import type { Event } from '../protocol/event.ts'
import type { Hub } from './hub.ts'

export type TurnView = z.infer<typeof turnView>

/** How far the clock may have been off between an id and its event, and how long a search may go on past that. */
const slackMs = 60_000
const pageLength = 500

/** The turn and its session; null when there is none. */
export async function findTurn(hub: Hub, id: string): Promise<TurnView | null> {
  if (!isId('trn', id)) return null
  const started = await findStart(hub, id)
  if (started?.session == null) return null
  const events = await eventsOf(hub, id, { session: started.session, after: started.cursor - 1 })
  return viewOf(id, events)
}

async function findStart(hub: Hub, id: TurnId): Promise<Event | null> {
  const at = timeOf(id)
  let position = await lastBefore(hub, at - slackMs)
  for (;;) {
    const { events } = await hub.journal.read({ after: position, limit: pageLength })
    const found = events.find((event) => event.type === 'turn-started' && event.data['turn'] === id)
    if (found) return found
    const last = events.at(-1)
    if (!last || events.length < pageLength || last.at > at + slackMs) return null
    position = last.cursor
  }
}

/** A cursor whose event, and every one before it, is older than `at`: by halving. */
async function lastBefore(hub: Hub, at: number): Promise<number> {
  let low = 0
  let high = hub.journal.head()
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const { events } = await hub.journal.read({ after: middle, limit: 1 })
    const event = events[0]
    if (event && event.at < at) low = middle + 1
    else high = middle
  }
  return low
}

async function eventsOf(hub: Hub, turn: string, from: { readonly session: SessionId; readonly after: number }): Promise<readonly Event[]> {
  const found: Event[] = []
  let position = from.after
  for (;;) {
    const { events } = await hub.journal.read({ after: position, limit: pageLength, session: from.session })
    const own = events.filter((event) => event.data['turn'] === turn)
    found.push(...own)
    position = events.at(-1)?.cursor ?? position
    if (events.length < pageLength || own.some((event) => event.type === 'turn-settled')) return found
  }
}

type Step = {
  name: string
  kind: string
  state: TurnView['steps'][number]['state']
  attempt: number
  startedAt: string
  endedAt: string | null
}

function viewOf(id: string, events: readonly Event[]): TurnView | null {
  const start = events[0]
  if (!start) return null
  const settled = events.find((event) => event.type === 'turn-settled')
  const isParked = events.findLast((event) => event.type.startsWith('turn-'))?.type === 'turn-parked'
  const error = settled?.data['error']
  return {
    id,
    process: start.lane,
    session: start.session ?? '',
    status: outcomeOf(settled?.data['outcome']) ?? (isParked ? 'waiting' : 'running'),
    startedAt: iso(start.at),
    endedAt: settled ? iso(settled.at) : null,
    reply: typeof settled?.data['reply'] === 'string' ? settled.data['reply'] : null,
    ...(typeof error === 'string' ? { error } : {}),
    unknown: Array.isArray(settled?.data['unknown']) ? settled.data['unknown'].map(String) : [],
    steps: stepsOf(events),
  }
}

function stepsOf(events: readonly Event[]): Step[] {
  const steps = new Map<string, Step>()
  for (const { type, data, at } of events) {
    const name = String(data['name'])
    if (type === 'step-started') {
      steps.set(name, {
        name,
        kind: String(data['kind']),
        state: 'started',
        attempt: Number(data['attempt']),
        startedAt: iso(at),
        endedAt: null,
      })
    }
    const step = steps.get(name)
    if (step && (type === 'step-done' || type === 'step-failed')) {
      step.endedAt = iso(at)
      step.state = type === 'step-failed' ? 'failed' : (stateOf(data['outcome']) ?? 'done')
    }
  }
  return [...steps.values()]
}

const outcomes = ['done', 'failed', 'stopped'] as const
const outcomeOf = (value: unknown) => outcomes.find((one) => one === value)
const states = ['done', 'assumed', 'abandoned'] as const
const stateOf = (value: unknown) => states.find((one) => one === value)
