// A message of a person with what was decided of it, and what a turn's messages came to.
import type { EntryId, MessageId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Actor } from '../../protocol/actor.ts'
import type { Entry, MessageBody } from '../../protocol/entry.ts'
import type { Decision, Way } from '../../routing/route.ts'
import type { ScopeRef } from '../../scopes/scopes.ts'
import type { WorkerLink } from '../../work/work.ts'
import type { OwnLine } from './ask.ts'

/** A message of a person. */
export type Words = { readonly entry: EntryId; readonly from: Actor; readonly ref: string | null; readonly body: MessageBody }

/** What becomes of a message. `leader`: whoever leads the session answers. `nobody`: it can't be, and the person is told so. */
export type Goes =
  | { readonly to: 'leader' }
  | { readonly to: 'worker'; readonly agent: string; readonly title: string; readonly isChain: boolean; readonly link: WorkerLink | null }
  | { readonly to: 'nobody'; readonly plain: string }
  | { readonly to: 'ask' }

/** Who should have had it, and what that was: the person's message before. */
export type Corrected = {
  readonly agent: string
  readonly title: string
  readonly message: MessageId
  readonly text: string
  readonly scope: ScopeRef
}

/** As it is recorded: what the turn goes on with. The whole route is a fact of its own. */
export type Decided = {
  readonly entry: EntryId
  readonly decision: Decision
  readonly by: Way | null
  readonly agents: readonly string[]
  readonly why: string
  readonly others: readonly string[]
  readonly confidence: number
  readonly goes: Goes
  /** It was not the person's word, but nobody else decides here. */
  readonly alone: boolean
  /** Title of who would have got it, were there a model. */
  readonly would: string | null
  /** For an agent that runs chains. */
  readonly chain: JsonObject | null
  readonly questions: readonly { readonly text: string; readonly options: readonly string[] }[]
  readonly corrected: Corrected | null
}

/** What a turn's routes came to. */
export type Taken = {
  /** Entries that the leader has nothing to do with any more. */
  readonly told: ReadonlySet<string>
  /** What came in meanwhile; it is to be heard like other work. */
  readonly arrived: readonly Entry[]
  /** What came in as the answer to a question of the hub's: for who leads, and routed no more. */
  readonly answers: readonly Entry[]
  /** Beside the entries themselves, for the model. */
  readonly lines: readonly OwnLine[]
}

export const nothing: Taken = { told: new Set(), arrived: [], answers: [], lines: [] }
