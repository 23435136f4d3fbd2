// What an item can be answered with, by its type (reference/eddie.md 6.8). Pure.
import { InvalidInput } from '../base/errors.ts'
import { isObject, type Json } from '../base/json.ts'
import type { AttentionItem, ItemAnswer, ItemType } from './attention.ts'

const asking: Readonly<Record<ItemType, boolean>> = {
  APPROVAL: true,
  DECISION: true,
  FEEDBACK: true,
  ORDERING: true,
  STRUCTURE_EDIT: true,
  OUTPUT_TEXT: false,
  OUTPUT_IMAGE: false,
  OUTPUT_DOCUMENT: false,
  NOTICE: false,
}

/** Whether an item of that type asks something by itself. */
export function asks(type: ItemType): boolean {
  return asking[type]
}

type Asked = Pick<AttentionItem, 'type' | 'payload'>
type Given = Pick<ItemAnswer, 'outcome' | 'value'>

/**
 * The value in the form of its type; the bare value is taken too (`true`, `"tea"`). An answer that decides nothing keeps whatever came
 * with it. Throws InvalidInput that says what is allowed.
 */
export function checkAnswer(asked: Asked, given: Given): Json {
  if (given.outcome !== 'DECIDED') return given.value
  return checks[asked.type](asked, given.value)
}

/** The same for a default that an item brings along; null when it does not fit. */
export function defaultAnswer(asked: Asked): Json | null {
  const value = asked.payload['default']
  if (value === undefined || value === null) return null
  try {
    return checkAnswer(asked, { outcome: 'DECIDED', value })
  } catch {
    return null
  }
}

const anything = (_asked: Asked, value: Json): Json => value

const checks: Readonly<Record<ItemType, (asked: Asked, value: Json) => Json>> = {
  APPROVAL: (_asked, value) => ({ approved: flagIn(value, 'approved') }),
  DECISION: (asked, value) => ({ chosen: chosenFrom(labelsOf(asked.payload['options']), textIn(value, 'chosen')) }),
  FEEDBACK: (_asked, value) => ({ text: textIn(value, 'text') }),
  ORDERING: (asked, value) => ({ order: orderOf(idsOf(asked.payload['items']), value) }),
  STRUCTURE_EDIT: (_asked, value) => ({ ...(isObject(value) ? value : {}), accepted: flagIn(value, 'accepted') }),
  OUTPUT_TEXT: anything,
  OUTPUT_IMAGE: anything,
  OUTPUT_DOCUMENT: anything,
  NOTICE: anything,
}

function flagIn(value: Json, field: string): boolean {
  const found = isObject(value) ? value[field] : value
  if (typeof found === 'boolean') return found
  throw new InvalidInput(`/value/${field} must be true or false`, { path: `/value/${field}` })
}

function textIn(value: Json, field: string): string {
  const found = isObject(value) ? value[field] : value
  if (typeof found === 'string' && found.trim() !== '') return found.trim()
  throw new InvalidInput(`/value/${field} must be a text that is not empty`, { path: `/value/${field}` })
}

/** An option is meant whatever its case; without options any text is a choice. */
function chosenFrom(labels: readonly string[], text: string): string {
  if (labels.length === 0) return text
  const found = labels.find((label) => label === text) ?? labels.find((label) => label.toLowerCase() === text.toLowerCase())
  if (found !== undefined) return found
  throw new InvalidInput(`/value/chosen must be one of: ${labels.join(', ')}`, { path: '/value/chosen' })
}

function orderOf(ids: readonly string[], value: Json): string[] {
  const given: unknown = isObject(value) ? value['order'] : value
  const order = Array.isArray(given) ? given.filter((one) => typeof one === 'string') : []
  const isWhole = Array.isArray(given) && order.length === given.length && new Set(order).size === order.length
  if (isWhole && order.length === ids.length && ids.every((id) => order.includes(id))) return order
  throw new InvalidInput(`/value/order must name each of these once: ${ids.join(', ')}`, { path: '/value/order' })
}

/** Options are plain texts or have a label. */
function labelsOf(options: Json | undefined): readonly string[] {
  return listOf(options).flatMap((one) => textOf(one, 'label'))
}

function idsOf(items: Json | undefined): readonly string[] {
  return listOf(items).flatMap((one) => textOf(one, 'id'))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(one: unknown, field: string): readonly string[] {
  const text = isObject(one) ? one[field] : one
  return typeof text === 'string' ? [text] : []
}
