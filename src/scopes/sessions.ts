// Sessions: made with their chat process, read from the projection, decided on their own streams.
import { Conflict, InvalidInput, NotFound } from '../base/errors.ts'
import { isId, type SessionId } from '../base/ids.ts'
import type { ProcessInfo } from '../lanes/engine.ts'
import { idFrom } from '../lanes/entry-id.ts'
import type { Actor } from '../protocol/actor.ts'
import { openConnections } from './connections.ts'
import type { ProjectFacts, SessionFacts } from './events.ts'
import { sweepIdle } from './idle.ts'
import { checkProfile, checkTitle, homeOf, quote, tenantProject, userOfHome } from './names.ts'
import { checkPaging } from './paging.ts'
import type { ProjectsRoom } from './projects.ts'
import { Recent } from './recent.ts'
import type { Rooms } from './rooms.ts'
import type { NewSession, ScopeRef, Sessions } from './scopes.ts'
import { openCascades } from './session-cascade.ts'
import { checkLife, defaultPolicies, known, type SessionState, sessionFold, unless } from './session-state.ts'
import { openSessionStreams } from './session-streams.ts'
import { type Asleep, wakeOnWords } from './session-waking.ts'

export type SessionsRoom = Sessions & {
  /** The end of a project: its open and suspended sessions are archived. */
  archiveOf(project: string): Promise<void>
}

export async function openSessions(rooms: Rooms, projects: ProjectsRoom): Promise<SessionsRoom> {
  const { views, journal, fact } = rooms
  const streams = openSessionStreams(rooms)
  const asleep: Asleep = new Set()
  const cascades = openCascades(rooms, streams, asleep)
  await wakeOnWords(rooms, asleep, cascades.resume)
  const connections = openConnections()
  const infos = new Recent<string, ProcessInfo>(10_000)
  const owners = new Recent<string, string>(10_000)
  const view = views.conversation

  async function read(id: SessionId, cursor: number) {
    await journal.passed(cursor, view.projection.name)
    const row = await view.session(id)
    if (row !== null) return { value: row.session, cursor }
    throw new NotFound(`There is no session ${quote(id)}.`)
  }
  const stateOf = async (id: SessionId): Promise<SessionState> => (isId('ses', id) ? streams.of(id).state() : sessionFold.empty)

  async function update(
    id: SessionId,
    by: Actor,
    given: { readonly title?: string; readonly pinned?: boolean; readonly profile?: string },
  ) {
    known(await stateOf(id), id)
    const { cursor } = await streams.of(id).change((state) => {
      checkLife(state, id, ['OPEN', 'SUSPENDED', 'ARCHIVED'])
      return unless(isSaid(state, given), () => fact('session-updated', { id, ...given }, by, id))
    })
    return cursor
  }

  return {
    async create(given, by) {
      const made = await make(rooms, projects, given)
      if (given.key !== undefined) {
        const { facts } = await stateOf(made.facts.id)
        if (facts !== null) return read(sameSession(facts, made.facts), journal.head())
      }
      owners.set(made.facts.id, made.facts.user)
      infos.set(made.process.id, made.process)
      await rooms.lanes.create(made.process, by).catch((thrown: unknown) => {
        // Begun before a crash, under the same key.
        if (given.key === undefined || !(thrown instanceof Conflict)) throw thrown
      })
      const event = fact('session-created', { session: made.facts }, by, made.facts.id)
      const { cursor } = await streams.of(made.facts.id).change((state) => unless(state.facts !== null, () => event))
      return read(made.facts.id, cursor)
    },
    get: async (id) => (isId('ses', id) ? ((await view.session(id))?.session ?? null) : null),
    list: async ({ archived = false, ...wanted }) => view.sessions({ ...wanted, ...checkPaging(wanted), archived }),
    async change(id, given, by) {
      const title = given.title === undefined ? {} : { title: checkTitle(given.title) }
      const pinned = given.pinned === undefined ? {} : { pinned: checkFlag(given.pinned, '/pinned') }
      return read(id, await update(id, by, { ...title, ...pinned }))
    },
    async archive(id, by) {
      checkLife(await stateOf(id), id, ['OPEN', 'SUSPENDED', 'ARCHIVED'])
      return read(id, await cascades.end(id, { status: 'ARCHIVED', reason: 'ARCHIVED', by }))
    },
    async close(id, by) {
      known(await stateOf(id), id)
      return read(id, await cascades.end(id, { status: 'CLOSED', reason: 'STOPPED', by }))
    },
    async suspend(id, cause) {
      known(await stateOf(id), id)
      await journal.passed(await cascades.suspend(id, cause), view.projection.name)
    },
    async resume(id, by) {
      known(await stateOf(id), id)
      await journal.passed(await cascades.resume(id, by), view.projection.name)
    },
    async connected(id, connection, options) {
      const profile = options?.profile === undefined ? undefined : checkProfile(options.profile)
      const state = await stateOf(id)
      if (known(state, id) && state.life === 'CLOSED') throw new NotFound(`The session ${quote(id)} is closed.`)
      if (profile !== undefined && profile !== state.facts?.profile) await update(id, 'system', { profile })
      if (profile !== undefined) await cascades.resume(id, 'system')
      return connections.join(id, connection, options?.takeover ?? false)
    },
    async disconnected(id, connection) {
      if (!connections.leave(id, connection)) return
      const state = await stateOf(id)
      if (state.facts === null || state.life !== 'OPEN') return
      const policy = state.facts.policies.onDisconnect
      if (policy === 'SUSPEND') await cascades.suspend(id, 'DISCONNECT')
      if (policy === 'CLOSE') await cascades.end(id, { status: 'CLOSED', reason: 'AUTO_CLOSE', by: 'system' })
    },
    async brief(id) {
      const { facts, life } = await stateOf(id)
      return facts && { user: facts.user, process: facts.process, life, profile: facts.profile }
    },
    async owner(id) {
      const held = owners.peek(id)
      if (held !== undefined || !isId('ses', id)) return held ?? null
      const user = (await view.session(id))?.user ?? null
      if (user !== null) owners.set(id, user)
      return user
    },
    async process(id) {
      const info = infos.peek(id) ?? (await view.process(id))?.info
      if (info === undefined) return null
      infos.set(id, info)
      return { info, session: info.session }
    },
    async archiveOf(project) {
      await journal.passed(journal.head(), view.projection.name)
      for (const id of await view.sessionsOf(project)) await cascades.end(id, { status: 'ARCHIVED', reason: 'ARCHIVED', by: 'system' })
    },
    sweepIdle: (now) => sweepIdle(rooms, { now, cascades, connections }),
  }
}

