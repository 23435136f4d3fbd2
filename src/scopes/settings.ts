// Settings in their cascade. A setting is written at one place; a reader asks the places that its cascade has (reference/eddie.md 1.7).
import type { Json } from '../base/json.ts'
import type { Place } from './events.ts'
import type { LanguageKey, LanguageLayers } from './language.ts'
import { checkWord, homeOf } from './names.ts'
import type { ProjectsRoom } from './projects.ts'
import type { Rooms } from './rooms.ts'
import { checkPlace, type ScopeStreams } from './scope-streams.ts'
import type { ScopeRef, Settings } from './scopes.ts'
import { checkKey, checkValue } from './setting-keys.ts'

const levels = ['process', 'home', 'project', 'tenant'] as const

export function openSettings(rooms: Rooms, streams: ScopeStreams, projects: ProjectsRoom): Settings {
  const { views, journal, fact } = rooms
  const view = views.scopes
  const withoutUser = async (scope: ScopeRef) => settable(await streams.places(projectOnly(scope)))
  const withUser = async (scope: ScopeRef) => settable(await streams.places(scope))
  const first = async (key: string, places: readonly Place[]) => (await view.setting(key, places))?.value ?? null

  return {
    get: async (key, scope) => first(key, await withoutUser(scope)),
    getForUser: async (key, scope) => first(key, await withUser(scope)),
    getOfUser: (key, user) => first(key, [{ level: 'home', scope: homeOf(user) }]),
    async list(prefix, scope) {
      const rows = await view.settings(prefix, await withoutUser(scope))
      return Object.fromEntries(rows.map((row) => [row.key, row.value]))
    },
    async languages(scope) {
      const places = await withUser(scope)
      const layersOf = async (key: LanguageKey): Promise<LanguageLayers> => {
        const values = await Promise.all(places.map((place) => first(key, [place])))
        return Object.fromEntries(places.map((place, at) => [layerOf(place), textOf(values[at])]))
      }
      const [chat, content, webui] = await Promise.all([
        layersOf('chat.language'),
        layersOf('content.language'),
        layersOf('webui.language'),
      ])
      return { 'chat.language': chat, 'content.language': content, 'webui.language': webui }
    },
    async set(given, by) {
      checkWord(given.level, levels, '/level')
      const key = checkKey(given.key)
      const value = checkValue(key, given.value, given.type)
      const place = await checkPlace(rooms, projects, given)
      const { cursor } = await streams.of(place).change((state) => {
        const before = state.settings.get(key)
        if (before === undefined && value === null) return []
        return [fact('setting-set', { ...place, key, value, version: (before?.version ?? 0) + 1 }, by)]
      })
      await journal.passed(cursor, view.projection.name)
      return { value: null, cursor }
    },
    async removePrefix(given, by) {
      checkWord(given.level, levels, '/level')
      if (given.prefix === '') return { value: 0, cursor: 0 }
      const place = await checkPlace(rooms, projects, given)
      let removed = 0
      const { cursor } = await streams.of(place).change((state) => {
        const keys = [...state.settings].filter(([key, at]) => key.startsWith(given.prefix) && at.value !== null).map(([key]) => key)
        removed = keys.length
        return removed === 0 ? [] : [fact('settings-removed', { ...place, keys }, by)]
      })
      await journal.passed(cursor, view.projection.name)
      return { value: removed, cursor }
    },
    async versions(key, level, scope) {
      const rows = await view.settingVersions(key, { level: checkWord(level, levels, '/level'), scope })
      return rows.map(({ value, version, at, by }) => ({ value, version, at, by }))
    },
  }
}

/** The user's layer is left out: what a project needs must not be changed by who happens to ask. A home project is its own. */
function projectOnly(scope: ScopeRef): ScopeRef {
  const { user: _user, ...rest } = scope
  return rest
}

/** Groups hold no settings. */
function settable(places: readonly Place[]): readonly Place[] {
  return places.filter((place) => place.level !== 'group')
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function layerOf(place: Place): string {
  return place.level === 'home' ? 'user' : place.level
}
