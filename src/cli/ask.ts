// `steward ask TEXT`: one message, the settled reply on standard output.

import { randomUUID } from 'node:crypto'
import { cwd } from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../base/clock.ts'
import { type MessageAnswered, maxWaitSeconds, messageAccepted, messageAnswered, sessionMade } from '../protocol/api.ts'
import { headline } from '../protocol/asks-elsewhere.ts'
import { isFinal } from '../protocol/message-status.ts'
import type { ApprovalBrief } from '../protocol/shapes.ts'
import { approvalText } from './approval-text.ts'
import { follow, type Receiver, receiverOf } from './ask-worker.ts'
import { attach } from './attach.ts'
import { findHub, type Hub } from './hub.ts'
import { type Call, exitCodes, HubUnreachable, oneLine, type Result, tell, WrongUsage } from './output.ts'

export type AskOptions = {
  readonly agent?: string | undefined
  readonly project?: string | undefined
  /** Goes on in that session instead of a new one. */
  readonly session?: string | undefined
  /** Files that go along. */
  readonly attach?: readonly string[] | undefined
  /** Seconds. */
  readonly wait?: string | undefined
}

/** `typed` is the text; a single `-` takes it from standard input. */
export async function ask(call: Call, typed: readonly string[], options: AskOptions): Promise<Result> {
  const waitSeconds = wholeNumber('--wait', options.wait ?? String(maxWaitSeconds))
  if (options.session && (options.agent || options.project)) {
    throw new WrongUsage('--session names a session, which has its agent and project already: leave out --agent and --project.')
  }
  const hub = await findHub(call)
  const text = typed.length === 1 && typed[0] === '-' ? await standardInput() : typed.join(' ')
  if (text.trim() === '') throw new WrongUsage('The text is empty; allowed is any text, or "-" to read it from standard input.')
  const session = options.session ?? (await newSession(hub, text, options))
  const sent = await attach(hub, session, options.attach ?? [])
  const words = { text, ...(sent.length === 0 ? {} : { attachments: sent.map(({ id }) => ({ id })) }) }
  if (waitSeconds === 0) return justSay(hub, session, words)
  const until = performance.now() + waitSeconds * 1000
  const answered = await sayAndWait(hub, session, { words, waitSeconds })
  const receiver = answered.status === 'settled' ? await receiverOf(hub, session, answered) : null
  return receiver === null
    ? resultOf(answered, session, waitSeconds)
    : fromReceiver(hub, answered, { session, receiver, until, waitSeconds })
}

async function newSession(hub: Hub, text: string, { agent, project }: AskOptions): Promise<string> {
  const body = { title: oneLine(text, 60), profile: 'terminal', ...(agent ? { agent } : {}), ...(project ? { project } : {}) }
  return (await hub.call('POST', '/api/sessions', sessionMade, { body })).id
}

/** `--wait 0`: sent, and not waited for. */
async function justSay(hub: Hub, session: string, words: Words): Promise<Result> {
  const path = `/api/sessions/${encodeURIComponent(session)}/messages`
  const accepted = await hub.call('POST', path, messageAccepted, { body: { id: `cli-${randomUUID()}`, ...words, folder: cwd() } })
  return { value: { ...accepted, session }, text: `Sent. Look with: steward sessions show ${session}` }
}

type Words = { readonly text: string; readonly attachments?: readonly { readonly id: string }[] }
type Said = { readonly words: Words; readonly waitSeconds: number }

/** How often, and how long after each other, a hub is looked for that went away before it answered. */
const mostTries = 30
const againMs = 1_000

/**
 * Sends the message and waits. A long wait is several of the hub's, and a hub that went away is looked for again; the same id asked
 * again runs nothing twice. Throws HubUnreachable when it does not come back.
 */
async function sayAndWait(hub: Hub, session: string, { words, waitSeconds }: Said): Promise<MessageAnswered> {
  const body = { id: `cli-${randomUUID()}`, ...words, folder: cwd() }
  const until = performance.now() + waitSeconds * 1000
  for (let tries = 0; ; ) {
    const left = Math.max(0, until - performance.now())
    const answered = await sayOnce(hub, session, { body, seconds: Math.min(Math.ceil(left / 1000), maxWaitSeconds) })
    const isTime = performance.now() >= until
    if (answered !== null && (isTime || isOver(answered))) return answered
    tries = answered === null ? tries + 1 : 0
    if (tries === 1) tell('The hub went away before it answered; looking for it again.')
    if (tries > 0 && (isTime || tries > mostTries)) throw lost(hub, session)
    await pause(againMs)
  }
}

