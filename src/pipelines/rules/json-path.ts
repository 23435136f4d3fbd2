// The part of JSONPath that conditions use: `$`, `.name`, `['name']`, `[n]`, `[*]` and `..name`. What a path finds is read in time
// linear in the value for each of its segments. Filters, slices, unions and functions are refused by name.
import { isJsonObject, type Json } from '../../base/json.ts'

export const jsonPathLimits = { characters: 1000, segments: 64 } as const

type Segment =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'index'; readonly at: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'deep'; readonly name: string }

export type JsonPath = readonly Segment[]
export type JsonPathReading = { readonly ok: true; readonly path: JsonPath } | { readonly ok: false; readonly fault: string }

const allowed = `allowed are $, .name, ['name'], [n], [*] and ..name`

/** A path without `$` begins at the root: `user.name` is `$.user.name`. The fault is a sentence without its end. */
export function readJsonPath(text: string): JsonPathReading {
  const given = text.trim()
  if (given.length > jsonPathLimits.characters)
    return { ok: false, fault: `the path is longer than ${jsonPathLimits.characters} characters` }
  const path: Segment[] = []
  let rest = fromRoot(given)
  while (rest !== '') {
    const taken = takeSegment(rest)
    if (typeof taken === 'string') return { ok: false, fault: `the path "${given}" ${taken}; ${allowed}` }
    path.push(taken.segment)
    rest = rest.slice(taken.length)
    if (path.length > jsonPathLimits.segments) return { ok: false, fault: `the path has more than ${jsonPathLimits.segments} segments` }
  }
  return { ok: true, path }
}

/** All values that the path leads to; [] when there is none. */
export function findByJsonPath(path: JsonPath, root: Json): readonly Json[] {
  let found: readonly Json[] = [root]
  for (const segment of path) found = next(segment, found)
  return found
}

function fromRoot(text: string): string {
  if (text.startsWith('$')) return text.slice(1)
  return text === '' || text.startsWith('[') || text.startsWith('.') ? text : `.${text}`
}

type Taken = { readonly segment: Segment; readonly length: number }

/** The first segment, or what is wrong with it. */
function takeSegment(rest: string): Taken | string {
  if (rest.startsWith('..')) return takeName(rest, 2, (name) => ({ kind: 'deep', name }))
  if (rest.startsWith('.*')) return { segment: { kind: 'all' }, length: 2 }
  if (rest.startsWith('.')) return takeName(rest, 1, (name) => ({ kind: 'member', name }))
  if (rest.startsWith('[')) return takeBracket(rest)
  return `has "${rest.slice(0, 20)}" where a segment should begin`
}

function takeName(rest: string, from: number, make: (name: string) => Segment): Taken | string {
  const name = /^[^.[\]()*?@,:'"\s]+/.exec(rest.slice(from, from + jsonPathLimits.characters))?.[0]
  if (name === undefined) return `has no name after "${rest.slice(0, from)}"`
  const length = from + name.length
  return rest[length] === '(' ? `calls the function "${name}"` : { segment: make(name), length }
}

function takeBracket(rest: string): Taken | string {
  const quoted = /^\[\s*(?:'([^']*)'|"([^"]*)")\s*\]/.exec(rest)
  if (quoted) return { segment: { kind: 'member', name: quoted[1] ?? quoted[2] ?? '' }, length: quoted[0].length }
  const index = /^\[\s*(-?\d{1,9})\s*\]/.exec(rest)
  if (index) return { segment: { kind: 'index', at: Number(index[1]) }, length: index[0].length }
  if (rest.startsWith('[*]')) return { segment: { kind: 'all' }, length: 3 }
  return `has ${nameOfBracket(rest)}`
}

function nameOfBracket(rest: string): string {
  const end = rest.indexOf(']')
  const part = end < 0 ? rest : rest.slice(0, end + 1)
  const shown = part.length > 40 ? `${part.slice(0, 40)}…` : part
  if (part.startsWith('[?')) return `a filter, "${shown}"`
  if (part.startsWith('[(')) return `a script, "${shown}"`
  if (part.includes(',')) return `a list of members, "${shown}"`
  if (part.includes(':')) return `a slice, "${shown}"`
  return end < 0 ? `"${shown}" without its "]"` : `"${shown}"`
}

function next(segment: Segment, nodes: readonly Json[]): readonly Json[] {
  switch (segment.kind) {
    case 'member':
      return nodes.flatMap((node) => memberOf(node, segment.name))
    case 'index':
      return nodes.flatMap((node) => (isList(node) ? node.slice(segment.at, segment.at === -1 ? undefined : segment.at + 1) : []))
    case 'all':
      return nodes.flatMap((node) => childrenOf(node))
    case 'deep':
      return deep(nodes, segment.name)
  }
}

/** Each place is looked at once, however the nodes lie in one another. */
function deep(nodes: readonly Json[], name: string): readonly Json[] {
  const seen = new Set<Json>()
  const found: Json[] = []
  const waiting = [...nodes].reverse()
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node === null || typeof node !== 'object' || seen.has(node)) continue
    seen.add(node)
    found.push(...memberOf(node, name))
    for (const child of childrenOf(node).toReversed()) waiting.push(child)
  }
  return found
}

function memberOf(node: Json, name: string): readonly Json[] {
  if (!isJsonObject(node) || !Object.hasOwn(node, name)) return []
  const value = node[name]
  return value === undefined ? [] : [value]
}

function childrenOf(node: Json): readonly Json[] {
  if (isList(node)) return node
  return isJsonObject(node) ? Object.values(node) : []
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
