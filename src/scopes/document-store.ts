// What this room needs of a store for documents: a projection over their facts, and its readers.
import type { Projection } from '../journal/projection.ts'
import type { Place } from './events.ts'

export type DocumentRow = Place & {
  readonly path: string
  readonly version: number
  readonly mime: string
  readonly hash: string
  /** null: the body lies in the journal under `ref`. */
  readonly text: string | null
  readonly ref: string | null
  readonly at: number
  readonly by: string
}

export interface DocumentStore {
  readonly projection: Projection
  /** The visible document at the first of the places that has one. */
  find(path: string, places: readonly Place[]): Promise<DocumentRow | null>
  /** Visible documents with that literal prefix, the first place that has one winning, by path. */
  list(prefix: string, places: readonly Place[]): Promise<readonly DocumentRow[]>
  /** What shows, at every place. */
  all(): Promise<readonly { readonly place: Place; readonly path: string }[]>
  /** Oldest first. */
  versions(path: string, place: Place): Promise<readonly DocumentRow[]>
}
