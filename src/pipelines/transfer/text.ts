// The text of a file of an import as JSON: UTF-8, of bounded depth, with the reason when it is not.

import { messageOf } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'
import { type ImportLimits, ImportRefused, importLimits } from './limits.ts'

/** Throws ImportRefused. A byte order mark of UTF-8 is passed over. */
export function jsonIn(name: string, bytes: Uint8Array, { depth }: Pick<ImportLimits, 'depth'> = importLimits): Json {
  const text = textIn(name, bytes)
  checkDepth(name, text, depth)
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch (thrown) {
    throw new ImportRefused(name, `it is no JSON: ${messageOf(thrown)}`)
  }
}

function textIn(name: string, bytes: Uint8Array): string {
  const [first = 0, second = 0] = bytes
  const isWide =
    (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || (bytes.length > 1 && (first === 0 || second === 0))
  if (isWide) throw new ImportRefused(name, 'it is UTF-16 or UTF-32; allowed is UTF-8')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ImportRefused(name, 'it is not UTF-8')
  }
}

/** Before it is parsed: brackets outside of strings. */
function checkDepth(name: string, text: string, most: number): void {
  let [depth, isInText] = [0, false]
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (isInText) {
      if (sign === '\\') at++
      else if (sign === '"') isInText = false
    } else if (sign === '"') isInText = true
    else if (sign === '{' || sign === '[') {
      if (++depth > most) throw new ImportRefused(name, `objects and lists stand in each other more than ${most} deep`)
    } else if (sign === '}' || sign === ']') depth--
  }
}
