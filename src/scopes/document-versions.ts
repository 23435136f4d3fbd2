// Writing, hiding and purging a document at one place: decided on the place's stream. Every version stays until a purge.

import { Conflict, NotFound } from '../base/errors.ts'
import { sha256 } from '../base/hash.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Place } from './events.ts'
import { quote } from './names.ts'
import type { Rooms } from './rooms.ts'
import type { DocumentHead, ScopeState, ScopeStreams } from './scope-streams.ts'

export type Spot = { readonly place: Place; readonly path: string }
export type NewVersion = Spot & { readonly text: string; readonly mime: string; readonly expected?: number; readonly by: Actor }
export type Together = {
  readonly written: readonly Omit<NewVersion, 'place' | 'by'>[]
  readonly removed?: readonly string[]
  readonly purged?: readonly string[]
}

export type Versions = {
  /** The same text again makes no new version. Throws Conflict when another version than `expected` shows. */
  put(given: NewVersion): Promise<{ readonly version: number; readonly cursor: number }>
  /** Several at that place in one commit: all of them or none. Throws like `put`; what is not there can't go, and is passed over. */
  putAll(place: Place, given: Together, by: Actor): Promise<{ readonly cursor: number }>
  /** Throws NotFound when none shows. */
  hide(spot: Spot, by: Actor): Promise<number>
  /** Throws NotFound when there never was one. */
  purge(spot: Spot, by: Actor): Promise<number>
  head(spot: Spot): Promise<DocumentHead | null>
  paths(place: Place): Promise<readonly string[]>
}

export function openVersions(rooms: Rooms, streams: ScopeStreams): Versions {
  const { journal, fact, views } = rooms
  const passed = async (cursor: number) => {
    await journal.passed(cursor, views.documents.projection.name)
    return cursor
  }
  async function write(place: Place, { written, removed = [], purged = [] }: Together, by: Actor) {
    const news = written.map((one) => ({ ...one, hash: sha256(one.text), large: journal.large(one.text) }))
    const bodies = news.flatMap(({ large }) => (large.inline ? [] : [large.body]))
    const change = await streams.of(place).change(
      (state) => [
        ...news.flatMap(({ path, text, mime, expected, hash, large }) => {
          const head = state.documents.get(path)
          if (expected !== undefined) checkExpected(head, { path, expected })
          if (head && !head.isHidden && head.hash === hash) return []
          const body = large.inline ? { text } : { ref: large.body.hash }
          return [fact('document-written', { ...place, path, version: (head?.version ?? 0) + 1, mime, hash, ...body }, by)]
        }),
        ...removed.flatMap((path) => {
          const head = state.documents.get(path)
          return head && !head.isHidden ? [fact('document-removed', { ...place, path, version: head.version }, by)] : []
        }),
        ...purged.flatMap((path) => (state.documents.has(path) ? [fact('document-purged', { ...place, path }, by)] : [])),
      ],
      { bodies },
    )
    await passed(change.cursor)
    return change
  }
  return {
    async put({ place, by, ...given }) {
      const change = await write(place, { written: [given] }, by)
      return { version: change.state.documents.get(given.path)?.version ?? 0, cursor: change.cursor }
    },
    async putAll(place, given, by) {
      const { cursor } = await write(place, given, by)
      return { cursor }
    },
    async hide({ place, path }, by) {
      const change = await streams.of(place).change((state) => {
        const { version, isHidden } = present(state, { place, path })
        if (isHidden) throw new NotFound(`There is no document ${quote(path)} in ${quote(place.scope)}.`)
        return [fact('document-removed', { ...place, path, version }, by)]
      })
      return passed(change.cursor)
    },
    async purge({ place, path }, by) {
      const change = await streams.of(place).change((state) => {
        present(state, { place, path })
        return [fact('document-purged', { ...place, path }, by)]
      })
      return passed(change.cursor)
    },
    head: async ({ place, path }) => (await streams.of(place).state()).documents.get(path) ?? null,
    paths: async (place) => [...(await streams.of(place).state()).documents.keys()],
  }
}

function present(state: ScopeState, { place, path }: Spot): DocumentHead {
  const head = state.documents.get(path)
  if (head) return head
  throw new NotFound(`There is no document ${quote(path)} in ${quote(place.scope)}.`)
}

function checkExpected(head: DocumentHead | undefined, given: { readonly path: string; readonly expected: number }): void {
  const shown = head && !head.isHidden ? head.version : 0
  if (shown === given.expected) return
  const now = shown === 0 ? 'there is none now' : `version ${shown} is there now`
  const message = `The document ${quote(given.path)} was changed meanwhile: version ${given.expected} was expected, ${now}.`
  throw new Conflict(message, { path: '/expected', code: 'version' })
}