function isSaid(state: SessionState, given: { readonly title?: string; readonly pinned?: boolean; readonly profile?: string }): boolean {
  const { title, pinned, profile } = given
  return (
    (title === undefined || title === state.facts?.title) &&
    (pinned === undefined || pinned === state.pinned) &&
    (profile === undefined || profile === state.facts?.profile)
  )
}

function checkFlag(given: unknown, path: string): boolean {
  if (typeof given === 'boolean') return given
  throw new InvalidInput(`${quote(given)} is not possible here: allowed are true and false.`, { path })
}

/** Everything that a new session is, before anything of it is written. */
async function make(rooms: Rooms, projects: ProjectsRoom, given: NewSession): Promise<{ facts: SessionFacts; process: ProcessInfo }> {
  const title = given.title === undefined ? null : checkTitle(given.title)
  const profile = given.profile === undefined ? 'web' : checkProfile(given.profile)
  const project = await projectFor(projects, given)
  const scope: ScopeRef = { user: given.user, project: project.name, group: project.group }
  const found: Awaited<ReturnType<Rooms['engineOf']>> = given.lead ?? (await rooms.engineOf(given.agent, scope, profile))
  if (found === null)
    throw new NotFound(`There is no agent ${quote(given.agent ?? 'hub')} in the project ${quote(project.name)}.`, { path: '/agent' })
  const id = given.key === undefined ? rooms.newId('ses') : idFrom('ses', [given.user, given.key])
  const process: ProcessInfo = {
    id: given.key === undefined ? rooms.newId('prc') : idFrom('prc', [given.user, given.key]),
    session: id,
    tenant: rooms.tenant,
    project: project.name,
    agent: found.agent,
    engine: found.engine,
    params: { ...found.params, ...given.worker?.params },
    user: given.user,
    parent: given.worker?.parent ?? null,
    facesPerson: given.worker === undefined,
  }
  const policies = { ...defaultPolicies, ...found.policies }
  const { tenant, agent, user } = process
  return { facts: { id, tenant, project: project.name, user, process: process.id, agent, title, profile, policies }, process }
}

/** The id of the session that the key made before. */
function sameSession(before: SessionFacts, wanted: SessionFacts): SessionId {
  if (before.project === wanted.project && before.agent === wanted.agent) return before.id
  const message = `this key made a session of ${quote(before.agent)} in ${quote(before.project)} before; another session needs another key`
  throw new Conflict(message, { code: 'key_reused' })
}

async function projectFor(projects: ProjectsRoom, given: NewSession): Promise<ProjectFacts> {
  const name = given.project ?? homeOf(given.user)
  const missing = new NotFound(`There is no project ${quote(name)}.`, { path: '/project' })
  if (userOfHome(name) !== null && name !== homeOf(given.user)) throw missing
  if (name === homeOf(given.user)) await projects.ensureHome(given.user)
  const facts = await projects.facts(name)
  if (facts === null) throw missing
  if (name === tenantProject) throw new Conflict(`No session runs in ${quote(tenantProject)}: it holds what applies to all projects.`)
  if (facts.status === 'CLOSED') throw new Conflict(`The project ${quote(name)} is archived; a session needs one that is not.`)
  return facts
}
