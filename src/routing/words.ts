// A text as words: folded, with what stands between them. Linear, without regular expressions; a very long text is looked at in part.

/** What stands before a word: nothing that ends a thought, something that may (comma, colon, dash, bracket), the end of a sentence. */
export const gapNone = 0
export const gapSoft = 1
export const gapEnd = 2

export const kindPlain = 0
/** A path or a file name. */
export const kindPath = 1
/** Between backticks. */
export const kindCode = 2

export type Words = {
  readonly count: number
  /** Lower case; umlauts and sharp s as ae, oe, ue, ss. */
  readonly word: readonly string[]
  readonly gap: readonly number[]
  readonly kind: readonly number[]
  /** 0 lower case, 1 a capital first, 2 all capitals (two at least), 3 a capital after a small letter. */
  readonly shape: readonly number[]
  /** The sign right after the word, as `,` `:` `?`; empty: none. */
  readonly after: readonly string[]
  /** `@` stands before it. */
  readonly at: readonly boolean[]
}

const head = 4_500
const tail = 1_500

/** What is looked at of a text: all, or of a long one its beginning and its end, where people put what they want. */
export function lookedAt(text: string): { readonly text: string; readonly looked: number | null } {
  if (text.length <= head + tail) return { text, looked: null }
  const first = text.slice(0, text.lastIndexOf(' ', head) > head - 200 ? text.lastIndexOf(' ', head) : head)
  const cut = text.indexOf(' ', text.length - tail)
  const last = text.slice(cut < 0 || cut > text.length - tail + 200 ? text.length - tail : cut)
  return { text: `${first}\n\n${last}`, looked: first.length + last.length }
}

type Open = {
  readonly word: string[]
  readonly gap: number[]
  readonly kind: number[]
  readonly shape: number[]
  readonly after: string[]
  readonly at: boolean[]
  pending: number
  code: boolean
  /** Where the last letter of the stretch stands that is being read, so that no sign has to look for it. */
  lastLetter: number
}

export function wordsOf(given: string): Words {
  const text = given.normalize('NFC')
  const open: Open = { word: [], gap: [], kind: [], shape: [], after: [], at: [], pending: gapEnd, code: false, lastLetter: -1 }
  const lastTick = text.lastIndexOf('`')
  let index = 0
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (isSpace(code)) {
      if (code === 10 && startsBlock(text, index)) open.pending = gapEnd
      index += 1
      continue
    }
    let end = index + 1
    while (end < text.length && !isSpace(text.charCodeAt(end))) end += 1
    takeChunk(open, text.slice(index, end), lastTick >= index)
    index = end
  }
  return { ...open, count: open.word.length }
}

/** One stretch without white space: a path, or words with signs between them. */
function takeChunk(open: Open, chunk: string, mayOpen: boolean): void {
  let from = 0
  let to = chunk.length
  const lastSlash = chunk.lastIndexOf('/')
  const lastLetter = lastLetterIn(chunk)
  open.lastLetter = lastLetter
  while (from < to && !isLetter(chunk.charCodeAt(from)) && !(from < to - 1 && from <= lastSlash && isPathSign(chunk, from)))
    from = sign(open, chunk, from, mayOpen)
  while (to > from && !isLetter(chunk.charCodeAt(to - 1)) && chunk.charAt(to - 1) !== '/') to -= 1
  const core = chunk.slice(from, to)
  const before = chunk.charAt(from - 1)
  if (core.includes('`')) takeWords(open, core, before, mayOpen)
  else if (looksLikePath(core)) push(open, core, (open.code ? kindCode : kindPlain) | kindPath, false)
  else takeWords(open, core, before, mayOpen)
  open.lastLetter = lastLetter
  for (let at = to; at < chunk.length; ) at = sign(open, chunk, at, mayOpen)
}

function takeWords(open: Open, core: string, before: string, mayOpen: boolean): void {
  let at = 0
  open.lastLetter = lastLetterIn(core)
  while (at < core.length) {
    if (!isLetter(core.charCodeAt(at))) {
      at = sign(open, core, at, mayOpen)
      continue
    }
    let end = at + 1
    while (end < core.length && (isLetter(core.charCodeAt(end)) || isInnerApostrophe(core, end))) end += 1
    push(open, core.slice(at, end), open.code ? kindCode : kindPlain, (at === 0 ? before : core.charAt(at - 1)) === '@')
    at = end
  }
}

/** Reads one sign that is no letter; gives the next index. */
function sign(open: Open, chunk: string, at: number, mayOpen: boolean): number {
  const char = chunk.charAt(at)
  if (char === '`') {
    open.code = !open.code && mayOpen
    let end = at + 1
    while (chunk.charAt(end) === '`') end += 1
    return end
  }
  const last = open.word.length - 1
  if (last >= 0 && open.after[last] === '' && open.pending === gapNone) open.after[last] = char
  if ((char === '.' || char === '!' || char === '?' || char === '…') && at > open.lastLetter) {
    if (char === '?' && last >= 0) open.after[last] = '?'
    open.pending = gapEnd
  } else if (softs.has(char)) open.pending = Math.max(open.pending, gapSoft)
  return at + 1
}

