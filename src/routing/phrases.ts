// Which phrases of a list occur in a text. A text is cut into words and what stands between them, and those are looked up in a hash and
// followed through a tree of all phrases at once (Aho and Corasick): no regular expression, and no text or list that makes it slow.

export type Phrases = {
  /** Indexes into the list of those that occur. Linear in the text, whatever the list; keeps nothing between two calls. */
  in(text: string): ReadonlySet<number>
}

export type PhraseOptions = {
  /**
   * Possible base forms of a word that is in lower case: a phrase matches when each of its words is the text's word or one of its base
   * forms. With it, case is that of all languages and any white space counts as one space. Without it, a phrase is compared as it is with
   * a text whose A to Z are in lower case.
   */
  readonly fold?: (word: string) => readonly string[]
}

/** So many readings of a text are followed at once where words have several base forms. */
const mostReadings = 8

/**
 * A phrase occurs where its own signs stand in the text with a word border at both ends: "map" is not in "flowmap", "--json" is not in
 * "add --json" (there is none before the first sign) but in "x--json". An empty phrase never occurs. Letters, marks and digits of all
 * languages and the underscore make words.
 */
export function openPhrases(phrases: readonly string[], options: PhraseOptions = {}): Phrases {
  const { fold } = options
  const tree = treeOf(fold === undefined ? phrases : phrases.map(lower))
  return { in: (text) => (fold === undefined ? follow(tree, lowerAscii(text)) : followAll(tree, lower(text), fold)) }
}

/** Only A to Z: what the source's program lowers. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** A long text is looked at only so far. */
const mostCharacters = 16_384
const longestWord = 1_024

/** The beginning of a text that is looked at, cut at white space where there is some, and how many characters it has; null: it is all. */
export function beginningOf(text: string, most = mostCharacters): { readonly text: string; readonly looked: number | null } {
  if (text.length <= most) return { text, looked: null }
  let end = most
  while (end > 0 && most - end < longestWord && !isSpace(text.charCodeAt(end))) end--
  if (end === 0 || most - end >= longestWord) end = isLowSurrogate(text.charCodeAt(most)) ? most - 1 : most
  return { text: text.slice(0, end), looked: end }
}

type Tree = {
  readonly ids: ReadonlyMap<string, number>
  /** By node and token; the root is 0. */
  readonly edges: ReadonlyMap<number, number>
  /** The node of the longest shorter way to read what led here. */
  readonly shorter: readonly number[]
  /** The nearest node at or above it in that order that ends a phrase; 0: none. */
  readonly ending: readonly number[]
  readonly found: ReadonlyMap<number, readonly number[]>
}

function treeOf(phrases: readonly string[]): Tree {
  const ids = new Map<string, number>()
  const edges = new Map<number, number>()
  const found = new Map<number, number[]>()
  const nodes: Grown[] = [{ parent: 0, token: 0, depth: 0 }]
  const lists = phrases.map((phrase) => tokensOf(phrase).map((token) => idOf(ids, token)))
  for (const [index, tokens] of lists.entries()) {
    if (tokens.length === 0) continue
    const end = grow(tokens, { edges, nodes, width: ids.size })
    const already = found.get(end)
    if (already === undefined) found.set(end, [index])
    else already.push(index)
  }
  return { ids, edges, found, ...linked(nodes, { edges, found, width: ids.size }) }
}

type Grown = { readonly parent: number; readonly token: number; readonly depth: number }

function grow(tokens: readonly number[], on: { edges: Map<number, number>; nodes: Grown[]; width: number }): number {
  let node = 0
  for (const [at, token] of tokens.entries()) {
    const key = node * on.width + token
    let next = on.edges.get(key)
    if (next === undefined) {
      next = on.nodes.length
      on.nodes.push({ parent: node, token, depth: at + 1 })
      on.edges.set(key, next)
    }
    node = next
  }
  return node
}

function linked(
  nodes: readonly Grown[],
  { edges, found, width }: { edges: ReadonlyMap<number, number>; found: ReadonlyMap<number, unknown>; width: number },
): Pick<Tree, 'shorter' | 'ending'> {
  const shorter = nodes.map(() => 0)
  const ending = nodes.map(() => 0)
  const byDepth = nodes.map((_, node) => node).sort((a, b) => (nodes[a]?.depth ?? 0) - (nodes[b]?.depth ?? 0))
  for (const node of byDepth) {
    const made = nodes[node]
    if (made === undefined || made.depth === 0) continue
    const link = made.depth === 1 ? 0 : step({ edges, shorter, width }, shorter[made.parent] ?? 0, made.token)
    shorter[node] = link
    ending[node] = found.has(node) ? node : (ending[link] ?? 0)
  }
  return { shorter, ending }
}

type Steps = Pick<Tree, 'edges' | 'shorter'> & { readonly width: number }

