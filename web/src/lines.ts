// The conversation as a list of articles: the chosen branch, what is being written, what is asked, what waits.

import { type BranchRow, branch, waiting } from '../../src/protocol/branch.ts'
import { isFinal } from '../../src/protocol/message-status.ts'
import { isRelayOf } from '../../src/protocol/relayed-approval.ts'
import type { Routed } from '../../src/protocol/routed.ts'
import type { Line, RunningTurn, View } from '../../src/protocol/view.ts'
import type { Writing } from '../../src/protocol/writing.ts'
import { type ApprovalActs, approvalPiece } from './approval-card.ts'
import { type CardActs, noticePiece, questionPiece } from './card.ts'
import { el, keep, type Piece, say } from './dom.ts'
import { draw } from './drawn.ts'
import { type IconName, icon } from './icons.ts'
import type { OutItem } from './outbox.ts'
import { isQueueing } from './queue.ts'
import { currentSession, isOffline, type State, unseenLines } from './state.ts'
import { type StepActs, turnPiece } from './steps.ts'
import { routesOf, whyNode } from './why.ts'
import { clockTime, lasted, nameOf, waits, words } from './words.ts'

export type LineActs = CardActs &
  ApprovalActs &
  StepActs & {
    readonly edit: (message: string) => void
    readonly choose: (message: string) => void
    readonly copy: (text: string) => void
    readonly remove: (item: string) => void
    readonly sendAnyway: (item: string) => void
    readonly stop: () => void
  }

const SILENT_MS = 10_000

/** Everything between the top and the composer, oldest first. */
export function linePieces(state: State, now: number, acts: LineActs): readonly Piece[] {
  const { view } = state
  const local = isQueueing(state) ? [] : unseenLines(state).map((item) => outboxPiece(item, state, now, acts))
  if (view === null) return local
  const name = nameOf(currentSession(state)?.agent)
  const rows = branch(view)
  const isLast = (index: number) => index === rows.length - 1 && view.turn === null
  const notices = (after: string | null) => view.notices.filter((one) => one.after === after).map((one) => noticePiece(one, name, acts))
  return [
    ...notices(null),
    ...rows.flatMap((row, index) => [
      ...(isRelayOf(row.line, view.approvals)
        ? []
        : [linePiece(row, { name, now, last: isLast(index), acts, routes: beginsTurn(rows, index) ? routesOf(view, row.line.turn) : [] })]),
      ...(endsTurn(rows, index) ? [turnPiece(row.line.turn ?? '', state, acts)] : []),
      ...notices(row.line.id),
    ]),
    ...turnPieces(view, name, now),
    ...view.approvals.map((asked) =>
      approvalPiece(asked, { name: askerOf(asked.id, state), now, problem: state.deciding.get(asked.id), acts }),
    ),
    ...view.questions.map((question) => questionPiece(question, name, now, acts)),
    ...(isQueueing(state) ? [] : waiting(view).map((line, index) => queuedPiece(line, waits(index, null), now))),
    ...local,
  ]
}

/** The first line of a turn that is no person's. */
function beginsTurn(rows: readonly BranchRow[], index: number): boolean {
  const [line, before] = [rows[index]?.line, rows[index - 1]?.line]
  return line?.role === 'assistant' && (before?.role === 'user' || before?.turn !== line.turn)
}

/** The last line of a turn that is over, which an agent wrote. */
function endsTurn(rows: readonly BranchRow[], index: number): boolean {
  const [line, next] = [rows[index]?.line, rows[index + 1]?.line]
  return line?.turn !== undefined && line.role !== 'user' && isFinal(line.status) && next?.turn !== line.turn
}

/** Who asks: also somebody who works in another conversation. */
function askerOf(approval: string, state: State): string {
  const elsewhere = state.waiting.find((one) => one.id === approval)?.session
  const session = state.sessions?.find((one) => one.id === elsewhere) ?? currentSession(state)
  return nameOf(session?.agent)
}

/** The line that the person said last and that stands in the conversation; null: none. */
export function newestOwn(state: State): string | null {
  const local = isQueueing(state) ? undefined : unseenLines(state).at(-1)
  if (local) return local.id
  const own = state.view ? branch(state.view).findLast((row) => row.line.role === 'user')?.line : undefined
  return own ? (own.clientId ?? own.id) : null
}

type Shown = {
  readonly name: string
  readonly now: number
  readonly last: boolean
  readonly acts: LineActs
  /** Who the messages were for that this line answers. */
  readonly routes: readonly Routed[]
}

