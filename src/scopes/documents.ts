// Documents in their cascade: the journal holds all versions, the projection finds the innermost, a folder mirrors what shows.
import { iso } from '../base/clock.ts'
import { Conflict, InvalidInput, messageOf } from '../base/errors.ts'
import type { Actor } from '../protocol/actor.ts'
import type { DocumentMirror } from './document-mirror.ts'
import { checkMime, checkPath, checkText, mimeOf } from './document-path.ts'
import type { DocumentRow } from './document-store.ts'
import type { Spot, Versions } from './document-versions.ts'
import type { Place } from './events.ts'
import { quote } from './names.ts'
import type { ProjectsRoom } from './projects.ts'
import type { Rooms } from './rooms.ts'
import { checkPlace, type ScopeStreams } from './scope-streams.ts'
import type { Document, DocumentLevel, Documents } from './scopes.ts'

export type DocumentParts = {
  readonly streams: ScopeStreams
  readonly projects: ProjectsRoom
  readonly versions: Versions
  readonly bundled: ReadonlyMap<string, Document>
  readonly mirror: DocumentMirror
  readonly listeners: Listeners
}

export function openDocuments(rooms: Rooms, parts: DocumentParts): Documents {
  const { views, journal } = rooms
  const { streams, versions, bundled, mirror, listeners } = parts

  async function full(row: DocumentRow): Promise<Document> {
    const text = row.text ?? (row.ref === null ? null : await journal.body(row.ref))
    if (text === null) throw new Error(`The body ${row.ref} of the document ${row.path} is not in the journal.`)
    const { path, level, scope, version, mime } = row
    return { path, level, scope, version, mime, text, at: iso(row.at), by: actorOf(row.by) }
  }
  async function spotOf(path: string, level: DocumentLevel, scope: string): Promise<Spot> {
    if (level === 'bundled') throw new Conflict('Bundled documents are read-only: write one at an inner level, it hides the bundled one.')
    return { path: checkPath(path), place: await checkPlace(rooms, parts.projects, { level, scope }) }
  }
  async function change<T>(spots: readonly Spot[], act: () => Promise<T>): Promise<T> {
    const value = await mirror.during(spots, act)
    for (const { path } of spots) listeners.changed(path)
    return value
  }

  return {
    async find(path, scope) {
      const row = await views.documents.find(checkPath(path), await streams.places(scope))
      return row === null ? (bundled.get(path) ?? null) : full(row)
    },
    async list(prefix, scope) {
      const inner = await Promise.all((await views.documents.list(prefix, await streams.places(scope))).map(full))
      const hidden = new Set(inner.map((one) => one.path))
      const outer = [...bundled.values()].filter((one) => one.path.startsWith(prefix) && !hidden.has(one.path))
      return [...inner, ...outer].sort((a, b) => (a.path < b.path ? -1 : 1))
    },
    async write(given, by) {
      const spot = await spotOf(given.path, given.level, given.scope)
      const text = checkText(given.text)
      const mime = given.mime === undefined ? mimeOf(spot.path) : checkMime(given.mime)
      const expected = given.expected === undefined ? {} : { expected: checkVersion(given.expected) }
      const { cursor } = await change([spot], () => versions.put({ ...spot, text, mime, ...expected, by }))
      const row = await views.documents.find(spot.path, [spot.place])
      if (row === null) throw new Conflict(`The document ${quote(spot.path)} was removed meanwhile.`)
      return { value: await full(row), cursor }
    },
    async writeAll({ level, scope, documents, removed = [], purged = [] }, by) {
      const place = await checkPlace(rooms, parts.projects, { level, scope })
      const written = documents.map(newVersion)
      const paths = [...written.map(({ path }) => path), ...[...removed, ...purged].map(checkPath)]
      const seen = new Set<string>()
      const twice = paths.find((path) => seen.size === seen.add(path).size)
      if (twice !== undefined) throw new InvalidInput(`The path ${quote(twice)} is there twice.`, { path: '/documents' })
      const spots = paths.map((path) => ({ path, place }))
      const { cursor } = await change(spots, () => versions.putAll(place, { written, removed, purged }, by))
      const rows = await Promise.all(written.map(({ path }) => views.documents.find(path, [place])))
      return { value: await Promise.all(rows.flatMap((row) => (row === null ? [] : [full(row)]))), cursor }
    },
    async versions(path, level, scope) {
      const known = level === 'bundled' ? bundled.get(path) : undefined
      if (level === 'bundled') return known === undefined ? [] : [known]
      return Promise.all((await views.documents.versions(checkPath(path), { level, scope })).map(full))
    },
    async version(path, level, scope, version) {
      if (level === 'bundled') return version === 1 ? (bundled.get(path) ?? null) : null
      const rows = await views.documents.versions(checkPath(path), { level, scope })
      const row = rows.find((one) => one.version === version)
      return row === undefined ? null : full(row)
    },
    async remove(path, level, scope, by) {
      const spot = await spotOf(path, level, scope)
      return { value: null, cursor: await change([spot], () => versions.hide(spot, by)) }
    },
    async purge(path, level, scope, by) {
      const spot = await spotOf(path, level, scope)
      return { value: null, cursor: await change([spot], () => versions.purge(spot, by)) }
    },
    onChange: listeners.add,
  }
}

function newVersion(given: { readonly path: string; readonly text: string; readonly expected?: number }) {
  const path = checkPath(given.path)
  const expected = given.expected === undefined ? {} : { expected: checkVersion(given.expected) }
  return { path, text: checkText(given.text), mime: mimeOf(path), ...expected }
}

/** Purges all documents of a place, hidden ones too. */
export async function purgePlace(parts: Pick<DocumentParts, 'versions' | 'mirror' | 'listeners'>, place: Place): Promise<void> {
  for (const path of await parts.versions.paths(place)) {
    const spot = { place, path }
    await parts.mirror.during([spot], () => parts.versions.purge(spot, 'system'))
    parts.listeners.changed(path)
  }
}

export type Listeners = { readonly add: Documents['onChange']; changed(path: string): void }

/** Who hears of changes below a prefix. A listener that throws is logged and hinders no other. */
export function openListeners({ log }: Pick<Rooms, 'log'>): Listeners {
  const all = new Set<{ readonly prefix: string; readonly hear: () => void }>()
  return {
    add(prefix, hear) {
      const one = { prefix, hear }
      all.add(one)
      return () => void all.delete(one)
    },
    changed(path) {
      for (const { prefix, hear } of all) {
        if (!path.startsWith(prefix)) continue
        try {
          hear()
        } catch (thrown) {
          log('error', 'a listener for documents failed', { prefix, why: messageOf(thrown) })
        }
      }
    },
  }
}

function checkVersion(expected: unknown): number {
  if (typeof expected === 'number' && Number.isSafeInteger(expected) && expected >= 0) return expected
  throw new InvalidInput(`${quote(expected)} is no version: allowed are 0 (none yet), 1, 2, ...`, { path: '/expected' })
}

function actorOf(by: string): Actor {
  return by as Actor
}
