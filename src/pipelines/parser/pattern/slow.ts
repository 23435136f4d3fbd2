// Finds what can make a pattern slow: a text that it can take in very many ways, all of which are tried when it does not fit.
//
// The pattern becomes an automaton of positions (one for each sign of it) and of what may follow what. A diamond is a pair of
// positions with two ways from one to the other over the same text. A diamond inside of a loop doubles the ways with each round: never
// allowed. Diamonds one behind the other multiply: allowed up to `mostWays`. Counts over large parts are taken as endless.

import { type Signs, shareSign } from './signs.ts'
import type { Pattern, Repeat } from './syntax.ts'

/** Bits: a diamond between two loops counts as 7 (a text of 128 characters), so two of them are allowed, as in `.*a.*b.*`. */
const mostWays = 14
const loopWays = 7
/** Of the automaton, and of looking through it: a pattern over them is refused as too involved. */
export const slowLimits = { positions: 1_000, edges: 20_000, steps: 400_000, copies: 64 } as const

/** What is wrong, as the end of a sentence whose subject is the pattern; null: nothing. */
export function slowPart(pattern: Pattern): string | null {
  const bodies: Pattern[] = []
  const automaton = automatonOf(pattern, bodies)
  const found = automaton === null ? tooInvolved : slowIn(automaton)
  if (found !== null) return found
  for (const body of bodies) {
    const inner = slowPart(body)
    if (inner !== null) return inner
  }
  return null
}

const tooInvolved = 'is too involved to be sure that it is fast; shorten it, or split it in two'

// ---- the automaton

/** By position; 0 is the start. `loop`: the outermost repeat around it. */
type Automaton = { readonly signs: Signs[]; readonly next: number[][]; readonly loop: (Repeat | null)[] }
type Piece = { readonly isEmpty: boolean; readonly first: readonly number[]; readonly last: readonly number[] }
type Building = Automaton & { edges: number; readonly bodies: Pattern[] }

class Oversize extends Error {}

const empty: Piece = { isEmpty: true, first: [], last: [] }

/** null: it is too large. What looks ahead or behind is put among `bodies`, to be judged by itself. */
function automatonOf(pattern: Pattern, bodies: Pattern[]): Automaton | null {
  const building: Building = { signs: [{ ranges: [], text: '', isExact: true }], next: [[]], loop: [null], edges: 0, bodies }
  try {
    link(building, [0], pieceOf(building, pattern, null).first)
    return building
  } catch (error) {
    if (error instanceof Oversize) return null
    throw error
  }
}

function pieceOf(building: Building, pattern: Pattern, loop: Repeat | null): Piece {
  switch (pattern.kind) {
    case 'signs':
      return position(building, pattern.signs, loop)
    case 'edge':
      return empty
    case 'look':
      building.bodies.push(pattern.body)
      return empty
    case 'atomic':
      return pieceOf(building, pattern.body, loop)
    case 'choice': {
      const pieces = pattern.options.map((option) => pieceOf(building, option, loop))
      return {
        isEmpty: pieces.some(({ isEmpty }) => isEmpty),
        first: pieces.flatMap(({ first }) => first),
        last: pieces.flatMap(({ last }) => last),
      }
    }
    case 'sequence':
      return pattern.parts
        .map((part) => () => pieceOf(building, part, loop))
        .reduce((before, part) => behind(building, before, part()), empty)
    case 'repeat':
      return repeated(building, pattern, loop ?? (pattern.most > 1 ? pattern : null))
  }
}

function position({ signs, next, loop }: Building, set: Signs, around: Repeat | null): Piece {
  if (signs.length >= slowLimits.positions) throw new Oversize()
  const at = signs.push(set) - 1
  next.push([])
  loop.push(around)
  return { isEmpty: false, first: [at], last: [at] }
}

function behind(building: Building, a: Piece, b: Piece): Piece {
  link(building, a.last, b.first)
  return {
    isEmpty: a.isEmpty && b.isEmpty,
    first: a.isEmpty ? [...a.first, ...b.first] : a.first,
    last: b.isEmpty ? [...a.last, ...b.last] : b.last,
  }
}

/** The same edge a second time is kept: it is a second way. */
function link(building: Building, from: readonly number[], to: readonly number[]): void {
  building.edges += from.length * to.length
  if (building.edges > slowLimits.edges) throw new Oversize()
  for (const a of from) building.next[a]?.push(...to)
}

/** `x{2,4}` as xx(x(x)?)?, `x{2,}` as xx+; what is large as endless. */
function repeated(building: Building, { body, least, most }: Repeat, loop: Repeat | null): Piece {
  const one = () => pieceOf(building, body, loop)
  const isCopied = most !== Infinity && sizeOf(body) * most <= slowLimits.copies
  let piece = empty
  for (let count = isCopied ? least : Math.min(least, 2) - 1; count > 0; count--) piece = behind(building, piece, one())
  if (isCopied) return most > least ? behind(building, piece, optional(building, one, most - least)) : piece
  const last = one()
  // Rounds that may take nothing, and are counted: each choice of them is tried.
  if (last.isEmpty && (least > 1 || most !== Infinity)) throw new Oversize()
  link(building, last.last, last.first)
  return behind(building, piece, least === 0 ? { ...last, isEmpty: true } : last)
}

