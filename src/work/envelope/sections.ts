// Which sections an artifact has: headings of Markdown, members of its front matter, of JSON or of YAML. A section without content
// is none. One pass over the lines.
import { isObject } from '../../base/json.ts'

const longestName = 200

/** Names as they compare: `Decision target`, `2. Decision target` and `decision_target` are one. */
export function sectionName(text: string): string {
  const plain = text
    .slice(0, longestName)
    .trim()
    .replace(/^\d{1,3}[.)]\s/, '')
  return plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
}

/** `path`: of the artifact, its ending tells YAML. */
export function sectionsOf(text: string, path: string): ReadonlySet<string> {
  const clean = text.replace(/^\ufeff/, '')
  if (clean.trimStart().startsWith('{')) return membersOf(clean)
  const lines = clean.split(/\r?\n/)
  if (/\.ya?ml$/.test(path)) return keysOf(lines)
  const end = lines[0]?.trimEnd() === '---' ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---') : -1
  return new Set([...keysOf(lines.slice(1, Math.max(1, end))), ...headingsOf(lines.slice(end + 1))])
}

/** The text points at a place: `file.ext:line`, or a web address. */
export function hasEvidence(text: string): boolean {
  return /\.[A-Za-z0-9]{1,10}:\d/.test(text) || /https?:\/\/\S/.test(text)
}

function membersOf(text: string): ReadonlySet<string> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return new Set()
  }
  if (!isObject(value)) return new Set()
  const filled = Object.entries(value).filter(([, member]) => member !== null && member !== '')
  return new Set(filled.map(([name]) => sectionName(name)))
}

function keysOf(lines: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  let key: string | null = null
  for (const line of lines) {
    const own = /^["']?([\p{L}_][\p{L}\p{N}_ -]{0,100})["']?:(.*)$/u.exec(line)
    if (own?.[1] !== undefined) key = sectionName(own[1])
    const content = own ? (own[2] ?? '') : line
    if (key !== null && content.trim() !== '' && !content.trimStart().startsWith('#')) found.add(key)
  }
  return found
}

type Heading = { readonly level: number; readonly name: string }

function headingsOf(lines: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  let open: readonly Heading[] = []
  let fence: string | null = null
  for (const line of lines) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1] ?? null
    if (mark !== null && (fence === null || fence === mark)) fence = fence === null ? mark : null
    const heading = fence === null && mark === null ? headingOf(line) : null
    if (heading !== null) open = [...open.filter((one) => one.level < heading.level), heading]
    else if (line.trim() !== '') for (const one of open) found.add(one.name)
  }
  return found
}

function headingOf(line: string): Heading | null {
  const [, marks, title] = /^ {0,3}(#{1,6})[ \t](.*)$/.exec(line.slice(0, longestName)) ?? []
  return marks === undefined || title === undefined ? null : { level: marks.length, name: sectionName(title) }
}
