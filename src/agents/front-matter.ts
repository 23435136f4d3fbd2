// Markdown with YAML front matter, read so that each fault knows its line.
import { isMap, LineCounter, type ParsedNode, parseDocument } from 'yaml'
import { messageOf } from '../base/errors.ts'

export type FrontMatter = {
  readonly value: unknown
  /** The text below the front matter, trimmed. */
  readonly body: string
  /** Line (from 1) in the whole file of the value at that path, or of the nearest thing above it that is there. */
  lineOf(path: readonly PropertyKey[]): number
  /** Line of a key itself. */
  lineOfKey(key: string): number
}
export type Broken = { readonly line: number; readonly message: string }

const fence = /^---[ \t]*\r?$/m
const maxCharacters = 256_000

/** The front matter of a file, or why there is none to read. Never throws. */
export function readFrontMatter(text: string): FrontMatter | Broken {
  if (text.length > maxCharacters) return { line: 1, message: `the file is longer than ${maxCharacters} characters` }
  const clean = text.replace(/^\ufeff/, '')
  const first = fence.exec(clean)
  if (first?.index !== 0) return { line: 1, message: 'the file does not start with front matter: a line "---", YAML, and a line "---"' }
  const rest = clean.slice(first[0].length)
  const second = fence.exec(rest)
  if (second === null) return { line: 1, message: 'the front matter has no end: a line "---" is missing' }
  return parse(rest.slice(0, second.index), rest.slice(second.index + second[0].length).trim())
}

/** `yaml` starts behind the first fence, so its first line is the fence's own. */
function parse(yaml: string, body: string): FrontMatter | Broken {
  const counter = new LineCounter()
  const document = parseDocument(yaml, { lineCounter: counter, prettyErrors: false, uniqueKeys: true })
  const error = document.errors[0]
  if (error) return { line: counter.linePos(error.pos[0]).line, message: `the YAML can't be read: ${error.message}` }
  const at = (node: unknown): number | null => {
    const range = rangeOf(node)
    return range === null ? null : counter.linePos(range).line
  }
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 50 })
  } catch (thrown) {
    return { line: 1, message: `the YAML can't be read: ${messageOf(thrown)}` }
  }
  return {
    value,
    body,
    lineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const line = at(document.getIn(path.slice(0, length), true))
        if (line !== null) return line
      }
      return 1
    },
    lineOfKey(key) {
      const root: ParsedNode | null = document.contents
      const pair = isMap(root) ? root.items.find((item) => String(item.key) === key) : undefined
      return at(pair?.key) ?? 1
    },
  }
}

function rangeOf(node: unknown): number | null {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return null
  const start: unknown = node.range[0]
  return typeof start === 'number' ? start : null
}
