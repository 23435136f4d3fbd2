// Which lines become a summary, and a summary without a model. Pure.
import type { Message } from '../protocol/message.ts'
import { stemsOf } from './excerpts.ts'
import type { Summary } from './summary.ts'

/** A conversation is shortened when its lines pass this share of the room that they have, or when there are so many. */
const fullShare = 0.7
const fullLines = 170
/** More are not walked for a call. */
export const mostLines = 200
/** What stays word by word: this share of the room, and this many lines, whichever is less. */
const keptShare = 0.3
const keptLines = 60
/** A person who asks for it leaves so many lines. */
const keptByHand = 4
/** A stretch is at most so long, so that a small model can read it. */
const stretchCharacters = 24_000

export type Room = { readonly characters: number }

/**
 * Whether the lines behind the last summary are too many. Where a person undid one they stay as long as they fit: only a hole would
 * be worse than a summary.
 */
export function isFull(lines: readonly Message[], { characters }: Room, wasUndone: boolean): boolean {
  const share = wasUndone ? 1 : fullShare
  return lines.length >= (wasUndone ? mostLines : fullLines) || sizeOf(lines) > characters * share
}

/**
 * The lines to cover, oldest first; [] when there are not enough. What stays begins with a line of the person, and so a question is
 * not parted from its answer.
 */
export function toCover(lines: readonly Message[], room: Room, wanted: Summary['wanted']): readonly Message[] {
  let from = lines.length
  let left = wanted === 'person' ? Number.POSITIVE_INFINITY : room.characters * keptShare
  const most = wanted === 'person' ? keptByHand : keptLines
  while (from > 0 && lines.length - from < most) {
    left -= lines[from - 1]?.text.length ?? 0
    if (left < 0) break
    from--
  }
  while (from > 0 && lines[from]?.role !== 'user') from--
  return from < 2 ? [] : lines.slice(0, from)
}

/** In stretches that a model can read at once; each but the last ends before a line of the person. */
export function stretches(lines: readonly Message[], characters: number = stretchCharacters): readonly (readonly Message[])[] {
  const all: Message[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const line of lines) {
    const isNew = size + line.text.length > characters && (line.role === 'user' || all.length === 0)
    if (isNew) all.push([])
    size = (isNew ? 0 : size) + line.text.length
    all.at(-1)?.push(line)
  }
  return all
}

/** Words by which a line says that something was settled, in some languages. */
const settling =
  /\b(decid|decision|chose|choose|agreed|must|never|always|budget|deadline|remember|name is|we use|entschieden|entscheid|beschlossen|nehmen wir|immer|niemals|decid|elegi|choisi|toujours|jamais)/i
const figure = /\d|https?:|[A-Z][a-z]+[A-Z]|`/

/**
 * A summary made of the lines' own words: first sentences, the weightiest first when not all fit, in the order in which they were
 * said. A wish that was answered stands with its answer, so that nobody takes it for an open one (H15).
 */
export function extract(lines: readonly Message[], given: { readonly characters: number; readonly keep: string | null }): string {
  const wished = new Set(stemsOf(given.keep ?? ''))
  const points = pointsOf(lines).map((text, at) => ({ at, text, weight: weightOf(text, wished) }))
  const kept: typeof points = []
  let left = given.characters
  for (const point of points.toSorted((a, b) => b.weight - a.weight || b.at - a.at)) {
    if (point.text.length + 1 > left) continue
    left -= point.text.length + 1
    kept.push(point)
  }
  return kept
    .toSorted((a, b) => a.at - b.at)
    .map((point) => point.text)
    .join('\n')
}

function pointsOf(lines: readonly Message[]): readonly string[] {
  const points: string[] = []
  for (const [at, line] of lines.entries()) {
    if (line.text.trim() === '') continue
    const answer = lines[at + 1]
    if (line.role === 'user') {
      const done =
        answer?.role === 'assistant' && answer.text.trim() !== '' ? ` -> answered: ${sentence(answer.text, 120)}` : ' -> (no answer)'
      points.push(`- The person: ${sentence(line.text, 160)}${done}`)
    } else if (lines[at - 1]?.role !== 'user')
      points.push(`- ${line.role === 'assistant' ? 'You' : 'The hub'}: ${sentence(line.text, 160)}`)
  }
  return points
}

function weightOf(text: string, wished: ReadonlySet<string>): number {
  const named = stemsOf(text).filter((stem) => wished.has(stem)).length
  return Math.min(named, 3) * 2 + (settling.test(text) ? 3 : 0) + (figure.test(text) ? 1 : 0)
}

/** The first sentence, at most so long; one that settles something goes before. */
function sentence(text: string, most: number): string {
  const all = text
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?])\s/)
  const chosen = all.find((one) => settling.test(one)) ?? all[0] ?? ''
  return chosen.length <= most ? chosen : `${chosen.slice(0, most - 3).toWellFormed()}...`
}

export function sizeOf(lines: readonly Message[]): number {
  return lines.reduce((sum, line) => sum + line.text.length + 16, 0)
}
