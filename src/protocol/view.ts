/**
 * What a conversation looks like, folded from its events: `fold(view, event) -> view`, pure. The web page, the terminal and the
 * tests use this one fold, so what is shown and what is tested can't differ. It runs in the browser: no Node, types only of zod.
 *
 * Owns: which lines there are and how they hang together, what waits, what is being written, which turn runs, what is asked (asks.ts).
 * Leaves to its user: lines that the hub doesn't know of yet (an outbox), drawing, words.
 * - An event that is not newer than `cursor` changes nothing, so a repeated or late one is harmless (W1).
 * - Live words hang on (turn, step, attempt, offset): a new attempt replaces, a hole is marked and never shown as text (W2).
 * - Unknown types change nothing but the cursor; malformed data of a known type is treated like an unknown one (W3).
 */

import {
  type AskOver,
  type Asks,
  askedApproval,
  askedQuestion,
  endAsks,
  type OpenApproval,
  type OpenQuestion,
  overApproval,
  overQuestion,
} from './asks.ts'
import { parseCursor } from './cursor.ts'
import { oneOf, readLine, readTaken, record, strings, text, type Untrusted } from './incoming.ts'
import type { Message } from './message.ts'
import { isFinal, messageStatuses } from './message-status.ts'
import { type Routed, withRouted } from './routed.ts'
import { grow, type Writing } from './writing.ts'

export type { OpenApproval, OpenQuestion } from './asks.ts'

/** A journalled event or frame (with `cursor`), or a live frame (without). `at` is ISO text or milliseconds. */
export type Incoming = {
  readonly type: string
  readonly cursor?: string | undefined
  readonly data: Untrusted
  readonly at?: string | number | undefined
  readonly actor?: string | undefined
  /** An event of another session changes nothing. */
  readonly session?: string | null | undefined
  readonly process?: string | null | undefined
  /** A worker's frame, passed on by who ordered its work. */
  readonly forwardedBy?: { readonly viaSession: string } | undefined
}

/** A message, and what later events said about it. */
export type Line = Message & {
  readonly turn?: string
  readonly why?: string
  /** When a turn took it up. */
  readonly seenAt?: string
}

export type Step = { readonly name: string; readonly state: 'started' | 'done' | 'failed'; readonly at: string }

export type Doing = { readonly step: string; readonly text: string }

export type RunningTurn = {
  readonly id: string
  readonly since: string
  readonly stopping: boolean
  readonly paused: boolean
  /** When it was last continued after a restart of the hub. */
  readonly resumedAt: string | null
  readonly progress: string | null
  /** The newest words of each step that is at work, live only. */
  readonly doing: readonly Doing[]
  readonly steps: readonly Step[]
}

export type NoticeKind = 'failed' | 'unknown' | 'held' | 'refused' | 'quarantined' | 'closed' | AskOver['kind']
/** Something to say between the lines: it stands after the line `after` (null: at the top). */
export type Notice = {
  readonly id: string
  readonly kind: NoticeKind
  readonly text: string
  readonly detail: string
  readonly after: string | null
  readonly at: string
}

export type View = {
  readonly session: string
  readonly title: string | null
  /** The session's own process. */
  readonly process: string | null
  /** Newest journalled position that was folded; null: none yet. Resume after it. */
  readonly cursor: string | null
  /** True when an event of another generation came: the store was restored, so begin again with `emptyView`. */
  readonly foreign: boolean
  readonly messages: ReadonlyMap<string, Line>
  /** The newest line of the chosen branch. */
  readonly leaf: string | null
  /** Lines that no turn has taken yet, in the order in which they will go. */
  readonly queue: readonly string[]
  readonly writing: readonly Writing[]
  readonly turn: RunningTurn | null
  readonly status: string
  readonly suspended: boolean
  readonly closed: boolean
  readonly questions: readonly OpenQuestion[]
  /** What waits for a yes, the oldest first; of all processes of the session. */
  readonly approvals: readonly OpenApproval[]
  readonly notices: readonly Notice[]
  /** Who messages were for, the newest last. */
  readonly routes: readonly Routed[]
  /** Turns and steps that ended lately: late words of them are not shown again. */
  readonly over: readonly string[]
}

export function emptyView(session: string): View {
  return {
    session,
    title: null,
    process: null,
    cursor: null,
    foreign: false,
    messages: new Map(),
    leaf: null,
    queue: [],
    writing: [],
    turn: null,
    status: 'INIT',
    suspended: false,
    closed: false,
    questions: [],
    approvals: [],
    notices: [],
    routes: [],
    over: [],
  }
}

