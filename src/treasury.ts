// Secrets and money as steward.ts opens them: where the key may be, whose zone a day is in, what a currency is worth.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from './base/clock.ts'
import { isId, type NewId } from './base/ids.ts'
import { isObject } from './base/json.ts'
import type { Log } from './base/log.ts'
import type { Config } from './config.ts'
import type { Journal } from './journal/journal.ts'
import { tableRates } from './models/catalogue.ts'
import { type BudgetsOptions, type OpenBudgets, openBudgets } from './policy/budgets.ts'
import type { Scopes, Settings } from './scopes/scopes.ts'
import type { ZoneOf } from './scopes/zone.ts'
import type { RecordFact } from './secrets/facts.ts'
import { systemKeyring } from './secrets/keyring.ts'
import { openSecrets } from './secrets/open-secrets.ts'
import type { Secrets } from './secrets/secrets.ts'
import { sqliteBudgets } from './store/sqlite/budgets.ts'
import { sqliteSecrets } from './store/sqlite/secrets.ts'
import type { SqliteStore } from './store/sqlite/sqlite.ts'

export type KeepingRooms = {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly store: SqliteStore
  readonly record: RecordFact
}

/** Before every room that could write a value down. */
export function openKeeping({ config, clock, log, store, record }: KeepingRooms): Promise<Secrets> {
  const keyring = config.keyring === 'off' ? async () => ({ why: 'STEWARD_KEYRING is off' }) : systemKeyring
  const { passphrase, secrets: own, home } = config
  const given = { passphrase, own, keyring, keyFolder: join(home, 'keys'), store: sqliteSecrets(store) }
  return openSecrets({ ...given, random: randomBytes, now: clock.now, log, record })
}

export type MoneyRooms = Pick<Scopes, 'projects' | 'sessions' | 'settings'> & {
  readonly journal: Journal
  readonly store: SqliteStore
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly zoneOf: ZoneOf
}

/** Before lanes start: what was spent in earlier lives is then in the store. */
export function openMoney({ journal, store, clock, newId, log, zoneOf, settings, ...scopes }: MoneyRooms): Promise<OpenBudgets> {
  return openBudgets({
    ...{ journal, store: store.journal, view: sqliteBudgets(store), now: clock.now, newId, log },
    ...{ zone: zoneOf, rates: (user) => ratesFrom(settings, user), exists: spentOn(scopes) },
  })
}

/** What one unit of a currency is worth in dollars: set in the person's home, or for all; else as the price table says. */
async function ratesFrom(settings: Settings, user: string): Promise<Readonly<Record<string, number>>> {
  const given = await settings.getForUser('budget.rates', { user })
  const said = isObject(given) ? Object.entries(given).map(([currency, rate]) => [currency, Number(rate)] as const) : []
  return { ...tableRates, ...Object.fromEntries(said) }
}

/** What a budget may name: a project that there is, a session of that person. */
function spentOn({ projects, sessions }: Pick<Scopes, 'projects' | 'sessions'>): BudgetsOptions['exists'] {
  return async (user, scope, name) => {
    if (scope === 'project') return (await projects.resolve(name)) !== null
    return isId('ses', name) && (await sessions.owner(name)) === user
  }
}
