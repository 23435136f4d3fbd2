// The context: what a model is given, within a budget, and the exact account of it.
// Owns: the frozen foundation of a session, the order and the budget of a call, summaries of older lines and quotations from them, the
// manifest and how a call is built again from it. Leaves repair for providers to models, which lines there are to scopes and lanes, who
// asks when to engines. Others also import lines.ts, frame.ts, manifest.ts, assemble.ts and summary.ts.
//
// X1  What is given fits the budget; the system text and the turn's own questions are given always.
// X2  The oldest lines of the conversation go first, then results of earlier rounds; a call is never parted from its results.
// X3  The manifest says how much was given and what was left out.
// X4  What stands at the head of a session's calls is the same bytes in each of them; what changed since stands behind.
// X5  The manifest of a call gives back the very messages that were sent, as long as nothing was purged.
// X6  A summary changes no line, holds for its branch only, and can be undone; making one holds up no turn.
// X7  What a summary covers can still be quoted when the question touches it.
// X8  The hub's notices stand in a frame whose mark nobody else can write.
import type { Clock } from '../base/clock.ts'
import { Conflict, NotFound } from '../base/errors.ts'
import type { MessageId, NewId, SessionId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { ProcessInfo } from '../lanes/engine.ts'
import type { Tier } from '../models/message.ts'
import type { ModelPort } from '../models/models.ts'
import type { Actor } from '../protocol/actor.ts'
import type { Event } from '../protocol/event.ts'
import type { Conversation, Projects, Sessions } from '../scopes/scopes.ts'
import type { ZoneOf } from '../scopes/zone.ts'
import type { ToolSpec } from '../tools/tool.ts'
import { type Assembled, assemble, type Pieces } from './assemble.ts'
import { type Compactor, openCompactor } from './compactor.ts'
import { type Gathering, gather } from './gather.ts'
import type { Manifest } from './manifest.ts'
import { messageId, openOlder } from './older.ts'
import { type Reproduced, reproduce } from './reproduce.ts'
import { openSessionContexts, type SessionContexts } from './session.ts'
import { presentOf, type Summary } from './summary.ts'
import { openRatios } from './tokens.ts'

export type Context = {
  /** Everything that this call may be given; freezes the foundation of a session at its first call, and sees to summaries in time. */
  gather(wanted: Gathering): Promise<Pieces>
  /** Of what was gathered, as much as fits into so many tokens. */
  assemble(pieces: Pieces, budget: { readonly tokens: number; readonly tier: Tier }): Assembled
  /** How many tokens a call may have: what was wished, or what the tier's model takes, whichever is less. */
  tokensFor(tier: Tier, wished: number): number
  /** The provider's own count, so that the next estimate is better. */
  counted(tier: Tier, manifest: Manifest, input: number | null): void
  /** The messages of a call, from the event that holds its manifest. Throws NotFound, naming what is gone. */
  reproduce(event: Event): Promise<Reproduced>
  /**
   * Shortens the chosen branch now, all but its last lines. `keep`: what the person wants to be kept, in their words. Throws NotFound
   * for an unknown session, Conflict when there is nothing to shorten.
   */
  compact(session: SessionId, given: { readonly keep?: string; readonly by: Actor }): Promise<readonly Summary[]>
  /** In the order in which they were made; those that hold, unless all are asked for. */
  summaries(session: SessionId, options?: { readonly all?: boolean }): Promise<readonly Summary[]>
  /** Its lines are given word by word again. Throws NotFound for an unknown one, Conflict for one that another stands on. */
  undo(session: SessionId, summary: string, by: Actor): Promise<Summary>
  /** The next turn freezes the foundation anew. Resolves with how often that was done in this session. */
  rebase(session: SessionId, by: Actor): Promise<number>
  /** Resolves when no summary is being made. */
  idle(): Promise<void>
  close(): Promise<void>
}

export type ContextRooms = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly clock: Clock
  readonly newId: NewId
  readonly models: ModelPort
  readonly conversation: Pick<Conversation, 'walk' | 'get' | 'branch'>
  readonly sessions: Pick<Sessions, 'brief' | 'process'>
  readonly projects: Pick<Projects, 'get'>
  /** Specs by name, to tell whether they are still those of a manifest. */
  readonly specs: (names: readonly string[]) => readonly ToolSpec[]
  /** Of the model of that tier, in tokens: what it reads, and what it may answer. null: not known. */
  readonly windowOf?: (tier: Tier) => { readonly window: number; readonly maxOutput: number } | null
  /** In whose zone day and time are told; UTC by default. */
  readonly zoneOf?: ZoneOf
  readonly log?: Log
}