/** The view after that event. Must not throw. The same view when the event changes nothing. */
export function fold(view: View, event: Incoming): View {
  return foldAll(view, [event])
}

/** The same as folding one after the other, with one copy of the lines instead of many. */
export function foldAll(view: View, events: readonly Incoming[]): View {
  const draft: Draft = { view, lines: null }
  for (const event of events) step(draft, event)
  return draft.view
}

type Draft = { view: View; lines: Map<string, Line> | null }
type Change = (draft: Draft, data: Untrusted, event: Incoming) => void

const [OVER, STEPS, NOTICES, DOING] = [64, 200, 200, 20]

const changes: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['chat-message-appended', appended],
  ['chat-message-updated', updated],
  ['chat-message-chunk', chunk],
  ['process-progress', progress],
  ['process-created', processCreated],
  ['process-status-changed', (draft, data) => set(draft, { status: text(data.status) ?? draft.view.status })],
  ['process-suspended', (draft) => set(draft, { suspended: true })],
  ['process-woken', (draft) => set(draft, { suspended: false })],
  ['process-closed', processClosed],
  ['session-updated', sessionUpdated],
  ['branch-selected', branchSelected],
  ['turn-started', turnStarted],
  ['turn-resumed', (draft, data, event) => onTurn(draft, data, { resumedAt: iso(event.at) })],
  ['turn-paused', (draft, data) => onTurn(draft, data, { paused: true })],
  ['turn-continued', (draft, data) => onTurn(draft, data, { paused: false })],
  ['turn-stopping', (draft, data) => onTurn(draft, data, { stopping: true })],
  ['turn-settled', turnSettled],
  ['step-started', (draft, data, event) => stepIs(draft, data, event, 'started')],
  ['step-done', (draft, data, event) => stepIs(draft, data, event, 'done')],
  ['step-failed', (draft, data, event) => stepIs(draft, data, event, 'failed')],
  ['question-asked', (draft, data) => set(draft, askedQuestion(draft.view, data))],
  ['approval-requested', (draft, data) => set(draft, askedApproval(draft.view, data))],
  ['question-answered', (draft, data, event) => askOver(draft, event, overQuestion(draft.view, data))],
  ['approval-decided', (draft, data, event) => askOver(draft, event, overApproval(draft.view, data))],
  ['route-decided', (draft, data) => set(draft, { routes: withRouted(draft.view.routes, data) })],
  ['entry-held', (draft, data, event) => notice(draft, event, 'held', text(data.why) ?? '')],
  ['lane-quarantined', (draft, data, event) => notice(draft, event, 'quarantined', text(data.why) ?? '')],
])

/** What a worker in the same session does with its own turn is not this conversation's turn. */
const ofOwnProcess = /^(turn-|step-|process-|branch-|chat-message-chunk)/

function step(draft: Draft, event: Incoming): void {
  const { view } = draft
  if (typeof event.session === 'string' && event.session !== view.session) return forwarded(draft, event)
  if (event.cursor !== undefined && !isNewer(draft, event.cursor)) return
  const change = changes.get(event.type)
  const data = record(event.data)
  const by = event.process ?? text(data?.process)
  const isOther = view.process !== null && by !== null && by !== view.process
  if (change && data && !(isOther && ofOwnProcess.test(event.type))) change(draft, data, event)
  else if (data && event.type === 'turn-settled') set(draft, endAsks(draft.view, text(data.turn) ?? ''))
  if (event.cursor !== undefined) set(draft, { cursor: event.cursor })
}

/** What a worker of this session asks is asked here too. Its cursor is another session's and moves nothing. */
function forwarded(draft: Draft, event: Incoming): void {
  const data = record(event.data)
  if (event.forwardedBy?.viaSession !== draft.view.session || data === null) return
  if (ofAsks.test(event.type)) changes.get(event.type)?.(draft, data, event)
  else if (event.type === 'turn-settled') set(draft, endAsks(draft.view, text(data.turn) ?? ''))
}
const ofAsks = /^(question|approval)-/

function isNewer(draft: Draft, cursor: string): boolean {
  const next = parseCursor(cursor)
  const known = draft.view.cursor === null ? null : parseCursor(draft.view.cursor)
  if (next === null) return false
  if (known === null) return true
  if (next.generation !== known.generation) set(draft, { foreign: true })
  return next.generation === known.generation && next.number > known.number
}

