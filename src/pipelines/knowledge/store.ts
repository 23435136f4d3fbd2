// What keeps the index of knowledge bases: which documents there are and how far each is, their pieces, vectors and words. All of it can
// be made anew from the documents. Implemented in store/sqlite/knowledge.ts.

/** A knowledge base of one person: the id of its configuration, all versions of it. Nobody else's search ever sees it. */
export type Base = { readonly user: string; readonly base: string }

export const documentStates = ['pending', 'processing', 'completed', 'failed'] as const
export type DocumentState = (typeof documentStates)[number]

export type DocumentRow = Base & {
  /** Its key in the base, made of its id. */
  readonly document: string
  readonly id: string
  readonly name: string
  /** Of the newest ingestion; pieces of an older one are shown until this one is completed. */
  readonly ingestion: string
  /** Of the source that is kept as a document. */
  readonly hash: string
  readonly characters: number
  /** Of the configuration it is indexed by. */
  readonly version: number
  /** Others of this name go when it is completed. */
  readonly supersedes: boolean
  readonly state: DocumentState
  /** Why it failed, or what it lacks; null: nothing. */
  readonly note: string | null
  readonly chunks: number
  /** What its vectors are of; null: it has none, and is found by words. */
  readonly embedder: string | null
  readonly at: number
}

export type Passage = {
  readonly chunk: number
  readonly document: string
  readonly id: string
  readonly name: string
  readonly hash: string
  readonly seq: number
  readonly text: string
}

/** Writes throw Unavailable when the disk is full or gone. */
export interface KnowledgeStore {
  /** By name, then id. */
  documents(base: Base, page?: { readonly offset: number; readonly limit: number }): Promise<readonly DocumentRow[]>
  document(base: Base, document: string): Promise<DocumentRow | null>
  ingestion(user: string, ingestion: string): Promise<DocumentRow | null>
  /** What is pending or was processed when the machine ended, the oldest first. */
  unfinished(): Promise<readonly DocumentRow[]>
  bases(): Promise<readonly Base[]>
  sizes(base: Base): Promise<{ readonly documents: number; readonly chunks: number; readonly ofUser: number }>
  put(row: DocumentRow): Promise<void>
  /** With all its pieces. False: there was none. */
  remove(base: Base, document: string): Promise<boolean>

  /** How many pieces of that ingestion are kept, shown or not. */
  staged(ingestion: string): Promise<number>
  /** Keeps pieces, from `from` on in their order. */
  stage(row: DocumentRow, texts: readonly string[], from: number): Promise<void>
  unstage(ingestion: string): Promise<void>
  /** Pieces of that ingestion that have no vector, in order. */
  bare(ingestion: string, limit: number): Promise<readonly { readonly chunk: number; readonly text: string }[]>
  embed(embedder: string, vectors: readonly { readonly chunk: number; readonly vector: Float32Array }[]): Promise<void>
  /**
   * In one step: the pieces of this ingestion are found from now on, all others of the document are gone, and the row is as given.
   * False, and nothing but its pieces is changed, when the document has another ingestion by now or is gone.
   */
  show(row: DocumentRow): Promise<boolean>

  /** What the shown pieces have vectors of; null: of nothing. */
  embedders(base: Base): Promise<readonly { readonly embedder: string | null; readonly chunks: number }[]>
  /** By chunk, above `after`. */
  vectors(
    base: Base,
    embedder: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly { readonly chunk: number; readonly vector: Float32Array }[]>
  /** Shown pieces that have at least one of these words, the best first. Nothing in a word is read as a sign of the query language. */
  words(base: Base, words: readonly string[], limit: number): Promise<readonly number[]>
  /** Of shown pieces, in the order asked for; what is gone is left out. */
  passages(base: Base, chunks: readonly number[]): Promise<readonly Passage[]>
}
