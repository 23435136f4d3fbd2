// What a turn was given, in the words of a pipeline: something said with its contexts, a control, or what is none of its business.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { type ContextValue, type ConversationState, conversationStates } from '../../pipelines/conversation.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { Attachment } from '../../protocol/message.ts'

export type Heard =
  | {
      readonly kind: 'say'
      readonly text: string
      readonly contexts: ReadonlyMap<string, ContextValue>
      readonly attachments: readonly Attachment[]
      readonly isPerson: boolean
    }
  | { readonly kind: 'start'; readonly contexts: ReadonlyMap<string, ContextValue> }
  /** `isSaid`: a person typed it. */
  | { readonly kind: 'undo'; readonly isSaid: boolean }
  | { readonly kind: 'redo'; readonly isSaid: boolean }
  | { readonly kind: 'rerun' | 'end' }
  | { readonly kind: 'state'; readonly state: ConversationState }
  | { readonly kind: 'other' }

/** The topic of notes that steer a pipeline's conversation. */
export const controlTopic = 'pipeline'

export function heardIn({ body }: Entry): Heard {
  if (body.kind === 'message') {
    const { text, context, attachments = [] } = body
    const command = /^\/(undo|redo)$/.exec(text.trim())?.[1]
    if (command === 'undo' || command === 'redo') return { kind: command, isSaid: true }
    return { kind: 'say', text, contexts: contextsIn(context), attachments, isPerson: true }
  }
  if (body.kind === 'request') {
    return { kind: 'say', text: body.text, contexts: contextsIn(body.data?.['context']), attachments: [], isPerson: false }
  }
  return body.kind === 'note' && body.topic === controlTopic ? controlIn(body.data) : { kind: 'other' }
}

function controlIn(data: JsonObject): Heard {
  const word = data['do']
  if (word === 'start') return { kind: 'start', contexts: contextsIn(data['context']) }
  if (word === 'undo' || word === 'redo') return { kind: word, isSaid: false }
  if (word === 'rerun' || word === 'end') return { kind: word }
  const state = conversationStates.find((one) => one === data['state'])
  return word === 'state' && state !== undefined ? { kind: 'state', state } : { kind: 'other' }
}

const types = ['string', 'expressions', 'object', 'array'] as const

/** What has no type that is known gets the one of its value, as older clients send it. */
export function contextsIn(given: Json | undefined): ReadonlyMap<string, ContextValue> {
  if (!isJsonObject(given)) return new Map()
  return new Map(
    Object.entries(given).map(([key, one]): [string, ContextValue] => {
      if (!isJsonObject(one) || !Object.hasOwn(one, 'value')) return [key, { type: typeOf(one), value: one }]
      const { type, value = null } = one
      return [key, { type: types.find((known) => known === type) ?? typeOf(value), value }]
    }),
  )
}

function typeOf(value: Json): ContextValue['type'] {
  if (Array.isArray(value)) return 'array'
  return isJsonObject(value) ? 'object' : 'string'
}
