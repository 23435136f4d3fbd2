// One stream per place holds its documents' heads and its settings: `scope:project/garden`, `scope:tenant/_tenant`. Texts are in the
// events only. And what makes a place: that its name fits its level and that it exists.
import { InvalidInput, NotFound } from '../base/errors.ts'
import { isId, streamLane } from '../base/ids.ts'
import type { Json } from '../base/json.ts'
import { type Fold, openStream, type Stream } from '../journal/stream.ts'
import { type Place, scopeFact } from './events.ts'
import { checkWord, homeOf, quote, tenantProject, userOfHome } from './names.ts'
import type { ProjectsRoom } from './projects.ts'
import { Recent } from './recent.ts'
import type { Rooms } from './rooms.ts'
import type { ScopeRef } from './scopes.ts'

export type DocumentHead = { readonly version: number; readonly hash: string; readonly isHidden: boolean; readonly at: number }
export type ScopeState = {
  readonly documents: ReadonlyMap<string, DocumentHead>
  readonly settings: ReadonlyMap<string, { readonly value: Json; readonly version: number }>
}

const scopeFold: Fold<ScopeState> = {
  empty: { documents: new Map(), settings: new Map() },
  evolve(state, event) {
    const fact = scopeFact(event)
    if (fact === null) return state
    const documents = new Map(state.documents)
    const settings = new Map(state.settings)
    if (fact.type === 'setting-set') settings.set(fact.data.key, { value: fact.data.value, version: fact.data.version })
    if (fact.type === 'settings-removed') {
      for (const key of fact.data.keys) settings.set(key, { value: null, version: (settings.get(key)?.version ?? 0) + 1 })
    }
    if (fact.type === 'document-written') {
      const { path, version, hash } = fact.data
      documents.set(path, { version, hash, isHidden: false, at: event.at })
    }
    if (fact.type === 'document-removed') {
      const before = documents.get(fact.data.path)
      if (before) documents.set(fact.data.path, { ...before, version: fact.data.version, isHidden: true, at: event.at })
    }
    if (fact.type === 'document-purged') documents.delete(fact.data.path)
    return { documents, settings }
  },
}

export type ScopeStreams = {
  of(place: Place): Stream<ScopeState>
  /** Innermost first: process, user's home, project, group, tenant. A project's group is looked up when it isn't given. */
  places(scope: ScopeRef): Promise<readonly Place[]>
}

export function openScopeStreams(rooms: Pick<Rooms, 'journal' | 'store'>, projects: ProjectsRoom): ScopeStreams {
  const streams = new Recent<string, Stream<ScopeState>>(1000)
  return {
    of({ level, scope }) {
      const name = `scope:${level}/${scope}` as const
      return streams.get(name, () => openStream(rooms, streamLane(name), { fold: scopeFold }))
    },
    async places(scope) {
      const home = scope.user === undefined ? null : homeOf(scope.user)
      const project = scope.project === undefined || scope.project === home ? null : scope.project
      const group = scope.group ?? (scope.project === undefined ? undefined : (await projects.facts(scope.project))?.group)
      const level = project !== null && userOfHome(project) !== null ? 'home' : 'project'
      return [
        ...(scope.process === undefined ? [] : [{ level: 'process', scope: scope.process } as const]),
        ...(home === null ? [] : [{ level: 'home', scope: home } as const]),
        ...(project === null || project === tenantProject ? [] : [{ level, scope: project } as const]),
        ...(group === undefined ? [] : [{ level: 'group', scope: group } as const]),
        { level: 'tenant', scope: tenantProject },
      ]
    },
  }
}

const placeLevels = ['process', 'home', 'project', 'group', 'tenant'] as const

/** A place that may be written to. Throws InvalidInput when name and level don't fit, NotFound when there is no such thing. */
export async function checkPlace(
  rooms: Pick<Rooms, 'views'>,
  projects: ProjectsRoom,
  given: { readonly level: unknown; readonly scope: unknown },
): Promise<Place> {
  const level = checkWord(given.level, placeLevels, '/level')
  const { scope } = given
  if (typeof scope !== 'string' || !fits[level](scope)) {
    throw new InvalidInput(`The scope ${quote(scope)} does not fit the level ${level}: ${named[level]}.`, { path: '/scope' })
  }
  if (await placeExists(rooms, projects, { level, scope })) return { level, scope }
  throw new NotFound(`There is no ${level === 'tenant' ? 'tenant project' : level} ${quote(scope)}.`, { path: '/scope' })
}

const fits: Record<Place['level'], (scope: string) => boolean> = {
  process: (scope) => isId('prc', scope),
  home: (scope) => userOfHome(scope) !== null,
  project: (scope) => scope !== '' && !scope.startsWith('_'),
  group: (scope) => scope !== '',
  tenant: (scope) => scope === tenantProject,
}
const named: Record<Place['level'], string> = {
  process: 'it is named by the id of a process',
  home: 'it is named by a home project, `_user_` and the login name',
  project: 'it is named by a project; homes and `_tenant` have levels of their own',
  group: 'it is named by a group',
  tenant: 'it is named `_tenant`',
}

/** Whether there is such a project, home of a user, group or process. A user's home is made when it is missing. */
export async function placeExists(rooms: Pick<Rooms, 'views'>, projects: ProjectsRoom, { level, scope }: Place): Promise<boolean> {
  if (level === 'process') return isId('prc', scope) && (await rooms.views.conversation.process(scope)) !== null
  if (level === 'group') return projects.isGroup(scope)
  return (await projects.resolve(scope)) !== null
}
