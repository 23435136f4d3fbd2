// An action: how a turn of the hub and of a session's orchestrator ends, or goes on. It is one call of one flat tool, `act`.
// Reading it is pure; what is wrong with it is said to the model and to nobody else (E4).
import { isObject, type JsonObject } from '../../base/json.ts'
import type { ToolCall } from '../../models/message.ts'
import type { Option } from '../../protocol/message.ts'
import type { ToolSpec } from '../../tools/tool.ts'

export const actName = 'act'

/** `fields`: the arguments as they came, type and reason included. */
export type Action = { readonly type: string; readonly reason: string; readonly fields: JsonObject }
export type Read = { readonly ok: true; readonly action: Action } | { readonly ok: false; readonly why: string }

export type Field = 'text' | 'texts' | 'options'

/** The tool of an engine: `types` as an enum, its fields flat, `type` and `reason` required. */
export function actTool(types: readonly string[], fields: Readonly<Record<string, Field>>, description: string): ToolSpec {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, schemas[kind]]))
  const schema = {
    type: 'object',
    properties: { type: { type: 'string', enum: types }, reason: { type: 'string' }, ...properties },
    required: ['type', 'reason'],
  }
  return { name: actName, description, schema }
}

const text = { type: 'string' }
const schemas: Record<Field, JsonObject> = {
  text,
  texts: { type: 'array', items: text },
  options: { type: 'array', items: { type: 'object', properties: { label: text, description: text }, required: ['label'] } },
}

/** Arguments of one call, or a JSON text that stood in prose. */
export function readAction(given: unknown, types: readonly string[]): Read {
  if (!isObject(given) || Object.keys(given).length === 0) return wrong('The action has no arguments: it needs type and reason.')
  const type = textOf(given['type'])
  if (type === null) return wrong(`The required field "type" is missing; it is one of ${types.join(', ')}.`)
  if (!types.includes(type)) return wrong(`${JSON.stringify(type.slice(0, 40))} is no action here; there are ${types.join(', ')}.`)
  const reason = textOf(given['reason'])
  if (reason === null) return wrong('The required field "reason" is missing: say in a few words why.')
  return { ok: true, action: { type, reason, fields: jsonOf(given) } }
}

/** The one action of a reply. */
export function readCall(calls: readonly ToolCall[], types: readonly string[]): Read {
  const [call] = calls
  if (!call || calls.length > 1)
    return wrong(`A reply has exactly one action, this one had ${calls.length}. Send the one that matters now.`)
  if (call.state === 'incomplete') return wrong('The arguments of the action were incomplete. Send it again, whole.')
  return readAction(call.input, types)
}

/** The same with each of its texts as `spoken` gives it back. */
export function inWords(action: Action, spoken: (text: string) => string): Action {
  const fields: JsonObject = JSON.parse(JSON.stringify(action.fields), (_, value: unknown) =>
    typeof value === 'string' ? spoken(value) : value,
  )
  return { ...action, reason: spoken(action.reason), fields }
}

/** An action that a model wrote into its text instead of calling the tool; null when there is none. */
export function actionInText(prose: string, types: readonly string[]): Action | null {
  const plain = withoutFences(prose)
  const [from, to] = [plain.indexOf('{'), plain.lastIndexOf('}')]
  if (from < 0 || to < from) return null
  try {
    const read = readAction(JSON.parse(plain.slice(from, to + 1)), types)
    return read.ok ? read.action : null
  } catch {
    return null
  }
}

/** What stands in the first code fence, also when it is not closed; the text itself when there is none. */
export function withoutFences(given: string): string {
  const fence = /```[\w+-]*\s*\n?/.exec(given)
  if (!fence) return given.trim()
  const inner = given.slice(fence.index + fence[0].length)
  const end = inner.indexOf('```')
  return (end < 0 ? inner : inner.slice(0, end)).trim()
}

/** The message of an action that was not seen yet: null when there is none, or when the streamed prose said it already. */
export function unstreamed(prose: string | null, message: string | null): string | null {
  if (message === null || message.trim() === '') return null
  return prose !== null && squeezed(prose).includes(squeezed(message)) ? null : message
}

export function fieldOf(action: Action, name: string): string | null {
  return textOf(action.fields[name])
}

/** What it says: its message, or its reason when there is none. */
export function messageOf(action: Action): string {
  return fieldOf(action, 'message') ?? action.reason
}

/** Blank ones are left out, as is what is no text. */
export function textsOf(action: Action, name: string): readonly string[] {
  const given = action.fields[name]
  if (typeof given === 'string') return textOf(given) === null ? [] : [given.trim()]
  return Array.isArray(given) ? given.flatMap((one) => textOf(one) ?? []) : []
}

/** Options with a label; what has none is dropped. */
export function optionsOf(action: Action): readonly Option[] {
  const given = action.fields['options']
  if (!Array.isArray(given)) return []
  return given.flatMap((one): Option[] => {
    const label = isObject(one) ? textOf(one['label']) : null
    const description = isObject(one) ? textOf(one['description']) : null
    if (label === null) return []
    return [description === null ? { label } : { label, description }]
  })
}

const mostWords = 5

/** What is wrong with the options of a question; null: nothing, none at all included. */
export function faultInOptions(options: readonly Option[]): string | null {
  if (options.length === 0) return null
  if (options.length === 1 || options.length > 4) return `A question has 2 to 4 options or none; these are ${options.length}.`
  const long = options.find(({ label }) => label.split(/\s+/).length > mostWords)
  return long ? `The label of an option has 1 to ${mostWords} words; ${JSON.stringify(long.label.slice(0, 80))} has more.` : null
}

/** A question as it stands in the conversation: its options can be read there too. */
export function withOptions(message: string, options: readonly Option[]): string {
  if (options.length === 0) return message
  const lines = options.map(({ label, description }) => `- **${label}**${description === undefined ? '' : ` — ${description}`}\n`)
  return `${message}\n\n${lines.join('')}`
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

function squeezed(given: string): string {
  return given.replace(/\s+/g, ' ').trim()
}

function wrong(why: string): Read {
  return { ok: false, why }
}

function jsonOf(given: object): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(given))
  return copy
}
