// The facts of the scope tree, by type: what the streams of tenant, session and scope hold, and what their projections read.
import type { ProcessId, SessionId } from '../base/ids.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Event, NewEvent, Visibility } from '../protocol/event.ts'
import type { onDisconnect, onIdle, onSuspend, projectKinds, projectStatuses, projectTypes, suspendCauses } from '../protocol/shapes.ts'

export type ProjectFacts = {
  readonly name: string
  readonly title: string
  readonly kind: (typeof projectKinds)[number]
  readonly type: (typeof projectTypes)[number]
  readonly status: (typeof projectStatuses)[number]
  readonly group: string
  readonly roots: readonly string[]
  readonly policy: JsonObject
}

export type Policies = {
  readonly onDisconnect: (typeof onDisconnect)[number]
  readonly onIdle: (typeof onIdle)[number]
  readonly onSuspend: (typeof onSuspend)[number]
  readonly idleTimeoutMs: number
  /** With onSuspend CLOSE: how long it stays suspended before it is closed. */
  readonly suspendKeepDurationMs: number
}
export type SuspendCause = (typeof suspendCauses)[number]

/** The part of a session's status that is decided, not derived from its processes. */
const sessionLives = ['OPEN', 'SUSPENDED', 'ARCHIVED', 'CLOSED'] as const
export type SessionLife = (typeof sessionLives)[number]

export type SessionFacts = {
  readonly id: SessionId
  readonly tenant: string
  readonly project: string
  readonly user: string
  readonly process: ProcessId
  readonly agent: string
  /** What a person called it; null while it is called by its first message. */
  readonly title: string | null
  readonly profile: string
  readonly policies: Policies
}

/** Where a document or a setting lies: a level of the cascade and the scope's name there. */
export type Place = { readonly level: 'process' | 'home' | 'project' | 'group' | 'tenant'; readonly scope: string }

export type ScopeEvents = {
  'group-created': { readonly name: string; readonly title: string }
  'project-created': { readonly project: ProjectFacts }
  'project-updated': { readonly name: string; readonly patch: Partial<Omit<ProjectFacts, 'name' | 'kind'>> }
  /** After it the name is free again. */
  'project-purged': { readonly name: string }
  'session-created': { readonly session: SessionFacts }
  'session-updated': {
    readonly id: SessionId
    readonly title?: string
    readonly pinned?: boolean
    readonly profile?: string
    /** IDLE: it goes on. */
    readonly status?: 'IDLE' | 'SUSPENDED' | 'ARCHIVED' | 'CLOSED'
    readonly cause?: SuspendCause
    /** Processes that were told by an entry, and those that no entry reached: their status is written here instead. */
    readonly told?: readonly ProcessId[]
    readonly unreached?: readonly ProcessId[]
  }
  /** A null value removes it at this place; versions go on counting. */
  'setting-set': Place & { readonly key: string; readonly value: Json; readonly version: number }
  'settings-removed': Place & { readonly keys: readonly string[] }
  'document-written': Place & {
    readonly path: string
    readonly version: number
    readonly mime: string
    /** Of the text in UTF-8, SHA-256, hex. */
    readonly hash: string
    readonly text?: string
    /** Instead of the text: the body's hash in the journal. */
    readonly ref?: string
  }
  'document-removed': Place & { readonly path: string; readonly version: number }
  'document-purged': Place & { readonly path: string }
}

type Types = keyof ScopeEvents
export type ScopeFact = { [T in Types]: { readonly type: T; readonly data: ScopeEvents[T] } }[Types]

const visibility: Record<Types, Visibility> = {
  'group-created': 'user-detail',
  'project-created': 'user-summary',
  'project-updated': 'user-summary',
  'project-purged': 'user-summary',
  'session-created': 'user-summary',
  'session-updated': 'user-summary',
  'setting-set': 'user-detail',
  'settings-removed': 'user-detail',
  'document-written': 'user-detail',
  'document-removed': 'user-detail',
  'document-purged': 'user-detail',
}

/** The event as a fact of this room; null when it is another room's. */
export function scopeFact(event: Pick<Event | NewEvent, 'type' | 'data'>): ScopeFact | null {
  return Object.hasOwn(visibility, event.type) ? (event as unknown as ScopeFact) : null
}

/** The data of an event whose type is known to be that one. Throws for another type: a bug. */
export function dataOf<T extends Types>(type: T, event: Pick<Event | NewEvent, 'type' | 'data'>): ScopeEvents[T] {
  if (event.type !== type) throw new Error(`A ${event.type} was read as a ${type}.`)
  return event.data as unknown as ScopeEvents[T]
}

export type Facts = <T extends Types>(type: T, data: ScopeEvents[T] & JsonObject, by: Actor, session?: SessionId) => NewEvent

/** Makes events of this room. */
export function facts(rooms: { readonly now: () => number; readonly newId: (kind: 'evt') => NewEvent['id'] }): Facts {
  return (type, data, by, session) => ({
    id: rooms.newId('evt'),
    type,
    at: rooms.now(),
    actor: by,
    visibility: visibility[type],
    data,
    cause: null,
    correlation: null,
    session: session ?? null,
    v: 1,
  })
}
