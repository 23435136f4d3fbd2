// YAML as a person, or somebody elsewhere, wrote it: read in linear time, so far and so deep and no further, each fault with its line.
// What comes out is JSON: no dates, no sets, no merged maps, whatever a tag or a directive in the text asks for.
import { Composer, Document, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, type Pair, Parser, visit } from 'yaml'
import { messageOf } from './errors.ts'

export type YamlText = {
  readonly value: unknown
  /** Line (from 1) of the value at that path, or of the nearest thing above it that is there. */
  lineOf(path: readonly PropertyKey[]): number
  /** Line of a key of the outermost map itself. */
  lineOfKey(key: string): number
}
/** `message`: part of a sentence, without a full stop. */
export type Broken = { readonly line: number; readonly message: string }

export type YamlLimits = {
  readonly mostCharacters: number
  /** How many references (`*name`) there may be, and how much they may stand for; 0 when absent: a few can fill the memory. */
  readonly aliases?: number
}

/** Collections within each other. */
export const deepestYaml = 100

/** Never throws, whatever the text holds. An empty text is null. */
export function readYaml(text: string, limits: YamlLimits): YamlText | Broken {
  const read = readDocument(text, limits)
  if ('message' in read) return read
  const { document, counter } = read
  try {
    const value: unknown = document.toJS({ maxAliasCount: limits.aliases ?? 0 })
    return { value, ...placesIn(document.contents, counter) }
  } catch (thrown) {
    return unreadable(messageOf(thrown), 1)
  }
}

/** The same as something that can be changed and written again, comments included. Never throws. */
export function editYaml(text: string, limits: YamlLimits): Document | Broken {
  const read = readDocument(text, limits)
  return 'message' in read ? read : read.document
}

type Read = { readonly document: Document; readonly counter: LineCounter }

/** Ends the reading at the first fault: to go on would make an error of each character of a text that is none. */
class Fault extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

function readDocument(given: string, { mostCharacters, aliases = 0 }: YamlLimits): Read | Broken {
  if (given.length > mostCharacters) return { line: 1, message: `it is longer than ${mostCharacters} characters` }
  const text = given.replace(/^\ufeff/, '')
  const counter = new LineCounter()
  try {
    const document = compose(text, counter)
    const odd = oddity(document, aliases)
    return odd === null ? { document, counter } : unreadable(odd.message, lineIn(text, odd.at))
  } catch (thrown) {
    return unreadable(messageOf(thrown), thrown instanceof Fault ? lineIn(text, thrown.at) : 1)
  }
}

/** Counted in the text: where a reading was ended, the counter may be behind. */
function lineIn(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function unreadable(why: string, line: number): Broken {
  return { line, message: `the YAML can't be read: ${why.replace(/\s+/g, ' ').replace(/\.$/, '').slice(0, 200)}` }
}

/** The library's own check for double keys compares each pair of them; `oddity` does it in one pass. */
const options = { uniqueKeys: false, schema: 'core', merge: false, resolveKnownTags: false, logLevel: 'silent' } as const

function compose(text: string, lineCounter: LineCounter): Document {
  const composer = new Composer({ ...options, lineCounter })
  // The library collects faults and offers no end at the first one.
  Object.assign(composer, { onError: stopAtFirst() })
  let found: Document | null = null
  for (const document of composer.compose(tokensOf(text, lineCounter), true, text.length)) {
    const [error] = document.errors
    if (error) throw new Fault(error.pos[0], error.message)
    if (found !== null) throw new Fault(document.range[0], 'a second document starts here, and only one is taken')
    found = document
  }
  return found ?? new Document(null, options)
}

function* tokensOf(text: string, counter: LineCounter) {
  const parser = new Parser(counter.addNewLine)
  counter.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) yield sound(token)
    // The document, and a scalar at its end, are no collections.
    if (parser.stack.length > deepestYaml + 2) throw new Fault(parser.offset, `it is nested deeper than ${deepestYaml} levels`)
  }
  for (const token of parser.end()) yield sound(token)
}

