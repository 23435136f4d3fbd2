// Lines that hold tags of sections, comments and declarations alone leave nothing behind, not even their line break.
import { isSpace } from './signs.ts'
import type { Token } from './syntax.ts'

/** Tokens without the white space of such lines. A line with a value, a word or a raw block stays whole. */
export function withoutTagLines(tokens: readonly Token[]): readonly Token[] {
  if (!tokens.some(isTag)) return tokens
  const kept: Token[] = []
  let line: Token[] = []
  for (const token of tokens) {
    for (const piece of pieces(token)) {
      line.push(piece)
      if (!endsLine(piece)) continue
      add(kept, line)
      line = []
    }
  }
  add(kept, line)
  return kept
}

function add(kept: Token[], line: readonly Token[]): void {
  const isOfTags = line.some(isTag) && line.every((token) => isTag(token) || isBlank(token))
  for (const token of line) if (!isOfTags || token.kind !== 'text') kept.push(token)
}

/** Words line by line, each with its line feed; any other token whole. */
function pieces(token: Token): readonly Token[] {
  if (token.kind !== 'text' || token.isRaw || !token.text.includes('\n')) return [token]
  const found: Token[] = []
  for (let start = 0; start < token.text.length; ) {
    const feed = token.text.indexOf('\n', start)
    const end = feed < 0 ? token.text.length : feed + 1
    found.push({ ...token, text: token.text.slice(start, end) })
    start = end
  }
  return found
}

function endsLine(token: Token): boolean {
  return token.kind === 'text' && !token.isRaw && token.text.endsWith('\n')
}

/** An end that was left out stands in no line. */
function isTag(token: Token): boolean {
  if (token.kind === 'end') return token.source !== ''
  return token.kind === 'start' || token.kind === 'block' || token.kind === 'quiet'
}

function isBlank(token: Token): boolean {
  if (token.kind === 'end') return true
  if (token.kind !== 'text' || token.isRaw) return false
  for (let at = 0; at < token.text.length; at++) if (!isSpace(token.text.charCodeAt(at))) return false
  return true
}
