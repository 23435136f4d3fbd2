// Which signs names are made of, and where a tag may start. Codes are UTF-16 units or code points.

const letterBeyondAscii = /[\p{L}\p{N}\p{M}]/u

/** Letters, digits, `_`, `$`. NaN, the code behind the end of a text, is none. */
export function isNameSign(code: number): boolean {
  if (!(code >= 128)) return isLetter(code) || isDigit(code) || code === 95 || code === 36
  return letterBeyondAscii.test(String.fromCodePoint(code))
}

export function isLetter(code: number): boolean {
  const lower = code | 32
  return lower >= 97 && lower <= 122
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

/** The end of the name that starts here; a hyphen between two of its signs belongs to it, as in `default-model`. */
export function endOfName(text: string, from: number, to: number): number {
  let at = from
  while (at < to) {
    const code = text.codePointAt(at) ?? 0
    if (isNameSign(code)) at += code > 0xffff ? 2 : 1
    else if (code === 45 && at > from && at + 1 < to && isNameSign(text.codePointAt(at + 1) ?? 0)) at++
    else break
  }
  return Math.min(at, to)
}

/** Signs behind `{` that make it a tag: a letter, `_`, and those of sections, comments, raw blocks and declarations. */
export function startsTag(text: string, at: number): boolean {
  const code = text.codePointAt(at)
  if (code === undefined) return false
  if (code >= 128) return /\p{L}/u.test(String.fromCodePoint(code))
  return isLetter(code) || code === 95 || '#/!|@'.includes(String.fromCharCode(code))
}
