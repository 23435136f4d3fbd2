// Putting a request together within its budget (X1 to X3). Pure: the same pieces and the same budget give the same bytes.
import type { ModelMessage } from '../models/message.ts'
import type { Message } from '../protocol/message.ts'
import type { ToolSpec } from '../tools/tool.ts'
import { chosenExcerpts, excerptsText, type Found } from './excerpts.ts'
import type { Foundation } from './foundation.ts'
import { framed, markOf } from './frame.ts'
import { clipText, hashOf, lineOf, type OwnLine, sent, sizeOf, total } from './lines.ts'
import type { Manifest, Omission, OwnRef, Part } from './manifest.ts'
import { type Summary, summariesText } from './summary.ts'
import { hashOfOne, textOf, textOfAll } from './texts.ts'

/** All that a call may be given, in the order of reference/hue.md 7. */
export type Pieces = {
  readonly foundation: Pick<Foundation, 'process' | 'hash' | 'text'>
  /** What is remembered beyond this conversation. */
  readonly memories: readonly string[]
  /** Of the branch, oldest first. */
  readonly summaries: readonly Summary[]
  /** Lines after the last summary, oldest first. */
  readonly history: readonly Message[]
  /** How many lines before `history` are covered by nothing, because the conversation is too long to be walked. */
  readonly unseen: number
  /** Older lines that fit the question, the best first. */
  readonly excerpts: readonly Found[]
  /** Day and time, overlays, blocks of the engine. */
  readonly notes: readonly string[]
  readonly own: readonly OwnLine[]
  readonly tools: readonly ToolSpec[]
  readonly toolChoice: 'auto' | 'required' | null
  readonly localOnly: boolean
}

export type Assembled = { readonly messages: readonly ModelMessage[]; readonly manifest: Manifest }
export type Budget = { readonly tokens: number; readonly charactersPerToken: number }

const leastShown = 400
/** Of what is left after foundation, notes and the turn's own lines. */
const summaryShare = 0.35
const excerptShare = 0.25
/** A line that is this short costs less to keep than to name. */
const shortLine = 200

/** The budget is kept unless foundation, tools and the turn's own questions alone are more. */
export function assemble(pieces: Pieces, budget: Budget): Assembled {
  const mark = markOf(pieces.foundation.process)
  const room = Math.floor(budget.tokens * budget.charactersPerToken)
  const tools = textOfAll(pieces.tools)
  const overhead = pieces.tools.length === 0 ? 0 : tools.length
  const own = pieces.own.map((line) => sent(line, mark))
  const head: ModelMessage = { role: 'system', text: pieces.foundation.text }
  const notes = notesMessage(mark, pieces.notes)
  const memories = pieces.memories.length === 0 ? [] : [user(framed(mark, 'memory', pieces.memories.join('\n\n')))]
  const fixed = overhead + sizeOf(head) + total(notes) + total(memories)
  const middle = fitMiddle(pieces, mark, room - fixed - total(own))
  const cuts = cutsFor(own, room - fixed - middle.size)
  const shown = own.map((message, at) => cutTo(message, cuts.get(at)))
  const [before, behind] = [
    [head, ...memories, ...middle.summaries],
    [...middle.excerpts, ...notes, ...shown],
  ]
  const messages = [...before, ...middle.lines.map(({ line }) => line), ...behind]
  const texts = [...before.map(textOf), ...middle.lines.map(({ text }) => text), ...behind.map(textOf)]
  const request = `{"messages":[${texts.join()}],"tools":${tools},"toolChoice":${JSON.stringify(pieces.toolChoice)}}`
  const refs = ownRefs(pieces.own, { shown, cuts })
  const order: Part[] = [
    { part: 'foundation', hash: pieces.foundation.hash },
    ...(memories.length === 0 ? [] : [{ part: 'memories' as const, texts: pieces.memories }]),
    ...middle.parts,
    ...(notes.length === 0 ? [] : [{ part: 'notes' as const, texts: pieces.notes }]),
    { part: 'own', lines: refs },
  ]
  const { given, omitted } = middle
  const shortened = cuts.size === 0 ? [] : [omission('own', cuts.size, total(own) - total(shown))]
  return {
    messages,
    manifest: {
      ...{ v: 2, hash: hashOf(`[${request}]`), budget: budget.tokens, charactersPerToken: budget.charactersPerToken },
      tokens: Math.ceil((overhead + total(before) + sum(middle.lines.map((one) => one.size)) + total(behind)) / budget.charactersPerToken),
      ...{ messages: messages.length, history: given, dropped: pieces.history.length - given + pieces.unseen, shortened: cuts.size },
      ...{ order, omitted: [...omitted, ...shortened] },
      tools: { names: pieces.tools.map((tool) => tool.name), hash: hashOf(tools) },
      localOnly: pieces.localOnly,
    },
  }
}