function set(draft: Draft, part: Partial<View>): void {
  draft.view = { ...draft.view, ...part }
}

function put(draft: Draft, line: Line): void {
  draft.lines ??= new Map(draft.view.messages)
  draft.lines.set(line.id, line)
  if (draft.view.messages !== draft.lines) set(draft, { messages: draft.lines })
}

function patch(draft: Draft, id: string, part: Partial<Line>): Line | null {
  const line = draft.view.messages.get(id)
  if (!line) return null
  const next = { ...line, ...part }
  put(draft, next)
  return next
}

function appended(draft: Draft, data: Untrusted, event: Incoming): void {
  const read = readLine(data.message, { at: iso(event.at), cursor: event.cursor ?? '', session: draft.view.session })
  if (read === null) return
  const turn = text(data.turn)
  const line: Line = turn === null ? read : { ...read, turn }
  const known = draft.view.messages.get(line.id)
  put(draft, known ? { ...line, ...known } : line)
  if (line.status === 'queued') set(draft, { queue: [...draft.view.queue.filter((id) => id !== line.id), line.id] })
  else follow(draft, line)
  const streamed = text(data.step)
  if (turn !== null && streamed !== null) endWords(draft, [`${turn}/${streamed}`])
}

/** A line that continues the chosen branch becomes its end. */
function follow(draft: Draft, line: Line): void {
  if (line.parent === draft.view.leaf) set(draft, { leaf: line.id })
}

function updated(draft: Draft, data: Untrusted, event: Incoming): void {
  const id = text(data.id)
  const status = oneOf(messageStatuses, data.status)
  const line = id === null ? undefined : draft.view.messages.get(id)
  if (!line || status === null) return
  const [turn, why] = [text(data.turn), text(data.why)]
  const parent = data.parent === null || typeof data.parent === 'string' ? { parent: data.parent } : {}
  patch(draft, line.id, { status, ...parent, ...(turn === null ? {} : { turn }), ...(why === null ? {} : { why }) })
  if (status === 'accepted') accept(draft, line.id, turn, event)
  else if (status !== 'queued') unqueue(draft, line.id)
  if (status === 'failed' && line.role === 'user' && line.seenAt === undefined) notice(draft, event, 'refused', line.text, why ?? '')
  if (turn !== null && line.role === 'user' && isFinal(status)) endTurn(draft, turn)
}

function accept(draft: Draft, id: string, turn: string | null, event: Incoming): void {
  unqueue(draft, id)
  const line = draft.view.messages.get(id)
  if (!line) return
  // The turn's start names its leaf; without it, and in the middle of a turn, a line that goes on from the leaf moves it.
  const isStart = turn !== null && draft.view.turn?.id !== turn && !draft.view.over.includes(turn)
  patch(draft, id, { seenAt: line.seenAt ?? iso(event.at) })
  if (line.parent === draft.view.leaf || isStart) set(draft, { leaf: id })
  if (turn !== null) begin(draft, turn, event)
}

function unqueue(draft: Draft, id: string): void {
  if (draft.view.queue.includes(id)) set(draft, { queue: draft.view.queue.filter((one) => one !== id) })
}

/** L9: live words. An offset counts UTF-16 units of the attempt's text. */
function chunk(draft: Draft, data: Untrusted, event: Incoming): void {
  const [turn, step, words] = [text(data.turn), text(data.step), text(data.text)]
  const { attempt, offset } = data
  if (turn === null || step === null || words === null) return
  if (typeof attempt !== 'number' || typeof offset !== 'number' || offset < 0) return
  const { over, writing } = draft.view
  if (over.includes(turn) || over.includes(`${turn}/${step}`)) return
  begin(draft, turn, event)
  const known = writing.find((one) => one.turn === turn && one.step === step)
  const next = grow(known, { turn, step, attempt, text: words, gap: false }, offset)
  if (next === known) return
  set(draft, { writing: known ? writing.map((one) => (one === known ? next : one)) : [...writing, next] })
}

/** Words of these turns or `turn/step`s are settled: whatever comes late is not shown. */
function endWords(draft: Draft, ended: readonly string[]): void {
  const isOver = (one: Writing) => ended.includes(one.turn) || ended.includes(`${one.turn}/${one.step}`)
  const { writing, over } = draft.view
  const left = writing.some(isOver) ? writing.filter((one) => !isOver(one)) : writing
  set(draft, { writing: left, over: [...over.filter((one) => !ended.includes(one)), ...ended].slice(-OVER) })
}

