// Requests to the hub. An expected failure is a value; nothing here throws.

import type { Approval } from '../../src/protocol/api-approvals.ts'
import type { Inbox } from '../../src/protocol/api-inbox.ts'
import type { TurnView } from '../../src/protocol/api-turns.ts'
import type { Project, Question, Session } from '../../src/protocol/shapes.ts'
import type { Incoming } from '../../src/protocol/view.ts'

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly kind: 'unreachable' | 'signed-out' }
  /** It may be tried again. `why`: what the hub says that it can't do now; null: it is just too much at once, or a fault. */
  | { readonly ok: false; readonly kind: 'busy'; readonly why: string | null }
  | { readonly ok: false; readonly kind: 'refused'; readonly status: number; readonly why: string }

export type Me = { readonly user: { readonly name: string }; readonly home: string }
export type List<T> = { readonly items: readonly T[]; readonly next: string | null }
export type NewMessage = { readonly id: string; readonly text: string; readonly when?: 'now' | 'next'; readonly replaces?: string }
export type Decision = { readonly decision: 'allow'; readonly scope: string } | { readonly decision: 'deny' }
export type InboxVerb = 'read' | 'dismiss' | 'archive'
export type ItemValue = Readonly<Record<string, string | boolean>>
/** null: as the project or the person has it. */
export type Mode = 'read-only' | 'ask' | 'auto' | null
export type Steer = 'stop' | 'pause' | 'resume'

const TIMEOUT_MS = 20_000

export const hub = {
  login: (code: string) => call<unknown>('POST', '/api/login', { code }),
  logout: () => call<unknown>('POST', '/api/logout', {}),
  me: () => call<Me>('GET', '/api/me'),
  sessions: () => call<List<Session>>('GET', '/api/sessions?limit=100'),
  session: (id: string) => call<Session>('GET', `/api/sessions/${part(id)}`),
  projects: () => call<List<Project>>('GET', '/api/projects?limit=200'),
  questions: (session: string) => call<List<Question>>('GET', `/api/questions?session=${part(session)}&status=open`),
  events: (session: string, after: string | null) =>
    call<List<Incoming>>('GET', `/api/sessions/${part(session)}/events?limit=500${after === null ? '' : `&after=${part(after)}`}`),
  /** `key` makes a second try give the session of the first. */
  newSession: (project: string | null, key: string) =>
    call<{ readonly id: string }>('POST', '/api/sessions', { ...(project === null ? {} : { project }), profile: 'web' }, key),
  say: (session: string, message: NewMessage) => call<{ readonly id: string }>('POST', `/api/sessions/${part(session)}/messages`, message),
  steer: (session: string, verb: Steer, turn: string | null) =>
    call<{ readonly outcome?: string }>('POST', `/api/sessions/${part(session)}/${verb}`, turn === null ? {} : { turn }),
  choose: (session: string, leaf: string) => call<unknown>('PATCH', `/api/sessions/${part(session)}`, { leaf }),
  answer: (question: string, answer: { readonly text: string } | { readonly option: string }) =>
    call<unknown>('POST', `/api/questions/${part(question)}`, answer),
  approvals: () => call<List<Approval>>('GET', '/api/approvals?status=requested'),
  decide: (approval: string, decision: Decision) => call<unknown>('POST', `/api/approvals/${part(approval)}`, decision),
  inbox: () => call<Inbox>('GET', '/api/inbox?status=PENDING&limit=200'),
  inboxAct: (item: string, verb: InboxVerb) => call<unknown>('POST', `/api/inbox/${part(item)}/${verb}`, {}),
  inboxAnswer: (item: string, value: ItemValue) => call<unknown>('POST', `/api/inbox/${part(item)}/answer`, { value }),
  setMode: (session: string, mode: Mode) => call<unknown>('PATCH', `/api/sessions/${part(session)}`, { mode }),
  turn: (id: string) => call<TurnView>('GET', `/api/turns/${part(id)}`),
} as const

export type Hub = typeof hub

function part(text: string): string {
  return encodeURIComponent(text)
}

async function call<T>(method: string, path: string, body?: object, key?: string): Promise<Answer<T>> {
  const headers = {
    accept: 'application/json',
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  }
  try {
    const response = await fetch(path, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return await read<T>(response)
  } catch {
    return { ok: false, kind: 'unreachable' }
  }
}

async function read<T>(response: Response): Promise<Answer<T>> {
  const value: unknown = response.status === 204 ? null : await response.json().catch(() => null)
  // The page and the hub are of one version and one origin; what it says is of the shape that it documents.
  if (response.ok) return { ok: true, value: value as T }
  if (response.status === 401) return { ok: false, kind: 'signed-out' }
  const detail = typeof value === 'object' && value !== null && 'detail' in value ? String(value.detail) : response.statusText
  const isBusy = response.status >= 500 || response.status === 429 || response.status === 408
  if (isBusy) return { ok: false, kind: 'busy', why: response.status === 503 ? detail : null }
  return { ok: false, kind: 'refused', status: response.status, why: detail || `The hub answered ${response.status}` }
}
