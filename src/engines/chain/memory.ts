// What a chain asks of memory before each step, and gives to it after. Memory has its own room later; until there is one, nothing is
// remembered, and each step names the place where it would be.

export type Recalling = { readonly user: string; readonly project: string; readonly agent: string; readonly text: string }
export type Ingesting = Recalling & { readonly path: string; readonly sha256: string; readonly key: string }

export type Memory = {
  /** Short texts, the most telling first; [] when there are none. Looks only. */
  recall(asked: Recalling): Promise<readonly string[]>
  /** The same key does nothing twice. */
  ingest(given: Ingesting): Promise<void>
}

export const noMemory: Memory = { recall: async () => [], ingest: async () => undefined }
