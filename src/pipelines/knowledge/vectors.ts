// Which pieces are near to a question: the cosine with every one of them. Vectors are kept in memory while there is room, each made one
// long, so that a cosine is a sum of products.
import type { Base, KnowledgeStore } from './store.ts'

export type Near = { readonly chunk: number; readonly cosine: number }

export type Vectors = {
  /** The `most` nearest, the nearest first; equals in the order of their pieces. Only vectors of the question's length are compared. */
  near(base: Base, embedder: string, asked: { readonly vector: Float32Array; readonly most: number }): Promise<readonly Near[]>
  /** What is shown of this base has changed. */
  changed(base: Base): void
}

type Table = { readonly width: number; readonly chunks: Float64Array; readonly rows: Float32Array }

/** Of all bases together. */
const mostBytes = 256_000_000
/** A table of more is read each time, and not kept. */
const mostKept = 128_000_000
const page = 500
/** After so many products others get their turn. */
const inOneGo = 4_000_000

export function openVectors(store: Pick<KnowledgeStore, 'vectors'>): Vectors {
  const kept = new Map<string, Table>()
  let size = 0
  const forget = (key: string) => {
    size -= kept.get(key)?.rows.byteLength ?? 0
    kept.delete(key)
  }
  const keep = (key: string, table: Table) => {
    forget(key)
    if (table.rows.byteLength > mostKept) return
    kept.set(key, table)
    size += table.rows.byteLength
    for (const oldest of kept.keys()) {
      if (size <= mostBytes) break
      forget(oldest)
    }
  }
  const changes = new Map<string, number>()
  return {
    async near(base, embedder, { vector, most }) {
      const place = placeOf(base)
      const key = `${place} ${embedder}`
      const known = kept.get(key)
      if (known) kept.delete(key)
      if (known) kept.set(key, known)
      const before = changes.get(place) ?? 0
      const table = known ?? (await read(store, base, { embedder, width: vector.length }))
      if (!known && (changes.get(place) ?? 0) === before) keep(key, table)
      return table.width === vector.length ? nearest(table, unit(vector), most) : []
    },
    changed(base) {
      const place = placeOf(base)
      changes.set(place, (changes.get(place) ?? 0) + 1)
      for (const key of kept.keys()) if (key.startsWith(`${place} `)) forget(key)
    },
  }
}

function placeOf({ user, base }: Base): string {
  return JSON.stringify([user, base])
}

type Reading = { readonly embedder: string; readonly width: number }

async function read(store: Pick<KnowledgeStore, 'vectors'>, base: Base, { embedder, width }: Reading): Promise<Table> {
  const chunks: number[] = []
  const parts: Float32Array[] = []
  for (let after = 0; ; ) {
    const found = await store.vectors(base, embedder, { after, limit: page })
    for (const { chunk, vector } of found) {
      after = chunk
      if (vector.length !== width) continue
      chunks.push(chunk)
      parts.push(vector)
    }
    if (found.length < page) break
    await turn()
  }
  const rows = new Float32Array(chunks.length * width)
  for (const [at, part] of parts.entries()) {
    if (at % page === page - 1) await turn()
    putUnit(part, rows, at * width)
  }
  return { width, chunks: Float64Array.from(chunks), rows }
}

async function nearest({ width, chunks, rows }: Table, vector: Float32Array, most: number): Promise<readonly Near[]> {
  const best: Near[] = []
  const some = Math.max(1, Math.floor(inOneGo / width))
  for (let at = 0; at < chunks.length; at++) {
    if (at > 0 && at % some === 0) await turn()
    const cosine = product(rows, at * width, vector)
    if (best.length >= most && cosine <= (best.at(-1)?.cosine ?? -1)) continue
    const place = best.findIndex((one) => one.cosine < cosine)
    best.splice(place < 0 ? best.length : place, 0, { chunk: chunks[at] ?? 0, cosine })
    if (best.length > most) best.pop()
  }
  return best
}

/** Four sums side by side: the machine adds them at once. */
function product(rows: Float32Array, from: number, vector: Float32Array): number {
  const width = vector.length
  const even = width - (width % 4)
  let [a, b, c, d] = [0, 0, 0, 0]
  for (let at = 0; at < even; at += 4) {
    a += (rows[from + at] ?? 0) * (vector[at] ?? 0)
    b += (rows[from + at + 1] ?? 0) * (vector[at + 1] ?? 0)
    c += (rows[from + at + 2] ?? 0) * (vector[at + 2] ?? 0)
    d += (rows[from + at + 3] ?? 0) * (vector[at + 3] ?? 0)
  }
  for (let at = even; at < width; at++) a += (rows[from + at] ?? 0) * (vector[at] ?? 0)
  return a + b + c + d
}

function unit(vector: Float32Array): Float32Array {
  const made = new Float32Array(vector.length)
  putUnit(vector, made, 0)
  return made
}

/** Made one long. A vector of nothing but zeros is near to none. */
function putUnit(vector: Float32Array, into: Float32Array, from: number): void {
  let sum = 0
  for (let at = 0; at < vector.length; at++) sum += (vector[at] ?? 0) ** 2
  const factor = sum === 0 ? 0 : 1 / Math.sqrt(sum)
  for (let at = 0; at < vector.length; at++) into[from + at] = (vector[at] ?? 0) * factor
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