function step({ edges, shorter, width }: Steps, from: number, token: number): number {
  let node = from
  for (;;) {
    const next = edges.get(node * width + token)
    if (next !== undefined) return next
    if (node === 0) return 0
    node = shorter[node] ?? 0
  }
}

function follow(tree: Tree, text: string): ReadonlySet<number> {
  const seen = new Set<number>()
  const indexes = new Set<number>()
  const steps = { ...tree, width: tree.ids.size }
  let node = 0
  eachToken(text, (token) => {
    const id = tree.ids.get(token)
    node = id === undefined ? 0 : step(steps, node, id)
    if (node !== 0) report(tree, node, { seen, indexes })
  })
  return indexes
}

function followAll(tree: Tree, text: string, fold: (word: string) => readonly string[]): ReadonlySet<number> {
  const seen = new Set<number>()
  const indexes = new Set<number>()
  const steps = { ...tree, width: tree.ids.size }
  let nodes: readonly number[] = [0]
  eachToken(text, (token, isWord) => {
    const ids = readings(tree.ids, isWord ? [token, ...fold(token)] : [onlySpaces(token) ? ' ' : token])
    nodes = ids.length === 0 ? [0] : nextNodes(steps, nodes, ids)
    for (const node of nodes) report(tree, node, { seen, indexes })
  })
  return indexes
}

function nextNodes(steps: Steps, nodes: readonly number[], ids: readonly number[]): readonly number[] {
  const [node] = nodes
  const [id] = ids
  if (nodes.length === 1 && ids.length === 1 && node !== undefined && id !== undefined) return [step(steps, node, id)]
  const next = new Set<number>()
  for (const from of nodes) for (const token of ids) if (next.size < mostReadings) next.add(step(steps, from, token))
  return [...next]
}

function readings(ids: ReadonlyMap<string, number>, forms: readonly string[]): readonly number[] {
  const known = new Set<number>()
  for (const form of forms) {
    const id = ids.get(form)
    if (id !== undefined) known.add(id)
  }
  return [...known]
}

/** What ends at a node, and at the shorter ways to read it. Where somebody was before there is nothing new, so all of it is linear. */
function report(tree: Tree, from: number, into: { readonly seen: Set<number>; readonly indexes: Set<number> }): void {
  let node = tree.ending[from] ?? 0
  while (node !== 0 && !into.seen.has(node)) {
    into.seen.add(node)
    for (const index of tree.found.get(node) ?? []) into.indexes.add(index)
    node = tree.ending[tree.shorter[node] ?? 0] ?? 0
  }
}

function idOf(ids: Map<string, number>, token: string): number {
  const known = ids.get(token)
  if (known !== undefined) return known
  ids.set(token, ids.size)
  return ids.size - 1
}

function tokensOf(phrase: string): readonly string[] {
  const tokens: string[] = []
  cut(phrase, (token) => tokens.push(token))
  return tokens
}

/**
 * Signs before the first word and behind the last one are left out: a phrase that starts or ends with signs needs a word before or behind
 * them, and there is none.
 */
function eachToken(text: string, take: (token: string, isWord: boolean) => void): void {
  let held: string | null = null
  let started = false
  cut(text, (token, isWord) => {
    if (!isWord) {
      held = token
      return
    }
    if (started && held !== null) take(held, false)
    started = true
    take(token, true)
  })
}

/** By turns words and what stands between them. */
function cut(text: string, take: (token: string, isWord: boolean) => void): void {
  let start = 0
  let wasWord = false
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    const point = code >= 0xd800 && code <= 0xdbff ? (text.codePointAt(at) ?? code) : code
    const isWord = isWordSign(point)
    if (isWord !== wasWord && at > start) {
      take(text.slice(start, at), wasWord)
      start = at
    }
    wasWord = isWord
    at += point > 0xffff ? 2 : 1
  }
  if (text.length > start) take(text.slice(start), wasWord)
}

/** 0: not known yet, 1: part of a word, 2: not. */
const kinds = new Uint8Array(0x10000)
/** The last six are numbers that the source's expressions take for parts of words, other fractions and raised digits are not. */
const wordSign = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u00b2\u00b3\u00b9\u00bc-\u00be]/u

function isWordSign(point: number): boolean {
  if (point > 0xffff) return wordSign.test(String.fromCodePoint(point))
  const kind = kinds[point]
  if (kind !== 0) return kind === 1
  const isWord = wordSign.test(String.fromCharCode(point))
  kinds[point] = isWord ? 1 : 2
  return isWord
}

const spaces = /^\s+$/

function onlySpaces(token: string): boolean {
  return token === ' ' || spaces.test(token)
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0 || code === 0x2028 || code === 0x2029
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

function lower(text: string): string {
  return text.toLowerCase()
}
