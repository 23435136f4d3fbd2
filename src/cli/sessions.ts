// `steward sessions`: list, show, rename, stop, answer, close, archive.

import { messages, questions, sessions, steered } from '../protocol/api.ts'
import type { Message } from '../protocol/message.ts'
import { project, question, type Session, session } from '../protocol/shapes.ts'
import { findHub } from './hub.ts'
import { optionIn } from './option.ts'
import { type Call, oneLine, type Result, table, WrongUsage } from './output.ts'
import { everyRow } from './paging.ts'

export type SessionFilter = { readonly project?: string; readonly archived?: boolean }

export async function listSessions(call: Call, filter: SessionFilter): Promise<Result> {
  const hub = await findHub(call)
  const rows = await everyRow(hub, '/api/sessions', sessions, { project: filter.project, archived: filter.archived })
  // An empty list of a project that does not exist would hide a slip of the pen.
  if (rows.length === 0 && filter.project !== undefined)
    await hub.call('GET', `/api/projects/${encodeURIComponent(filter.project)}`, project)
  const cells = rows.map((one) => [one.id, one.project, one.agent, stateOf(one), oneLine(one.title, 60)])
  return { value: rows, text: table(['id', 'project', 'agent', 'status', 'title'], cells, 'No sessions. Start one with: steward chat') }
}

export async function showSession(call: Call, id: string): Promise<Result> {
  const hub = await findHub(call)
  const found = await hub.call('GET', pathOf(id), session)
  const lines = await everyRow(hub, `${pathOf(id)}/messages`, messages)
  const mode = found.mode === undefined ? '' : `, mode ${found.mode}`
  const head = `${found.title} (${found.id}, ${found.project}, ${found.agent}, ${stateOf(found)}${mode})`
  const open = found.openQuestions.map((one) => `? ${one.text}\n  answer with: steward sessions answer ${one.id} TEXT`)
  return { value: { ...found, messages: lines }, text: [head, ...lines.map(asText), ...open].join('\n\n') }
}

export async function renameSession(call: Call, id: string, title: string): Promise<Result> {
  const hub = await findHub(call)
  const changed = await hub.call('PATCH', pathOf(id), session, { body: { title } })
  return { value: changed, text: `The session is called "${changed.title}".` }
}

export const modes = ['read-only', 'ask', 'auto', 'default'] as const

/** `default`: as the project or the person has it. */
export async function setMode(call: Call, id: string, mode: string): Promise<Result> {
  const found = modes.find((one) => one === mode)
  if (found === undefined) throw new WrongUsage(`The mode is "${oneLine(mode, 40)}"; allowed are ${modes.join(', ')}.`)
  const hub = await findHub(call)
  const changed = await hub.call('PATCH', pathOf(id), session, { body: { mode: found === 'default' ? null : found } })
  return { value: changed, text: `Session ${changed.id}: mode ${changed.mode ?? found}.` }
}

export async function endSession(call: Call, id: string, verb: 'close' | 'archive'): Promise<Result> {
  const hub = await findHub(call)
  const changed = await hub.call('POST', `${pathOf(id)}/${verb}`, session, { body: {} })
  return { value: changed, text: `Session ${changed.id} is ${verb === 'close' ? 'closed' : 'archived'}.` }
}

const outcomes = {
  done: 'The turn has stopped.',
  too_late: 'That turn was over already.',
  nothing: 'No turn runs in that session.',
  pending: 'The turn is being stopped.',
} as const

export async function stopSession(call: Call, id: string): Promise<Result> {
  const hub = await findHub(call)
  const done = await hub.call('POST', `${pathOf(id)}/stop`, steered, { body: {} })
  return { value: done, text: outcomes[done.outcome] }
}

/** `id` is a question's, or that of a session with exactly one open question. */
export async function answerQuestion(call: Call, id: string, text: string): Promise<Result> {
  if (text.trim() === '') throw new WrongUsage('The answer is empty; allowed is any text.')
  const hub = await findHub(call)
  const open = await hub.call('GET', '/api/questions', questions, { query: { status: 'open' } })
  const mine = open.items.filter((one) => one.session === id)
  if (mine.length > 1)
    throw new WrongUsage(`${mine.length} questions are open in that session; name one of ${mine.map((one) => one.id).join(', ')}.`)
  const asked = mine[0] ?? open.items.find((one) => one.id === id)
  const option = optionIn(asked?.options ?? [], text)
  const body = option ? { option: option.label } : { text }
  const answered = await hub.call('POST', `/api/questions/${encodeURIComponent(asked?.id ?? id)}`, question, { body })
  return { value: answered, text: 'The answer is given.' }
}

function pathOf(id: string): string {
  return `/api/sessions/${encodeURIComponent(id)}`
}

function stateOf(one: Session): string {
  if (one.openQuestions.length > 0) return 'asks you'
  return one.status === 'IDLE' || one.status === 'RUNNING' ? one.processStatus.toLowerCase() : one.status.toLowerCase()
}

function asText(line: Message): string {
  const who = line.role === 'user' ? line.actor.replace(/^user:/, '') : (line.agent ?? line.role)
  const state = line.status === 'settled' ? '' : ` (${line.status})`
  return `${who}${state}: ${line.text}`
}
