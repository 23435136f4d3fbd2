// Which events of a worker are told to who ordered the work, and in what words (K3).
import { isId, type MessageId, type ProcessId, type TurnId } from '../base/ids.ts'
import { readApproval } from '../protocol/asked-approval.ts'
import { headline } from '../protocol/asks-elsewhere.ts'
import { type CloseReason, closeReasons } from '../protocol/entry.ts'
import type { Event } from '../protocol/event.ts'
import { readLine, readOptions } from '../protocol/incoming.ts'
import type { Message, Option } from '../protocol/message.ts'
import { type CloseEvent, parentEvent } from '../scopes/close-event.ts'
import { type ChannelMode, mostText, type Report } from './report.ts'

export type Told = Pick<Report, 'type' | 'text' | 'headline'> & { readonly options?: readonly Option[]; readonly ask?: string }

const telling: ReadonlySet<string> = new Set([
  'turn-settled', 'question-asked', 'approval-requested', 'process-closed', 'chat-message-appended', 'entry-held',
]) // biome-ignore format: one line reads better

/** A cheap look: everything else is never told. */
export function mayTell({ type, lane }: Event): boolean {
  return telling.has(type) && lane.startsWith('prc_')
}

/** Results and ends always; what is asked on the way not in a summary and not into the inbox, where the person finds it anyway. */
export function isTold(mode: ChannelMode, { type }: Told): boolean {
  if (mode === 'reply') return false
  return mode === 'verbatim' || mode === 'milestones' || (type !== 'question' && type !== 'approval')
}

type Looking = { readonly mode: ChannelMode; readonly owner: ProcessId; readonly line: (id: MessageId) => Promise<Message | null> }

/** null: nothing is told about it. */
export async function toldBy(event: Event, looking: Looking): Promise<Told | null> {
  const { data } = event
  switch (event.type) {
    case 'turn-settled':
      return settled(data, looking)
    case 'chat-message-appended':
      return looking.mode === 'verbatim' ? lineTold(event) : null
    case 'question-asked':
      return asked('question', data, data['ask'])
    case 'approval-requested':
      return { ...asked('approval', data, data['approval']), ...headlineOf(data) }
    case 'process-closed':
      return closed(data, looking.owner)
    case 'entry-held':
      return { type: 'failed', text: `It was not started: ${short(data['why'])}.` }
    default:
      return null
  }
}

async function settled(data: Event['data'], { mode, line }: Looking): Promise<Told | null> {
  if (data['outcome'] === 'failed') return { type: 'failed', text: short(data['error']) || 'It failed and gave no reason.' }
  if (data['outcome'] === 'stopped') return { type: 'stopped', text: 'It was stopped.' }
  const { reply } = data
  // Each line of a verbatim channel was told already.
  if (mode === 'verbatim' || !isId('msg', reply)) return null
  const said = await line(reply)
  return said ? { type: 'reply', text: short(said.text), ...(said.options ? { options: said.options } : {}) } : null
}

function lineTold(event: Event): Told | null {
  const said = readLine(event.data['message'], { at: '', cursor: '', session: '' })
  if (said?.role !== 'assistant' || said.text.trim() === '') return null
  return { type: 'reply', text: short(said.text), ...(said.options ? { options: said.options } : {}) }
}

function asked(type: 'question' | 'approval', { text, options }: Event['data'], ask: unknown): Told {
  const offered = readOptions(options)
  return {
    type,
    text: short(text),
    ...(offered.length > 0 ? { options: offered } : {}),
    ...(typeof ask === 'string' ? { ask } : {}),
  }
}

/** The asking alone, for the line that only points at the card. */
function headlineOf(data: Event['data']): Pick<Told, 'headline'> {
  const approval = readApproval(data)
  return approval === null ? {} : { headline: short(headline(approval)) }
}

const ends: Record<CloseEvent, string> = { DONE: 'It is done and has ended.', FAILED: 'It gave up.', STOPPED: 'It was ended.' }

function closed({ reason: given, by }: Event['data'], owner: ProcessId): Told | null {
  const reason: CloseReason | null = closeReasons.find((one) => one === given) ?? null
  const stoppedBy = by === `process:${owner}` ? { stoppedBy: owner } : {}
  const end = parentEvent({ parent: owner, before: 'IDLE', now: 'CLOSED', reason, ...stoppedBy })
  return end === null ? null : { type: 'closed', text: `${ends[end]} (${reason ?? end})` }
}

function short(text: unknown): string {
  return typeof text === 'string' ? text.slice(0, mostText).toWellFormed() : ''
}

export function turnIdOf(text: unknown): TurnId | null {
  return isId('trn', text) ? text : null
}
