// The log of a conversation, as text or as turns of who spoke.
import { InvalidInput } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Step } from '../../pipelines/conversation.ts'
import type { Remembered } from '../../pipelines/conversations/conversations.ts'
import { itemsOf, textOfItems } from '../../pipelines/output/output.ts'
import type { Reply } from '../endpoint.ts'
import { type EddiCall, text, whole } from './route.ts'

/** `logSize` counts the newest steps; -1: all. */
export function logReply(call: EddiCall, { steps }: Remembered): Reply {
  const { outputType = 'json' } = call.query
  if (outputType !== 'json' && outputType !== 'text') throw new InvalidInput('outputType must be json or text', { path: 'outputType' })
  const size = whole(call, 'logSize', -1) ?? -1
  const lines = (size < 0 ? steps : size === 0 ? [] : steps.slice(-size)).flatMap(linesOf)
  if (outputType === 'text') return text(200, lines.map(({ role, content }) => `${role}: ${content}`).join('\n'))
  const messages: readonly JsonObject[] = lines.map(({ role, content }) => ({ role, content: [{ type: 'text', value: content }] }))
  return { status: 200, body: { messages } }
}

type Line = { readonly role: 'user' | 'assistant'; readonly content: string }

function linesOf(step: Step): readonly Line[] {
  const { input } = step.output
  const answered = textOfItems(itemsOf(step))
  return [
    ...(typeof input === 'string' && input !== '' ? [{ role: 'user' as const, content: input }] : []),
    ...(answered === '' ? [] : [{ role: 'assistant' as const, content: answered }]),
  ]
}
