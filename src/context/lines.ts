// Lines of a conversation and entries of a turn as a model reads them.
import { sha256 } from '../base/hash.ts'
import type { Json } from '../base/json.ts'
import type { ModelMessage } from '../models/message.ts'
import type { Entry } from '../protocol/entry.ts'
import type { Attachment, Message } from '../protocol/message.ts'
import { isTextType } from '../scopes/attachments/mime.ts'
import { framed, unmarked } from './frame.ts'

/**
 * Where a line of the turn itself is recorded: a manifest names it instead of keeping it a second time. `result`: the hash of a text
 * that some step of the turn gave.
 */
export type Source = { readonly step: string } | { readonly entry: string } | { readonly result: string }
/**
 * A line of the turn: what it was asked, its calls and their results, what came in meanwhile. `hub`: the hub's own words to the
 * model (a correction, a notice); they are given in its frame.
 */
export type OwnLine = ModelMessage & { readonly from?: Source; readonly hub?: boolean }

/** What a message costs beside its text, in characters. */
const messageCost = 16

/** Lines of a conversation. Empty ones go, lines of the hub itself stand in its frame. */
export function linesOf(messages: readonly Message[], mark: string): readonly ModelMessage[] {
  return messages.flatMap((message) => lineOf(message, mark) ?? [])
}

export function lineOf(message: Message, mark: string): ModelMessage | null {
  if (message.text.trim() === '') return null
  const text = unmarked(mark, withAttachments(message))
  if (message.role === 'assistant') return { role: 'assistant', text, toolCalls: [] }
  return { role: 'user', text: message.role === 'system' ? framed(mark, 'note', text) : text }
}

export function withAttachments({ text, attachments = [] }: Pick<Message, 'text' | 'attachments'>): string {
  return [text, ...attachments.map(attachedLine)].join('\n')
}

/** A file that the hub keeps: what a model can do with it is said too. A name is somebody's words: it can't end the line. */
function attachedLine({ id, name, mime, size }: Attachment): string {
  const what = [(name ?? id).replace(/[[\]\s]+/g, ' '), mime].filter((one) => one !== undefined)
  if (size === undefined) return `[attached: ${what.join(', ')}]`
  const how = isTextType(mime ?? '') ? `its text is read with attachment_read, id ${id}` : 'you can not see what is in it'
  return `[attached: ${[...what, `${size} bytes`].join(', ')}; ${how}]`
}

/** Work as lines of the person, or of whoever asks. What is no work is left out. */
export function linesOfEntries(entries: readonly Entry[]): OwnLine[] {
  return entries.flatMap((entry): OwnLine[] => {
    const text = textOfEntry(entry)
    return text === null ? [] : [{ role: 'user', text, from: { entry: entry.id } }]
  })
}

/** What the person said behind it is for a reviewer, and stands in the text where it is to be read. */
function requestText({ text, data }: Extract<Entry['body'], { kind: 'request' }>): string {
  const { said: _, ...rest } = data ?? {}
  return Object.keys(rest).length === 0 ? text : `${text}\n\n${JSON.stringify(rest)}`
}

export function textOfEntry({ body }: Entry): string | null {
  switch (body.kind) {
    case 'message':
      return withAttachments({ text: body.text, attachments: body.attachments === undefined ? [] : [...body.attachments] })
    case 'request':
      return requestText(body)
    case 'note':
      return `[note: ${body.topic}] ${JSON.stringify(body.data)}`
    default:
      return null
  }
}

/** A line of the turn as it is sent: without where it is recorded, and without the hub's mark, or in its frame. */
export function sent({ from: _, hub = false, ...message }: OwnLine, mark: string): ModelMessage {
  const text = unmarked(mark, message.text)
  if (hub) return { ...message, text: framed(mark, 'note', text) }
  return text === message.text ? message : { ...message, text }
}

export function sizeOf(message: ModelMessage): number {
  const calls = message.role === 'assistant' ? message.toolCalls.reduce((sum, call) => sum + JSON.stringify(call).length, 0) : 0
  return message.text.length + calls + messageCost
}

export function total(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + sizeOf(message), 0)
}

/** Beginning and end, with a note of what is missing between them, at most `characters` long (from 200 on). */
export function clipText(text: string, characters: number): string {
  if (text.length <= characters) return text
  const note = `\n[... ${text.length - characters} or so characters left out to save room ...]\n`
  const shown = Math.max(0, characters - note.length)
  const head = Math.ceil((shown * 3) / 4)
  const tail = shown - head
  return `${text.slice(0, head).toWellFormed()}${note}${tail > 0 ? text.slice(-tail).toWellFormed() : ''}`
}

/** Short enough to stand in a manifest, long enough not to be confused: the hash of a text or value. */
export function hashOf(value: Json | readonly object[]): string {
  return sha256(typeof value === 'string' ? value : JSON.stringify(value))
}

/** A tool's answer that is longer is looked up in the step that gave it. */
const longResult = 1_000

/**
 * The lines with where each is recorded, as far as that is certain: an entry of the turn that reads the same, the answer of a tool.
 * What an engine's own action answered (`actions`) is recorded nowhere else.
 */
export function sourced(
  own: readonly OwnLine[],
  known: { readonly entries: readonly Entry[]; readonly actions: readonly string[] },
): readonly OwnLine[] {
  return own.map((line) => {
    if (line.role === 'tool' && line.from === undefined && line.text.length > longResult && !known.actions.includes(line.name)) {
      return { ...line, from: { result: hashOf(line.text) } }
    }
    const { from, ...rest } = line
    if (from === undefined || !('entry' in from)) return line
    const entry = known.entries.find((one) => one.id === from.entry)
    return entry && textOfEntry(entry) === line.text ? line : rest
  })
}
