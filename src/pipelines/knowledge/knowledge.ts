// Knowledge of pipelines: documents that a person gives to a knowledge base, and what is found in them for a question. Owns: pieces of
// texts, their index, searching. Leaves vectors to models, what a model is told of it to the engine. Opened by
// open-knowledge.ts; the store implements store.ts.
//
// Y140 A text becomes pieces of the configured size, at its own ends where they are near; nothing of it is lost.
// Y141 A document is kept before it is acknowledged, and indexed once, also when the machine ends in the middle.
// Y142 A document that is given anew is found as it was until the new one is there as a whole; what is removed is found no more.
// Y143 Nobody's search sees another person's documents, or another base's.
// Y144 Only vectors of the same model are compared. Where there are none, or the question can't be embedded, words are looked for,
//      and the result says so.
// Y145 Everything is bounded: texts, documents, pieces, results, what waits.
import type { Clock } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Log } from '../../base/log.ts'
import type { Embedded, EmbedOptions, EmbedPort, EmbedRequest } from '../../models/models.ts'
import type { Micros, Spender } from '../../policy/budget.ts'
import type { Actor } from '../../protocol/actor.ts'
import type { Documents } from '../../scopes/scopes.ts'
import type { Reach } from '../../tools/web/web.ts'
import type { RagConfig } from '../configuration.ts'
import type { ConfigurationStore } from '../configurations/store.ts'
import type { Base, DocumentRow, KnowledgeStore } from './store.ts'

export { type Embedder, embedderOf, knowledgeFaults, ownAccountOf } from './embedder.ts'
export { knowledgeLimits } from './limits.ts'
export { type Base, documentStates } from './store.ts'

export type KnowledgeRooms = {
  readonly store: KnowledgeStore
  readonly documents: Pick<Documents, 'find' | 'write' | 'purge'>
  readonly configurations: Pick<ConfigurationStore, 'read'>
  readonly embed: EmbedPort['embed']
  readonly reach: () => Reach
  /** References to secrets become values, for that host. */
  readonly resolve: (text: string, host?: string) => Promise<string>
  /** Whether what a person keeps at home stays on this machine. */
  readonly localOnly: (user: string) => Promise<boolean>
  /** What was embedded outside of a turn, as a fact. */
  readonly spent: (spender: Spender, what: { readonly model: string; readonly cost: Micros }) => Promise<void>
  readonly newIngestion: () => string
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

export type NewDocument = Base & {
  /** Of the configuration; absent: the newest. */
  readonly version?: number
  /** What it is known by in its base: given again, it takes the place of the one before. */
  readonly id: string
  /** As a model is told where a passage is from; default: the id. */
  readonly name?: string
  readonly text: string
  readonly metadata?: JsonObject
  /** It takes nobody's place: with an id that is there already it gets another. */
  readonly keepOthers?: boolean
  /** When it is indexed, all others of its name go. */
  readonly supersedes?: boolean
}

export type Ingestion = Pick<
  DocumentRow,
  'id' | 'name' | 'ingestion' | 'base' | 'version' | 'state' | 'note' | 'characters' | 'chunks' | 'embedder' | 'at'
>

export type Asked = Base & {
  readonly config: RagConfig
  readonly question: string
  readonly maxResults: number
  /** 0 to 1, as EDDI counts: half of what the cosine is above -1. */
  readonly minScore: number
}

export type SearchOptions = EmbedOptions &
  Pick<EmbedRequest, 'spender' | 'localOnly' | 'account'> & {
    /** Why the question can't be embedded, in a sentence: words are looked for. */
    readonly blocked?: string
  }

export type FoundPassage = {
  readonly id: string
  readonly name: string
  /** Its place in the document, from 0. */
  readonly seq: number
  readonly text: string
  /** null: it was found by words. */
  readonly score: number | null
  readonly metadata: JsonObject
}

export type Found = {
  readonly how: 'meaning' | 'words' | 'none'
  /** What was in the way of more, in a sentence; null: nothing. */
  readonly why: string | null
  /** The best first. */
  readonly passages: readonly FoundPassage[]
  /** What the question's embedding cost; absent: there was none. */
  readonly spent?: Pick<Embedded, 'model' | 'usage' | 'cost'>
}

export type Knowledge = {
  /**
   * Durable when it resolves; it is indexed afterwards. The same text again, when it is indexed by that version, is done nothing for.
   * Throws NotFound, InvalidInput (a document or a base that can't be), Conflict (too much is kept), Full (too much waits).
   */
  ingest(given: NewDocument, by: Actor): Promise<Ingestion>
  status(user: string, ingestion: string): Promise<Ingestion | null>
  list(
    base: Base,
    page?: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly items: readonly Ingestion[]; readonly documents: number; readonly chunks: number }>
  /** For good, with its source. False: there was none. */
  remove(base: Base, id: string, by: Actor): Promise<boolean>
  /** Indexes all documents anew, as that version of the configuration says (default: the newest). How many there are. */
  refresh(base: Base, version?: number): Promise<number>
  /** Never throws for what a provider does: it then looks for words. */
  search(asked: Asked, options: SearchOptions): Promise<Found>
  /** Goes on with what was not finished, and forgets bases that are gone for good. Once, when the rooms it works with are there. */
  resume(): Promise<void>
  /** When nothing waits any more. */
  idle(): Promise<void>
  /** Stops between two steps; what is left goes on at the next start. */
  close(): Promise<void>
}