type Middle = {
  readonly summaries: readonly ModelMessage[]
  readonly lines: readonly Known[]
  readonly excerpts: readonly ModelMessage[]
  readonly parts: readonly Part[]
  readonly omitted: readonly Omission[]
  readonly given: number
  readonly size: number
}

/** Summaries and excerpts have their share at most; what is left is the conversation's. Excerpts give way first, then lines. */
function fitMiddle(pieces: Pieces, mark: string, room: number): Middle {
  const summaries = newestSummaries(pieces.summaries, room * summaryShare)
  const summed = summaries.length === 0 ? [] : [user(framed(mark, 'record', summariesText(mark, summaries)))]
  const limit = Math.max(0, Math.floor(room * excerptShare))
  const chosen = chosenExcerpts(pieces.excerpts, limit)
  const { given, lines } = newestLines(pieces.history, mark, room - total(summed) - sizeOfExcerpts(mark, chosen))
  const shown = new Set(pieces.history.slice(pieces.history.length - given).map((line) => line.id))
  const found = chosen.filter((one) => !shown.has(one.message.id))
  const excerpts = found.length === 0 ? [] : [user(framed(mark, 'excerpts', excerptsText(mark, found)))]
  const dropped = pieces.history.length - given
  const newest = pieces.history.at(-1)
  return {
    ...{ summaries: summed, lines, excerpts, given },
    size: total(summed) + sum(lines.map((one) => one.size)) + total(excerpts),
    parts: [
      ...(summed.length === 0 ? [] : [{ part: 'summaries' as const, ids: summaries.map((one) => one.id) }]),
      ...(given === 0 || newest === undefined ? [] : [{ part: 'lines' as const, to: newest.id, given }]),
      ...(found.length === 0
        ? []
        : [{ part: 'excerpts' as const, lines: found.map(({ message, at, length }) => ({ id: message.id, at, length })) }]),
    ],
    omitted: [
      ...without('excerpts', pieces.excerpts.length - chosen.length),
      ...(dropped === 0 ? [] : [omission('lines', dropped, sum(pieces.history.slice(0, dropped).map((line) => line.text.length)))]),
      ...without('lines', pieces.unseen),
      ...without('summaries', pieces.summaries.length - summaries.length),
    ],
  }
}

function sizeOfExcerpts(mark: string, chosen: readonly Found[]): number {
  return chosen.length === 0 ? 0 : sizeOf(user(framed(mark, 'excerpts', excerptsText(mark, chosen))))
}

/** From the newest back. Where lines were left out, what is left begins with a line of the person: providers want that. */
function newestLines(history: readonly Message[], mark: string, room: number): { given: number; lines: readonly Known[] } {
  let left = room
  let from = history.length
  const lines: Known[] = []
  for (; from > 0; from--) {
    const line = known(history[from - 1], mark)
    left -= line.size
    if (left < 0) break
    lines.push(line)
  }
  if (from > 0) while (from < history.length && history[from]?.role !== 'user') from++
  const given = history.length - from
  // Counted from the newest: what was dropped at the beginning stands at the end.
  lines.length = given
  return { given, lines: lines.toReversed().filter((one) => one.text !== '') }
}

