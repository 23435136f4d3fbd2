// Projects, groups and settings in SQLite (scopes/scopes-store.ts).
import { iso } from '../../base/clock.ts'
import type { Json } from '../../base/json.ts'
import type { Projection } from '../../journal/projection.ts'
import type { Project } from '../../protocol/shapes.ts'
import { dataOf, type Place, type ProjectFacts } from '../../scopes/events.ts'
import type { Page } from '../../scopes/scopes.ts'
import type { ScopesStore, SettingRow } from '../../scopes/scopes-store.ts'
import type { Db } from './db.ts'
import { type ProjectionSpec, sqliteProjection, type TableNames } from './projection.ts'
import type { SqliteStore } from './sqlite.ts'

const handlers: ProjectionSpec['on'] = {
  'group-created'(db, event, t) {
    const { name, title } = dataOf('group-created', event)
    db.run(`INSERT OR IGNORE INTO ${t('groups')} (name, title) VALUES (?,?)`, name, title)
  },
  'project-created': (db, event, t) => putProject(db, t, dataOf('project-created', event).project),
  'project-updated'(db, event, t) {
    const { name, patch } = dataOf('project-updated', event)
    const row = db.get<{ facts: string }>(`SELECT facts FROM ${t('projects')} WHERE name = ?`, name)
    if (row) putProject(db, t, { ...JSON.parse(row.facts), ...patch })
  },
  'project-purged': (db, event, t) => void db.run(`DELETE FROM ${t('projects')} WHERE name = ?`, dataOf('project-purged', event).name),
  'setting-set': (db, event, t) => putSetting(db, t, { ...dataOf('setting-set', event), at: event.at, by: event.actor }),
  'settings-removed'(db, event, t) {
    const { level, scope, keys } = dataOf('settings-removed', event)
    for (const key of keys) {
      const newest = `SELECT max(version) AS version FROM ${t('settings')} WHERE level = ? AND scope = ? AND key = ?`
      const version = db.get<{ version: number | null }>(newest, level, scope, key)?.version ?? 0
      putSetting(db, t, { level, scope, key, value: null, version: version + 1, at: event.at, by: event.actor })
    }
  },
}

function putProject(db: Db, t: TableNames, facts: ProjectFacts): void {
  const row = [facts.name, facts.kind, facts.status, JSON.stringify(facts)]
  db.run(`INSERT OR REPLACE INTO ${t('projects')} (name, kind, status, facts) VALUES (?,?,?,?)`, ...row)
}

function putSetting(db: Db, t: TableNames, row: SettingRow): void {
  const { level, scope, key, value, version, at, by } = row
  db.run(`UPDATE ${t('settings')} SET newest = 0 WHERE level = ? AND scope = ? AND key = ? AND newest = 1`, level, scope, key)
  db.run(
    `INSERT OR REPLACE INTO ${t('settings')} (level, scope, key, version, value, at, by, newest) VALUES (?,?,?,?,?,?,?,1)`,
    ...[level, scope, key, version, value === null ? null : JSON.stringify(value), at, by],
  )
}

const scopesSpec: ProjectionSpec = {
  name: 'scopes',
  version: 1,
  tables: {
    groups: (t) => `CREATE TABLE ${t('groups')} (name TEXT PRIMARY KEY, title TEXT NOT NULL) STRICT`,
    projects: (t) =>
      `CREATE TABLE ${t('projects')} (name TEXT PRIMARY KEY, kind TEXT NOT NULL, status TEXT NOT NULL, facts TEXT NOT NULL) STRICT`,
    settings: (t) => `CREATE TABLE ${t('settings')} (
      level TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, value TEXT, at INTEGER NOT NULL, by TEXT NOT NULL,
      newest INTEGER NOT NULL, PRIMARY KEY (level, scope, key, version)) STRICT;
      CREATE INDEX ${t('settings')}_newest ON ${t('settings')} (level, scope, key) WHERE newest = 1 AND value IS NOT NULL;`,
  },
  on: handlers,
}

