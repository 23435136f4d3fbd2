// What a worker answered, read as a hand-over: what it is in the front line, and whether it holds what was asked for. Pure.
import type { Performative } from '../../work/envelope/envelope.ts'
import { sectionName, sectionsOf } from '../../work/envelope/sections.ts'

export type Said = {
  readonly performative: Performative
  /** Beside the word in the front line; empty when the worker set none. */
  readonly front: string
  /** The hand-over without its front line. */
  readonly text: string
}

/** Words that a worker may begin its answer with. What else could be said has its place between people and hub. */
const words: readonly Performative[] = ['REFUSE', 'ESCALATE', 'PROPOSE', 'INFORM', 'CRITIQUE', 'DECIDE']
const longestFront = 200

/** `REFUSE: that is a new design`, also in bold or as a heading. Without such a line it informs. */
export function readSaid(answer: string): Said {
  const text = answer.trim()
  const end = text.indexOf('\n')
  const first = (end < 0 ? text : text.slice(0, end)).slice(0, 2_000)
  const plain = first.replace(/^[#>*_`\s]+/, '')
  const word = words.find((one) => plain.startsWith(one))
  const after = word === undefined ? '' : plain.slice(word.length).replace(/^[*_`]+/, '')
  if (word === undefined || !after.startsWith(':')) return { performative: 'INFORM', front: '', text }
  const front = after
    .slice(1)
    .replace(/^[*_`\s]+/, '')
    .trim()
  const rest = end < 0 ? '' : text.slice(end + 1).trim()
  return { performative: word, front: front.slice(0, longestFront).toWellFormed(), text: rest === '' ? front : rest }
}

/** Names of sections that it lacks, or that hold nothing. */
export function missingSections(text: string, wanted: readonly string[]): readonly string[] {
  const found = sectionsOf(text, 'handover.md')
  return wanted.filter((one) => !found.has(sectionName(one)))
}

/** One line of it for a person: the first that is no heading. */
export function gistOf(text: string, most = 160): string {
  const line = text.split('\n').find((one) => one.trim() !== '' && !/^\s*(#|```|~~~|\||---)/.test(one)) ?? ''
  const plain = line
    .replace(/^[\s>*-]+/, '')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length <= most ? plain : `${plain.slice(0, most).toWellFormed()}…`
}
