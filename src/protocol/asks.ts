// What a turn asks of the person: questions about the work, approvals of a risk. Reads their events for the fold of view.ts; pure.
import { readApproval } from './asked-approval.ts'
import { readOptions, record, text, type Untrusted } from './incoming.ts'
import type { Option } from './message.ts'
import type { ApprovalBrief } from './shapes.ts'

export type OpenQuestion = {
  readonly id: string
  readonly turn: string
  readonly text: string
  readonly options: readonly Option[]
  /** ISO text; null: it stays open until it is answered. */
  readonly due: string | null
}

export type OpenApproval = ApprovalBrief & { readonly turn: string }

export type Asks = { readonly questions: readonly OpenQuestion[]; readonly approvals: readonly OpenApproval[] }

/** What became of an ask, for a notice. */
export type AskOver = { readonly kind: 'answered' | 'withdrawn' | 'allowed' | 'denied'; readonly text: string; readonly detail: string }

export function askedQuestion(asks: Asks, data: Untrusted): Asks {
  const [id, turn, words] = [text(data.ask), text(data.turn), text(data.text)]
  if (id === null || turn === null || words === null) return asks
  const due = typeof data.due === 'number' && Math.abs(data.due) <= 8.64e15 ? new Date(data.due).toISOString() : null
  const asked: OpenQuestion = { id, turn, text: words, options: readOptions(data.options), due }
  return { ...asks, questions: [...asks.questions.filter((one) => one.id !== id), asked] }
}

export function askedApproval(asks: Asks, data: Untrusted): Asks {
  const [asked, turn] = [readApproval(data), text(data.turn)]
  if (asked === null || turn === null) return asks
  return { ...asks, approvals: [...asks.approvals.filter((one) => one.id !== asked.id), { ...asked, turn }] }
}

/** null: it was not open. */
export function overQuestion(asks: Asks, data: Untrusted): { readonly asks: Asks; readonly over: AskOver } | null {
  const answer = record(data.answer)
  const question = asks.questions.find((one) => one.id === text(answer?.ask))
  if (!answer || !question) return null
  const isAnswered = answer.outcome === 'answered'
  return {
    asks: { ...asks, questions: asks.questions.filter((one) => one !== question) },
    over: { kind: isAnswered ? 'answered' : 'withdrawn', text: question.text, detail: isAnswered ? words(answer.value) : '' },
  }
}

/** The same for an approval. Silence is a no, and said as what it is. */
export function overApproval(asks: Asks, data: Untrusted): { readonly asks: Asks; readonly over: AskOver } | null {
  const answer = record(data.answer)
  const approval = asks.approvals.find((one) => one.id === text(data.approval))
  if (!answer || !approval) return null
  const value = answer.outcome === 'answered' ? record(answer.value) : null
  const kind = value === null ? 'withdrawn' : value.decision === 'allow' ? 'allowed' : 'denied'
  const detail = (kind === 'allowed' ? text(value?.scope) : text(value?.reason)) ?? ''
  return { asks: { ...asks, approvals: asks.approvals.filter((one) => one !== approval) }, over: { kind, text: approval.text, detail } }
}

/** A turn that is over waits for nothing. */
export function endAsks<A extends Asks>({ questions, approvals }: A, turn: string): Asks {
  return { questions: questions.filter((one) => one.turn !== turn), approvals: approvals.filter((one) => one.turn !== turn) }
}

function words(value: unknown): string {
  return text(value) ?? text(record(value)?.option) ?? text(record(value)?.text) ?? JSON.stringify(value ?? null)
}
