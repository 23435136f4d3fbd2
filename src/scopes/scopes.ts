// The scope tree: tenants, groups, projects, sessions, processes; documents and settings in their cascade; language.
// Owns: who belongs to what, and what is configured where. Leaves running to lanes, what agent files mean to agents, tables to
// store/* (scopes-store.ts, conversation-store.ts, document-store.ts). Built by open-scopes.ts over rooms.ts.
// All of it is events (events.ts) in streams: `tenant:<name>` holds groups and projects, `ses_...` what was decided about a session,
// `scope:<level>/<name>` a place's documents and settings. A change resolves when its projection has passed it.
// Others also import language.ts, title.ts, names.ts, session-state.ts, session-status.ts, close-event.ts, project-resolution.ts,
// setting-keys.ts, document-path.ts, root-folder.ts, zone.ts, and the door of attachments/. The rules P1 to P22 stand in docs/spec.md, above all:
// P2  A home is made once, however many ask at the same moment.
// P6  Suspending, resuming and closing reaches every process by an entry; who can't be reached gets its status written.
// P15 Nothing that was written is lost but by a purge: every write is a version, also one from an editor.
import type { MessageId, ProcessId, SessionId } from '../base/ids.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { ProcessInfo } from '../lanes/engine.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Message } from '../protocol/message.ts'
import type { Project, Question, Session } from '../protocol/shapes.ts'
import type { SessionLife } from './events.ts'
import type { LanguageKey, LanguageLayers } from './language.ts'
import type { SettingType } from './setting-keys.ts'

/** A change and the cursor to hand to journal.passed before reading one's own write. */
export type Changed<T> = { readonly value: T; readonly cursor: number }
export type Page<T> = { readonly items: readonly T[]; readonly next: string | null }
export type Paging = { readonly after?: string; readonly limit: number }

export type Projects = {
  /** `_user_<login>`; group, home and `_tenant` are made when missing. Idempotent, also when called in parallel. */
  ensureHome(user: string): Promise<Project>
  /** A project by name; a missing `_user_<login>` is made when that user exists (home bootstrap). null otherwise. */
  resolve(name: string): Promise<Project | null>
  create(given: NewProject, by: Actor): Promise<Changed<Project>>
  change(name: string, given: ProjectPatch, by: Actor): Promise<Changed<Project>>
  /** Archives (status CLOSED); throws Conflict for a SYSTEM project. `purge` also removes its documents for good. */
  remove(name: string, by: Actor, options?: { readonly purge?: boolean }): Promise<Changed<Project>>
  get(name: string): Promise<Project | null>
  /** SYSTEM projects and closed ones are left out unless asked for. */
  list(paging: Paging & { readonly system?: boolean; readonly closed?: boolean }): Promise<Page<Project>>
}
export type NewProject = {
  readonly name: string
  readonly title?: string
  readonly type?: 'project' | 'area'
  readonly group?: string
  /** Absolute folders. */
  readonly roots?: readonly string[]
  readonly policy?: JsonObject
}
export type ProjectPatch = Partial<Omit<NewProject, 'name'>>

export type Sessions = {
  /** Its session, its chat process and lane. No project: the user's home. Throws NotFound for an unknown project or agent. */
  create(given: NewSession, by: Actor): Promise<Changed<Session>>
  get(id: SessionId): Promise<Session | null>
  list(paging: Paging & { readonly user: string; readonly project?: string; readonly archived?: boolean }): Promise<Page<Session>>
  change(id: SessionId, given: { readonly title?: string; readonly pinned?: boolean }, by: Actor): Promise<Changed<Session>>
  archive(id: SessionId, by: Actor): Promise<Changed<Session>>
  close(id: SessionId, by: Actor): Promise<Changed<Session>>
  /** The cascades of reference/eddie.md 1.2: every process that isn't terminal first, then the session. */
  suspend(id: SessionId, cause: 'IDLE' | 'DISCONNECT' | 'FORCED'): Promise<void>
  /** Wakes what was suspended. Call it before a message for a session that is SUSPENDED. Nothing for an archived or closed one. */
  resume(id: SessionId, by: Actor): Promise<void>
  /**
   * A connection of that session came or went; the last one to go applies onDisconnect. With a profile it is the owner's: the
   * session takes that profile and goes on if it was suspended; a guest gives none and changes nothing. Throws NotFound for a
   * session that is closed.
   */
  connected(id: SessionId, connection: string, options?: { readonly profile?: string; readonly takeover?: boolean }): Promise<Binding>
  disconnected(id: SessionId, connection: string): Promise<void>
  /** What a post needs to know of it, from memory where it was used lately; null for an unknown session. */
  brief(id: SessionId): Promise<SessionBrief | null>
  /** Who owns it: the login name; null for an unknown session. From memory or one indexed read. */
  owner(id: SessionId): Promise<string | null>
  process(id: ProcessId): Promise<{ readonly info: ProcessInfo; readonly session: SessionId } | null>
  /** Suspends what was idle for longer than its idleTimeoutMs; called by a timer of steward.ts. */
  sweepIdle(now: number): Promise<void>
}
export type NewSession = {
  readonly user: string
  readonly project?: string
  readonly agent?: string
  readonly title?: string
  readonly profile?: string
  /** The same key of the same person makes one session, also after a restart; for another project or agent it is a Conflict. */
  readonly key?: string
  /** Who leads it, where no agent file says so: a pipeline that is deployed for trying. `agent` is not looked at. */
  readonly lead?: { readonly agent: string; readonly engine: string; readonly params: JsonObject }
  /** It is another process's worker: it faces no person, and starts with these parameters beside its agent's own. */
  readonly worker?: { readonly parent: ProcessId; readonly params?: JsonObject }
}
/** `life`: the decided part of its status; OPEN sessions derive the rest from their processes. */
export type SessionBrief = {
  readonly user: string
  readonly process: ProcessId
  readonly life: SessionLife
  /** Of the client that the person was last seen with. */
  readonly profile: string
}
/** Many may watch and speak; one holds the binding. */
export type Binding = { readonly holder: string; readonly mine: boolean; readonly movedFrom: string | null }

