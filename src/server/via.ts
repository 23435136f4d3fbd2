// Through whom a worker's frames reach the person: the process that ordered its work, and the session in which that one talks.
import { isId, type ProcessId } from '../base/ids.ts'
import { isObject } from '../base/json.ts'
import type { Event } from '../protocol/event.ts'
import type { Hub } from './hub.ts'
import type { Via } from './wire.ts'

export type Vias = {
  /** Hears of new links; call it with every event, in their order. */
  heard(event: Event): void
  /** null: nobody ordered what that process does. */
  of(process: ProcessId): Promise<Via | null>
}

const mostKnown = 10_000

export function openVias({ work, scopes }: Pick<Hub, 'work' | 'scopes'>): Vias {
  const known = new Map<string, Promise<Via | null>>()

  function keep(process: string, via: Promise<Via | null>): Promise<Via | null> {
    known.set(process, via)
    if (known.size > mostKnown) for (const oldest of known.keys()) if (known.delete(oldest)) break
    void via.catch(() => known.delete(process))
    return via
  }

  async function through(owner: string): Promise<Via | null> {
    const found = isId('prc', owner) ? await scopes.sessions.process(owner) : null
    return found && { engine: found.info.engine, processId: owner, viaSession: found.session }
  }

  async function linked(process: ProcessId): Promise<Via | null> {
    const link = await work.owner(process)
    return link === null ? null : through(link.owner)
  }

  return {
    heard({ type, data }) {
      if (type !== 'worker-linked' || !isObject(data)) return
      const { worker, owner } = data
      if (typeof worker === 'string' && typeof owner === 'string') void keep(worker, through(owner)).catch(() => {})
    },
    of: (process) => known.get(process) ?? keep(process, linked(process)),
  }
}
