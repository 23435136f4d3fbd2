// What a caller of `Prefer: wait=N` waits for: the fold of a session's events seen from one message.

import type { MessageAnswered } from '../protocol/api.ts'
import { readApproval } from '../protocol/asked-approval.ts'
import type { Event } from '../protocol/event.ts'
import { isFinal, messageStatuses } from '../protocol/message-status.ts'
import type { ApprovalBrief } from '../protocol/shapes.ts'

/** How the message stands, and the reply when there is one. `over`: nothing more is waited for. */
export type Awaited = Pick<MessageAnswered, 'reply' | 'status' | 'question' | 'approval' | 'why'> & { readonly over: boolean }

export type ReplyFold = {
  event(event: Event): void
  now(): Awaited
  /** The turn that took the message when it was at work already: what it asked may lie before the message. */
  joined(): string | null
  /** What that turn asked before, and is still open. */
  open(asked: { readonly question?: Question; readonly approval?: ApprovalBrief }): void
}

type Seen = Readonly<Record<string, unknown>>
type Question = NonNullable<MessageAnswered['question']>

/** Events must be fed in order, from the message's own on. */
export function foldReply(message: string): ReplyFold {
  let status: MessageAnswered['status'] = 'queued'
  let turn: unknown
  let why: string | undefined
  let joined: string | null = null
  const replies = new Map<unknown, NonNullable<MessageAnswered['reply']>>()
  const questions = new Map<unknown, Question>()
  const approvals = new Map<string, { readonly turn: unknown; readonly approval: ApprovalBrief }>()

  const folds: Readonly<Record<string, (data: Seen) => void>> = {
    'chat-message-appended'(data) {
      const line = objectOf(data['message'])
      if (line['role'] !== 'user' && data['turn'] !== undefined) replies.set(data['turn'], replyOf(line))
    },
    'chat-message-updated'(data) {
      if (data['id'] !== message) return
      status = statusOf(data['status']) ?? status
      turn = data['turn'] ?? turn
      if (typeof data['why'] === 'string') why = data['why']
    },
    'question-asked'(data) {
      questions.set(data['turn'], questionOf(data))
    },
    'question-answered'(data) {
      questions.delete(data['turn'])
    },
    'approval-requested'(data) {
      const approval = readApproval(data)
      if (approval) approvals.set(approval.id, { turn: data['turn'], approval })
    },
    'approval-decided'(data) {
      approvals.delete(String(data['approval']))
    },
    'arrivals-taken'(data) {
      const taken = Array.isArray(data['taken']) ? data['taken'] : []
      if (taken.some((one) => objectOf(one)['message'] === message)) joined = String(data['turn'])
    },
    'turn-settled'(data) {
      if (data['turn'] === turn && typeof data['error'] === 'string') why = data['error']
    },
  }
  return {
    event: (event) => folds[event.type]?.(event.data),
    joined: () => joined,
    open({ question, approval }) {
      if (question) questions.set(joined, question)
      if (approval) approvals.set(approval.id, { turn: joined, approval })
    },
    now() {
      const isOver = isFinal(status)
      const isOpen = !isOver && turn !== undefined
      const question = isOpen ? questions.get(turn) : undefined
      // The oldest that waits: side by side there may be several.
      const approval = isOpen ? [...approvals.values()].find((one) => one.turn === turn)?.approval : undefined
      const isWaiting = question !== undefined || approval !== undefined
      return {
        reply: isOver ? (replies.get(turn) ?? null) : null,
        status: isWaiting ? 'waiting' : status,
        over: isOver || isWaiting,
        ...(question ? { question } : {}),
        ...(approval ? { approval } : {}),
        ...(why === undefined ? {} : { why }),
      }
    },
  }
}

function statusOf(value: unknown): MessageAnswered['status'] | undefined {
  return messageStatuses.find((one) => one === value)
}

function objectOf(value: unknown): Seen {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function replyOf(line: Seen): NonNullable<MessageAnswered['reply']> {
  const { info, agent, options } = line
  return {
    id: String(line['id']),
    text: String(line['text']),
    ...(typeof info === 'string' ? { info } : {}),
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(Array.isArray(options) ? { options } : {}),
  }
}

function questionOf(data: Seen): Question {
  const { options } = data
  return { id: String(data['ask']), text: String(data['text']), ...(Array.isArray(options) ? { options } : {}) }
}
