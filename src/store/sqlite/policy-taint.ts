// Where taint lies: by process and by path. It only rises, but for what might have been written and in the end was not.
import { type Taint, taints } from '../../policy/decision.ts'
import { readRaised, readWriting, readWritten } from '../../policy/facts.ts'
import type { PolicyStore } from '../../policy/policy-store.ts'
import type { Db } from './db.ts'
import type { ProjectionSpec } from './projection.ts'

export const taintTables: ProjectionSpec['tables'] = {
  process_taints: (t) => `CREATE TABLE ${t('process_taints')} (process TEXT PRIMARY KEY, taint INTEGER NOT NULL) STRICT`,
  path_taints: (t) => `CREATE TABLE ${t('path_taints')} (
      path TEXT NOT NULL, intent TEXT NOT NULL, taint INTEGER NOT NULL, PRIMARY KEY (path, intent)) STRICT, WITHOUT ROWID;
      CREATE INDEX ${t('path_taints')}_intent ON ${t('path_taints')} (intent) WHERE intent <> '';`,
}

type On = ProjectionSpec['on'][string]

export const taintHandlers: Record<string, On> = {
  'taint-raised'(db, event, t) {
    const fact = readRaised(event)
    if (fact === null) return
    const values = [fact.process, taints.indexOf(fact.taint)]
    db.run(`INSERT INTO ${t('process_taints')} (process, taint) VALUES (?,?) ${rising}`, ...values)
  },
  'taint-writing'(db, event, t) {
    const fact = readWriting(event)
    if (fact?.intent) lay(db, t, fact)
  },
  'taint-written'(db, event, t) {
    const fact = readWritten(event)
    if (fact === null) return
    if (fact.intent) db.run(`DELETE FROM ${t('path_taints')} WHERE intent = ?`, fact.intent)
    lay(db, t, { ...fact, intent: '' })
  },
}

const rising = 'ON CONFLICT DO UPDATE SET taint = max(taint, excluded.taint)'

type Lying = { readonly paths: readonly string[]; readonly taint: Taint; readonly intent: string }

/** `intent`: '' for what was written; another one is taken away when that is known. */
function lay(db: Db, t: Parameters<On>[2], { paths, taint, intent }: Lying): void {
  const into = `INSERT INTO ${t('path_taints')} (path, intent, taint) VALUES (?,?,?) ${rising}`
  for (const path of paths) db.run(into, bare(path), intent, taints.indexOf(taint))
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
