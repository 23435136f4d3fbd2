// The table of attachments, as the room reads it. Implemented in store/sqlite/attachments.ts.
import type { Projection } from '../../journal/projection.ts'
import type { AttachmentFacts } from './attachments.ts'

export type KnownAttachment = AttachmentFacts & { readonly removed: boolean }

export type AttachmentStore = {
  readonly projection: Projection
  get(user: string, id: string): Promise<KnownAttachment | null>
  byClientId(user: string, clientId: string): Promise<KnownAttachment | null>
  /** Oldest first, without removed ones. */
  ofSession(user: string, session: string): Promise<readonly KnownAttachment[]>
  /** How many are in no session yet, and how many bytes they have. */
  free(user: string): Promise<readonly KnownAttachment[]>
  /** In no session, and older than that. */
  unused(before: number, limit: number): Promise<readonly (KnownAttachment & { readonly user: string })[]>
  /** Whether one that is not removed has these bytes. */
  refers(sha256: string): Promise<boolean>
}
