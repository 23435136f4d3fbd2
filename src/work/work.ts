// Work: what one agent does for another. Owns: the link between who ordered and who works, and the reports that go back over it.
// Leaves running to lanes, what a report means to engines. Tasks, runs and plans have their place here.
// Others also import report.ts, triage.ts and work-store.ts (the store implements it). Hand-offs have a door of their own,
// envelope/envelope.ts (K10 to K24).
//
// K1  A worker's settled turn, its questions, its approvals and its end are each one entry for whoever ordered the work, whoever
//     is connected, also when the hub died in between.
// K2  Work goes on only downwards: a link never leads to a process that ordered this one, however far up.
// K3  What goes back depends on the link's channel mode, and on nothing else.
import type { ProcessId } from '../base/ids.ts'
import type { Journal } from '../journal/journal.ts'
import { type FollowerRooms, openFollower } from './follower.ts'
import type { Linked, WorkerLink, WorkStore } from './work-store.ts'

export type Work = {
  /** Links of that owner, newest first. */
  workers(owner: ProcessId): Promise<readonly Linked[]>
  owner(worker: ProcessId): Promise<WorkerLink | null>
  /** True when `below` already works for `above`, directly or not, or is it. */
  isAbove(above: ProcessId, below: ProcessId): Promise<boolean>
  close(): Promise<void>
}

export type WorkRooms = Omit<FollowerRooms, 'journal'> & { readonly journal: Pick<Journal, 'project' | 'passed' | 'head' | 'follow'> }

/** A chain of links longer than this is a ring that nobody should have made. */
const mostUp = 100

/** Registers the projection, and follows the journal from where it stopped. */
export async function openWork(rooms: WorkRooms): Promise<Work> {
  const { store, journal } = rooms
  await journal.project(store.projection)
  const follower = await openFollower(rooms)
  /** What a turn noted a moment ago counts too. */
  const fresh = () => journal.passed(journal.head(), store.projection.name)
  return {
    workers: async (owner) => store.workers(owner),
    async owner(worker) {
      await fresh()
      return store.owner(worker)
    },
    async isAbove(above, below) {
      await fresh()
      return isAbove(store, above, below)
    },
    close: () => follower.close(),
  }
}

async function isAbove(store: WorkStore, above: ProcessId, below: ProcessId): Promise<boolean> {
  let at: ProcessId | null = below
  for (let steps = 0; at !== null && steps < mostUp; steps++) {
    if (at === above) return true
    at = (await store.owner(at))?.owner ?? null
  }
  return at !== null
}

export { type ChannelMode, channelModes, type Report } from './report.ts'
export type { Linked, WorkerLink } from './work-store.ts'
