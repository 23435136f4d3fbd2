// What models cost, summed, in SQLite (policy/budgets-store.ts).

import type { SpentSum } from '../../policy/budget.ts'
import { spentOf } from '../../policy/budget-facts.ts'
import { type BudgetsStore, slotMs } from '../../policy/budgets-store.ts'
import { type ProjectionSpec, sqliteProjection } from './projection.ts'
import type { SqliteStore } from './sqlite.ts'

const spec: ProjectionSpec = {
  name: 'budgets',
  version: 2,
  tables: {
    spent_slots: (t) => `CREATE TABLE ${t('spent_slots')} (
      user TEXT NOT NULL, slot INTEGER NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL, cost INTEGER NOT NULL,
      PRIMARY KEY (user, slot, model)) STRICT, WITHOUT ROWID`,
    spent_totals: (t) => `CREATE TABLE ${t('spent_totals')} (
      user TEXT NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL, cost INTEGER NOT NULL, calls INTEGER NOT NULL, unpriced INTEGER NOT NULL,
      PRIMARY KEY (user, scope, name)) STRICT, WITHOUT ROWID;
      CREATE INDEX ${t('spent_totals')}_dearest ON ${t('spent_totals')} (user, scope, cost);`,
  },
  on: {
    'model-spent'(db, event, t) {
      const spent = spentOf(event)
      if (spent === null) return
      const { user, project, session, run, model } = spent
      const cost = (spent.cost ?? 0) + spent.lost
      db.run(
        `INSERT INTO ${t('spent_slots')} (user, slot, model, calls, cost) VALUES (?,?,?,1,?)
         ON CONFLICT DO UPDATE SET calls = calls + 1, cost = cost + excluded.cost`,
        ...[user, Math.floor(event.at / slotMs), model, cost],
      )
      const unpriced = spent.cost === null ? 1 : 0
      const of = ([scope, name]: readonly [string, string]) => [user, scope, name, cost, unpriced]
      db.run(
        `INSERT INTO ${t('spent_totals')} (user, scope, name, cost, calls, unpriced) VALUES (?,?,?,?,1,?),(?,?,?,?,1,?),(?,?,?,?,1,?)
          ON CONFLICT DO UPDATE SET cost = cost + excluded.cost, calls = calls + 1, unpriced = unpriced + excluded.unpriced`,
        ...[...of(['project', project]), ...of(['session', session]), ...of(['run', run])],
      )
    },
  },
}

export function sqliteBudgets(store: SqliteStore): BudgetsStore {
  const { db } = store
  const cursor = () => db.get<{ position: number }>('SELECT position FROM projections WHERE name = ?', spec.name)?.position ?? 0
  return {
    projection: sqliteProjection(store, spec),
    async total(user, scope, of) {
      const row = db.get<{ cost: number }>('SELECT cost FROM spent_totals WHERE user = ? AND scope = ? AND name = ?', user, scope, of)
      return { spent: row?.cost ?? 0, cursor: cursor() }
    },
    async ofRun(user, run) {
      const sum = `SELECT cost, calls, unpriced FROM spent_totals WHERE user = ? AND scope = 'run' AND name = ?`
      return db.get<SpentSum>(sum, user, run) ?? { cost: 0, calls: 0, unpriced: 0 }
    },
    async dearest(user, scope) {
      const most = 'SELECT max(cost) AS cost FROM spent_totals WHERE user = ? AND scope = ?'
      return db.get<{ cost: number | null }>(most, user, scope)?.cost ?? 0
    },
    async slots(user, since) {
      const rows = db.all<{ slot: number; model: string; calls: number; cost: number }>(
        'SELECT slot, model, calls, cost FROM spent_slots WHERE user = ? AND slot >= ? ORDER BY slot, model',
        user,
        Math.floor(since / slotMs),
      )
      return { slots: rows.map(({ slot, ...row }) => ({ ...row, at: slot * slotMs })), cursor: cursor() }
    },
  }
}
