// Carries templates of the older syntax (Thymeleaf's text mode) over to that of today. What has no counterpart stays as it was, and
// is named. A text without the older syntax stays the same, so that carrying it over again changes nothing.
import { faultAt, Misread, quoted, type TemplateFault } from './fault.ts'
import { readOld } from './ognl-reader.ts'
import { checkedTemplate, type LoopState, OldWriter, type Piece } from './ognl-writer.ts'
import { endOfInline, endOfTag, OldTags } from './old-tags.ts'
import { quotedTemplate } from './scan.ts'

/** `faults`: what stayed as it was, with its place in the given text. */
export type Migrated<Text> = { readonly text: Text; readonly faults: readonly TemplateFault[] }

/** How often a template may write a template that writes a template. */
const deepest = 3
/** How many faults of one text are told. */
const mostFaults = 100

/** The text in the syntax of today; null for null. */
export function migrateTemplate(text: string): string
export function migrateTemplate(text: string | null): string | null
export function migrateTemplate(text: string | null): string | null {
  return migrateTemplateWithFaults(text).text
}

export function migrateTemplateWithFaults<Text extends string | null>(text: Text): Migrated<Text | string> {
  if (text === null) return { text, faults: [] }
  const migration = new Migration(text, 0)
  const now = migration.run()
  return { text: now, faults: migration.faults.slice(0, mostFaults).map(({ message, at }) => faultAt(text, message, at)) }
}

class Migration {
  readonly faults: Misread[] = []
  private readonly text: string
  private readonly depth: number
  private readonly tags: OldTags
  private readonly loops = new Map<string, LoopState>()
  /** In parts: looking at the end of one long text would put it together anew each time. */
  private readonly written: string[] = []
  private at = 0
  /** What scans may still look at that find no end, so that no text makes them look at everything again and again. */
  private patience: number

  constructor(text: string, depth: number) {
    this.text = text
    this.depth = depth
    this.tags = new OldTags(this.loops)
    this.patience = text.length * 4 + 1_000
  }

  run(): string {
    if (this.depth >= deepest) throw new Misread('templates that write templates are nested too deeply', 0)
    for (let next = this.text.indexOf('[', 0); next >= 0; next = this.text.indexOf('[', this.at)) {
      this.keep(next)
      const sign = this.text[next + 1]
      if (sign === '[' || sign === '(') this.inline(sign === '[' ? ']' : ')')
      else if (sign === '#') this.start()
      else if (sign === '/') this.end()
      else this.keep(next + 1)
    }
    this.keep(this.text.length)
    return this.written.join('')
  }

  /** `[[${x}]]` and `[(${x})]`. Two brackets with anything else behind them are a list in a list. */
  private inline(close: ']' | ')'): void {
    const start = this.at
    const inside = this.text.slice(start + 2, start + 200).trimStart()
    if (!/^(?:[$*#@~]\{|['|(])/.test(inside)) return this.keep(start + 2)
    const end = this.found(endOfInline(this.text, start, { close, most: this.patience }))
    const isMeant = /^[$*#@~]\{/.test(inside)
    if (end < 0) return this.refuse(start + 2, isMeant ? 'it is not closed' : null)
    const expression = this.text.slice(start + 2, end - 2)
    this.attempt(
      end,
      () => this.inPieces(new OldWriter(expression, this.loops).pieces(readOld(expression))),
      isMeant || expression.includes('${'),
    )
  }

  private start(): void {
    const end = this.found(endOfTag(this.text, this.at, this.patience))
    if (end < 0) return this.keep(this.at + 2)
    const tag = this.text.slice(this.at, end)
    if (!/^\[#[\w:]*\s+th:/.test(tag)) return this.keep(end)
    const isDone = this.attempt(end, () => this.tags.start(tag, (pieces) => this.inPieces(pieces)), true)
    if (!isDone && !tag.endsWith('/]')) this.tags.startUnknown()
  }

  private end(): void {
    const close = this.text.indexOf(']', this.at)
    const tag = close < 0 || close - this.at > 40 ? '' : this.text.slice(this.at, close + 1)
    const ends = /^\[\/[\w:]*\]$/.test(tag) ? this.tags.end() : null
    if (ends === null) return this.keep(this.at + 2)
    this.write(ends)
    this.at += tag.length
  }

  /** Writes what `carryOver` gives for the text up to `end`, or leaves that as it is and, if `isMeant`, names it. */
  private attempt(end: number, carryOver: () => string, isMeant: boolean): boolean {
    try {
      this.write(carryOver())
      this.at = end
      return true
    } catch (error) {
      if (!(error instanceof Misread)) throw error
      this.refuse(end, isMeant ? error.message : null)
      return false
    }
  }

  private refuse(end: number, why: string | null): void {
    const part = quoted(this.text.slice(this.at, end === this.at + 2 ? this.at + 60 : end))
    if (why !== null) this.faults.push(new Misread(`"${part}" can't be carried over: ${why}`, this.at))
    this.keep(end)
  }

  private keep(end: number): void {
    if (end > this.at) this.written.push(this.text.slice(this.at, end))
    this.at = end
  }

  /** A backslash before what is written would take the brace's meaning; in a block of its own it can't. */
  private write(text: string): void {
    const last = this.written.at(-1) ?? ''
    if (text.startsWith('{') && backslashesAtEnd(last) % 2 === 1) this.written[this.written.length - 1] = `${last.slice(0, -1)}{|\\|}`
    if (text !== '') this.written.push(text)
  }

  private found(end: number): number {
    if (end < 0) this.patience += end
    return end
  }

  /** Words that hold the older syntax become a template of today, as words: this one writes templates. */
  private inPieces(pieces: readonly Piece[]): string {
    let text = ''
    let words = ''
    const flush = () => {
      text += /\[\[|\[\(|\$\{/.test(words) ? quotedTemplate(this.writtenTemplate(words)) : quotedTemplate(words)
      words = ''
    }
    for (const piece of pieces) {
      if ('words' in piece) {
        words += piece.words
        continue
      }
      flush()
      text += piece.code
    }
    flush()
    return checkedTemplate(text)
  }

  private writtenTemplate(words: string): string {
    const inner = new Migration(words, this.depth + 1)
    const text = inner.run()
    const [fault] = inner.faults
    if (fault) throw new Misread(`the template that it writes is not understood: ${fault.message}`, 0)
    if (text === words && words.includes('${')) throw new Misread('it writes a part of a template', 0)
    return text
  }
}

function backslashesAtEnd(text: string): number {
  let at = text.length
  while (at > 0 && text[at - 1] === '\\') at--
  return text.length - at
}
