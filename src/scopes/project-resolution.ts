// Which project a tool call of a process is about (reference/eddie.md 3.10).
import { Forbidden } from '../base/errors.ts'
import { homeOf, quote, tenantProject, userOfHome } from './names.ts'

export type Asking = {
  /** null: nobody's process, an administrator's call. */
  readonly process: { readonly isWorker: boolean; readonly project: string | null } | null
  /** The project that the call names. */
  readonly named?: string | null
  /** The project that the conversation is at (Eddie's "spot"). */
  readonly spot?: string | null
}

/**
 * A worker stays in the project it was made for, whatever it names; a session's own process may name one, else it is at the spot,
 * else in its own. A blank name is none. Throws Forbidden when none is left. Whether the person may read it is asked by who calls.
 */
export function projectOf(asking: Asking): string {
  const own = nameIn(asking.process?.project)
  if (asking.process?.isWorker) {
    if (own !== null) return own
    throw new Forbidden('This worker has no inherited project, so it can work in none.')
  }
  const found = nameIn(asking.named) ?? nameIn(asking.spot) ?? own
  if (found !== null) return found
  throw new Forbidden('No project was named and the process has none.')
}

function nameIn(given: string | null | undefined): string | null {
  return given?.trim() || null
}

/** System projects are closed to tools, apart from the person's own home. Throws Forbidden. */
export function checkReach(project: string, user: string): void {
  const isOthersHome = userOfHome(project) !== null && project !== homeOf(user)
  if (project !== tenantProject && !isOthersHome) return
  throw new Forbidden(`The project ${quote(project)} belongs to the hub or to someone else.`)
}
