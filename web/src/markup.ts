// Reads what an agent wrote as blocks: paragraphs, headings, lists, quotes, code fences, tables. Pure, and total: every text has a reading,
// an open fence or list reads as such from its first line. Nothing is ever taken as HTML (W9).

export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'quote'; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly start: number; readonly items: readonly string[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string; readonly closed: boolean }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }

export type Span =
  | { readonly kind: 'text' | 'code' | 'strong'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string; readonly host: string }

const fence = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/
const bullet = /^ {0,3}[-*+] +(.*)$/
const numbered = /^ {0,3}(\d{1,9})[.)] +(.*)$/
const heading = /^ {0,3}#{1,6} +(.*)$/
const tableRule = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

export function readBlocks(text: string): readonly Block[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (line.trim() === '') {
      at += 1
      continue
    }
    const { block, next } = readBlock(lines, at)
    blocks.push(block)
    at = next
  }
  return blocks
}

type Read = { readonly block: Block; readonly next: number }

function readBlock(lines: readonly string[], at: number): Read {
  const line = lines[at] ?? ''
  if (fence.test(line)) return readCode(lines, at)
  const title = heading.exec(line)
  if (title) return { block: { kind: 'heading', text: title[1] ?? '' }, next: at + 1 }
  if (bullet.test(line) || numbered.test(line)) return readList(lines, at)
  if (line.startsWith('>')) return readQuote(lines, at)
  if (line.includes('|') && tableRule.test(lines[at + 1] ?? '') && (lines[at + 1] ?? '').includes('|')) return readTable(lines, at)
  return readParagraph(lines, at)
}

function readCode(lines: readonly string[], at: number): Read {
  const [, mark = '```', language = ''] = fence.exec(lines[at] ?? '') ?? []
  const isEnd = (line: string) => line.trim().length >= mark.length && line.trim() === (mark[0] ?? '`').repeat(line.trim().length)
  let end = at + 1
  while (end < lines.length && !isEnd(lines[end] ?? '')) end += 1
  const closed = end < lines.length
  return { block: { kind: 'code', language: language.trim(), text: lines.slice(at + 1, end).join('\n'), closed }, next: end + 1 }
}

function readList(lines: readonly string[], at: number): Read {
  const first = numbered.exec(lines[at] ?? '')
  const ordered = first !== null
  const items: string[] = []
  let end = at
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? ''
    const item = ordered ? numbered.exec(line)?.[2] : bullet.exec(line)?.[1]
    if (item !== undefined) items.push(item)
    else if (/^\s{2,}\S/.test(line) && items.length > 0) items.push(`${items.pop()}\n${line.trim()}`)
    else break
  }
  return { block: { kind: 'list', ordered, start: Number(first?.[1] ?? 1), items }, next: end }
}

function readQuote(lines: readonly string[], at: number): Read {
  let end = at
  while (end < lines.length && (lines[end] ?? '').startsWith('>')) end += 1
  const text = lines.slice(at, end).map((line) => line.replace(/^> ?/, ''))
  return { block: { kind: 'quote', text: text.join('\n') }, next: end }
}

function readTable(lines: readonly string[], at: number): Read {
  let end = at + 2
  while (end < lines.length && (lines[end] ?? '').includes('|')) end += 1
  const head = cells(lines[at] ?? '')
  const rows = lines.slice(at + 2, end).map((line) => head.map((_, index) => cells(line)[index] ?? ''))
  return { block: { kind: 'table', head, rows }, next: end }
}

function cells(line: string): string[] {
  return line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|').map((cell) => cell.trim()) // biome-ignore format: one line reads better
}

function readParagraph(lines: readonly string[], at: number): Read {
  let end = at + 1
  while (end < lines.length && !startsBlock(lines[end] ?? '')) end += 1
  return { block: { kind: 'paragraph', text: lines.slice(at, end).join('\n') }, next: end }
}

function startsBlock(line: string): boolean {
  return line.trim() === '' || fence.test(line) || heading.test(line) || bullet.test(line) || numbered.test(line) || line.startsWith('>')
}

const inline = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]{1,200})\]\((https?:\/\/[^\s()<>]+)\)|(https?:\/\/[^\s<>()"']+[^\s<>()"'.,;:!?])/g

/** Code, strong words and links of one block. Only http and https become links; everything else stays the text that it is. */
export function readSpans(text: string): readonly Span[] {
  const spans: Span[] = []
  let at = 0
  for (const match of text.matchAll(inline)) {
    if (match.index > at) spans.push({ kind: 'text', text: text.slice(at, match.index) })
    spans.push(spanOf(match))
    at = match.index + match[0].length
  }
  if (at < text.length) spans.push({ kind: 'text', text: text.slice(at) })
  return spans
}

function spanOf(match: RegExpExecArray): Span {
  const [whole, code, strong, label, target, bare] = match
  if (code !== undefined) return { kind: 'code', text: code }
  if (strong !== undefined) return { kind: 'strong', text: strong }
  const href = target ?? bare ?? ''
  const url = URL.parse(href)
  if (url === null) return { kind: 'text', text: whole }
  return { kind: 'link', text: label ?? href, href: url.href, host: url.host }
}