/** `text`: its JSON; '' for an empty line, which is not given. */
type Known = { readonly mark: string; readonly line: ModelMessage; readonly size: number; readonly text: string }
/** The lines of a conversation never change, so each is looked at and written once. */
const knownLines = new WeakMap<Message, Known>()

const nothing = user('')

function known(message: Message | undefined, mark: string): Known {
  if (message === undefined) return { mark, line: nothing, size: 0, text: '' }
  const present = knownLines.get(message)
  if (present?.mark === mark) return present
  const line = lineOf(message, mark)
  const made = line === null ? { mark, line: nothing, size: 0, text: '' } : { mark, line, size: sizeOf(line), text: JSON.stringify(line) }
  knownLines.set(message, made)
  return made
}

function newestSummaries(summaries: readonly Summary[], room: number): readonly Summary[] {
  let left = room
  let from = summaries.length
  while (from > 0) {
    left -= summaries[from - 1]?.text.length ?? 0
    // The newest one is given always: without it there would be a hole.
    if (left < 0 && from < summaries.length) break
    from--
  }
  return summaries.slice(from)
}

/** To how many characters which of the turn's own lines is cut: results of the oldest rounds first, then whatever is longest. */
function cutsFor(own: readonly ModelMessage[], room: number): ReadonlyMap<number, number> {
  const cuts = new Map<number, number>()
  const lengths = own.map((message) => message.text.length)
  let over = total(own) - room
  const cut = (at: number, target: number) => {
    over -= (lengths[at] ?? 0) - target
    lengths[at] = target
    cuts.set(at, target)
  }
  const lastRound = own.findLastIndex((message) => message.role === 'assistant')
  for (const [at, message] of own.entries()) {
    if (over > 0 && message.role === 'tool' && at < lastRound && message.text.length > leastShown) cut(at, leastShown)
  }
  while (over > 0) {
    const longest = lengths.indexOf(Math.max(...lengths))
    const length = lengths[longest] ?? 0
    if (length <= leastShown) return cuts
    cut(longest, Math.max(leastShown, Math.min(Math.floor(length / 2), length - over)))
  }
  return cuts
}

export function cutTo(message: ModelMessage, characters: number | undefined): ModelMessage {
  return characters === undefined ? message : { ...message, text: clipText(message.text, characters) }
}

type Shown = { readonly shown: readonly ModelMessage[]; readonly cuts: ReadonlyMap<number, number> }

function ownRefs(own: readonly OwnLine[], { shown, cuts }: Shown): readonly OwnRef[] {
  return own.map((line, at) => {
    const message = shown[at] ?? line
    const cut = cuts.get(at)
    const { from, hub, ...whole } = line
    const isNamed = from !== undefined && (line.role === 'assistant' || line.text.length > shortLine)
    return {
      hash: hashOfOne(message),
      role: line.role,
      ...(cut === undefined ? {} : { cut }),
      ...(hub ? { hub } : {}),
      ...(isNamed ? { from } : { line: { ...whole } }),
      ...(isNamed && line.role === 'tool' ? { call: { id: line.callId, name: line.name } } : {}),
    }
  })
}

/** One message, so that a frame stands by itself. */
export function notesMessage(mark: string, notes: readonly string[]): readonly ModelMessage[] {
  return notes.length === 0 ? [] : [user(framed(mark, 'note', notes.join('\n\n')))]
}

export function user(text: string): ModelMessage {
  return { role: 'user', text }
}

function omission(what: Omission['what'], count: number, characters: number | null): Omission {
  return { what, why: 'budget', count, characters }
}
function without(what: Omission['what'], count: number): readonly Omission[] {
  return count > 0 ? [omission(what, count, null)] : []
}
function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}
