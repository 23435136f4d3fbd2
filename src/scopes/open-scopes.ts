// Builds the room: registers its projections, makes what must exist, opens the documents' folder.
import { silent } from '../base/log.ts'
import { readBundled } from './bundled.ts'
import { openConversation } from './conversation.ts'
import { noMirror, openMirror } from './document-mirror.ts'
import { openVersions } from './document-versions.ts'
import { type DocumentParts, openDocuments, openListeners, purgePlace } from './documents.ts'
import { facts, type Place } from './events.ts'
import { openProjects } from './projects.ts'
import type { Rooms } from './rooms.ts'
import { openScopeStreams, placeExists } from './scope-streams.ts'
import type { Scopes } from './scopes.ts'
import { openSessions, type SessionsRoom } from './sessions.ts'
import { openSettings } from './settings.ts'

export type ScopesOptions = Omit<Rooms, 'fact' | 'log' | 'tenant'> & {
  readonly log?: Rooms['log']
  /** Name of the tenant; `main` by default. */
  readonly tenant?: string
  /** Folder of the documents that come with the program. */
  readonly bundledRoot: string
  /** Folder of the documents that a person overrides, made when missing; null: documents have no files (several nodes on one store). */
  readonly documentsRoot: string | null
}

/** Resolves when the projections are up to date, `_tenant` exists, and the documents' folder was compared. Close it with `close()`. */
export async function openScopes(options: ScopesOptions): Promise<Scopes> {
  const rooms = roomsOf(options)
  const { views, journal } = rooms
  await Promise.all([views.scopes, views.conversation, views.documents].map((view) => journal.project(view.projection)))
  const bundled = await readBundled(options.bundledRoot, rooms.log)
  const late: { sessions?: SessionsRoom; documents?: DocumentParts } = {}
  const projects = openProjects(rooms, {
    closed: async (name) => late.sessions?.archiveOf(name),
    purged: async (name) => late.documents && purgePlace(late.documents, { level: 'project', scope: name }),
  })
  await projects.ensureTenant()
  const streams = openScopeStreams(rooms, projects)
  const listeners = openListeners(rooms)
  const versions = openVersions(rooms, streams)
  const isPlace = (place: Place) => placeExists(rooms, projects, place)
  const parts = { versions, isPlace, changed: listeners.changed }
  const mirror = options.documentsRoot === null ? noMirror : await openMirror(rooms, parts, options.documentsRoot)
  const documents = { streams, projects, versions, bundled, mirror, listeners }
  const sessions = await openSessions(rooms, projects)
  Object.assign(late, { sessions, documents })
  return {
    projects,
    sessions,
    conversation: openConversation(rooms),
    documents: openDocuments(rooms, documents),
    settings: openSettings(rooms, streams, projects),
    close: mirror.close,
  }
}

function roomsOf({ journal, store, lanes, clock, newId, views, users, engineOf, log, tenant }: ScopesOptions): Rooms {
  const shared = { journal, store, lanes, clock, newId, views, users, engineOf }
  return { ...shared, log: log ?? silent, tenant: tenant ?? 'main', fact: facts({ now: clock.now, newId }) }
}
