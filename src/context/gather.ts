// What a call may be given, gathered in the order of reference/hue.md 7: scope and overrides come with the setup; privacy is settled
// before anything is looked up; then the foundation, memories, the session's summaries and lines, and quotations from what is older.
import type { MessageId } from '../base/ids.ts'
import type { ProcessInfo } from '../lanes/engine.ts'
import type { Tier } from '../models/message.ts'
import type { Message } from '../protocol/message.ts'
import type { Conversation } from '../scopes/scopes.ts'
import type { ZoneOf } from '../scopes/zone.ts'
import type { ToolSpec } from '../tools/tool.ts'
import type { Pieces } from './assemble.ts'
import { isFull, mostLines, sizeOf } from './compaction.ts'
import type { Compactor } from './compactor.ts'
import { type Foundation, freeze, overlaysOf, type PersonaSource, type Present } from './foundation.ts'
import type { OwnLine } from './lines.ts'
import type { Older } from './older.ts'
import { reachOf } from './reach.ts'
import type { SessionContexts } from './session.ts'
import { type ContextState, linesAfter, type Summary, summariesOn } from './summary.ts'
import type { Facts } from './system.ts'
import { textOfAll } from './texts.ts'
import type { Ratios } from './tokens.ts'

export type Gathering = {
  readonly process: ProcessInfo
  /** In which part the engine asks; `main` where it has only one. */
  readonly as: string
  readonly facts: Facts
  readonly source: PersonaSource | null
  /** The branch: the line before the turn; null for none. */
  readonly leaf: MessageId | null
  /** The newest lines that end there, from the engine's own memory (engines/turn/history.ts). */
  readonly walked: readonly Message[]
  readonly own: readonly OwnLine[]
  readonly blocks: readonly { readonly name: string; readonly text: string }[]
  readonly tools: readonly ToolSpec[]
  readonly toolChoice: 'auto' | 'required' | null
  /** When the turn began, in ms. */
  readonly at: number
  /** The root of its chain. */
  readonly run: string
  readonly tier: Tier
  readonly tokens: number
  readonly localOnly: boolean
}

export type GatherRooms = {
  readonly contexts: SessionContexts
  readonly compactor: Compactor
  readonly older: Older
  readonly ratios: Ratios
  readonly conversation: Pick<Conversation, 'walk'>
  readonly zoneOf: ZoneOf
}

/** What is not the conversation's: summaries, quotations. */
const linesShare = 0.5

export async function gather(rooms: GatherRooms, wanted: Gathering): Promise<Pieces> {
  const { process } = wanted
  const state = await rooms.contexts.state(process.session)
  const { foundation, overlays } = await foundationFor(rooms, state, wanted)
  const { summaries, history, isCut } = await branchOf(rooms, state, wanted)
  const room = roomFor(rooms, wanted, foundation)
  seeToSummaries(rooms, wanted, { state, history, room })
  const { excerpts, unseen } = await quotations(rooms, wanted, { summaries, history, isCut, room })
  return {
    ...{ foundation, summaries, history, unseen, excerpts, memories: [] },
    notes: notesOf(await rooms.zoneOf(process.user), wanted, overlays),
    ...{ own: wanted.own, tools: wanted.tools, toolChoice: wanted.toolChoice, localOnly: wanted.localOnly },
  }
}

async function foundationFor(rooms: GatherRooms, state: ContextState, wanted: Gathering) {
  const { process, as, facts, source } = wanted
  const present: Present = { process: process.id, as, rebased: state.rebased, facts, source }
  const held = await rooms.contexts.foundation(process.session, present)
  const foundation = held ?? (await rooms.contexts.freeze(process.session, freeze(present), `process:${process.id}`))
  return { foundation, overlays: overlaysOf(foundation, present) }
}

type Branch = { readonly summaries: readonly Summary[]; readonly history: readonly Message[]; readonly isCut: boolean }

