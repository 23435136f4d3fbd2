// What a terminal shows of a conversation. A terminal only ever adds, so this tells what to add when one view became another.
// Pure: `draw(shown, view) -> text and the new shown`.

import { headline } from '../protocol/asks-elsewhere.ts'
import { branch } from '../protocol/branch.ts'
import { isFinal } from '../protocol/message-status.ts'
import { isRelayOf } from '../protocol/relayed-approval.ts'
import type { Line, Notice, OpenApproval, OpenQuestion, View } from '../protocol/view.ts'
import { approvalText, type Look } from './approval-text.ts'
import { safeText } from './output.ts'

/** What stands on the screen already. */
export type Shown = {
  readonly lines: ReadonlySet<string>
  readonly questions: ReadonlySet<string>
  readonly approvals: ReadonlySet<string>
  readonly notices: ReadonlySet<string>
  /** The words of the answer that is being written, and whose they are. */
  readonly writing: { readonly turn: string; readonly step: string; readonly attempt: number; readonly text: string } | null
}

export type Drawn = { readonly shown: Shown; readonly text: string }

/** Where it is shown. `own`: client ids of what was typed there, which stands on the screen since it was typed. */
export type Screen = { readonly own: ReadonlySet<string>; readonly now: number; readonly colours: boolean }

const previewLines = 40

export const nothingShown: Shown = { lines: new Set(), questions: new Set(), approvals: new Set(), notices: new Set(), writing: null }

export function draw(shown: Shown, view: View, screen: Screen): Drawn {
  const said = drawLines(shown, view, screen.own)
  const live = drawWriting(said.shown, view)
  const questions = view.questions.filter((one) => !shown.questions.has(one.id))
  const notices = view.notices.filter((one) => !shown.notices.has(one.id) && notable[one.kind] !== null)
  const approvals = view.approvals.filter((one) => !shown.approvals.has(one.id))
  const asides = [
    ...notices.map(noticeText),
    ...approvals.map((one) => askedText(one, { ...screen, lines: previewLines })),
    ...questions.map(questionText),
  ]
  const gap = asides.length > 0 && live.shown.writing !== null ? '\n' : ''
  return {
    text: [said.text, live.text, gap, ...asides].join(''),
    shown: {
      ...live.shown,
      questions: new Set([...shown.questions, ...questions.map((one) => one.id)]),
      approvals: new Set([...shown.approvals, ...approvals.map((one) => one.id)]),
      notices: new Set([...shown.notices, ...notices.map((one) => one.id)]),
    },
  }
}

/** A view that was there before the terminal came: its last lines are shown, the rest counts as seen. */
export function drawHistory(view: View, count: number): Drawn {
  const all = branch(view)
  const rows = all.slice(Math.max(0, all.length - count))
  const text = rows.map(({ line }) => (line.role === 'user' ? `> ${safeText(line.text)}\n` : finished(line, ''))).join('')
  const shown = { ...nothingShown, lines: new Set(view.messages.keys()), notices: new Set(view.notices.map((one) => one.id)) }
  return { text, shown }
}

function drawLines(shown: Shown, view: View, own: ReadonlySet<string>): Drawn {
  const fresh = [...view.messages.values()].filter((line) => !shown.lines.has(line.id) && isFinished(line))
  let writing = shown.writing
  const texts = fresh.map((line) => {
    // What it tells stands on the screen already, with all that there is to know.
    if (isRelayOf(line, view.approvals)) return ''
    if (line.role === 'user') return own.has(line.clientId ?? '') ? '' : `${cut(writing)}${nameOf(line)}: ${safeText(line.text)}\n`
    const continues = writing !== null && writing.turn === line.turn && line.text.startsWith(writing.text)
    const text = continues ? finished(line, writing?.text ?? '') : `${cut(writing)}${finished(line, '')}`
    writing = null
    return text
  })
  return { text: texts.join(''), shown: { ...shown, writing, lines: new Set([...shown.lines, ...fresh.map((line) => line.id)]) } }
}

/** A person's line is whole from the start; an agent's when it is settled, stopped or failed. */
function isFinished(line: Line): boolean {
  return line.role === 'user' || isFinal(line.status)
}

function drawWriting(shown: Shown, view: View): Drawn {
  const now = view.writing.find((one) => !one.gap && one.text !== '')
  if (!now) return view.turn === null && shown.writing ? { text: '\n', shown: { ...shown, writing: null } } : { text: '', shown }
  const before = shown.writing
  const isSame = before?.turn === now.turn && before.step === now.step && before.attempt === now.attempt && now.text.startsWith(before.text)
  const text = isSame ? now.text.slice(before.text.length) : `${before ? '\n(it begins anew)\n' : ''}${now.text}`
  const { turn, step, attempt } = now
  return { text: safeText(text), shown: { ...shown, writing: { turn, step, attempt, text: now.text } } }
}

/** The rest of a line of which `words` stand there already. */
function finished(line: Line, words: string): string {
  const mark = line.status === 'stopped' ? ' (stopped)' : ''
  const options = line.options?.map((one, at) => `\n  ${at + 1}. ${one.label}`).join('') ?? ''
  const info = line.info ? `\n  (${line.info})` : ''
  return `${safeText(line.text.slice(words.length) + mark + options + info)}\n`
}

function cut(writing: Shown['writing']): string {
  return writing === null ? '' : '\n'
}

function nameOf(line: Line): string {
  return line.actor.replace(/^[a-z]+:/, '')
}

function questionText(one: OpenQuestion): string {
  const options = one.options.map((option, at) => `\n  ${at + 1}. ${option.label}${option.description ? `: ${option.description}` : ''}`)
  return `${safeText(`? ${one.text}${options.join('')}`)}\n`
}

/** Everything that the person says yes or no to, and how. */
export function askedText(one: OpenApproval, look: Look): string {
  const ways = `  Say yes with /allow${more(one)}, no with /deny (${one.id})`
  return `? ${safeText(headline(one))}\n${approvalText(one, look)}\n${ways}\n`
}

function more({ scopes }: OpenApproval): string {
  return scopes.length > 1 ? ` or /allow ${scopes[1]}` : ''
}

/** null: the person did it here, or sees it in another way. */
const notable: Readonly<Record<Notice['kind'], ((notice: Notice) => string) | null>> = {
  failed: (notice) => `It failed: ${notice.text}`,
  unknown: (notice) => `I don't know whether this happened: ${notice.text}`,
  held: (notice) => `It is held back: ${notice.text}`,
  refused: (notice) => `Not taken (${notice.detail}): ${notice.text}`,
  quarantined: (notice) => `This conversation can't go on until somebody looks: ${notice.text}`,
  closed: () => 'The session is closed.',
  withdrawn: (notice) => `No longer asked: ${notice.text}`,
  answered: null,
  allowed: (notice) => `Allowed: ${notice.text}`,
  denied: (notice) => `Denied: ${notice.text}`,
}

function noticeText(one: Notice): string {
  return `${safeText(`! ${notable[one.kind]?.(one) ?? ''}`)}\n`
}