export function sqliteScopes(store: SqliteStore): ScopesStore {
  const { db } = store
  const kept = keptSettings(db)
  return {
    projection: forgetting(sqliteProjection(store, scopesSpec), kept.forget),
    async project(name) {
      const row = db.get<ProjectColumns>(sql.project, name)
      return row === undefined ? null : projectOf(row)
    },
    async projects({ after = '', limit, system, closed }): Promise<Page<Project>> {
      const rows = db.all<ProjectColumns>(sql.projects, after, system ? 1 : 0, closed ? 1 : 0, limit + 1)
      const items = rows.slice(0, limit).map(projectOf)
      return { items, next: rows.length > limit ? (items.at(-1)?.name ?? null) : null }
    },
    groups: async () => db.all<{ name: string; title: string }>('SELECT name, title FROM groups ORDER BY name'),
    async setting(key, places) {
      for (const place of places) {
        const row = kept.at(place, key)
        if (row !== null) return row
      }
      return null
    },
    async settings(prefix, places) {
      const found = new Map<string, SettingRow>()
      for (const place of [...places].reverse()) {
        const rows = db.all<SettingColumns>(sql.settings, place.level, place.scope, prefix)
        for (const row of rows) found.set(row.key, settingOf(row))
      }
      return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
    },
    settingVersions: async (key, place) => db.all<SettingColumns>(sql.versions, place.level, place.scope, key).map(settingOf),
  }
}

/** So many places and keys, most of which have no value. */
const mostSettings = 10_000

/** Settings are read several times a turn and hardly ever change: what was read is kept until the tables move. */
function keptSettings(db: Db) {
  const known = new Map<string, SettingRow | null>()
  return {
    at({ level, scope }: Place, key: string): SettingRow | null {
      const name = `${level}\n${scope}\n${key}`
      const found = known.get(name)
      if (found !== undefined) return found
      const row = db.get<SettingColumns>(sql.setting, level, scope, key)
      if (known.size >= mostSettings) known.clear()
      known.set(name, row === undefined ? null : settingOf(row))
      return known.get(name) ?? null
    },
    forget: () => known.clear(),
  }
}

/** `forget` is called whenever settings may be others than before, and before anybody hears that the projection has passed them. */
function forgetting(projection: Projection, forget: () => void): Projection {
  return {
    ...projection,
    async apply(events, position, when) {
      await projection.apply(events, position, when)
      if (events.some(({ type }) => type === 'setting-set' || type === 'settings-removed')) forget()
    },
    async rebuild() {
      const aside = await projection.rebuild()
      return { ...aside, replace: () => aside.replace().finally(forget) }
    },
  }
}

type ProjectColumns = { readonly facts: string; readonly last: number | null }
type SettingColumns = Place & {
  readonly key: string
  readonly value: string | null
  readonly version: number
  readonly at: number
  readonly by: string
}

const last = '(SELECT max(s.last_activity_at) FROM sessions s WHERE s.project = p.name) AS last'
const sql = {
  project: `SELECT p.facts, ${last} FROM projects p WHERE p.name = ?`,
  projects: `SELECT p.facts, ${last} FROM projects p WHERE p.name > ? AND (? = 1 OR p.kind <> 'SYSTEM') AND (? = 1 OR p.status <> 'CLOSED')
    ORDER BY p.name LIMIT 0 + ?`,
  setting: 'SELECT * FROM settings WHERE level = ? AND scope = ? AND key = ? AND newest = 1 AND value IS NOT NULL',
  settings: 'SELECT * FROM settings WHERE level = ? AND scope = ? AND newest = 1 AND value IS NOT NULL AND substr(key, 1, length(?3)) = ?3',
  versions: 'SELECT * FROM settings WHERE level = ? AND scope = ? AND key = ? ORDER BY version',
}

function projectOf(row: ProjectColumns): Project {
  const facts: ProjectFacts = JSON.parse(row.facts)
  return { ...facts, roots: [...facts.roots], policy: { ...facts.policy }, lastActivityAt: row.last === null ? null : iso(row.last) }
}

function settingOf({ level, scope, key, value, version, at, by }: SettingColumns): SettingRow {
  const parsed: Json = value === null ? null : JSON.parse(value)
  return { level, scope, key, value: parsed, version, at, by }
}
