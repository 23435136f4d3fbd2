// The text of an envelope as a value, read so that two readers can't see two things in it.

/** In characters. An envelope is a cover sheet: what is longer belongs into the artifact. */
export const largestEnvelope = 64_000
const deepest = 32

export type ReadJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }

/** Refuses what is no JSON, too long or deep, says a member twice, or has strings that can't be stored. Linear, never throws. */
export function readJson(text: string): ReadJson {
  if (text.length > largestEnvelope) return { ok: false, why: `it is longer than ${largestEnvelope} characters` }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, why: 'it is not JSON' }
  }
  const why = faultIn(text)
  return why === null ? { ok: true, value } : { ok: false, why }
}

/** `text` is JSON. */
function faultIn(text: string): string | null {
  const open: (Set<string> | null)[] = []
  let isKey = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '{' || char === '[') {
      if (open.push(char === '{' ? new Set() : null) > deepest) return `it is nested deeper than ${deepest} levels`
      isKey = char === '{'
    } else if (char === '}' || char === ']') open.pop()
    else if (char === ',') isKey = open.at(-1) instanceof Set
    else if (char === '"') {
      const end = endOfString(text, at)
      const why = faultOfString(unquoted(text.slice(at, end + 1)), isKey ? (open.at(-1) ?? null) : null)
      if (why !== null) return why
      isKey = false
      at = end
    }
  }
  return null
}

function faultOfString(said: string, keys: Set<string> | null): string | null {
  if (!said.isWellFormed() || said.includes('\0')) return 'a string in it has half a character or a NUL'
  if (keys?.has(said)) return `it says ${JSON.stringify(said.slice(0, 60))} twice`
  keys?.add(said)
  return null
}

/** Index of the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function unquoted(literal: string): string {
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
}
