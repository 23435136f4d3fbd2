// Attachments as steward.ts opens them: where their bytes lie, and how often what nobody needs is removed.
import { join } from 'node:path'
import type { Clock } from './base/clock.ts'
import type { NewId } from './base/ids.ts'
import type { Config } from './config.ts'
import type { Journal } from './journal/journal.ts'
import type { StepAttachment } from './pipelines/conversation.ts'
import type { Attachments } from './scopes/attachments/attachments.ts'
import { openAttachments } from './scopes/attachments/open-attachments.ts'
import { sqliteAttachments } from './store/sqlite/attachments.ts'
import type { SqliteStore } from './store/sqlite/sqlite.ts'

export type { Attachments }

export type AttachingRooms = {
  readonly config: Pick<Config, 'home'>
  readonly journal: Journal
  readonly store: SqliteStore
  readonly clock: Clock
  readonly newId: NewId
}

/** What a pipeline's step knows of them. One that was removed since is none. */
export function stepAttachments(attachments: Pick<Attachments, 'get'>) {
  return async (given: readonly { readonly id: string }[], user: string): Promise<readonly StepAttachment[]> => {
    const found = await Promise.all(given.map(({ id }) => attachments.get(user, id)))
    return found.flatMap((one) => (one === null ? [] : [{ id: one.id, name: one.name, mime: one.mime, size: one.size }]))
  }
}

export const attachmentsFolder = (home: string): string => join(home, 'blobs', 'attachments')

export function openAttaching({ config, journal, store, clock, newId }: AttachingRooms): Promise<Attachments> {
  const over = { journal, store: store.journal, view: sqliteAttachments(store), clock, newId, restored: store.restored }
  return openAttachments({ ...over, folder: attachmentsFolder(config.home) })
}
