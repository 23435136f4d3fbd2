// Mentions: `@name` at the start of a text or behind white space. What looks like an address, a package or a handle elsewhere
// (`bob@zeno.org`, `@scout/core`, `@ann@example.org`) names nobody.

/** Longest name that anybody has. */
const longest = 64
/** Names that are looked up in one text; a longer list is a list of something else. */
const most = 200

/** Who is mentioned, by the names as they are written (lower case), each once, in the order of the text. Linear in the text. */
export function mentionsIn(text: string, isName: (name: string) => boolean): readonly string[] {
  const found = new Set<string>()
  let tried = 0
  for (let at = text.indexOf('@'); at >= 0 && tried < most; at = text.indexOf('@', at + 1)) {
    if (at > 0 && !/\s/u.test(text.charAt(at - 1))) continue
    const name = nameAt(text, at + 1)
    if (name === null) continue
    tried++
    if (isName(name)) found.add(name)
  }
  return [...found]
}

/** The longest run of name characters, when the text goes on as it does behind a name. */
function nameAt(text: string, from: number): string | null {
  let end = from
  while (end - from <= longest && isNameCharacter(text.charCodeAt(end))) end++
  if (end === from || end - from > longest || isAddress(text, end)) return null
  const name = text
    .slice(from, end)
    .replace(/[-_]+$/, '')
    .toLowerCase()
  return name === '' ? null : name
}

/** Whether what follows makes the name a part of something longer: another letter, `/`, `@`, or a dot and a letter. */
function isAddress(text: string, end: number): boolean {
  const next = text.charAt(end)
  if (/[\p{L}\p{M}\p{N}/@\\]/u.test(next)) return true
  return (next === '.' || next === ':') && /[\p{L}\p{N}/]/u.test(text.charAt(end + 1))
}

/** A to Z, digits, `-` and `_`. */
function isNameCharacter(code: number): boolean {
  const isLetter = (code | 32) >= 97 && (code | 32) <= 122
  return isLetter || (code >= 48 && code <= 57) || code === 45 || code === 95
}
