// From what each token may be to what the input may mean: words that stand for phrases are joined, the longest phrase first, and each
// choice of readings is one solution. The first is the best.
import type { Expression } from '../expressions/expressions.ts'
import type { Cell } from './cells.ts'
import { costs, type Effort, spend } from './effort.ts'
import { type Found, type Phrase, type PhraseNode, type Reading, type Source, unknown } from './found.ts'

/** A part of the input and what it was taken for. `source`: which source knew it as it is; Infinity: it was guessed, or nothing. */
export type Slot = {
  readonly value: string
  readonly readings: readonly Reading[]
  /** What it is where it has no reading. */
  readonly otherwise: Found
  readonly source: number
  readonly isPhrase: boolean
}
/** One entry for each slot. */
export type Solution = readonly Entry[]
export type Entry = { readonly value: string; readonly reading: Reading }

/** The parts of the input, with phrases, then (where there are some) without. A part that nothing is known of has no readings. */
export function slotsOf(cells: readonly Cell[], sources: readonly Source[], effort: Effort): readonly (readonly Slot[])[] {
  const spans = chosen(spansIn(cells, sources, effort), cells.length)
  const single = ({ token, readings, otherwise, owner }: Cell): Slot => ({
    value: token,
    readings,
    otherwise,
    source: owner,
    isPhrase: false,
  })
  if (spans.size === 0) return [cells.map(single)]
  const joined: Slot[] = []
  for (let at = 0; at < cells.length; at++) {
    const span = spans.get(at)
    const cell = cells[at]
    if (span !== undefined) {
      const value = span.phrases[0]?.phrase ?? ''
      joined.push({
        value,
        otherwise: unknown(value),
        readings: span.phrases.map((one) => [foundOf(one, span.accuracy)]),
        source: span.source,
        isPhrase: true,
      })
      at += span.length - 1
    } else if (cell !== undefined) joined.push(single(cell))
  }
  return [joined, cells.map(single)]
}

function foundOf({ phrase, expressions }: Phrase, accuracy: number): Found {
  return { word: phrase, expressions, accuracy, isCorrected: accuracy < 1 }
}

// ---- phrases

type Span = {
  readonly start: number
  readonly length: number
  readonly source: number
  readonly phrases: readonly Phrase[]
  readonly accuracy: number
}

/** Places in the trees of phrases that are followed at once, from one token. */
const mostOpen = 64

function spansIn(cells: readonly Cell[], sources: readonly Source[], effort: Effort): readonly Span[] {
  return sources.flatMap(({ vocabulary }, source) =>
    vocabulary === undefined || vocabulary.phrases.next.size === 0
      ? []
      : cells.flatMap((_, start) => spansFrom(cells, { start, source, root: vocabulary.phrases, effort })),
  )
}

type At = { readonly node: PhraseNode; readonly accuracy: number }

/** A token that an earlier source knows as a word is no part of a phrase. */
function spansFrom(
  cells: readonly Cell[],
  { start, source, root, effort }: { readonly start: number; readonly source: number; readonly root: PhraseNode; readonly effort: Effort },
) {
  const spans: Span[] = []
  let open: readonly At[] = [{ node: root, accuracy: 1 }]
  for (let at = start; open.length > 0; at++) {
    for (const { node, accuracy } of at > start ? open : []) {
      if (node.ends.length > 0)
        spans.push({ start, length: at - start, source, phrases: node.ends, accuracy: exactness(cells, start, node.ends, accuracy) })
    }
    const cell = cells[at]
    if (cell === undefined || cell.owner < source || !spend(effort, costs.placed)) break
    open = open.flatMap((place) => stepped(place, cell)).slice(0, mostOpen)
  }
  return spans
}

function stepped({ node, accuracy }: At, { terms }: Cell): readonly At[] {
  return terms.flatMap((one) => {
    const next = node.next.get(one.term)
    return next === undefined ? [] : [{ node: next, accuracy: Math.min(accuracy, one.accuracy) }]
  })
}

/** 0.9 where only the case differs. */
function exactness(cells: readonly Cell[], start: number, [phrase]: readonly Phrase[], accuracy: number): number {
  const isExact = phrase?.parts.every((part, at) => cells[start + at]?.token === part) === true
  return isExact ? accuracy : Math.min(accuracy, 0.9)
}

/** The longest first, then by source and accuracy, then from the left; none over another. By where they start. */
function chosen(spans: readonly Span[], cells: number): ReadonlyMap<number, Span> {
  const order = [...spans].sort((a, b) => b.length - a.length || a.source - b.source || b.accuracy - a.accuracy || a.start - b.start)
  const isTaken = new Array<boolean>(cells).fill(false)
  const found = new Map<number, Span>()
  for (const span of order) {
    const end = span.start + span.length
    if (isTaken.slice(span.start, end).includes(true)) continue
    isTaken.fill(true, span.start, end)
    found.set(span.start, span)
  }
  return found
}

// ---- solutions

/** Every choice of readings, the last part changing first, at most so many. */
export function* solutionsOf(rows: readonly (readonly Slot[])[], most: number): Generator<Solution> {
  let left = most
  for (const slots of rows) {
    const choices = slots.map((slot) => (slot.readings.length > 0 ? slot.readings : [[slot.otherwise]]))
    const digits = choices.map(() => 0)
    do {
      if (left-- <= 0) return
      yield slots.map(({ value }, at) => ({ value, reading: choices[at]?.[digits[at] ?? 0] ?? [] }))
    } while (counted(digits, choices))
  }
}

/** One on; false: all were there. */
function counted(digits: number[], choices: readonly (readonly Reading[])[]): boolean {
  for (let at = digits.length - 1; at >= 0; at--) {
    digits[at] = (digits[at] ?? 0) + 1
    if ((digits[at] ?? 0) < (choices[at]?.length ?? 0)) return true
    digits[at] = 0
  }
  return false
}

export function expressionsOf(solution: Solution): readonly Expression[] {
  return solution.flatMap(({ reading }) => reading.flatMap(({ expressions }) => expressions))
}
