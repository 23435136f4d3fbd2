// Which project a tool's call is about, and whether it may be (reference/eddie.md 3.10).
import { Forbidden, NotFound } from '../base/errors.ts'
import type { ProcessId } from '../base/ids.ts'
import type { ProcessInfo } from '../lanes/engine.ts'
import type { Project } from '../protocol/shapes.ts'
import { homeOf, quote } from '../scopes/names.ts'
import { checkReach, projectOf } from '../scopes/project-resolution.ts'
import type { Projects } from '../scopes/scopes.ts'

export type ReachRooms = {
  readonly projects: Pick<Projects, 'resolve'>
  /** The project that a conversation of the hub is at; absent or null: none in particular. */
  readonly spot?: (process: ProcessInfo) => Promise<string | null>
}

type SpotRooms = {
  readonly projects: Pick<Projects, 'get'>
  /** Of that process, the newest first. */
  readonly workers: (owner: ProcessId) => Promise<readonly { readonly project: string }[]>
}

/** A conversation in the person's home is at the project to which it last gave work, as long as that is open. */
export function spotFrom({ projects, workers }: SpotRooms): NonNullable<ReachRooms['spot']> {
  return async ({ id, user, project }) => {
    if (project !== homeOf(user)) return null
    const [newest] = await workers(id)
    const at = newest ? await projects.get(newest.project) : null
    return at === null || at.status === 'CLOSED' ? null : at.name
  }
}

/**
 * A worker is about its own project, whatever it names. From the person's home any project of theirs can be reached; from a project
 * only itself, because what one project knows is not another's. Throws Forbidden, NotFound.
 */
export async function projectFor(rooms: ReachRooms, process: ProcessInfo, named: string | undefined): Promise<Project> {
  const isWorker = process.parent !== null
  const spot = isWorker ? null : ((await rooms.spot?.(process)) ?? null)
  const name = projectOf({ process: { isWorker, project: process.project }, named: named ?? null, spot })
  checkReach(name, process.user)
  if (name !== process.project && process.project !== homeOf(process.user)) {
    throw new Forbidden(`From the project ${quote(process.project)} only that project itself can be reached, not ${quote(name)}.`)
  }
  const project = await rooms.projects.resolve(name)
  if (project === null) throw new NotFound(`There is no project ${quote(name)}.`)
  return project
}
