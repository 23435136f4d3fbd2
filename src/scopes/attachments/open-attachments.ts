// Attachments over their blobs and their table. What is checked and written under the lock is one thing: limits hold for uploads at once.
import { readFile } from 'node:fs/promises'
import type { Clock } from '../../base/clock.ts'
import { Conflict, Full, InvalidInput, NotFound } from '../../base/errors.ts'
import { type LaneId, type NewId, type SessionId, streamLane } from '../../base/ids.ts'
import type { Journal } from '../../journal/journal.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import { openStream, type Stream } from '../../journal/stream.ts'
import type { Actor } from '../../protocol/actor.ts'
import type { NewEvent } from '../../protocol/event.ts'
import { type AttachmentFacts, type Attachments, attachmentLimits as limits, type NewAttachment } from './attachments.ts'
import type { AttachmentStore, KnownAttachment } from './attachments-store.ts'
import { type Blobs, openBlobs, type Written } from './blobs.ts'
import { type AttachmentFact, dataOf } from './facts.ts'
import { isTextType, typeOf } from './mime.ts'
import { cleanName } from './name.ts'

export type AttachmentRooms = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly view: AttachmentStore
  readonly clock: Clock
  readonly newId: NewId
  /** Where the bytes lie; made when missing. */
  readonly folder: string
  /** This is a restored copy: bytes that it does not know may be of the time after it, and stay for good. */
  readonly restored?: boolean
  readonly blobs?: Blobs
}

/** Uploads of one person at the same moment. */
const mostComing = 10
const mostSwept = 1_000

/** Resolves when the table is up to date and what a crash left is gone. */
export async function openAttachments(rooms: AttachmentRooms): Promise<Attachments> {
  await rooms.journal.project(rooms.view.projection)
  const room = new Room(rooms, rooms.blobs ?? (await openBlobs({ folder: rooms.folder })))
  if (rooms.restored) await room.spareUnknown()
  else await room.sweep()
  return room
}

type Change = (user: string, facts: readonly AttachmentFact[], by: Actor) => Promise<void>

class Room implements Attachments {
  readonly #rooms: AttachmentRooms
  readonly #blobs: Blobs
  readonly #change: Change
  readonly #coming = new Map<string, number>()
  #tail: Promise<unknown> = Promise.resolve()

  constructor(rooms: AttachmentRooms, blobs: Blobs) {
    this.#rooms = rooms
    this.#blobs = blobs
    this.#change = changing(rooms)
  }

  async add(given: NewAttachment, by: Actor): ReturnType<Attachments['add']> {
    const { user } = given
    const coming = this.#coming.get(user) ?? 0
    if (coming >= mostComing) throw new Full(`${mostComing} files are on their way already: send the next one when one of them is there`)
    this.#coming.set(user, coming + 1)
    try {
      if (given.clientId === null) await this.#room(user, given.session, 1, 0)
      const id = this.#rooms.newId('att')
      const written = await this.#blobs.write(id, given.bytes, limits.bytes)
      return await this.#locked(() => this.#kept(given, { id, written, by }))
    } finally {
      const left = (this.#coming.get(user) ?? 1) - 1
      if (left === 0) this.#coming.delete(user)
      else this.#coming.set(user, left)
    }
  }

  async #kept(given: NewAttachment, { id, written, by }: { id: string; written: Written; by: Actor }) {
    const { user, session, declared, clientId } = given
    const { sha256, size, head, isText } = written
    const name = cleanName(given.name)
    try {
      const before = clientId === null ? null : await this.#rooms.view.byClientId(user, clientId)
      if (before !== null) return same(before, { sha256, name, session })
      await this.#room(user, session, 1, size)
      await written.keep()
    } finally {
      // Named by now, or not wanted.
      await written.drop()
    }
    const mime = typeOf({ head, isText, declared, name })
    const attachment: AttachmentFacts = { id, name, mime, size, sha256, session, clientId, at: this.#rooms.clock.now() }
    try {
      await this.#change(user, [{ type: 'attachment-added', user, attachment }], by)
    } catch (error) {
      await this.#tidy(sha256)
      throw error
    }
    return { attachment, duplicate: false }
  }

  async get(user: string, id: string): Promise<AttachmentFacts | null> {
    const found = await this.known(user, id)
    return found === null || found.removed ? null : bare(found)
  }

  async known(user: string, id: string): Promise<KnownAttachment | null> {
    await this.#caughtUp()
    return this.#rooms.view.get(user, id)
  }

  async list(user: string, session: string): Promise<readonly AttachmentFacts[]> {
    await this.#caughtUp()
    return (await this.#rooms.view.ofSession(user, session)).map(bare)
  }

  place(user: string, ids: readonly string[], session: SessionId, by: Actor): Promise<readonly AttachmentFacts[]> {
    return this.#locked(async () => {
      const found = await this.#named(user, ids, session)
      const coming = found.filter((one) => one.session === null)
      if (coming.length > 0) {
        const bytes = coming.reduce((sum, { size }) => sum + size, 0)
        await this.#room(user, session, coming.length, bytes)
        const facts = coming.map(({ id }): AttachmentFact => ({ type: 'attachment-placed', user, id, session }))
        await this.#change(user, facts, by)
      }
      return found.map((one) => ({ ...one, session }))
    })
  }

