// Budgets over a real SQLite file and a real journal, with a clock by hand, opened again as starts of the hub would.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { streamLane, ulids } from '../../src/base/ids.ts'
import { silent } from '../../src/base/log.ts'
import { handClock } from '../../src/base/testing.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { openStream } from '../../src/journal/stream.ts'
import type { Micros, Spender } from '../../src/policy/budget.ts'
import { type BudgetsOptions, openBudgets } from '../../src/policy/budgets.ts'
import { sqliteBudgets } from '../../src/store/sqlite/budgets.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'

const noRates: Readonly<Record<string, number>> = {}
export const spender: Spender = { user: 'ada', project: 'shop', session: 'ses_1', run: 'ent_1' }
export type Call = Partial<Spender> & { readonly cost: Micros | null; readonly lost?: Micros; readonly model?: string }

export async function openBench(more: Partial<BudgetsOptions> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'steward-budgets-'))
  const clock = handClock()
  const newId = ulids(clock.now)
  const place = { zone: 'Europe/Berlin', rates: noRates }

  async function start() {
    const store = await openSqliteStore({ file: join(home, 'steward.db'), now: clock.now })
    const journal = await openJournal({ store: store.journal, clock, log: silent })
    const budgets = await openBudgets({
      ...{ journal, store: store.journal, view: sqliteBudgets(store), now: clock.now, newId, log: silent },
      zone: async () => place.zone,
      rates: async () => place.rates,
      exists: async (_, scope, name) => scope === 'session' || name === 'shop',
      ...more,
    })
    const notes = openStream({ journal, store: store.journal }, streamLane('test:notes'), { fold: { empty: null, evolve: () => null } })
    const stop = async () => {
      await budgets.close()
      await journal.close()
      await store.close()
    }
    return { store, journal, budgets, notes, stop }
  }

  let run = await start()
  return {
    clock,
    place,
    get budgets() {
      return run.budgets
    },
    get journal() {
      return run.journal
    },
    /** The fact that an engine notes of a call. */
    async note({ cost, lost = 0, model = 'openai/scripted', ...who }: Call) {
      const data = { ...spender, ...who, model, cost, lost, input: 1, output: 1, cached: null }
      const about = { actor: 'system', visibility: 'operator', cause: null, correlation: null, session: null, v: 1 } as const
      const { cursor } = await run.notes.change(() => [{ ...about, id: newId('evt'), type: 'model-spent', at: clock.now(), data }])
      await run.journal.passed(cursor)
    },
    /** A whole call: reserved, settled, noted. */
    async call(most: Micros, call: Call) {
      const { cost: _, lost: __, model: ___, ...who } = call
      const reserved = await run.budgets.reserve({ ...spender, ...who }, most)
      if (!reserved.ok) return reserved
      run.budgets.settle(reserved.id, call.cost)
      await this.note(call)
      return reserved
    },
    async restart() {
      await run.stop()
      run = await start()
    },
    async close() {
      await run.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export type Bench = Awaited<ReturnType<typeof openBench>>
