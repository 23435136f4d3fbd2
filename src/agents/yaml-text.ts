// YAML read so that each fault knows its line. Never throws, whatever the text holds.
import { isMap, LineCounter, type ParsedNode, parseDocument } from 'yaml'
import { messageOf } from '../base/errors.ts'

export type YamlText = {
  readonly value: unknown
  /** Line (from 1) of the value at that path, or of the nearest thing above it that is there. */
  lineOf(path: readonly PropertyKey[]): number
  /** Line of a key of the outermost map itself. */
  lineOfKey(key: string): number
}
export type Broken = { readonly line: number; readonly message: string }

/** `aliases`: how many values the text's own references may stand for; a few of them can otherwise fill the memory. */
export function readYaml(text: string, { aliases }: { readonly aliases: number }): YamlText | Broken {
  try {
    return parse(text, aliases)
  } catch (thrown) {
    return { line: 1, message: `the YAML can't be read: ${messageOf(thrown).slice(0, 200)}` }
  }
}

function parse(text: string, maxAliasCount: number): YamlText | Broken {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: true })
  const error = document.errors[0]
  if (error) return { line: counter.linePos(error.pos[0]).line, message: `the YAML can't be read: ${error.message}` }
  const at = (node: unknown): number | null => {
    const start = startOf(node)
    return start === null ? null : counter.linePos(start).line
  }
  return {
    value: document.toJS({ maxAliasCount }),
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

function startOf(node: unknown): number | null {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return null
  const start: unknown = node.range[0]
  return typeof start === 'number' ? start : null
}
