// Attachments: files that a person gives along with their words.
// Owns: their bytes (blobs.ts, by hash, below the data folder), what each one is (mime.ts), who may see it, limits and removal. Leaves the
// wire to the server, what a model is told of them to context and engines. Their facts stand in `attachments:<user>`.
// Others also import mime.ts, name.ts, facts.ts and attachments-store.ts; open-attachments.ts opens it.
//
// Y210  What was acknowledged is on the disk; what broke off leaves nothing, also after a crash.
// Y211  The type is found by the bytes; what was declared is believed only where nothing could run it.
// Y212  Only its owner sees it, and messages of other sessions can't name it.
// Y213  Limits hold whatever comes at once: 20 MB each, 5 a message, 50 and 100 MB a conversation.
// Y214  Bytes that nobody refers to are removed; those of others are not.
import type { SessionId } from '../../base/ids.ts'
import type { Actor } from '../../protocol/actor.ts'

export const attachmentLimits = {
  bytes: 20 * 1024 * 1024,
  inMessage: 5,
  inSession: 50,
  bytesInSession: 100 * 1024 * 1024,
  /** What no message named for so long is removed. */
  unusedMs: 24 * 3_600_000,
  /** Of a text that a model is given at once. */
  characters: 50_000,
} as const

export type AttachmentFacts = {
  readonly id: string
  readonly name: string
  readonly mime: string
  readonly size: number
  /** Of the bytes, SHA-256, hex. */
  readonly sha256: string
  /** null: no message named it yet, and it was given for no session. */
  readonly session: string | null
  /** The sender's own id for it. */
  readonly clientId: string | null
  /** Milliseconds since 1970. */
  readonly at: number
}

export type NewAttachment = {
  readonly user: string
  readonly session: SessionId | null
  readonly name: string
  /** What its sender says that it is; null: nothing. */
  readonly declared: string | null
  /** The same person's same id is the same attachment. */
  readonly clientId: string | null
  readonly bytes: AsyncIterable<Uint8Array>
}

export type Attachments = {
  /**
   * Durable when it resolves. Throws InvalidInput for no bytes or a broken stream, TooLarge, Conflict (`limit`; known id with other
   * bytes, name or session), DiskFull, Unavailable. Nothing is kept then.
   */
  add(given: NewAttachment, by: Actor): Promise<{ readonly attachment: AttachmentFacts; readonly duplicate: boolean }>
  /** The owner's own; null: none, or removed. */
  get(user: string, id: string): Promise<AttachmentFacts | null>
  /** Also what was removed, without a purge: what a message was sent with is still known then. */
  known(user: string, id: string): Promise<(AttachmentFacts & { readonly removed: boolean }) | null>
  /** Oldest first. */
  list(user: string, session: string): Promise<readonly AttachmentFacts[]>
  /** Those of one message become the session's. Throws InvalidInput (which one, why), Conflict `limit`. */
  place(user: string, ids: readonly string[], session: SessionId, by: Actor): Promise<readonly AttachmentFacts[]>
  /** Throws NotFound. */
  remove(user: string, id: string, by: Actor): Promise<void>
  /** The file with its bytes. Throws NotFound when it is gone. */
  file(attachment: Pick<AttachmentFacts, 'sha256'>): Promise<string>
  /** Of a text, from a character on. `more`: where it goes on; null: at its end. null: it is no text. */
  text(
    attachment: AttachmentFacts,
    from: number,
    characters: number,
  ): Promise<{ readonly text: string; readonly more: number | null } | null>
  /** Removes what nobody used for a day, and bytes that nobody refers to. */
  sweep(): Promise<void>
}