function sound<T extends { readonly type: string; readonly offset: number }>(token: T): T {
  if (token.type === 'error' && 'message' in token) throw new Fault(token.offset, String(token.message))
  return token
}

/** On its way out the fault is caught by each collection around it, and told again as that one's own: the first one is meant. */
function stopAtFirst() {
  let first: Fault | null = null
  return (source: unknown, _code: string, message: string, isWarning?: boolean): void => {
    if (isWarning === true) return
    first ??= new Fault(offsetOf(source), message)
    throw first
  }
}

function offsetOf(source: unknown): number {
  if (typeof source === 'number') return source
  if (Array.isArray(source)) return Number(source[0])
  return typeof source === 'object' && source !== null && 'offset' in source ? Number(source.offset) : 0
}

type Odd = { readonly at: number; readonly message: string }

/** What YAML allows and no document here means: a key twice, a key that is no text, references. */
function oddity(document: Document, aliases: number): Odd | null {
  let found: Odd | null = null
  let left = aliases
  visit(document, {
    Alias(_, { source, range }, above) {
      const isWithin = above.some((one) => 'anchor' in one && one.anchor === source)
      if (--left >= 0 && !isWithin) return
      const name = source.slice(0, 60)
      found = { at: range?.[0] ?? 0, message: left >= 0 ? `"*${name}" stands for what it is a part of` : aliasMessage(name, aliases) }
      return visit.BREAK
    },
    Map(_, { items }) {
      found = oddKey(items)
      return found === null ? undefined : visit.BREAK
    },
  })
  return found
}

function aliasMessage(name: string, most: number): string {
  const asText = `put a text that starts with "*" between quotes`
  return most === 0
    ? `"*${name}" stands for what is written elsewhere, and such references are not taken; write it out, or ${asText}`
    : `there are more than ${most} references such as "*${name}"; write them out, or ${asText}`
}

function oddKey(items: readonly Pair[]): Odd | null {
  const seen = new Set<string>()
  for (const { key } of items) {
    const at = startOf(key) ?? 0
    const name = nameOf(key)
    if (name === null) return { at, message: 'a key here is no text; put a text with brackets or braces between quotes' }
    if (seen.has(name)) return { at, message: `"${name.slice(0, 60)}" is there twice` }
    seen.add(name)
  }
  return null
}

/** What the key is called in the value; null for what is no scalar. */
function nameOf(key: unknown): string | null {
  if (isScalar(key)) return key.value === null ? '' : String(key.value)
  return key === null ? '' : null
}

function placesIn(root: unknown, counter: LineCounter): Pick<YamlText, 'lineOf' | 'lineOfKey'> {
  const kept = new Map<Node, ReadonlyMap<string, Pair>>()
  /** A map is walked once, however many faults it has. */
  const pairAt = (map: Node & { readonly items: readonly Pair[] }, key: PropertyKey): Pair | undefined => {
    const pairs = kept.get(map) ?? new Map(map.items.map((pair) => [nameOf(pair.key) ?? '', pair]))
    kept.set(map, pairs)
    return pairs.get(String(key))
  }
  const lineAt = (node: unknown): number | null => {
    const start = startOf(node)
    return start === null ? null : counter.linePos(start).line
  }
  return {
    lineOf(path) {
      let node = root
      let line = isMap(root) || isSeq(root) ? lineAt(root) : null
      for (const part of path) {
        node = isMap(node) ? pairAt(node, part)?.value : isSeq(node) ? node.items[Number(part)] : undefined
        if (isAlias(node) || node === undefined) return lineAt(node) ?? line ?? 1
        line = lineAt(node) ?? line
      }
      return line ?? 1
    },
    lineOfKey: (key) => (isMap(root) ? lineAt(pairAt(root, key)?.key) : null) ?? 1,
  }
}

function startOf(node: unknown): number | null {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return null
  const start: unknown = node.range[0]
  return typeof start === 'number' ? start : null
}
