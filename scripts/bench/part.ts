// A part of the benchmark: what it measures, and what it may use for that.

import type { Ask } from './client.ts'
import type { Figure } from './figure.ts'
import { type Hub, newSessions, type Place } from './place.ts'

export type At = {
  readonly place: Place
  /** A shorter run: less exact. */
  readonly quick: boolean
  /** Progress, for a person who waits. */
  readonly tell: (text: string) => void
}
export type Part = { readonly name: string; readonly run: (at: At) => Promise<readonly Figure[]> }

export const words = 'A line of about the length that people write in a chat, and an answer of the same length. $n'

/** A message whose answer is waited for. */
export function turnIn(hub: Hub, session: string, text = words): Ask {
  return {
    method: 'POST',
    path: `/api/sessions/${session}/messages`,
    headers: { ...hub.headers, Prefer: 'wait=30' },
    body: JSON.stringify({ id: '$n', text }),
  }
}

export const settled = '"status":"settled"'

export type Driving = {
  readonly clients: number
  /** Of each client. */
  readonly warm: number
  /** Of all together. */
  readonly count: number
  /** Who answers; left out: who does by default. */
  readonly agent?: string
  /** What is said (model.ts). */
  readonly text?: string
}

/** So many turns by so many clients, each in a session of its own. */
export async function driveTurns(at: At, hub: Hub, given: Driving) {
  const sessions = await newSessions(hub, given.clients, given.agent === undefined ? {} : { agent: given.agent })
  return at.place.load({
    kind: 'http',
    address: hub.address,
    clients: sessions.map((session) => [turnIn(hub, session, given.text)]),
    warm: given.warm * given.clients,
    count: given.count,
    expect: settled,
    mostMs: 60_000,
  })
}

/** The same request again and again by so many clients. */
export function driveCalls(
  at: At,
  address: string,
  ask: Ask,
  given: { readonly clients: number; readonly count: number; readonly expect?: string },
) {
  const clients = Array.from({ length: given.clients }, () => [ask])
  const warm = Math.ceil(given.count / 5)
  return at.place.load({ kind: 'http', address, clients, warm, count: given.count, expect: given.expect ?? '', mostMs: 30_000 })
}

/** What a hub sends to a model when the conversation has so many lines. */
export function modelBody(lines: number): string {
  const said = Array.from({ length: lines }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: words }))
  const messages = [{ role: 'system', content: 'x'.repeat(2500) }, ...said, { role: 'user', content: words }]
  return JSON.stringify({ model: 'scripted', messages, stream: true })
}