export type { Assembled, Pieces } from './assemble.ts'
export { spoken } from './frame.ts'
export type { Gathering } from './gather.ts'
export { linesOf, linesOfEntries, type OwnLine, type Source, sourced, withAttachments } from './lines.ts'
export type { Manifest } from './manifest.ts'
export type { Reproduced } from './reproduce.ts'
export type { Summary } from './summary.ts'

/** What is wished for a call that nobody said more about: the room of a summary asked for by hand is measured by it. */
export const usualTokens = 60_000

export function openContext(rooms: ContextRooms): Context {
  const ratios = openRatios()
  const contexts = openSessionContexts({ ...rooms, now: rooms.clock.now })
  const compactor = openCompactor({ ...rooms, contexts })
  const inner = { ...rooms, contexts, compactor, ratios, older: openOlder(rooms.conversation), zoneOf: rooms.zoneOf ?? (async () => 'UTC') }
  const tokensFor = (tier: Tier, wished: number) => Math.min(wished, usable(rooms.windowOf?.(tier) ?? null))
  return {
    gather: (wanted) => gather(inner, { ...wanted, tokens: tokensFor(wanted.tier, wanted.tokens) }),
    assemble: (pieces, { tokens, tier }) => assemble(pieces, { tokens, charactersPerToken: ratios.of(tier) }),
    tokensFor,
    counted(tier, { tokens, charactersPerToken }, input) {
      if (input !== null) ratios.learn(tier, { characters: tokens * charactersPerToken, tokens: input })
    },
    reproduce: (event) => reproduce({ ...rooms, contexts }, event),
    compact: (session, given) => compactNow({ ...rooms, contexts, compactor, tokens: tokensFor('standard', usualTokens) }, session, given),
    async summaries(session, { all = false } = {}) {
      const state = await contexts.state(session)
      return all ? state.summaries : presentOf(state)
    },
    undo: (session, summary, by) => contexts.undo(session, summary, by),
    rebase: (session, by) => contexts.rebase(session, by),
    idle: () => compactor.idle(),
    close: () => compactor.close(),
  }
}

/** What is left for reading when the answer has its part. */
function usable(window: { readonly window: number; readonly maxOutput: number } | null): number {
  if (window === null) return Number.POSITIVE_INFINITY
  return Math.floor((window.window - Math.min(window.maxOutput, window.window / 4)) * 0.95)
}

type Compacting = Pick<ContextRooms, 'conversation' | 'sessions' | 'projects'> & {
  readonly contexts: SessionContexts
  readonly compactor: Compactor
  readonly tokens: number
}

async function compactNow(
  rooms: Compacting,
  session: SessionId,
  given: { readonly keep?: string; readonly by: Actor },
): Promise<readonly Summary[]> {
  const { info, leaf } = await branchOf(rooms, session)
  const project = await rooms.projects.get(info.project)
  const job = {
    ...{ process: info, wanted: 'person' as const, by: given.by, run: session, keep: given.keep?.trim() || null },
    ...{ room: rooms.tokens * 2, charactersPerToken: 4, localOnly: project?.policy['localOnly'] === true },
  }
  await rooms.compactor.idle()
  const added = leaf === null ? [] : await rooms.compactor.start({ ...job, leaf })
  if (added.length === 0) throw new Conflict('There is nothing to shorten yet: the last lines are always kept.', { code: 'too_short' })
  return added
}

async function branchOf(
  { sessions, conversation }: Compacting,
  session: SessionId,
): Promise<{ info: ProcessInfo; leaf: MessageId | null }> {
  const brief = await sessions.brief(session)
  const process = brief && (await sessions.process(brief.process))
  if (!process) throw new NotFound(`There is no session ${session}.`, { path: 'session' })
  let leaf: MessageId | null = null
  for (let after: string | undefined; ; ) {
    const page = await conversation.branch(session, { limit: 500, ...(after === undefined ? {} : { after }) })
    leaf = messageId(page.items.findLast((line) => line.status !== 'queued')?.id ?? '') ?? leaf
    if (page.next === null) return { info: process.info, leaf }
    after = page.next
  }
}
