// What the policy is built over. Time, ids and other rooms are arguments.
import type { Clock } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { Documents, Projects, Settings } from '../scopes/scopes.ts'
import type { Ground } from './ground.ts'
import type { PolicyStore } from './policy-store.ts'

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
  /** Where the hub itself is; asked at each decision, since its port is known only when it listens. Real paths. */
  readonly own: () => Pick<Ground, 'closed' | 'addresses' | 'sockets'>
  /** The person's folder on this machine. */
  readonly home: string
}
