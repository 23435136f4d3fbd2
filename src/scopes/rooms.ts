// What the scopes are built over. Time, ids and other rooms are arguments.
import type { Clock } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import type { JsonObject } from '../base/json.ts'
import type { Log } from '../base/log.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { Lanes } from '../lanes/lanes.ts'
import type { ConversationStore } from './conversation-store.ts'
import type { DocumentStore } from './document-store.ts'
import type { Facts, Policies } from './events.ts'
import type { ScopeRef } from './scopes.ts'
import type { ScopesStore } from './scopes-store.ts'

export type ScopeViews = { readonly scopes: ScopesStore; readonly conversation: ConversationStore; readonly documents: DocumentStore }

/** Who answers in a new session. Without a name: the scope's default (a home: the hub, else quick). null: there is no such agent. */
export type EngineOf = (
  agent: string | undefined,
  scope: ScopeRef,
  profile?: string,
) => Promise<{
  readonly agent: string
  readonly engine: string
  readonly params: JsonObject
  /** From the agent's block for that profile; what is absent has its default. */
  readonly policies?: Partial<Policies>
} | null>

export type Rooms = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly lanes: Pick<Lanes, 'create' | 'post' | 'look'>
  readonly clock: Clock
  readonly newId: NewId
  readonly views: ScopeViews
  /** Whether a user of that login name exists. */
  readonly users: (name: string) => Promise<boolean>
  readonly engineOf: EngineOf
  readonly log: Log
  readonly tenant: string
  readonly fact: Facts
}