  /** Throws InvalidInput for the first that this session's message can't name. */
  async #named(user: string, ids: readonly string[], session: SessionId): Promise<readonly AttachmentFacts[]> {
    checkMany(ids)
    const found: AttachmentFacts[] = []
    for (const [at, id] of ids.entries()) {
      const path = `/attachments/${at}/id`
      const one = await this.get(user, id)
      if (one === null) throw new InvalidInput(`${path} names no attachment`, { path })
      if (one.session !== null && one.session !== session)
        throw new InvalidInput(`${path} is of another session: send the file again`, { path })
      found.push(one)
    }
    return found
  }

  remove(user: string, id: string, by: Actor): Promise<void> {
    return this.#locked(async () => {
      const found = await this.get(user, id)
      if (found === null) throw none(id)
      await this.#change(user, [{ type: 'attachment-removed', user, id }], by)
      await this.#tidy(found.sha256)
    })
  }

  async file({ sha256 }: Pick<AttachmentFacts, 'sha256'>): Promise<string> {
    if (await this.#blobs.has(sha256)) return this.#blobs.path(sha256)
    throw new NotFound('the bytes of this attachment are gone from the data folder')
  }

  async text(attachment: AttachmentFacts, from: number, characters: number): ReturnType<Attachments['text']> {
    if (!isTextType(attachment.mime)) return null
    const all = await readFile(await this.file(attachment), 'utf8')
    const start = isLow(all, from) ? from + 1 : from
    const end = isLow(all, start + characters) ? start + characters + 1 : start + characters
    return { text: all.slice(start, end), more: end < all.length ? end : null }
  }

  readonly sweep = async (): Promise<void> => {
    await this.#caughtUp()
    for (const { user, id } of await this.#rooms.view.unused(this.#rooms.clock.now() - limits.unusedMs, mostSwept)) {
      await this.#locked(async () => {
        const now = await this.get(user, id)
        if (now?.session === null) await this.#change(user, [{ type: 'attachment-removed', user, id }], 'system')
      })
    }
    for await (const sha256 of this.#blobs.all()) if (!this.#blobs.isSpared(sha256)) await this.#locked(() => this.#tidy(sha256))
  }

  async spareUnknown(): Promise<void> {
    const unknown: string[] = []
    for await (const sha256 of this.#blobs.all()) if (!(await this.#rooms.view.refers(sha256))) unknown.push(sha256)
    await this.#blobs.spare(unknown)
  }

  /** Bytes that nobody refers to go. Under the lock, so that nobody begins to refer to them meanwhile. */
  async #tidy(sha256: string): Promise<void> {
    await this.#caughtUp()
    if (!(await this.#rooms.view.refers(sha256))) await this.#blobs.remove(sha256)
  }

  /** Throws Conflict when so many more, with so many bytes, would be too much. */
  async #room(user: string, session: string | null, more: number, bytes: number): Promise<void> {
    await this.#caughtUp()
    const { view } = this.#rooms
    const there = session === null ? await view.free(user) : await view.ofSession(user, session)
    const where = session === null ? 'that no message has named yet' : 'of this conversation'
    const size = there.reduce((sum, one) => sum + one.size, bytes)
    if (there.length + more > limits.inSession) throw tooMuch(`there are ${there.length} files ${where}; allowed are ${limits.inSession}`)
    if (size > limits.bytesInSession)
      throw tooMuch(`the files ${where} would have ${size} bytes; allowed are ${limits.bytesInSession} (100 MB)`)
  }

  #caughtUp(): Promise<void> {
    return this.#rooms.journal.passed(this.#rooms.journal.head())
  }

  #locked<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#tail.then(work)
    this.#tail = mine.catch(() => undefined)
    return mine
  }
}

function same(before: KnownAttachment, given: Pick<AttachmentFacts, 'sha256' | 'name' | 'session'>) {
  const isSame =
    before.sha256 === given.sha256 && before.name === given.name && (given.session === null || before.session === given.session)
  if (isSame) return { attachment: bare(before), duplicate: true }
  throw new Conflict('a file with this id and other bytes, name or session was sent before', { path: 'id' })
}

export function checkMany(ids: readonly string[]): void {
  if (ids.length > limits.inMessage)
    throw new InvalidInput(`/attachments has ${ids.length} members; a message may name ${limits.inMessage}`, { path: '/attachments' })
  const twice = ids.findIndex((id, at) => ids.indexOf(id) !== at)
  if (twice >= 0) throw new InvalidInput(`/attachments/${twice}/id is named twice`, { path: `/attachments/${twice}/id` })
}

function tooMuch(message: string): Conflict {
  return new Conflict(`${message}: remove some of them, or begin another session`, { code: 'limit' })
}

export function none(id: string): NotFound {
  return new NotFound(`there is no attachment ${JSON.stringify(id.slice(0, 64))}`)
}

function bare({ removed: _, ...facts }: KnownAttachment): AttachmentFacts {
  return facts
}

/** Whether a text would be cut there within a pair. */
function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return at > 0 && code >= 0xdc00 && code < 0xe000
}

const mostStreams = 1_000

/** Writes facts into the stream of their person; resolves when reads see them. */
function changing(rooms: AttachmentRooms): Change {
  const { journal, store, clock, newId } = rooms
  const fold = { empty: null, evolve: () => null }
  const streams = new Map<LaneId, Stream<null>>()
  const streamOf = (lane: LaneId) => {
    const known = streams.get(lane) ?? openStream<null>({ journal, store }, lane, { fold })
    if (streams.size >= mostStreams) streams.clear()
    streams.set(lane, known)
    return known
  }
  return async (user, facts, by) => {
    const events = facts.map((fact): NewEvent => {
      const about = { cause: null, correlation: null, v: 1, visibility: 'user-detail' } as const
      return { id: newId('evt'), type: fact.type, at: clock.now(), actor: by, data: dataOf(fact), session: null, ...about }
    })
    const { cursor } = await streamOf(streamLane(`attachments:${user}`)).change(() => events)
    await journal.passed(cursor)
  }
}
