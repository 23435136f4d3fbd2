// What comes of a message that the hub gave to another agent: who has it, and that agent's words as soon as they are there (C25).
import { setTimeout as pause } from 'node:timers/promises'
import { events, type MessageAnswered, messages, type WireEvent } from '../protocol/api.ts'
import { type Approval, approvals } from '../protocol/api-approvals.ts'
import { parseCursor } from '../protocol/cursor.ts'
import type { Message } from '../protocol/message.ts'
import { isFinal } from '../protocol/message-status.ts'
import { isRelayLine, isRelayOf } from '../protocol/relayed-approval.ts'
import type { Hub } from './hub.ts'
import { tell } from './output.ts'
import { everyRow } from './paging.ts'

export type Receiver = { readonly agent: string; readonly session: string }

/** `late`: the time is over, and it goes on. `approval`: what it wants to be allowed; null: it wants to know something. */
export type WorkerEnd =
  | { readonly status: 'settled' | 'stopped' | 'failed' | 'late'; readonly text: string }
  | { readonly status: 'waiting'; readonly text: string; readonly approval: Approval | null }

/** null: whoever leads the session answered by itself. */
export async function receiverOf(hub: Hub, session: string, { id }: MessageAnswered): Promise<Receiver | null> {
  const all = await everyRow(hub, `${pathOf(session)}/events`, events)
  const routed = all.findLast(({ type, data }) => type === 'route-decided' && data['message'] === id && data['as'] === 'decided')
  if (routed === undefined) return null
  return linkedTo(all, routed.data['agent'])
}

function linkedTo(all: readonly WireEvent[], agent: unknown): Receiver | null {
  const link = all.findLast(({ type, data }) => type === 'worker-linked' && data['agent'] === agent)
  const session = link?.data['session']
  return typeof agent === 'string' && typeof session === 'string' ? { agent, session } : null
}

export type Following = {
  /** Where it was asked. */
  readonly session: string
  /** Cursor of the message: what was said before, here and there, is not what came of it. */
  readonly after: string
  readonly receiver: Receiver
  /** Of `performance.now()`. */
  readonly until: number
}

const againMs = 300
/** So often the conversation is looked at for words that are there already where they were said. */
const mostLooks = 20
const lookMs = 100

/** Tells on standard error what the agent says meanwhile, and gives its last words. */
export async function follow(hub: Hub, { session, after, receiver, until }: Following): Promise<WorkerEnd> {
  const told = new Set<string>()
  const news = async (last: string | null = null) => {
    const lines = await since(hub, session, after)
    const fresh = lines.filter(({ id, agent, role }) => role === 'assistant' && agent === receiver.agent && !told.has(id))
    for (const { id, text } of fresh) {
      told.add(id)
      const said = text.replace(heading, '')
      if (!isRelayLine(text) && said !== last) tell(said)
    }
    return fresh
  }
  for (;;) {
    const end = endOf(await since(hub, receiver.session, after))
    if (end?.status === 'settled') return arrived(end, news)
    const asking = (await news()).findLast(({ text }) => isRelayLine(text) || question.test(text))
    if (asking) return { status: 'waiting', text: '', approval: await approvalOf(hub, asking) }
    if (end !== null) return end
    if (performance.now() >= until) return { status: 'late', text: '' }
    await pause(againMs)
  }
}

/** The conversation has the answer too when the command ends: who asks again at once is not told the old one. */
async function arrived(end: WorkerEnd, news: (last: string) => Promise<readonly Message[]>): Promise<WorkerEnd> {
  for (let look = 0; look < mostLooks; look++) {
    const lines = await news(end.text)
    if (lines.some(({ text }) => text.replace(heading, '') === end.text)) break
    await pause(lookMs)
  }
  return end
}

const heading = /^\*\*\[Worker \S+ → \w+\]\*\*\n\n/
const question = /^\*\*\[Worker \S+ → question\]\*\*\n/

/** The one that the line tells of, also of a worker of the worker. A yes that came meanwhile leaves only the line. */
async function approvalOf(hub: Hub, line: Message): Promise<Approval | null> {
  if (!isRelayLine(line.text)) return null
  const waiting = await everyRow(hub, '/api/approvals', approvals, { status: 'requested' })
  const found = waiting.find((one) => isRelayOf(line, [one])) ?? null
  if (found === null) tell(line.text)
  return found
}

/** A message of the person's is over with the turn that had it; the words after it are the answer. null: it is at work. */
function endOf(lines: readonly Message[]): WorkerEnd | null {
  const at = lines.findLastIndex(({ role }) => role === 'user')
  const status = lines[at]?.status
  if (status === undefined || !isFinal(status)) return null
  const text = lines.slice(at + 1).findLast(({ role }) => role === 'assistant')?.text ?? ''
  return { status: status === 'settled' ? 'settled' : status === 'stopped' ? 'stopped' : 'failed', text }
}

/** Lines of that session that came after the cursor. */
async function since(hub: Hub, session: string, after: string): Promise<readonly Message[]> {
  const from = parseCursor(after)?.number ?? 0
  const lines = await everyRow(hub, `${pathOf(session)}/messages`, messages)
  return lines.filter(({ cursor }) => (parseCursor(cursor)?.number ?? 0) > from)
}

function pathOf(session: string): string {
  return `/api/sessions/${encodeURIComponent(session)}`
}