export type PastLine = { readonly id: MessageId; readonly text: string }

/** The tree of messages of a session. Immutable: a walk from a leaf gives the same lines for ever. */
export type Conversation = {
  /** From that leaf towards the root, at most `limit` lines, returned oldest first. */
  walk(leaf: MessageId | null, limit: number): Promise<readonly Message[]>
  /** The chosen branch, oldest first. */
  branch(session: SessionId, paging: Paging): Promise<Page<Message>>
  get(id: MessageId): Promise<Message | null>
  /** What a person said themselves in a project's sessions (their home's by its name), the newest first, `limit` lines at most. */
  past(where: { readonly user: string; readonly project: string; readonly limit: number }): Promise<readonly PastLine[]>
  question(id: string): Promise<(Question & { readonly lane: string }) | null>
  questions(where: { readonly user: string; readonly session?: SessionId; readonly status?: 'open' }): Promise<readonly Question[]>
}

/** Innermost first: process, user's home, project, group, tenant (`_tenant`), bundled (DESIGN section 5). */
export const documentLevels = ['process', 'home', 'project', 'group', 'tenant', 'bundled'] as const
export type DocumentLevel = (typeof documentLevels)[number]
export type ScopeRef = { readonly process?: ProcessId; readonly user?: string; readonly project?: string; readonly group?: string }
export type Document = {
  readonly path: string
  readonly level: DocumentLevel
  /** The scope's name at that level: a project's name, `_user_ada`, `_tenant`, ... */
  readonly scope: string
  readonly version: number
  readonly mime: string
  readonly text: string
  readonly at: string
  readonly by: Actor
}
export type Documents = {
  /** The innermost document at that path. */
  find(path: string, scope: ScopeRef): Promise<Document | null>
  /** All paths below a prefix, inner ones hiding outer ones. */
  list(prefix: string, scope: ScopeRef): Promise<readonly Document[]>
  /** `expected`: the version that the writer read (0: none yet); another one is a Conflict. */
  write(
    given: {
      readonly path: string
      readonly level: Exclude<DocumentLevel, 'bundled'>
      readonly scope: string
      readonly text: string
      readonly mime?: string
      readonly expected?: number
    },
    by: Actor,
  ): Promise<Changed<Document>>
  /**
   * Several at one place in one commit: all or none. A path twice is InvalidInput; another version than `expected` is a Conflict.
   * `removed` and `purged` go as by `remove` and `purge`; those that are not there are passed over.
   */
  writeAll(
    given: {
      readonly level: Exclude<DocumentLevel, 'bundled'>
      readonly scope: string
      readonly documents: readonly { readonly path: string; readonly text: string; readonly expected?: number }[]
      readonly removed?: readonly string[]
      readonly purged?: readonly string[]
    },
    by: Actor,
  ): Promise<Changed<readonly Document[]>>
  versions(path: string, level: DocumentLevel, scope: string): Promise<readonly Document[]>
  /** One of them, hidden or not; null: there is none of that number. */
  version(path: string, level: DocumentLevel, scope: string, version: number): Promise<Document | null>
  /** Hidden, not gone: its versions stay until a purge. */
  remove(path: string, level: DocumentLevel, scope: string, by: Actor): Promise<Changed<null>>
  purge(path: string, level: DocumentLevel, scope: string, by: Actor): Promise<Changed<null>>
  /** Something below that prefix changed in some scope. */
  onChange(prefix: string, hear: () => void): () => void
}

export type SettingPlace = { readonly level: 'process' | 'home' | 'project' | 'tenant'; readonly scope: string }
export type Settings = {
  /** process -> project -> tenant; the user's layer is left out on purpose (reference/eddie.md 1.7). */
  get(key: string, scope: ScopeRef): Promise<Json | null>
  /** process -> user -> project -> tenant. */
  getForUser(key: string, scope: ScopeRef): Promise<Json | null>
  /** The user's own layer, without a fallback. */
  getOfUser(key: string, user: string): Promise<Json | null>
  /** Every key with that literal prefix, through the cascade of `get`. */
  list(prefix: string, scope: ScopeRef): Promise<{ readonly [key: string]: Json }>
  /** What each layer says about each language key: for `languageOf` (language.ts). */
  languages(scope: ScopeRef): Promise<{ readonly [K in LanguageKey]: LanguageLayers }>
  /**
   * null takes it away at that place. `type` (STRING INT LONG DOUBLE BOOLEAN) is checked when given. Throws InvalidInput for a
   * value that a known key can't have, and for secrets (PASSWORD, HIDDEN, keys that name one): they belong to the secret store.
   */
  set(given: SettingPlace & { readonly key: string; readonly value: Json; readonly type?: SettingType }, by: Actor): Promise<Changed<null>>
  /** Takes away all keys with that literal prefix at one place, at once; answers how many. An empty prefix takes none. */
  removePrefix(given: SettingPlace & { readonly prefix: string }, by: Actor): Promise<Changed<number>>
  /** Oldest first. */
  versions(
    key: string,
    level: SettingPlace['level'],
    scope: string,
  ): Promise<readonly { readonly value: Json; readonly version: number; readonly at: number; readonly by: string }[]>
}

export type Scopes = {
  readonly projects: Projects
  readonly sessions: Sessions
  readonly conversation: Conversation
  readonly documents: Documents
  readonly settings: Settings
  /** Stops watching the documents' folder. */
  close(): Promise<void>
}
