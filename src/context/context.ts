// The context: what a model is given, within a budget, and the exact account of it.
// Owns: putting system text, conversation and the turn's own lines together, what is left out when it is too much, the manifest.
// Leaves repair for providers to models, which lines there are to scopes and lanes. Pure. Others also import system.ts.
//
// X1  What is given fits the budget; the system text and the turn's own questions are given always.
// X2  The oldest lines of the conversation go first, then results of earlier rounds; a call is never parted from its results.
// X3  The manifest says how much was given and what was left out.
import type { ModelMessage } from '../models/message.ts'
import type { Message } from '../protocol/message.ts'

export type Given = {
  readonly system: string
  /** Earlier lines, oldest first. */
  readonly history: readonly ModelMessage[]
  /** The turn's own: what it was asked, its calls and their results, what came in meanwhile. */
  readonly own: readonly ModelMessage[]
  /** Characters that go along unseen: the schemas of tools. */
  readonly overhead: number
}

/** Tokens are estimates: a quarter of the characters. */
export type Manifest = {
  readonly tokens: number
  readonly budget: number
  readonly messages: number
  readonly history: number
  /** Earlier lines that were left out. */
  readonly dropped: number
  /** Messages of the turn of which only a part was given. */
  readonly shortened: number
}
export type Assembled = { readonly messages: readonly ModelMessage[]; readonly manifest: Manifest }

const charactersPerToken = 4
/** What a message costs beside its text. */
const messageCost = 16
const leastShown = 400

/** Everything that fits into `budgetTokens`, in order. The budget is kept unless system text and overhead alone are more. */
export function assemble({ system, history, own, overhead }: Given, budgetTokens: number): Assembled {
  const budget = budgetTokens * charactersPerToken
  const fixed = overhead + sizeOf({ role: 'system', text: system })
  const kept = newestWithin(history, budget - fixed - total(own))
  const fitted = total(kept) + total(own) + fixed <= budget ? own : shorten(own, budget - fixed)
  const messages: readonly ModelMessage[] = [{ role: 'system', text: system }, ...kept, ...fitted]
  return {
    messages,
    manifest: {
      tokens: Math.ceil((overhead + total(messages)) / charactersPerToken),
      budget: budgetTokens,
      messages: messages.length,
      history: kept.length,
      dropped: history.length - kept.length,
      shortened: own.filter((message, at) => message !== fitted[at]).length,
    },
  }
}

/** Lines of a conversation as a model reads them. Lines of the hub itself are marked as such. */
export function linesOf(messages: readonly Message[]): readonly ModelMessage[] {
  return messages.flatMap((message): ModelMessage[] => {
    if (message.text.trim() === '') return []
    if (message.role === 'assistant') return [{ role: 'assistant', text: message.text, toolCalls: [] }]
    return [
      { role: 'user', text: message.role === 'system' ? `[from the hub, not from the person] ${message.text}` : withAttachments(message) },
    ]
  })
}

export function withAttachments({ text, attachments = [] }: Pick<Message, 'text' | 'attachments'>): string {
  return [
    text,
    ...attachments.map(({ id, name, mime }) => `[attached: ${[name ?? id, mime].filter((one) => one !== undefined).join(', ')}]`),
  ].join('\n')
}

/** From the newest back. Where lines were left out, what is left begins with a line of the person: providers want that. */
function newestWithin(history: readonly ModelMessage[], room: number): readonly ModelMessage[] {
  let left = room
  let from = history.length
  while (from > 0) {
    left -= sizeOf(history[from - 1])
    if (left < 0) break
    from--
  }
  if (from === 0) return history
  while (from < history.length && history[from]?.role !== 'user') from++
  return history.slice(from)
}

/** Shortens results of the oldest rounds, then whatever is longest, until it fits or nothing more can go. */
function shorten(own: readonly ModelMessage[], room: number): readonly ModelMessage[] {
  const lastRound = own.findLastIndex((message) => message.role === 'assistant')
  const out = [...own]
  for (const [at, message] of own.entries()) {
    if (total(out) <= room) return out
    if (message.role === 'tool' && at < lastRound) out[at] = clip(message, leastShown)
  }
  while (total(out) > room) {
    const longest = out.reduce((best, message, at) => (message.text.length > (out[best]?.text.length ?? 0) ? at : best), 0)
    const message = out[longest]
    if (message === undefined || message.text.length <= leastShown) return out
    const target = Math.max(leastShown, Math.min(Math.floor(message.text.length / 2), message.text.length - (total(out) - room)))
    out[longest] = clip(message, target)
  }
  return out
}

/** Beginning and end, with a note of what is missing between them, at most `characters` long (from 200 on). */
function clip<M extends ModelMessage>(message: M, characters: number): M {
  const { text } = message
  if (text.length <= characters) return message
  const note = `\n[... ${text.length - characters} or so characters left out to save room ...]\n`
  const shown = Math.max(0, characters - note.length)
  const head = Math.ceil((shown * 3) / 4)
  const tail = shown - head
  return { ...message, text: `${text.slice(0, head).toWellFormed()}${note}${tail > 0 ? text.slice(-tail).toWellFormed() : ''}` }
}

function total(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + sizeOf(message), 0)
}

function sizeOf(message: ModelMessage | undefined): number {
  if (message === undefined) return 0
  const calls = message.role === 'assistant' ? message.toolCalls.reduce((sum, call) => sum + JSON.stringify(call).length, 0) : 0
  return message.text.length + calls + messageCost
}
