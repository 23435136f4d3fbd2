// A template's text as a row of words and tags. What can't be read as a tag stays words, and is told as a fault.
import { Misread, quoted } from './fault.ts'
import { isLetter, startsTag } from './signs.ts'
import { passedThrough } from './spaces.ts'
import type { Token } from './syntax.ts'
import { endOfTag, readTag } from './tags.ts'

export type Scanned = { readonly tokens: readonly Token[]; readonly faults: readonly Misread[] }

/** Never throws. */
export function scan(text: string): Scanned {
  const scanner = new Scanner(text)
  scanner.run()
  return scanner
}

class Scanner implements Scanned {
  readonly tokens: Token[] = []
  readonly faults: Misread[] = []
  private readonly text: string
  private at = 0
  /** Where the words begin that are not yet a token, and those of them that have been put together, without their escapes. */
  private start = 0
  private words = ''
  private from = 0
  private readonly lastEnd: { readonly '|}': number; readonly '!}': number }

  constructor(text: string) {
    this.text = text
    this.lastEnd = { '|}': text.lastIndexOf('|}'), '!}': text.lastIndexOf('!}') }
  }

  run(): void {
    for (this.at = nextSign(this.text, 0); this.at >= 0; this.at = nextSign(this.text, this.at)) {
      if (this.text[this.at] === '\\') this.escape()
      else this.brace()
    }
    this.flush(this.text.length)
  }

  /** A backslash before a brace leaves the brace; every other one stays, and so does what follows it. */
  private escape(): void {
    const sign = this.text[this.at + 1]
    if (sign === '{' || sign === '}') {
      this.words += this.text.slice(this.start, this.at)
      this.start = this.at + 1
    }
    this.at += 2
  }

  /** A brace that no tag follows is words, and so is what stands behind it: `{{name}}` has no tag. */
  private brace(): void {
    if (!startsTag(this.text, this.at + 1)) {
      this.at += 2
      return
    }
    const sign = this.text[this.at + 1]
    if (sign === '|' || sign === '!') this.block(sign === '|' ? '|}' : '!}')
    else this.tag()
  }

  /** Words that are not looked at, up to the next `|}`, or a comment up to `!}`. */
  private block(close: '|}' | '!}'): void {
    const at = this.at
    const end = this.lastEnd[close] < at + 2 ? -1 : this.text.indexOf(close, at + 2)
    if (end < 0) return this.keep(new Misread(`"${this.text.slice(at, at + 2)}" is not closed by "${close}"`, at))
    this.flush(at)
    const source = this.text.slice(at, end + 2)
    if (close === '!}') this.tokens.push({ kind: 'quiet', at, source })
    else this.tokens.push({ kind: 'text', at, text: source.slice(2, -2), isRaw: true })
    this.goOn(end + 2)
  }

  private tag(): void {
    const end = endOfTag(this.text, this.at)
    if (end < 0) return this.keep(new Misread(`"${quoted(this.text.slice(this.at))}" is not closed`, this.at))
    if (isReference(this.text, this.at)) {
      this.at = end
      return
    }
    try {
      const token = readTag(this.text, this.at, end)
      this.flush(this.at)
      this.tokens.push(token)
      this.goOn(end)
    } catch (error) {
      if (!(error instanceof Misread)) throw error
      this.keep(error)
    }
  }

  private keep(fault: Misread): void {
    this.faults.push(fault)
    this.at++
  }

  private flush(end: number): void {
    const text = this.words + this.text.slice(this.start, end)
    if (text !== '') this.tokens.push({ kind: 'text', at: this.from, text, isRaw: false })
    this.words = ''
  }

  private goOn(at: number): void {
    this.at = at
    this.start = at
    this.from = at
  }
}

/** The next brace or backslash; -1 when there is none. */
function nextSign(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 123 || code === 92) return at
  }
  return -1
}

/** Whether something in the text can be a tag at all, or would be one but for a backslash. */
export function hasTags(text: string): boolean {
  for (let at = text.indexOf('{'); at >= 0; ) {
    if (startsTag(text, at + 1)) return true
    at = text.indexOf('{', text[at - 1] === '\\' ? at + 1 : at + 2)
  }
  return false
}

/** A tag such as `{vault:name}`, which others resolve. */
function isReference(text: string, at: number): boolean {
  let end = at + 1
  while (isLetter(text.charCodeAt(end))) end++
  return text[end] === ':' && passedThrough.includes(text.slice(at + 1, end))
}

/** A text as a template that renders to it, wherever in another one it stands. */
export function quotedTemplate(text: string): string {
  return /[{\\]/.test(text) ? `{|${text.replaceAll('|}', '||}{|}')}|}` : text
}
