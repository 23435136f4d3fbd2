// One sentence taken apart before any of its words is understood: what stands before a colon or a line's end, what stands between marks of
// quotation, a folder, and what comes after. Linear in the text.
import { folded } from './vocabulary.ts'

/** `folded` is what it is compared by, `raw` what stands there, without signs at its ends. */
export type Token = { readonly raw: string; readonly folded: string; readonly isLast: boolean }

export type Sentence = {
  readonly tokens: readonly Token[]
  /** In the head, in order; a folder is not among them. */
  readonly quoted: readonly string[]
  readonly folder: string
  /** After the colon or the first line; '' when there is none. */
  readonly body: string
}

export const mostWords = 60
const mostHead = 600
const mostBody = 50_000

const closings: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['“', '”“'],
  ['„', '“”"'],
  ['«', '»'],
  ['»', '«'],
  ['‘', '’'],
  ['‚', '‘’'],
  ["'", "'"],
  ['`', '`'],
])

export function sentenceOf(text: string): Sentence {
  const given = text.slice(0, mostHead + mostBody).trim()
  const at = headEnd(given)
  const { rest, quoted } = withoutQuotes(given.slice(0, Math.min(at, mostHead)))
  const words = rest.split(/\s+/).filter((one) => one !== '')
  const isFolder = (one: string) => /^(?:~?\/|[A-Za-z]:[\\/])/.test(one) && one.length > 1
  const inQuotes = quoted.find(isFolder)
  const bare = words.find(isFolder)
  const folder = inQuotes ?? bare?.replace(/[,;!?]+$|\.$/, '') ?? ''
  const kept = words.filter((one) => one !== bare || inQuotes !== undefined).slice(0, mostWords)
  return {
    tokens: kept.flatMap(tokenOf),
    quoted: quoted.filter((one) => one !== inQuotes),
    folder,
    body: unquoted(given.slice(at).replace(/^:/, '').slice(0, mostBody).trim()),
  }
}

/** A name as a person would write it: without quotes and signs round it. */
export function plainName(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  return unquoted(
    line
      .slice(0, 400)
      .trim()
      .replace(/[\s.,;:!?]+$/, '')
      .replace(/^[\s.,;:!?]+/, ''),
  ).slice(0, 120)
}

export function unquoted(text: string): string {
  const close = closings.get(text.charAt(0))
  const isWhole = close !== undefined && text.length > 2 && close.includes(text.charAt(text.length - 1))
  const inside = text.slice(1, -1)
  return isWhole && ![...inside].some((sign) => sign === text.charAt(0) || close.includes(sign)) ? inside.trim() : text
}

function tokenOf(word: string): readonly Token[] {
  const raw = word.replace(/^[\s.,;:!?()[\]]+/, '').replace(/[\s.,;:!?()[\]]+$/, '')
  const isOnlySigns = raw === ''
  if (isOnlySigns && !/^[?]+$/.test(word)) return []
  const kept = isOnlySigns ? word : raw
  return [{ raw: kept, folded: folded(kept), isLast: /[.,;!?]$/.test(word) }]
}

/** A colon that ends a head, not one of an address, a time or a drive. */
function headEnd(text: string): number {
  let close = ''
  for (let at = 0; at < Math.min(text.length, mostHead); at++) {
    const sign = text.charAt(at)
    if (close !== '') {
      if (close.includes(sign)) close = ''
      continue
    }
    if (sign === '\n') return at
    const opens = openedBy(text, at)
    if (opens !== '') close = opens
    else if (sign === ':' && isEnd(text, at)) return at
  }
  return text.length
}

function isEnd(text: string, at: number): boolean {
  const [before, after] = [text.charAt(at - 1), text.charAt(at + 1)]
  if (after === '/' || after === '\\') return false
  return !(/\d/.test(before) && /\d/.test(after)) && at > 0
}

/** What would close the quotation that begins there; '' when none does. An apostrophe within a word begins none. */
function openedBy(text: string, at: number): string {
  const close = closings.get(text.charAt(at))
  if (close === undefined || (at > 0 && !/[\s(:]/.test(text.charAt(at - 1)))) return ''
  return [...close].some((sign) => text.slice(at + 1, at + 1 + mostHead).includes(sign)) ? close : ''
}

function withoutQuotes(head: string): { readonly rest: string; readonly quoted: readonly string[] } {
  const quoted: string[] = []
  let rest = ''
  for (let at = 0; at < head.length; at++) {
    const close = openedBy(head, at)
    const length = close === '' ? -1 : [...head.slice(at + 1)].findIndex((sign) => close.includes(sign))
    if (length <= 0) {
      rest += head.charAt(at)
      continue
    }
    const inside = [...head.slice(at + 1)].slice(0, length).join('')
    quoted.push(inside.trim())
    rest += ' '
    at += inside.length + 1
  }
  return { rest, quoted }
}