type Once = { readonly body: Words & { readonly id: string; readonly folder: string }; readonly seconds: number }

/** null: the hub is gone. A hub that is just going answers before the time is over. */
async function sayOnce(hub: Hub, session: string, { body, seconds }: Once): Promise<MessageAnswered | null> {
  const headers = { prefer: `wait=${seconds}` }
  const path = `/api/sessions/${encodeURIComponent(session)}/messages`
  try {
    return await hub.call('POST', path, messageAnswered, { body, headers, timeoutMs: (seconds + 30) * 1000 })
  } catch (error) {
    if (error instanceof HubUnreachable) return null
    throw error
  }
}

function isOver({ status }: MessageAnswered): boolean {
  return status === 'waiting' || isFinal(status)
}

function lost(hub: Hub, session: string): HubUnreachable {
  tell(`What the hub had taken it keeps and answers when it runs again. Look then with: steward sessions show ${session}`)
  return new HubUnreachable(hub.home)
}

type Given = { readonly session: string; readonly receiver: Receiver; readonly until: number; readonly waitSeconds: number }

/** Somebody else has it: what the hub says of that is no answer, so their words are waited for. */
async function fromReceiver(hub: Hub, answered: MessageAnswered, { session, receiver, until, waitSeconds }: Given): Promise<Result> {
  tell(answered.reply?.text ?? '')
  const end = await follow(hub, { session, receiver, until, after: answered.cursor })
  const { status, text } = end
  const approval = end.status === 'waiting' ? end.approval : null
  const value = { ...answered, session, worker: { ...receiver, status, text, ...(approval === null ? {} : { approval }) } }
  if (status === 'settled') return { value, text }
  if (status === 'waiting') {
    const ways = approval === null ? [`Answer with: steward ask --session ${session} TEXT`] : forYes(approval)
    for (const line of [...ways, ...(approval === null ? [] : [`Then look with: steward sessions show ${session}`])]) tell(line)
    return { value, text, code: exitCodes.waiting }
  }
  if (status === 'late') tell(`No answer within ${waitSeconds} seconds. It goes on; look with: steward sessions show ${session}`)
  else tell(status === 'failed' ? `It failed; look with: steward sessions show ${receiver.session}` : 'It was stopped.')
  return { value, text, code: exitCodes.failed }
}

function resultOf(answered: MessageAnswered, session: string, waitSeconds: number): Result {
  const value = { ...answered, session }
  const text = answered.reply?.text ?? ''
  if (answered.reply?.info) tell(answered.reply.info)
  if (answered.status === 'settled') return { value, text }
  if (answered.status === 'waiting') {
    for (const line of answered.approval ? forYes(answered.approval) : forWords(answered.question, session)) tell(line)
    return { value, text, code: exitCodes.waiting }
  }
  if (answered.status === 'failed') tell(`It failed: ${answered.why ?? 'no reason was given'}`)
  else if (answered.status === 'stopped') tell('It was stopped.')
  else tell(`No answer within ${waitSeconds} seconds. It goes on; look with: steward sessions show ${session}`)
  return { value, text, code: exitCodes.failed }
}

/** What waits, and the exact commands that answer it. */
function forYes(asked: ApprovalBrief): readonly string[] {
  return [
    `It waits for your yes: ${headline(asked)}`,
    approvalText(asked, { now: systemClock.now(), colours: false, lines: 40 }),
    `Say yes with: steward approvals allow ${asked.id}`,
    `Say no with: steward approvals deny ${asked.id}`,
  ]
}

function forWords(asked: MessageAnswered['question'], session: string): readonly string[] {
  const options = asked?.options?.map((one, at) => `  ${at + 1}. ${one.label}`) ?? []
  const how = `Answer with: steward sessions answer ${asked?.id ?? session} TEXT`
  return [`It waits for your answer: ${asked?.text ?? 'a question is open'}`, ...options, how]
}

/** A whole number of at least 0; anything else is wrong usage. */
function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new WrongUsage(`${name} is "${text}"; allowed is a whole number.`)
}

export async function standardInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8').trim()
}
