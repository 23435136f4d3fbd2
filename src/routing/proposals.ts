// What is known of corrections beside the documents: rules that were proposed and not yet accepted, and who accepted and took back
// which. Facts of the stream `routing:<user>`, so a proposal outlives a restart.
import { z } from 'zod'
import type { NewId } from '../base/ids.ts'
import { isId, type MessageId, streamLane } from '../base/ids.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import { openStream, type Stream } from '../journal/stream.ts'
import { type Actor, userOf } from '../protocol/actor.ts'
import type { Event, NewEvent } from '../protocol/event.ts'
import type { LearnedRule } from './routing.ts'

/** Where a rule is written. */
export type RulePlace = { readonly level: 'home' | 'project'; readonly scope: string }
export type Proposed = { readonly rule: LearnedRule; readonly place: RulePlace; readonly isAccepted: boolean }
/** By proposal, the oldest first. */
type Kept = ReadonlyMap<string, Proposed>

const mostKept = 100
const mostStreams = 200

const ruleShape = z.object({
  id: z.string(),
  when: z.array(z.string()),
  to: z.string(),
  from: z.custom<MessageId>((value) => isId('msg', value)).nullable(),
  at: z.number(),
  by: z.custom<Actor>((value) => typeof value === 'string'),
})
const fact = z.object({
  proposal: z.string().nullable(),
  rule: ruleShape,
  level: z.enum(['home', 'project']),
  scope: z.string(),
})
type Fact = z.infer<typeof fact>

export type Proposals = {
  find(user: string, proposal: string): Promise<Proposed | null>
  proposed(user: string, given: Fact, by: Actor): Promise<void>
  /** Nothing when that proposal was accepted before. */
  added(user: string, given: Fact, by: Actor): Promise<void>
  removed(user: string, given: Fact, by: Actor): Promise<void>
}

export type ProposalRooms = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly now: () => number
  readonly newId: NewId
}

export function openProposals({ journal, store, now, newId }: ProposalRooms): Proposals {
  const streams = new Map<string, Stream<Kept>>()
  function streamOf(user: string): Stream<Kept> {
    const present = streams.get(user)
    if (present) return present
    if (streams.size >= mostStreams) streams.clear()
    const stream = openStream({ journal, store }, streamLane(`routing:${user}`), { fold: { empty: new Map(), evolve } })
    streams.set(user, stream)
    return stream
  }
  const eventOf = (type: string, { proposal, rule, level, scope }: Fact, by: Actor): NewEvent => ({
    ...{ id: newId('evt'), type, at: now(), actor: by, visibility: 'user-detail', cause: null, correlation: null, session: null, v: 1 },
    data: { proposal, rule: { ...rule, when: [...rule.when] }, level, scope },
  })
  return {
    find: async (user, proposal) => (await streamOf(user).state()).get(proposal) ?? null,
    async proposed(user, given, by) {
      await streamOf(user).change((kept) => (has(kept, given) ? [] : [eventOf('routing-rule-proposed', given, by)]))
    },
    async added(user, given, by) {
      const isAccepted = (kept: Kept) => given.proposal !== null && kept.get(given.proposal)?.isAccepted === true
      await streamOf(user).change((kept) => (isAccepted(kept) ? [] : [eventOf('routing-rule-added', given, by)]))
    },
    async removed(user, given, by) {
      await streamOf(user).change(() => [eventOf('routing-rule-removed', given, by)])
    },
  }
}

/** Whose stream it is: a person's own, or the person's for whom an agent speaks. */
export function personOf(by: Actor, user: string | undefined): string | null {
  return userOf(by) ?? user ?? null
}

function has(kept: Kept, { proposal }: Fact): boolean {
  const present = proposal === null ? undefined : kept.get(proposal)
  return present !== undefined && !present.isAccepted
}

function evolve(kept: Kept, event: NewEvent | Event): Kept {
  const read = fact.safeParse(event.data)
  if (!read.success) return kept
  const { proposal, rule, level, scope } = read.data
  const next = new Map(kept)
  if (event.type === 'routing-rule-removed') {
    for (const [id, one] of kept) if (one.rule.id === rule.id && one.place.level === level && one.place.scope === scope) next.delete(id)
    return next
  }
  if (proposal === null) return kept
  next.set(proposal, { rule, place: { level, scope }, isAccepted: event.type === 'routing-rule-added' })
  const [oldest] = next.keys()
  if (next.size > mostKept && oldest !== undefined) next.delete(oldest)
  return next
}
