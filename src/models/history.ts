// Repair of what is sent to a model: every tool call has exactly one result, right behind it (D07); roles alternate (F09).
import type { ModelMessage, ToolCall } from './message.ts'

type Assistant = Extract<ModelMessage, { role: 'assistant' }>
type Result = Extract<ModelMessage, { role: 'tool' }>

export const interrupted = 'interrupted: this call has no result; nothing is known about it'

/**
 * The same conversation in the form that every provider takes: each tool call is followed by its one result (a missing one says
 * that it was interrupted, one without a call and a second one are left out), lines of one speaker in a row are one line, and
 * an assistant line with neither text nor calls is left out. Pure; a repaired history is returned unchanged in content.
 */
export function repairHistory(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const results = firstResults(messages)
  const used = new Set<string>()
  const out: ModelMessage[] = []
  for (const message of messages) {
    if (message.role === 'tool') continue
    if (message.role !== 'assistant' || isPlain(message)) push(out, message)
    else for (const one of withResults(message, results, used)) push(out, one)
  }
  return out
}

/** Words without calls: nothing to repair. */
function isPlain({ toolCalls, text }: Assistant): boolean {
  return toolCalls.length === 0 && /\S/.test(text)
}

function firstResults(messages: readonly ModelMessage[]): ReadonlyMap<string, Result> {
  const results = new Map<string, Result>()
  for (const message of messages) {
    if (message.role === 'tool' && !results.has(message.callId)) results.set(message.callId, message)
  }
  return results
}

/** `used`: ids that occurred already; a second call with the same id is left out, because its result could not be told apart. */
function withResults(message: Assistant, results: ReadonlyMap<string, Result>, used: Set<string>): ModelMessage[] {
  const calls: ToolCall[] = []
  for (const call of message.toolCalls) {
    if (used.has(call.id)) continue
    used.add(call.id)
    calls.push(call)
  }
  if (calls.length === 0 && message.text.trim() === '') return []
  const said = calls.length === message.toolCalls.length ? message : { ...message, toolCalls: calls }
  return [said, ...calls.map((call) => resultOf(call, results))]
}

function resultOf(call: ToolCall, results: ReadonlyMap<string, Result>): Result {
  const found = results.get(call.id)
  return found ? { ...found, name: call.name } : { role: 'tool', callId: call.id, name: call.name, text: interrupted }
}

function push(out: ModelMessage[], message: ModelMessage): void {
  const last = out.at(-1)
  if (last?.role === 'user' && message.role === 'user') {
    out[out.length - 1] = { role: 'user', text: join(last.text, message.text) }
  } else if (last?.role === 'assistant' && message.role === 'assistant') {
    out[out.length - 1] = { ...message, text: join(last.text, message.text) }
  } else {
    out.push(message)
  }
}

function join(first: string, second: string): string {
  return [first, second].filter((text) => text !== '').join('\n\n')
}
