// The form of a text: whether it asks something, and whether it names a file. What the source's program sees, word list by word list.
import { imperatives, interrogatives, modals, openers, subjects } from './lexicon-form.ts'
import { lowerAscii } from './phrases.ts'

/**
 * Whether the first sentence asks: it ends with "?" or starts like a question, and is neither a request ("can you", "please") nor an
 * order. A sentence ends with a full stop and a space, so that a file's name is left whole. English only.
 */
export function isQuestion(text: string): boolean {
  const first = firstSentence(lowerAscii(trimmed(text)))
  const [word, next] = firstWords(first)
  if (isRequest(word, next) || imperatives.has(word)) return false
  return first.endsWith('?') || startsLikeQuestion(word, next)
}

/** Whether something between two spaces is a path (a letter and a slash) or a file's name (`a.b`; also `30.5s` and `e.g`). */
export function hasPath(text: string): boolean {
  return lowerAscii(text)
    .split(' ')
    .some((token) => isPath(token) || isFileName(token.endsWith('\n') ? token.slice(0, -1) : token))
}

function isPath(token: string): boolean {
  return token.includes('/') && /[a-z]/.test(token)
}

function isFileName(token: string): boolean {
  const dot = token.lastIndexOf('.')
  return dot > 0 && /^[a-z0-9]+$/.test(token.slice(dot + 1)) && /^[a-z0-9_.-]+$/.test(token.slice(0, dot))
}

function isRequest(word: string, next: string): boolean {
  return word === 'please' || (modals.has(word) && (next === 'you' || next === 'we' || next === 'u' || next === 'yall'))
}

function startsLikeQuestion(word: string, next: string): boolean {
  return interrogatives.has(word) || (openers.has(word) && subjects.has(next))
}

function firstSentence(text: string): string {
  const end = text.indexOf('. ')
  return end === -1 ? text : text.slice(0, end)
}

/** The first two words, of a to z, digits and '; every other sign is left out as if it were not there, and only spaces part words. */
function firstWords(text: string): readonly [string, string] {
  const words: string[] = []
  let word = ''
  for (const sign of text) {
    if (sign !== ' ' && !/[a-z0-9']/.test(sign)) continue
    if (sign !== ' ') word += sign
    else if (word !== '') {
      words.push(word)
      word = ''
      if (words.length === 2) break
    }
  }
  if (word !== '') words.push(word)
  return [words[0] ?? '', words[1] ?? '']
}

/** By index, because an expression that ends with white space can be made slow. */
function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const blanks: ReadonlySet<number> = new Set([
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
  ...Array.from({ length: 11 }, (_, at) => 0x2000 + at),
])

function isBlank(code: number): boolean {
  return blanks.has(code)
}
