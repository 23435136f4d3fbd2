// Projects and groups: reading from the projection, deciding on the tenant's stream.
import { InvalidInput } from '../base/errors.ts'
import type { LaneId } from '../base/ids.ts'
import { canonical, isObject, type JsonObject } from '../base/json.ts'
import { openStream } from '../journal/stream.ts'
import { type Project, projectTypes } from '../protocol/shapes.ts'
import type { ProjectFacts } from './events.ts'
import { checkLogin, checkName, checkRoots, checkTitle, checkWord, defaultGroup, homeGroup, homeOf, quote, userOfHome } from './names.ts'
import { checkPaging } from './paging.ts'
import type { Rooms } from './rooms.ts'
import type { NewProject, ProjectPatch, Projects } from './scopes.ts'
import * as tenant from './tenant.ts'

export type ProjectsRoom = Projects & {
  /** The decided state of a project, also right after its change; null when there is none. */
  facts(name: string): Promise<ProjectFacts | null>
  isGroup(name: string): Promise<boolean>
  /** Makes `_home` and `_tenant` when missing. */
  ensureTenant(): Promise<void>
}

/** What happens elsewhere when a project is archived or purged. */
export type ProjectEnds = { closed(name: string): Promise<void>; purged(name: string): Promise<void> }

export function openProjects(rooms: Rooms, ends: ProjectEnds): ProjectsRoom {
  const { fact, views, journal } = rooms
  const stream = openStream(rooms, tenantLane(rooms.tenant), { fold: tenant.tenantFold })

  async function done(name: string, change: { readonly state: tenant.Tenant; readonly cursor: number }) {
    await journal.passed(change.cursor, views.scopes.projection.name)
    const value = shape(tenant.present(change.state, name), (await views.scopes.project(name))?.lastActivityAt ?? null)
    return { value, cursor: change.cursor }
  }

  async function bootstrap(user: string | null): Promise<tenant.Tenant> {
    const before = await stream.state()
    if (tenant.bootstrap(before, user, fact).length === 0) return before
    const change = await stream.change((state) => tenant.bootstrap(state, user, fact))
    await journal.passed(change.cursor, views.scopes.projection.name)
    return change.state
  }

  const get = (name: string) => views.scopes.project(name)
  const facts = async (name: string) => (await stream.state()).projects.get(name) ?? null

  async function ensureHome(user: string): Promise<Project> {
    const name = homeOf(checkLogin(user))
    const state = await bootstrap(user)
    return (await get(name)) ?? shape(tenant.present(state, name), null)
  }

  return {
    facts,
    get,
    ensureHome,
    isGroup: async (name) => (await stream.state()).groups.has(name),
    ensureTenant: async () => void (await bootstrap(null)),
    async resolve(name) {
      const user = userOfHome(name)
      if (user === null || (await facts(name)) !== null) return get(name)
      return isLogin(user) && (await rooms.users(user)) ? ensureHome(user) : null
    },
    async create(given, by) {
      const project = newProject(given)
      return done(project.name, await stream.change((state) => tenant.create(state, project, { by, fact })))
    },
    async change(name, given, by) {
      const patch = patchOf(given)
      return done(name, await stream.change((state) => tenant.change(state, name, { patch, by, fact })))
    },
    async remove(name, by, options) {
      const purge = options?.purge ?? false
      const before = tenant.present(await stream.state(), name)
      const change = await stream.change((state) => tenant.remove(state, name, { purge, by, fact }))
      await ends.closed(name)
      if (purge) await ends.purged(name)
      await journal.passed(change.cursor, views.scopes.projection.name)
      return { value: shape({ ...before, status: 'CLOSED' }, null), cursor: change.cursor }
    },
    list: async ({ system = false, closed = false, ...paging }) => views.scopes.projects({ ...checkPaging(paging), system, closed }),
  }
}

function tenantLane(name: string): LaneId {
  return `tenant:${name}` as LaneId
}

function isLogin(user: string): boolean {
  try {
    return checkLogin(user) === user
  } catch {
    return false
  }
}

function newProject(given: NewProject): ProjectFacts {
  const name = checkName(given.name, 'project', '/name')
  return {
    name,
    title: given.title === undefined ? name : checkTitle(given.title),
    kind: 'NORMAL',
    type: given.type === undefined ? 'project' : checkWord(given.type, projectTypes, '/type'),
    status: 'RUNNING',
    group: given.group === undefined ? defaultGroup : checkGroup(given.group),
    roots: given.roots === undefined ? [] : checkRoots(given.roots),
    policy: given.policy === undefined ? {} : checkPolicy(given.policy),
  }
}

function patchOf(given: ProjectPatch): Partial<Omit<ProjectFacts, 'name' | 'kind'>> {
  return {
    ...(given.title === undefined ? {} : { title: checkTitle(given.title) }),
    ...(given.type === undefined ? {} : { type: checkWord(given.type, projectTypes, '/type') }),
    ...(given.group === undefined ? {} : { group: checkGroup(given.group) }),
    ...(given.roots === undefined ? {} : { roots: checkRoots(given.roots) }),
    ...(given.policy === undefined ? {} : { policy: checkPolicy(given.policy) }),
  }
}

function checkGroup(group: string): string {
  if (group !== homeGroup) return checkName(group, 'group', '/group')
  throw new InvalidInput(`The group ${quote(homeGroup)} is for the hub's own projects.`, { path: '/group' })
}

function checkPolicy(policy: JsonObject): JsonObject {
  if (isObject(policy) && canonical(policy).length <= 65_536) return policy
  throw new InvalidInput('A policy is an object of at most 64 kB.', { path: '/policy' })
}

function shape(facts: ProjectFacts, lastActivityAt: string | null): Project {
  return { ...facts, roots: [...facts.roots], policy: { ...facts.policy }, lastActivityAt }
}
