// The tenant's own stream: its groups and projects, and what may become of them. Pure.
import { Conflict, NotFound } from '../base/errors.ts'
import type { Fold } from '../journal/stream.ts'
import type { Actor } from '../protocol/actor.ts'
import type { NewEvent } from '../protocol/event.ts'
import type { Facts, ProjectFacts } from './events.ts'
import { scopeFact } from './events.ts'
import { defaultGroup, homeGroup, homeOf, quote, tenantProject } from './names.ts'

export type Tenant = {
  readonly groups: ReadonlyMap<string, string>
  readonly projects: ReadonlyMap<string, ProjectFacts>
}

export const tenantFold: Fold<Tenant> = {
  empty: { groups: new Map(), projects: new Map() },
  evolve(state, event) {
    const fact = scopeFact(event)
    if (fact?.type === 'group-created') return { ...state, groups: with_(state.groups, fact.data.name, fact.data.title) }
    if (fact?.type === 'project-created') return { ...state, projects: with_(state.projects, fact.data.project.name, fact.data.project) }
    if (fact?.type === 'project-purged') {
      const projects = new Map(state.projects)
      projects.delete(fact.data.name)
      return { ...state, projects }
    }
    if (fact?.type !== 'project-updated') return state
    const before = state.projects.get(fact.data.name)
    return before ? { ...state, projects: with_(state.projects, before.name, { ...before, ...fact.data.patch }) } : state
  },
}

function with_<V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> {
  return new Map(map).set(key, value)
}

const system: Omit<ProjectFacts, 'name' | 'title'> = {
  kind: 'SYSTEM',
  type: 'area',
  status: 'RUNNING',
  group: homeGroup,
  roots: [],
  policy: {},
}

/** What is missing of group, tenant project and the user's home (null: no user's). Nothing is missing: no events. */
export function bootstrap(state: Tenant, user: string | null, fact: Facts): readonly NewEvent[] {
  const events: NewEvent[] = []
  const make = (name: string, title: string) => {
    if (!state.projects.has(name)) events.push(fact('project-created', { project: { name, title, ...system } }, 'system'))
  }
  if (!state.groups.has(homeGroup)) events.push(fact('group-created', { name: homeGroup, title: 'Home' }, 'system'))
  make(tenantProject, 'Tenant Defaults')
  if (user !== null) make(homeOf(user), `Home of ${user}`)
  return events
}

export function create(state: Tenant, project: ProjectFacts, given: { readonly by: Actor; readonly fact: Facts }): readonly NewEvent[] {
  const known = state.projects.get(project.name)
  if (known) {
    const how = known.status === 'CLOSED' ? 'exists and is archived; purge it to free the name' : 'exists already'
    throw new Conflict(`The project ${quote(project.name)} ${how}.`, { path: '/name', code: 'exists' })
  }
  return [...groupFor(state, project.group, given), given.fact('project-created', { project }, given.by)]
}

export function change(
  state: Tenant,
  name: string,
  given: { readonly patch: Partial<Omit<ProjectFacts, 'name' | 'kind'>>; readonly by: Actor; readonly fact: Facts },
): readonly NewEvent[] {
  const before = present(state, name)
  const { patch } = given
  if (before.kind === 'SYSTEM') refuseSystem(before, patch)
  if (before.status === 'CLOSED') throw new Conflict(`The project ${quote(name)} is archived: it can only be purged.`)
  if (Object.keys(patch).length === 0) return []
  const group = patch.group === undefined ? [] : groupFor(state, patch.group, given)
  return [...group, given.fact('project-updated', { name, patch }, given.by)]
}

/** Archived before: nothing more to do, unless it is purged now. */
export function remove(
  state: Tenant,
  name: string,
  given: { readonly purge: boolean; readonly by: Actor; readonly fact: Facts },
): readonly NewEvent[] {
  const before = present(state, name)
  if (before.kind === 'SYSTEM') throw new Conflict(`The project ${quote(name)} is a SYSTEM project: it can't be deleted or archived.`)
  const archive = before.status === 'CLOSED' ? [] : [given.fact('project-updated', { name, patch: { status: 'CLOSED' } }, given.by)]
  return given.purge ? [...archive, given.fact('project-purged', { name }, given.by)] : archive
}

export function present(state: Tenant, name: string): ProjectFacts {
  const found = state.projects.get(name)
  if (found) return found
  throw new NotFound(`There is no project ${quote(name)}.`)
}

function refuseSystem(before: ProjectFacts, patch: Partial<ProjectFacts>): void {
  const fixed = (['type', 'group', 'status'] as const).find((key) => patch[key] !== undefined)
  if (fixed === undefined) return
  throw new Conflict(`The ${fixed} of the SYSTEM project ${quote(before.name)} is fixed; title, roots and policy may be changed.`, {
    path: `/${fixed}`,
  })
}

function groupFor(state: Tenant, group: string, given: { readonly by: Actor; readonly fact: Facts }): readonly NewEvent[] {
  if (state.groups.has(group)) return []
  const title = group === defaultGroup ? 'Projects' : group
  return [given.fact('group-created', { name: group, title }, given.by)]
}