function linePiece(row: BranchRow, shown: Shown): Piece {
  const { line, siblings } = row
  const sign = JSON.stringify([
    line.status,
    line.text,
    line.parent,
    line.seenAt,
    line.why,
    siblings.length,
    siblings.indexOf(line.id),
    shown.last,
    shown.name,
    shown.routes.length,
  ])
  const make = () => (line.role === 'user' ? personLine(row, shown) : agentLine(row, shown))
  return { key: line.role === 'user' ? (line.clientId ?? line.id) : line.id, sign, make }
}

function article(kind: string, heading: string, id: string): HTMLElement {
  return el(
    'article',
    { class: `line ${kind}`, tabindex: -1, 'data-line': id, 'data-focus': `line ${id}` },
    el('h3', { class: 'unseen' }, heading),
  )
}

function personLine({ line, siblings }: BranchRow, { name, now, last, acts }: Shown): HTMLElement {
  const time = clockTime(line.at, now)
  const node = article(`person${last ? ' last' : ''}`, `${words.you}, ${time}`, line.clientId ?? line.id)
  const seen = line.seenAt === undefined ? words.seenOnly(name) : words.seenBy(name, clockTime(line.seenAt, now))
  // When the turn that saw it failed, the notice below says why.
  const isRefused = line.status === 'failed' && line.seenAt === undefined
  const fate = isRefused ? fateText('unknown', words.notSent(line.why ?? '')) : fateText('seen', seen)
  const buttons = el(
    'span',
    { class: 'acts' },
    act('copy', words.copy, () => acts.copy(line.text)),
    act('edit', words.edit, () => acts.edit(line.id)),
  )
  node.append(
    el('div', { class: 'bubble said', dir: 'auto' }, line.text),
    el('div', { class: 'foot' }, branchArrows(line, siblings, acts), buttons, fate),
  )
  return node
}

function agentLine({ line, siblings }: BranchRow, { name, now, last, acts, routes }: Shown): HTMLElement {
  const by = line.agent ? nameOf(line.agent) : line.role === 'system' ? words.name : name
  const time = clockTime(line.at, now)
  const node = article(`agent${last ? ' last' : ''}`, `${by}, ${time}`, line.id)
  const said = el('div', { class: 'said' })
  draw(said, line.text)
  const buttons = el(
    'span',
    { class: 'acts' },
    act('copy', words.copy, () => acts.copy(line.text)),
    act('again', words.retry, () => acts.retry(line.id)),
  )
  const state = line.status === 'stopped' ? fateText('stop', 'Stopped') : line.status === 'failed' ? fateText('failed', 'Failed') : null
  const info = line.info ? el('p', { class: 'info', dir: 'auto' }, line.info) : null
  const head = who(by, time, line.at)
  head.append(...[whyNode(line.id, routes)].filter((one) => one !== null))
  node.append(head, said, ...(info ? [info] : []), el('div', { class: 'foot' }, state, branchArrows(line, siblings, acts), buttons))
  return node
}

function who(by: string, when: string, at: string | null): HTMLElement {
  const time =
    at === null ? el('span', { class: 'when', dir: 'auto' }, when) : el('time', { class: 'when', dir: 'auto', datetime: at }, when)
  const mark = el('span', { class: `mark${by === 'Eddie' ? ' hub' : ''}`, 'aria-hidden': 'true' }, by.charAt(0).toUpperCase())
  return el('div', { class: 'who' }, mark, el('bdi', { class: 'by' }, by), time)
}

function act(picture: IconName, label: string, click: () => void): HTMLElement {
  const attributes = { type: 'button', class: 'quiet small icon-only', 'aria-label': label, title: label, 'data-focus': label }
  return el('button', { ...attributes, on: { click } }, icon(picture))
}

function fateText(picture: IconName, text: string): HTMLElement {
  return el('span', { class: 'fate' }, icon(picture), el('span', { dir: 'auto' }, text))
}

function branchArrows(line: Line, siblings: readonly string[], acts: LineActs): HTMLElement | null {
  const at = siblings.indexOf(line.id)
  if (siblings.length < 2 || at < 0) return null
  const [before, after] = [siblings[at - 1], siblings[at + 1]]
  const arrow = (picture: IconName, label: string, target: string | undefined) => {
    const button = act(picture, label, () => target !== undefined && acts.choose(target))
    if (target === undefined) button.setAttribute('aria-disabled', 'true')
    return button
  }
  const count = el('span', {}, words.versionOf(at + 1, siblings.length))
  return el('span', { class: 'branches' }, arrow('back', words.earlierVersion, before), count, arrow('forward', words.laterVersion, after))
}

