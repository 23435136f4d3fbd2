// Where taint lies: by process and by path. It only rises.
import { type Taint, taints } from '../../policy/decision.ts'
import { readRaised, readWritten } from '../../policy/facts.ts'
import type { PolicyStore } from '../../policy/policy-store.ts'
import type { Db, Value } from './db.ts'
import type { ProjectionSpec } from './projection.ts'

export const taintTables: ProjectionSpec['tables'] = {
  process_taints: (t) => `CREATE TABLE ${t('process_taints')} (process TEXT PRIMARY KEY, taint INTEGER NOT NULL) STRICT`,
  path_taints: (t) => `CREATE TABLE ${t('path_taints')} (path TEXT PRIMARY KEY, taint INTEGER NOT NULL) STRICT`,
}

type On = ProjectionSpec['on'][string]

export const taintHandlers: Record<string, On> = {
  'taint-raised'(db, event, t) {
    const fact = readRaised(event)
    if (fact !== null) raise(db, `${t('process_taints')} (process, taint)`, [fact.process, taints.indexOf(fact.taint)])
  },
  'taint-written'(db, event, t) {
    const fact = readWritten(event)
    for (const path of fact?.paths ?? [])
      raise(db, `${t('path_taints')} (path, taint)`, [bare(path), taints.indexOf(fact?.taint ?? 'foreign')])
  },
}

function raise(db: Db, into: string, values: readonly Value[]): void {
  const [key] = /\((\w+),/.exec(into)?.slice(1) ?? []
  db.run(`INSERT INTO ${into} VALUES (?,?) ON CONFLICT (${key}) DO UPDATE SET taint = max(taint, excluded.taint)`, ...values)
}

export function taintReads(db: Db): Pick<PolicyStore, 'taintOfProcess' | 'taintOfPaths'> {
  return {
    taintOfProcess: async (process) => taintAt(db.get<Level>('SELECT taint FROM process_taints WHERE process = ?', process)),
    async taintOfPaths(paths) {
      let found: Taint = 'none'
      for (const path of paths) {
        const at = taintOf(db, bare(path))
        if (taints.indexOf(at) > taints.indexOf(found)) found = at
      }
      return found
    },
  }
}

type Level = { readonly taint: number | null }

/** `below` starts behind the slash, and `0` is the character after it. */
function taintOf(db: Db, path: string): Taint {
  const above = aboveOf(path)
  const exact = `SELECT max(taint) AS taint FROM path_taints WHERE path IN (${above.map(() => '?').join(',')})`
  const below = 'SELECT max(taint) AS taint FROM path_taints WHERE path >= ? AND path < ?'
  const one = db.get<Level>(exact, ...above)?.taint ?? 0
  const other = db.get<Level>(below, path === '/' ? '/' : `${path}/`, path === '/' ? '0' : `${path}0`)?.taint ?? 0
  return taintAt({ taint: Math.max(one, other) })
}

/** The path itself and the folders above it. */
function aboveOf(path: string): readonly string[] {
  const all = [path]
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) all.push(path.slice(0, at))
  return [...all, '/'].slice(0, 400)
}

function bare(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function taintAt(level: Level | undefined): Taint {
  return taints[level?.taint ?? 0] ?? 'none'
}
