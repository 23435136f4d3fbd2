/**
 * The model server of the benchmark, a process of its own: `node scripts/bench/model.ts`; prints its port, serves until it is ended.
 * What it answers stands in the last line of the person:
 *
 *     #act      one call of act: ANSWER
 *     #time     a call of time_now, then a call of act, or words where there is no act
 *     #delete   a call of file_delete, then words
 *
 * Anything else comes back as an echo. The model `busy` never has time (429).
 */

import {
  type ScriptedMessage,
  type ScriptedReply,
  type ScriptedRequest,
  startScriptedModel,
  withoutNotices,
} from '../../src/models/scripted.ts'

const server = await startScriptedModel({ keep: 10, otherwise })
process.stdout.write(`${server.port}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())

function otherwise({ body }: ScriptedRequest): string | ScriptedReply {
  if (body.model === 'busy') return { status: 429, message: 'too many requests', retryAfter: 300 }
  const messages = body.messages ?? []
  const asked = messages.findLastIndex((message) => message.role === 'user' && said(message) !== '')
  const text = said(messages[asked])
  const isAnswered = messages.findLastIndex((message) => message.role === 'tool') > asked
  if (text.startsWith('#time') && !isAnswered) return { calls: [{ name: 'time_now', input: {} }] }
  if (text.startsWith('#delete') && !isAnswered) return { calls: [{ name: 'file_delete', input: { path: 'old.txt' } }] }
  const acts = body.tools?.some((tool) => tool.function.name === 'act') ?? false
  if (!acts || !/^#(act|time|delete)/.test(text)) return text
  return { calls: [{ name: 'act', input: { type: 'ANSWER', reason: 'it is known', message: text } }] }
}

function said(message: ScriptedMessage | undefined): string {
  const content = message?.content
  const text = Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : content
  return typeof text === 'string' ? withoutNotices(text) : ''
}