function optional(building: Building, one: () => Piece, times: number): Piece {
  const first = one()
  return { ...(times > 1 ? behind(building, first, optional(building, one, times - 1)) : first), isEmpty: true }
}

/** Positions that it would take. */
function sizeOf(pattern: Pattern): number {
  switch (pattern.kind) {
    case 'signs':
      return 1
    case 'choice':
      return pattern.options.reduce((sum, option) => sum + sizeOf(option), 0)
    case 'sequence':
      return pattern.parts.reduce((sum, part) => sum + sizeOf(part), 0)
    case 'repeat':
      return sizeOf(pattern.body) * (pattern.most === Infinity ? Math.max(1, pattern.least) : pattern.most)
    case 'atomic':
      return sizeOf(pattern.body)
    default:
      return 0
  }
}

// ---- diamonds

function slowIn(automaton: Automaton): string | null {
  const { part, isLoop, count } = partsOf(automaton.next)
  const budget = { steps: slowLimits.steps }
  const ways = new Array<number>(count).fill(0)
  // Parts are numbered from the end, so those behind a position are known before it.
  const order = automaton.next.map((_, at) => at).sort((a, b) => (part[a] ?? 0) - (part[b] ?? 0))
  for (const at of order) {
    const own = part[at] ?? 0
    const ends = diamondsFrom(automaton, at, budget)
    if (ends === null) return tooInvolved
    for (const end of ends) {
      if (part[end] === own) return inLoop(automaton.loop[at])
    }
    const fold = Math.max(2, Math.log2((automaton.next[at] ?? []).length))
    const behindIt = (automaton.next[at] ?? []).map((to) => ways[part[to] ?? 0] ?? 0)
    const overDiamonds = [...ends].map((end) => (isLoop[own] && isLoop[part[end] ?? 0] ? loopWays : fold) + (ways[part[end] ?? 0] ?? 0))
    ways[own] = [...behindIt, ...overDiamonds].reduce((most, one) => Math.max(most, one), ways[own] ?? 0)
  }
  const most = ways.reduce((a, b) => Math.max(a, b), 0)
  return most > mostWays ? 'can be slow: too many parts of it, one behind the other, take the same text' : null
}

function inLoop(loop: Repeat | null | undefined): string {
  return `can be slow: its repeated part "${loop?.source ?? ''}" takes the same text in more than one way`
}

/** Where two ways from `start` over the same text meet again; null: the budget is used up. */
function diamondsFrom({ signs, next }: Automaton, start: number, budget: { steps: number }): ReadonlySet<number> | null {
  const met = new Set<number>()
  const seen = new Set<number>()
  const open: (readonly [number, number])[] = []
  const reach = (a: number, b: number) => {
    if (a === b) return void met.add(a)
    const key = Math.min(a, b) * slowLimits.positions + Math.max(a, b)
    if (seen.has(key)) return
    seen.add(key)
    if (shareSign(signs[a] ?? noSigns, signs[b] ?? noSigns)) open.push([a, b])
  }
  const firsts = next[start] ?? []
  for (const [at, a] of firsts.entries()) {
    budget.steps -= firsts.length - at
    for (const b of firsts.slice(at + 1)) reach(a, b)
    if (budget.steps < 0) return null
  }
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = [next[pair[0]] ?? [], next[pair[1]] ?? []]
    budget.steps -= left.length * right.length
    if (budget.steps < 0) return null
    for (const a of left) for (const b of right) reach(a, b)
  }
  return met
}

const noSigns: Signs = { ranges: [], text: '', isExact: true }

// ---- strongly connected parts

type Parts = { readonly part: readonly number[]; readonly isLoop: readonly boolean[]; readonly count: number }

/** Tarjan's way, without recursion. What is reached from a part has a smaller number. */
function partsOf(next: readonly (readonly number[])[]): Parts {
  const index: number[] = []
  const low: number[] = []
  const part: number[] = []
  const isLoop: boolean[] = []
  const stack: number[] = []
  let [counter, count] = [0, 0]
  const calls: { readonly at: number; edge: number }[] = [{ at: 0, edge: 0 }]
  for (let call = calls.at(-1); call !== undefined; call = calls.at(-1)) {
    const { at } = call
    if (call.edge === 0) {
      index[at] = low[at] = counter++
      stack.push(at)
    }
    const to = next[at]?.[call.edge++]
    if (to === undefined) {
      calls.pop()
      const caller = calls.at(-1)
      if (caller) low[caller.at] = Math.min(low[caller.at] ?? 0, low[at] ?? 0)
      if (low[at] === index[at]) close(at)
    } else if (index[to] === undefined) calls.push({ at: to, edge: 0 })
    else if (part[to] === undefined) low[at] = Math.min(low[at] ?? 0, index[to] ?? 0)
  }
  return { part, isLoop, count }

  function close(root: number): void {
    const members = stack.splice(stack.lastIndexOf(root))
    for (const member of members) part[member] = count
    isLoop[count] = members.length > 1 || (next[root] ?? []).includes(root)
    count++
  }
}
