// One conversation over a link: which session it is in, its view, and what is sent. Knows nothing of keyboards and screens.

import { randomUUID } from 'node:crypto'
import { cwd } from 'node:process'
import type { Approval } from '../protocol/api-approvals.ts'
import { fromElsewhere, linkedSession, withWaiting } from '../protocol/asks-elsewhere.ts'
import { formatCursor, parseCursor } from '../protocol/cursor.ts'
import type { Frame } from '../protocol/frames.ts'
import { emptyView, fold, type Incoming, type View } from '../protocol/view.ts'
import { hasGap } from '../protocol/writing.ts'
import { type Link, LinkLost, openLink } from './chat-link.ts'

export type Wish = { readonly session?: string | undefined; readonly agent?: string | undefined }

export type TalkOptions = {
  readonly socketPath: () => string | null
  /** The position of the newest line of that session; null when nothing was said in it. Throws HubRefused. */
  readonly newest: (session: string) => Promise<string | null>
  /** Whether that session is in the person's home, and every approval of the person that waits. Throws HubRefused. */
  readonly asks: (session: string) => Promise<{ readonly isHome: boolean; readonly waiting: readonly Approval[] }>
  /** What is being done now, in a few words: live, of the session or of a worker that it ordered. */
  readonly onProgress: (words: string) => void
  /** The view changed. */
  readonly onView: (view: View) => void
  /** The session was entered for the first time; the view holds what there was before. */
  readonly onEntered: (view: View) => void
  readonly onLost: (tries: number) => void
  readonly onBack: () => void
}

export type Talk = {
  readonly view: View
  /** Client ids of what was said here. */
  readonly own: ReadonlySet<string>
  /** Sessions of workers that were ordered from this conversation, the oldest first. */
  readonly workers: ReadonlySet<string>
  /** Leaves the present session and goes into that one, or into a new one. Throws HubRefused. */
  enter(wish: Wish): Promise<void>
  /** The id that the line is known by from now on; files that wait go along. Throws HubRefused. */
  say(text: string): Promise<string>
  /** They go along with the next line that is said in this session. */
  attach(ids: readonly string[]): void
  /** How many wait. */
  readonly attached: number
  answer(questionId: string, given: { readonly text: string } | { readonly option: string }): Promise<void>
  /** Looks again for what waits. */
  lookForAsks(): Promise<void>
  /** What the hub says has become of the running turn. */
  stop(): Promise<string>
  close(): void
}

export function openTalk(options: TalkOptions): Talk {
  const own = new Set<string>()
  let view = emptyView('')
  let entered = false
  /** From the hub's answer on the session is told in order; before it, single frames come that may be further on than what was missed. */
  let isFollowed = false
  let awaited: string | null = null
  let attached: readonly string[] = []
  let caughtUp: (() => void) | null = null
  let isHome = false
  const workers = new Set<string>()
  const opened = Promise.withResolvers<void>()

  const link: Link = openLink({
    socketPath: options.socketPath,
    onFrame: (frame) => heard(frame),
    onLost(tries) {
      isFollowed = false
      options.onLost(tries)
    },
    onOpen() {
      opened.resolve()
      if (entered)
        void resume()
          .then(lookForAsks)
          .then(options.onBack, () => {})
    },
  })

  function heard(frame: Frame): void {
    const incoming = isFollowed ? ofThis(frame) : null
    if (incoming === null) return
    const linked = linkedSession(incoming)
    if (linked !== null) workers.add(linked)
    const before = view
    view = fold(view, incoming)
    if (frame.type === 'process-progress' && entered && typeof frame.data.text === 'string') options.onProgress(frame.data.text)
    if (view.foreign) void startOver().catch(() => {})
    else if (hasGap(view.writing)) void resume().catch(() => {})
    else if (entered && view !== before) options.onView(view)
    else if (isPast(awaited)) caughtUp?.()
  }

  /** A worker's progress is told, but changes nothing of this conversation; null: the frame is of another one. */
  function ofThis(frame: Frame): Incoming | null {
    const { type, data, cursor, at, actor, process, session } = frame
    if ((session ?? data.session) === view.session) return { type, data, cursor, at, actor, process }
    if (type === 'process-progress' && frame.forwardedBy?.viaSession === view.session) return { type, data, session: String(data.session) }
    return fromElsewhere(frame, view.session, { isHome, workers })
  }

  async function lookForAsks(): Promise<void> {
    const before = view
    const found = await options.asks(view.session)
    if (before.session !== view.session) return
    isHome = found.isHome
    const next = withWaiting(view, found.waiting, { isHome, workers, before })
    const isOther = next !== view
    view = next
    if (entered && isOther) options.onView(view)
  }

  /** The hub answers first and tells then what happened before: the newest line of that time ends it. */
  function isPast(cursor: string | null): boolean {
    const [there, here] = [parseCursor(cursor ?? ''), parseCursor(view.cursor ?? '')]
    return there === null || (here !== null && (here.generation !== there.generation || here.number >= there.number))
  }

  async function catchUp(newest: string | null): Promise<void> {
    awaited = newest
    if (!isPast(newest)) await new Promise<void>((resolve) => (caughtUp = resolve))
  }

  /** The hub was restored from a backup: positions from before it mean nothing. */
  async function startOver(): Promise<void> {
    isFollowed = false
    view = { ...emptyView(view.session), cursor: beginningOf(await options.newest(view.session)) }
    await resume()
  }

  async function resume(): Promise<void> {
    const after = view.cursor === null ? {} : { after: view.cursor }
    await link.request('session-resume', { sessionId: view.session, ...after }, ({ cursor }) => {
      isFollowed = true
      if (view.cursor === null && typeof cursor === 'string') view = { ...view, cursor }
    })
  }

  async function enter({ session, agent }: Wish): Promise<void> {
    await opened.promise
    const id = session ?? idOf(await link.request('session-create', { profile: 'terminal', ...(agent ? { agent } : {}) }))
    if (entered) await link.request('session-leave', { sessionId: view.session })
    entered = false
    isFollowed = false
    own.clear()
    attached = []
    workers.clear()
    const newest = session === undefined ? null : await options.newest(id)
    view = { ...emptyView(id), cursor: beginningOf(newest) }
    await resume()
    await catchUp(newest)
    await lookForAsks()
    entered = true
    options.onEntered(view)
  }

  return {
    own,
    workers,
    enter,
    lookForAsks,
    attach(ids) {
      attached = [...attached, ...ids]
    },
    get attached() {
      return attached.length
    },
    get view() {
      return view
    },
    async say(text) {
      const id = `cli-${randomUUID()}`
      own.add(id)
      const along = attached
      attached = []
      const files = along.length === 0 ? {} : { attachments: along.map((one) => ({ id: one })) }
      await link.request('say', { sessionId: view.session, id, text, folder: cwd(), ...files }).catch((error: unknown) => {
        attached = [...along, ...attached]
        throw error
      })
      return id
    },
    async answer(questionId, given) {
      await link.request('answer', { questionId, ...given })
    },
    async stop() {
      const turn = view.turn === null ? {} : { turn: view.turn.id }
      return String((await link.request('stop', { sessionId: view.session, ...turn })).outcome)
    },
    close: () => link.close(),
  }
}

/** The position before the first event of the generation that this one is of. */
function beginningOf(cursor: string | null): string | null {
  const position = parseCursor(cursor ?? '')
  return position && formatCursor(position.generation, 0)
}

function idOf(data: Readonly<Record<string, unknown>>): string {
  if (typeof data.id === 'string') return data.id
  throw new LinkLost('The hub made a session without an id.')
}