function queuedPiece(line: Line, fate: string, now: number): Piece {
  const make = () => {
    const node = article('person queued', `${words.you}, ${clockTime(line.at, now)}`, line.clientId ?? line.id)
    node.append(el('div', { class: 'bubble said', dir: 'auto' }, line.text), el('div', { class: 'foot' }, fateText('queued', fate)))
    return node
  }
  return { key: line.clientId ?? line.id, sign: JSON.stringify(['queued', line.text, fate]), make }
}

/** A line on this device only. For 300 ms it says nothing, so that the usual case doesn't flicker. */
function outboxPiece(item: OutItem, state: State, now: number, acts: LineActs): Piece {
  const isSent = state.sent.some((one) => one.id === item.id)
  const fate =
    item.refused !== null
      ? words.notSent(item.refused)
      : isOffline(state) && !isSent
        ? words.saved
        : now - item.at > 300
          ? words.sending
          : ''
  const make = () => {
    const node = article('person outbox', words.you, item.id)
    const picture: IconName = item.refused !== null ? 'unknown' : fate === words.saved ? 'offline' : 'queued'
    const buttons =
      item.refused === null
        ? []
        : [
            el('button', { type: 'button', class: 'quiet small', on: { click: () => acts.sendAnyway(item.id) } }, words.sendAnyway),
            el('button', { type: 'button', class: 'quiet small', on: { click: () => acts.remove(item.id) } }, words.remove),
          ]
    const foot = el('div', { class: 'foot' }, fate !== '' && fateText(picture, fate), ...buttons)
    node.append(el('div', { class: 'bubble said', dir: 'auto' }, item.text), foot)
    return node
  }
  return { key: item.id, sign: JSON.stringify(['outbox', item.text, fate]), make }
}

function turnPieces(view: View, name: string, now: number): readonly Piece[] {
  const { turn } = view
  if (turn === null) return []
  const writing = view.writing.filter((one) => one.text !== '')
  const steps = turn.steps.length > 1 || turn.progress !== null ? [stepsPiece(turn)] : []
  const shown: readonly (Writing | null)[] = writing.length > 0 ? writing : [null]
  const isAsked = view.approvals.some((asked) => asked.turn === turn.id)
  const rests = turn.paused || view.status === 'BLOCKED' || isAsked || view.questions.some((question) => question.turn === turn.id)
  if (writing.length === 0 && rests) return steps
  return [...steps, ...shown.map((one) => writingPiece(one, turn, name, now))]
}

/** Made once, then brought up to date: what is closed of it is not drawn again. */
function writingPiece(writing: Writing | null, turn: RunningTurn, name: string, now: number): Piece {
  const make = () => {
    const node = article('agent writing', `${name}, ${words.announceWriting(name)}`, turn.id)
    node.append(who(name, '', null), el('div', { class: 'said' }))
    return node
  }
  const update = (node: HTMLElement) => {
    const [when, said] = [node.querySelector('.when'), node.querySelector<HTMLElement>('.said')]
    if (when) say(when, turnWords(turn, writing, now))
    if (said) draw(said, writing?.text ?? '')
  }
  return { key: `writing ${turn.id} ${writing?.step ?? ''}`, sign: name, make, update }
}

function turnWords(turn: RunningTurn, writing: Writing | null, now: number): string {
  if (turn.stopping) return words.stopping
  const since = now - new Date(turn.since).getTime()
  if (writing === null && since > SILENT_MS && turn.progress === null) return words.stillWaiting(lasted(since))
  const resumed = turn.resumedAt === null ? '' : ` · ${words.continuedAt(clockTime(turn.resumedAt, now))}`
  return words.writing(lasted(Number.isNaN(since) ? 0 : since)) + resumed
}

function stepsPiece(turn: RunningTurn): Piece {
  const make = () => el('details', { class: 'steps' }, el('summary', { 'data-focus': 'steps' }), el('ul', {}))
  const update = (node: HTMLElement) => {
    const [head, list] = [node.querySelector('summary'), node.querySelector('ul')]
    const parts = [turn.steps.length > 0 ? words.workingSteps(turn.steps.length) : '', turn.progress ?? '']
    if (head) say(head, parts.filter((part) => part !== '').join(' · '))
    if (list) keep(list, turn.steps.map(stepPiece))
  }
  return { key: `steps ${turn.id}`, sign: '', make, update }
}

function stepPiece(step: RunningTurn['steps'][number]): Piece {
  const picture: IconName = step.state === 'done' ? 'done' : step.state === 'failed' ? 'failed' : 'working'
  const state = step.state === 'done' ? 'done' : step.state === 'failed' ? 'failed' : 'under way'
  const make = () => el('li', {}, icon(picture), el('code', { dir: 'ltr' }, step.name), ` ${state}`)
  return { key: step.name, sign: step.state, make }
}
