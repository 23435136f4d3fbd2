// What the policy is built over. Time, ids and other rooms are arguments.
import type { Clock } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { Documents, Projects, Settings } from '../scopes/scopes.ts'
import type { Decision, Plan, Where } from './decision.ts'
import type { Ground } from './ground.ts'
import type { PolicyStore } from './policy-store.ts'

/**
 * Asked in the mode `auto` about what nobody but the mode allowed. It can only say that a person is to be asked: whatever else it
 * answers, and a throw, is no yes that was not there before.
 */
export type Reviewer = (plan: Plan, where: Where, decision: Decision) => Promise<'allow' | 'ask'>

export type PolicyRooms = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly view: PolicyStore
  readonly projects: Pick<Projects, 'get'>
  readonly documents: Pick<Documents, 'find' | 'onChange'>
  readonly settings: Pick<Settings, 'versions'>
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
}

export type PolicyOptions = Omit<PolicyRooms, 'log'> & {
  readonly log?: Log
  readonly reviewer?: Reviewer
  /** Where the hub itself is; asked at each decision, since its port is known only when it listens. Real paths. */
  readonly own: () => Pick<Ground, 'closed' | 'addresses' | 'sockets'>
  /** The person's folder on this machine. */
  readonly home: string
}