/** A dot before a letter, as in 2.5 or e.g., ends nothing. -1: there is none. */
function lastLetterIn(text: string): number {
  let at = text.length - 1
  while (at >= 0 && !isLetter(text.charCodeAt(at))) at -= 1
  return at
}

function push(open: Open, raw: string, kind: number, at: boolean): void {
  open.word.push(folded(raw))
  open.gap.push(open.pending)
  open.kind.push(kind)
  open.shape.push(shapeOf(raw))
  open.after.push('')
  open.at.push(at)
  open.pending = gapNone
}

/** How words of texts and of phrases are compared. */
export function folded(raw: string): string {
  const lower = raw.toLowerCase()
  for (let index = 0; index < lower.length; index += 1) if (lower.charCodeAt(index) > 127) return foldedSigns(lower)
  return lower
}

function foldedSigns(lower: string): string {
  let out = ''
  for (const char of lower) out += signsAs[char] ?? char
  return out
}

const signsAs: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', '’': "'", ʼ: "'" }
const softs: ReadonlySet<string> = new Set([',', ';', ':', '(', ')', '[', ']', '{', '}', '"', '“', '”', '„', '—', '–', '|', '*', '•', '>'])

function shapeOf(raw: string): number {
  const first = raw.charAt(0)
  if (hasInnerCapital(raw)) return shapeInner
  if (first === first.toLowerCase()) return 0
  return raw.length > 1 && raw === raw.toUpperCase() ? 2 : 1
}

/** A capital after a small letter. */
function hasInnerCapital(raw: string): boolean {
  for (let at = 1; at < raw.length; at += 1) {
    const before = raw.charCodeAt(at - 1)
    const code = raw.charCodeAt(at)
    if (code >= 65 && code <= 90 && before >= 97 && before <= 122) return true
  }
  return false
}

/** As names in code have it: a capital in the middle. */
export const shapeInner = 3

/** An empty line, or a line that begins like one of a list. */
function startsBlock(text: string, at: number): boolean {
  let index = at + 1
  while (text.charAt(index) === ' ' || text.charAt(index) === '\r') index += 1
  const char = text.charAt(index)
  return (
    char === '\n' || ((char === '-' || char === '*' || char === '•') && text.charAt(index + 1) === ' ') || isDigit(text.charCodeAt(index))
  )
}

/** With a slash and something that no plain word has, or a name with an ending that files have. */
function looksLikePath(core: string): boolean {
  const slash = core.indexOf('/')
  if (slash >= 0) {
    if (!hasLetter(core)) return false
    return slash === 0 || core.endsWith('/') || hasPathSign(core) || folders.has(core.slice(0, slash).toLowerCase())
  }
  const dot = core.lastIndexOf('.')
  return dot > 0 && endings.has(core.slice(dot + 1).toLowerCase()) && hasLetter(core.slice(0, dot))
}

function hasPathSign(core: string): boolean {
  for (let index = 0; index < core.length; index += 1) {
    const char = core.charAt(index)
    if (char === '.' || char === '_' || char === '~' || char === '-' || isDigit(core.charCodeAt(index))) return true
  }
  return false
}

function hasLetter(core: string): boolean {
  for (let index = 0; index < core.length; index += 1) {
    const code = core.charCodeAt(index)
    if (isLetter(code) && !isDigit(code)) return true
  }
  return false
}

const folders: ReadonlySet<string> = new Set(
  'src lib libs test tests spec docs doc app apps web bin cmd cli pkg packages scripts config configs server client api internal tools etc usr var home tmp'.split(
    ' ',
  ),
)
const endings: ReadonlySet<string> = new Set(
  'ts tsx js jsx mjs cjs json jsonl yaml yml toml md mdx txt py rb go rs java kt kts c h cc cpp hpp cs php sh bash bats zsh ps1 sql html css scss svelte vue xml ini cfg conf env lock csv tsv log pdf swift scala ex exs lua r proto tf gradle mk diff patch'.split(
    ' ',
  ),
)

/** Where a slash follows. */
function isPathSign(chunk: string, at: number): boolean {
  const char = chunk.charAt(at)
  return char === '/' || char === '~' || char === '.'
}

function isInnerApostrophe(text: string, at: number): boolean {
  const char = text.charAt(at)
  return (char === "'" || char === '’' || char === 'ʼ') && isLetter(text.charCodeAt(at + 1))
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isLetter(code: number): boolean {
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || isDigit(code) || code === 95
  return (
    code >= 0xc0 &&
    code !== 0xd7 &&
    code !== 0xf7 &&
    !(code >= 0x2000 && code <= 0x2bff) &&
    !(code >= 0x3000 && code <= 0x303f) &&
    code < 0xfe00
  )
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x2028 || code === 0x2029 || code === 0x3000
}
