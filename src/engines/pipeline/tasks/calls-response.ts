// From the text of an answer to a value that conversations can keep.
import type { Json } from '../../../base/json.ts'

/** Deeper JSON stays a text: what is kept is written and read again by everybody. */
const mostDepth = 64

/** null: it is no JSON, or nested too deep. */
export function jsonIn(text: string): { readonly value: Json } | null {
  if (isTooDeep(text)) return null
  try {
    const value: Json = JSON.parse(text)
    return { value }
  } catch {
    return null
  }
}

export function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text)
}

function isTooDeep(text: string): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isText) {
      if (code === 92) at++
      else if (code === 34) isText = false
    } else if (code === 34) isText = true
    else if (code === 91 || code === 123) {
      if (++depth > mostDepth) return true
    } else if (code === 93 || code === 125) depth--
  }
  return false
}
