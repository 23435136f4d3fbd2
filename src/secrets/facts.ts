// What happened to secrets, as facts of the journal: names, grants and who did it, never a value.
import type { NewId } from '../base/ids.ts'
import { streamLane } from '../base/ids.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import { openStream } from '../journal/stream.ts'
import type { Actor } from '../protocol/actor.ts'

export type SecretFact = {
  readonly change: 'set' | 'rotated' | 'found' | 'granted' | 'removed' | 'key-rotated' | 'key-imported'
  /** Of the secrets; [] when it is about the key. */
  readonly names: readonly string[]
  readonly agents?: readonly string[]
  readonly hosts?: readonly string[]
}

export type RecordFact = (fact: SecretFact, by: Actor) => Promise<void>

type Rooms = { readonly journal: Journal; readonly store: JournalStore; readonly newId: NewId; readonly now: () => number }

/** Writes into the stream `secrets:store`. */
export function secretFacts({ journal, store, newId, now }: Rooms): RecordFact {
  const stream = openStream({ journal, store }, streamLane('secrets:store'), { fold: { empty: null, evolve: () => null } })
  return async ({ change, names, agents, hosts }, by) => {
    const data = { change, names: [...names], ...(agents ? { agents: [...agents] } : {}), ...(hosts ? { hosts: [...hosts] } : {}) }
    const about = { cause: null, correlation: null, session: null, visibility: 'operator', v: 1 } as const
    await stream.change(() => [{ ...about, id: newId('evt'), type: 'secret-changed', at: now(), actor: by, data }])
  }
}
