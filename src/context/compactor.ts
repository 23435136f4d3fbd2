// Summaries are made beside the turns: a conversation goes on over its whole lines until a summary is there, and what it is made of
// can't change meanwhile (H14). One at a time for a process. What a stop cuts short is begun anew with the next turn.

import { messageOf } from '../base/errors.ts'
import type { MessageId } from '../base/ids.ts'
import { type Log, silent } from '../base/log.ts'
import type { ProcessInfo } from '../lanes/engine.ts'
import type { ModelPort } from '../models/models.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Message } from '../protocol/message.ts'
import type { Conversation } from '../scopes/scopes.ts'
import { sizeOf, stretches, toCover } from './compaction.ts'
import { markOf } from './frame.ts'
import type { Extra, SessionContexts } from './session.ts'
import { type Summarised, summarise } from './summarise.ts'
import { linesAfter, type Summary, summariesOn } from './summary.ts'

export type Job = {
  readonly process: ProcessInfo
  /** The branch: its newest line that may be covered. */
  readonly leaf: MessageId
  readonly keep: string | null
  readonly wanted: Summary['wanted']
  /** Characters that the lines of the conversation have. */
  readonly room: number
  readonly charactersPerToken: number
  readonly localOnly: boolean
  readonly run: string
  readonly by: Actor
}

export type Compactor = {
  /** Begins unless one is at work for the process. Resolves with what was added; never rejects. */
  start(job: Job): Promise<readonly Summary[]>
  /** Resolves when nothing is at work. */
  idle(): Promise<void>
  close(): Promise<void>
}

export type CompactorRooms = {
  readonly models: ModelPort
  readonly contexts: SessionContexts
  readonly conversation: Pick<Conversation, 'walk'>
  readonly log?: Log
}

/** Lines that are read for one run; what is older is covered already, or comes with the next one. */
const mostRead = 5_000
const nearRead = 400
/** Of the room: what one summary may take, and from what on older ones are taken in by a new one. */
const oneShare = 0.12
const allShare = 0.3
const least = 400
const most = 4_000

export function openCompactor(rooms: CompactorRooms): Compactor {
  const { log = silent } = rooms
  const working = new Map<string, Promise<readonly Summary[]>>()
  const stop = new AbortController()
  const run = async (job: Job): Promise<readonly Summary[]> => {
    try {
      return await compact(rooms, job, stop.signal)
    } catch (error) {
      if (!stop.signal.aborted)
        log('warn', 'a conversation could not be shortened', { session: job.process.session, error: messageOf(error) })
      return []
    }
  }
  return {
    start(job) {
      const { id } = job.process
      const present = working.get(id)
      if (present) return present
      const mine = run(job).finally(() => working.delete(id))
      working.set(id, mine)
      return mine
    },
    async idle() {
      while (working.size > 0) await Promise.all(working.values())
    },
    async close() {
      stop.abort()
      await Promise.all(working.values())
    },
  }
}

async function compact(rooms: CompactorRooms, job: Job, signal: AbortSignal): Promise<readonly Summary[]> {
  const { process, leaf, wanted } = job
  const { lines, present } = await branchOf(rooms, process, leaf)
  const cover = toCover(linesAfter(lines, present.at(-1)), { characters: job.room }, wanted)
  const added: Summary[] = []
  for (const stretch of stretches(cover)) {
    signal.throwIfAborted()
    const summary = await addOne(rooms, { job, stretch, present, signal })
    if (summary === null) break
    present.splice(present.length - summary.folds.length, summary.folds.length, summary)
    added.push(summary)
  }
  return added
}

type Branch = { readonly lines: readonly Message[]; readonly present: Summary[] }

/** The lines that may be covered, and the summaries on the branch. Nearly always the newest of these ends near: then that is far enough. */
async function branchOf(rooms: CompactorRooms, process: ProcessInfo, leaf: MessageId): Promise<Branch> {
  const state = await rooms.contexts.state(process.session)
  for (const most of [nearRead, mostRead]) {
    const lines = await rooms.conversation.walk(leaf, most)
    const onBranch = new Set<string>(lines.map((line) => line.id))
    const present = [...summariesOn(state, (id) => onBranch.has(id), process.id)]
    if (present.length > 0 || lines.length < most || most === mostRead) return { lines, present }
  }
  return { lines: [], present: [] }
}

type One = {
  readonly job: Job
  readonly stretch: readonly Message[]
  /** Summaries before it on the branch. */
  readonly present: readonly Summary[]
  readonly signal: AbortSignal
}

async function addOne(rooms: CompactorRooms, { job, stretch, present, signal }: One): Promise<Summary | null> {
  const { process, keep, localOnly, run, charactersPerToken } = job
  const [first, last] = [stretch[0], stretch.at(-1)]
  if (!first || !last) return null
  const taken = present.reduce((sum, one) => sum + one.text.length, 0)
  const folds = taken > job.room * allShare ? present : []
  const characters = Math.floor(Math.min(most, Math.max(least, job.room * (folds.length > 0 ? allShare : oneShare))))
  const made = await summarise(
    rooms.models,
    { ...{ process, lines: stretch, folds, keep, characters, localOnly, run, mark: markOf(process.id) } },
    signal,
  )
  const tokens = (size: number) => Math.ceil(size / charactersPerToken)
  const summary = {
    ...{ session: process.session, process: process.id, text: made.text, by: made.by, keep, wanted: job.wanted },
    from: folds[0]?.from ?? first.id,
    to: last.id,
    lines: stretch.length + folds.reduce((sum, one) => sum + one.lines, 0),
    before: tokens(sizeOf(stretch)) + folds.reduce((sum, one) => sum + one.after, 0),
    after: tokens(made.text.length),
    previous: folds.length > 0 ? null : (present.at(-1)?.id ?? null),
    folds: folds.map((one) => one.id),
  }
  return rooms.contexts.add(summary, { by: job.by, more: spentOn(job, made) })
}

/** What the call cost, as a fact of the same commit (policy/budget.ts). */
function spentOn({ process, run }: Job, { reply }: Summarised): readonly Extra[] {
  if (!reply?.ok) return []
  const { user, project, session } = process
  const { model, cost = null, usage } = reply
  const { input, output, cached } = usage
  return [{ type: 'model-spent', data: { user, project, session, run, model, cost, input, output, cached, lost: 0 } }]
}