/** Summaries and the lines behind them. `isCut`: there are lines before the history that no summary covers. */
async function branchOf(rooms: GatherRooms, state: ContextState, { process, leaf, walked }: Gathering): Promise<Branch> {
  const first = walked[0]
  const isWhole = first === undefined || first.parent === null || walked.length < mostLines
  const near = summariesIn(state, walked, process.id)
  if (near.length > 0 || isWhole) return { summaries: near, history: linesAfter(walked, near.at(-1)), isCut: false }
  if (state.summaries.length === 0) return { summaries: [], history: walked, isCut: true }
  const { summaries, isCovered } = await reachOf(rooms.conversation, state, { process: process.id, leaf, walked })
  return { summaries, history: walked, isCut: !isCovered }
}

function summariesIn(state: ContextState, lines: readonly Message[], process: string): readonly Summary[] {
  if (state.summaries.length === 0) return []
  return summariesOn(state, (id) => lines.some((line) => line.id === id), process)
}

/** Characters that lines of the conversation have. */
function roomFor(rooms: GatherRooms, { tokens, tier, tools, own }: Gathering, foundation: Foundation): number {
  const all = tokens * rooms.ratios.of(tier)
  const fixed = foundation.text.length + textOfAll(tools).length + own.reduce((sum, line) => sum + line.text.length, 0)
  return Math.max(all / 8, all - fixed) * linesShare
}

type Lines = { readonly state: ContextState; readonly history: readonly Message[]; readonly room: number }

/** Makes a summary beside the turn when the lines become too many. */
function seeToSummaries(rooms: GatherRooms, wanted: Gathering, { state, history, room }: Lines): void {
  const { process, leaf, localOnly, run, tier } = wanted
  const isUndone = (one: Summary) => state.undone.includes(one.id) && history.some((line) => line.id === one.to)
  const wasUndone = state.undone.length > 0 && state.summaries.some(isUndone)
  if (leaf === null || !isFull(history, { characters: room }, wasUndone)) return
  const charactersPerToken = rooms.ratios.of(tier)
  void rooms.compactor.start({ process, leaf, keep: null, wanted: 'size', room, charactersPerToken, localOnly, run, by: 'system' })
}

type Behind = Branch & { readonly room: number }

/** Only where something older is not given word by word. */
async function quotations(rooms: GatherRooms, wanted: Gathering, { summaries, history, isCut, room }: Behind) {
  const { process, walked, own } = wanted
  const last = walked.at(-1)
  const isShort = summaries.length === 0 && !isCut && sizeOf(history) <= room
  if (last === undefined || isShort) return { excerpts: [], unseen: 0 }
  const question = own
    .flatMap((line) => (line.role === 'user' ? line.text : []))
    .join('\n')
    .slice(0, 4_000)
  const except = newest(history, room)
  const { found, count } = await rooms.older.find({ process: process.id, last, walked, question, except })
  return { excerpts: found, unseen: isCut ? Math.max(0, count - walked.length) : 0 }
}

function newest(history: readonly Message[], room: number): ReadonlySet<string> {
  const ids = new Set<string>()
  let left = room
  for (const line of history.toReversed()) {
    left -= line.text.length
    if (left < 0) break
    ids.add(line.id)
  }
  return ids
}

/** Day and time, what changed since the foundation was frozen, and the engine's own facts. */
function notesOf(zone: string, { at, blocks }: Gathering, overlays: readonly string[]): readonly string[] {
  return [
    `It is ${timeText(at, zone)}.`,
    ...(overlays.length === 0 ? [] : [`Changed since this session began:\n\n${overlays.join('\n\n')}`]),
    ...blocks.map(({ name, text }) => `${name}:\n${text}`),
  ]
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Monday, 2026-11-30, 15:53 (Europe/Berlin) */
export function timeText(at: number, zone: string): string {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone: zone, weekday: 'long', ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  clocks.set(zone, clock)
  const parts = new Map(clock.formatToParts(at).map((part) => [part.type, part.value]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  return `${part('weekday')}, ${part('year')}-${part('month')}-${part('day')}, ${part('hour')}:${part('minute')} (${zone})`
}
const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
