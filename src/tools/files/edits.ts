// Edits of a text: what stands there exactly once is replaced; anything else is told with what comes nearest. Pure.

export type Edit = { readonly old: string; readonly new: string; readonly all?: boolean | undefined }
export type Edited = { readonly text: string } | { readonly why: string }

/** One after the other, each on what the former left. Line ends are those of the text, whatever the edits have. */
export function edited(text: string, edits: readonly Edit[]): Edited {
  let now = text
  for (const [at, edit] of edits.entries()) {
    const result = applied(now, edit)
    if ('why' in result)
      return { why: edits.length === 1 ? result.why : `Edit ${at + 1} of ${edits.length}: ${result.why} Nothing was changed.` }
    now = result.text
  }
  return now === text ? { why: 'These edits change nothing.' } : { text: now }
}

/** `\r\n` when most lines end so. */
export function lineEndOf(text: string): '\r\n' | '\n' {
  const both = text.split('\r\n').length - 1
  return both > text.split('\n').length - 1 - both ? '\r\n' : '\n'
}

export function withLineEnd(text: string, end: '\r\n' | '\n'): string {
  const plain = text.replaceAll('\r\n', '\n')
  return end === '\n' ? plain : plain.replaceAll('\n', '\r\n')
}

function applied(text: string, edit: Edit): Edited {
  if (edit.old === '') return { why: '"old" is empty; give the text that is to be replaced.' }
  const { plain, places } = plainOf(text)
  const old = edit.old.replaceAll('\r\n', '\n')
  const found = placesOf(plain, old)
  if (found.length === 0) return { why: notFound(plain, old) }
  if (found.length > 1 && !edit.all) {
    const lines = found.slice(0, 8).map((at) => lineAt(plain, at))
    return {
      why: `"old" stands ${found.length} times (lines ${lines.join(', ')}${found.length > 8 ? ', ...' : ''}); add lines around it until it is unique, or set all.`,
    }
  }
  const replacement = withLineEnd(edit.new, lineEndOf(text))
  const parts: string[] = []
  let done = 0
  for (const at of found) {
    parts.push(text.slice(done, places(at)), replacement)
    done = places(at + old.length)
  }
  return { text: parts.join('') + text.slice(done) }
}

/** With `\n` only, and where each of its places stands in the text. */
function plainOf(text: string): { readonly plain: string; readonly places: (at: number) => number } {
  if (!text.includes('\r\n')) return { plain: text, places: (at) => at }
  const ends: number[] = []
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) ends.push(at - ends.length)
  return { plain: text.replaceAll('\r\n', '\n'), places: (at) => at + countBelow(ends, at) }
}

/** How many of the sorted numbers are below `at`. */
function countBelow(sorted: readonly number[], at: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}

function placesOf(text: string, part: string): readonly number[] {
  const found: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at)
  return found
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}

function notFound(text: string, old: string): string {
  const near = nearest(text.split('\n'), old.split('\n'))
  if (near === null) return '"old" is not in the file, and nothing in it is like it. Read the file again.'
  return `"old" is not in the file. Nearest to it are lines ${near.from} to ${near.to}:\n${near.text}\nCopy what is to be replaced exactly, with its spaces.`
}

const mostCompared = 20_000
const mostShown = 30
/** Of the wanted lines so many decide: a hundred lines against a long file would take minutes. */
const mostSought = 20

type Near = { readonly from: number; readonly to: number; readonly text: string }

/** The lines that share most words with the wanted ones, as many lines as these; null when nothing is alike. */
function nearest(lines: readonly string[], wanted: readonly string[]): Near | null {
  const first = wanted.findIndex((line) => line.trim() !== '')
  if (first < 0) return null
  const sought = wanted.slice(first, first + mostSought).map(lineOf)
  const there = lines.slice(0, mostCompared).map(lineOf)
  let best = { score: 0.3, at: -1 }
  for (const [at, line] of there.entries()) {
    if (likeness(line, sought[0]) <= 0.3) continue
    const score = sought.reduce((sum, one, offset) => sum + likeness(there[at + offset], one), 0) / sought.length
    if (score > best.score) best = { score, at }
  }
  if (best.at < 0) return null
  const from = Math.max(0, best.at - first)
  const shown = lines.slice(from, from + Math.min(wanted.length, mostShown)).map((line) => line.slice(0, 400))
  return { from: from + 1, to: from + shown.length, text: shown.join('\n') }
}

/** 0 to 1: the share of words that both have. */
function likeness(one: Line = none, other: Line = none): number {
  if (one.text === other.text) return 1
  const [a, b] = [one.words, other.words]
  if (a.size === 0 || b.size === 0) return 0
  const both = [...a].filter((word) => b.has(word)).length
  return (2 * both) / (a.size + b.size) - 0.01
}

type Line = { readonly text: string; readonly words: ReadonlySet<string> }
const none: Line = { text: '', words: new Set() }

function lineOf(given: string): Line {
  const text = given.trim()
  return { text, words: wordsOf(text) }
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(
    line
      .slice(0, 400)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [],
  )
}