function progress(draft: Draft, data: Untrusted): void {
  const [step, words] = [text(data.step), text(data.text)]
  const others = draft.view.turn?.doing.filter((one) => one.step !== step) ?? []
  const doing = step === null || words === null ? others : [...others, { step, text: words }].slice(-DOING)
  onTurn(draft, data, { progress: words, doing })
}

function begin(draft: Draft, id: string, event: Incoming): void {
  if (draft.view.turn?.id === id || draft.view.over.includes(id)) return
  const fresh = { stopping: false, paused: false, resumedAt: null, progress: null, doing: [], steps: [] }
  set(draft, { turn: { id, since: iso(event.at), ...fresh } })
}

function onTurn(draft: Draft, data: Untrusted, part: Partial<RunningTurn>): void {
  const { turn } = draft.view
  if (turn && turn.id === text(data.turn)) set(draft, { turn: { ...turn, ...part } })
}

function turnStarted(draft: Draft, data: Untrusted, event: Incoming): void {
  const id = text(data.turn)
  if (id === null) return
  begin(draft, id, event)
  if (typeof data.leaf === 'string') set(draft, { leaf: data.leaf })
  take(draft, data.taken, event, id)
}

function take(draft: Draft, taken: unknown, event: Incoming, turn: string | null): void {
  for (const { message, parent } of readTaken(taken)) {
    const line = draft.view.messages.get(message)
    if (!line) continue
    const status = line.status === 'queued' ? 'accepted' : line.status
    patch(draft, message, { status, ...(parent === undefined ? {} : { parent }), ...(turn === null ? {} : { turn }) })
    accept(draft, message, turn, event)
  }
}

function stepIs(draft: Draft, data: Untrusted, event: Incoming, state: Step['state']): void {
  const { turn } = draft.view
  const name = text(data.name)
  if (!turn || name === null || turn.id !== text(data.turn)) return
  const steps = [...turn.steps.filter((one) => one.name !== name), { name, state, at: iso(event.at) }].slice(-STEPS)
  const doing = state === 'started' ? turn.doing : turn.doing.filter((one) => one.step !== name)
  set(draft, { turn: { ...turn, steps, doing, progress: state === 'started' ? turn.progress : null } })
}

/** A person's message settles with its turn, so both say the same; whichever is heard first ends it. */
function endTurn(draft: Draft, id: string): void {
  endWords(draft, [id])
  const { turn } = draft.view
  set(draft, { turn: turn?.id === id ? null : turn, ...endAsks(draft.view, id) })
}

function turnSettled(draft: Draft, data: Untrusted, event: Incoming): void {
  const id = text(data.turn)
  if (id === null) return
  endTurn(draft, id)
  if (data.outcome === 'failed') notice(draft, event, 'failed', text(data.error) ?? '', text(data.code) ?? '')
  const unknown = strings(data.unknown)
  if (unknown.length > 0) notice(draft, event, 'unknown', unknown.join(', '))
}

function askOver(draft: Draft, event: Incoming, ended: { readonly asks: Asks; readonly over: AskOver } | null): void {
  if (ended === null) return
  set(draft, { questions: ended.asks.questions, approvals: ended.asks.approvals })
  notice(draft, event, ended.over.kind, ended.over.text, ended.over.detail)
}

function processCreated(draft: Draft, data: Untrusted): void {
  const process = record(data.process)
  const id = text(process?.id)
  if (id !== null && draft.view.process === null && !text(process?.parent)) set(draft, { process: id })
}

function processClosed(draft: Draft, data: Untrusted, event: Incoming): void {
  set(draft, { closed: true, turn: null })
  notice(draft, event, 'closed', text(data.reason) ?? '')
}

function sessionUpdated(draft: Draft, data: Untrusted): void {
  const title = text(data.title) ?? text(record(data.session)?.title)
  if (title !== null) set(draft, { title })
}

function branchSelected(draft: Draft, data: Untrusted): void {
  if (data.leaf === null || typeof data.leaf === 'string') set(draft, { leaf: data.leaf })
}

function notice(draft: Draft, event: Incoming, kind: NoticeKind, said: string, detail = ''): void {
  const { leaf, notices } = draft.view
  const id = `${event.cursor ?? 'live'}-${kind}`
  const next: Notice = { id, kind, text: said, detail, after: leaf, at: iso(event.at) }
  set(draft, { notices: [...notices, next].slice(-NOTICES) })
}

function iso(at: string | number | undefined): string {
  if (typeof at === 'string') return at
  return typeof at === 'number' && Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : ''
}
