// Items and quick replies as they come: in their own form, as a plain text, in a list, in an object around them.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { OutputItem, QuickReply } from '../configuration.ts'

/** Objects around items that are looked into, one in the other. */
const depthLimit = 4

/**
 * The output items in a value: an item; a text, which is one of type text; a list of them; an object with them under
 * `valueAlternatives` (the first one) or `outputs`. Else none.
 */
export function itemsIn(value: Json, depth = 0): readonly OutputItem[] {
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }]
  if (depth > depthLimit) return []
  if (isList(value)) return value.flatMap((one) => itemsIn(one, depth + 1))
  if (!isJsonObject(value)) return []
  const { type, text, valueAlternatives, outputs } = value
  if (typeof type === 'string' && type !== '') return [{ ...value, type }]
  if (typeof text === 'string') return [{ ...value, type: 'text' }]
  if (isList(valueAlternatives)) return valueAlternatives.slice(0, 1).flatMap((one) => itemsIn(one, depth + 1))
  return isList(outputs) ? itemsIn(outputs, depth + 1) : []
}

/** The quick replies in a value: one, a list, or an object with them under `quickReplies`. One without a value is none. */
export function repliesIn(value: Json, depth = 0): readonly QuickReply[] {
  if (depth > depthLimit) return []
  if (isList(value)) return value.flatMap((one) => repliesIn(one, depth + 1))
  if (!isJsonObject(value)) return []
  if (value['quickReplies'] !== undefined) return repliesIn(value['quickReplies'], depth + 1)
  const reply = value['value']
  if (typeof reply !== 'string' || reply === '') return []
  const expressions = value['expressions']
  const isDefault = value['isDefault'] ?? value['default']
  return [{ value: reply, expressions: typeof expressions === 'string' ? expressions : '', isDefault: isDefault === true }]
}

export function repliesInItems(items: readonly JsonObject[]): readonly QuickReply[] {
  return items.flatMap((item) => (item['type'] === 'quickReply' ? repliesIn(item) : []))
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)
