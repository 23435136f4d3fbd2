// A session's status is derived: from what was decided about it, and from what its processes do.
import type { ProcessStatus } from '../protocol/process.ts'
import type { Session } from '../protocol/shapes.ts'
import type { SessionLife } from './events.ts'

/** Suspended, archived and closed are said of a session itself. An open one runs when any of its processes runs. */
export function sessionStatus(life: SessionLife, processes: readonly ProcessStatus[]): Session['status'] {
  if (life !== 'OPEN') return life
  const living = processes.filter((status) => status !== 'CLOSED')
  if (living.includes('RUNNING')) return 'RUNNING'
  if (living.every((status) => status === 'INIT')) return living.length === processes.length ? 'INIT' : 'IDLE'
  return living.every((status) => status === 'SUSPENDED') ? 'SUSPENDED' : 'IDLE'
}
