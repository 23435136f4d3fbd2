// Lines that the hub has not acknowledged. Each has an id made here, so that sending it again does nothing twice (W5).
// Owns: keeping them over reloads and the order of sending. Leaves the request itself to hub.ts.

export type OutItem = {
  /** The client's id: 1 to 128 characters, the same on every try. */
  readonly id: string
  readonly user: string
  /** null: the conversation itself has to be made first. */
  readonly session: string | null
  readonly project: string | null
  readonly text: string
  readonly when: 'now' | 'next'
  /** The message that this one is a new version of. */
  readonly replaces: string | null
  readonly at: number
  /** Why the hub will never take it; null: not refused. */
  readonly refused: string | null
}

/** Where lines are kept. `all` is in order of time. */
export type OutStore = {
  all(): Promise<readonly OutItem[]>
  put(item: OutItem): Promise<void>
  remove(id: string): Promise<void>
}

export type Sent =
  | { readonly ok: true; readonly session: string }
  /** Try again later: the hub was not reached, is busy, or wants a login first. */
  | { readonly ok: false; readonly again: true }
  | { readonly ok: false; readonly again: false; readonly why: string }

/**
 * Sends one after the other, in order of time; a line without a conversation passes the one that was made for it on to the others
 * that wait for the same. Ends at the first line that has to wait, so the order is kept. 'waiting': something is left to be sent.
 */
export async function flush(store: OutStore, user: string, send: (item: OutItem) => Promise<Sent>): Promise<'empty' | 'waiting'> {
  const made = new Map<string, string>()
  for (const kept of await store.all()) {
    if (kept.user !== user || kept.refused !== null) continue
    const place = kept.project ?? ''
    const item = kept.session === null && made.has(place) ? { ...kept, session: made.get(place) ?? null } : kept
    const sent = await send(item)
    if (!sent.ok && sent.again) return 'waiting'
    if (sent.ok) {
      if (item.session === null) made.set(place, sent.session)
      await store.remove(item.id)
    } else await store.put({ ...item, refused: sent.why })
  }
  return 'empty'
}

/** Kept in the browser's database; in memory where there is none, which `lasting` says. */
export async function openOutbox(factory: IDBFactory | undefined): Promise<{ readonly store: OutStore; readonly lasting: boolean }> {
  try {
    if (!factory) return { store: memoryStore(), lasting: false }
    return { store: databaseStore(await openDatabase(factory)), lasting: true }
  } catch {
    return { store: memoryStore(), lasting: false }
  }
}

export function memoryStore(): OutStore {
  const items = new Map<string, OutItem>()
  return {
    all: async () => inOrder([...items.values()]),
    put: async (item) => void items.set(item.id, item),
    remove: async (id) => void items.delete(id),
  }
}

function openDatabase(factory: IDBFactory): Promise<IDBDatabase> {
  const request = factory.open('steward', 1)
  request.onupgradeneeded = () => request.result.createObjectStore('outbox', { keyPath: 'id' })
  return done(request)
}

function databaseStore(database: IDBDatabase): OutStore {
  const table = (mode: IDBTransactionMode) => database.transaction('outbox', mode).objectStore('outbox')
  return {
    all: async () => inOrder((await done(table('readonly').getAll())).filter(isItem)),
    put: (item) => written(table('readwrite'), (open) => open.put(item)),
    remove: (id) => written(table('readwrite'), (open) => open.delete(id)),
  }
}

/** What another version of the page left there may have another shape. */
function isItem(value: unknown): value is OutItem {
  return typeof value === 'object' && value !== null && 'id' in value && 'text' in value && 'user' in value && 'at' in value
}

/** Resolves when the write is on disk, not merely asked for: the line must survive a reload at once. */
function written(table: IDBObjectStore, act: (table: IDBObjectStore) => IDBRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    act(table)
    table.transaction.oncomplete = () => resolve()
    table.transaction.onerror = () => reject(table.transaction.error)
    table.transaction.onabort = () => reject(table.transaction.error)
  })
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function inOrder(items: readonly OutItem[]): readonly OutItem[] {
  return [...items].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
}
