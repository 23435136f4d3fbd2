// Budgets at work: which a person has, what may still be reserved, what was spent.
// Opened before lanes start, so that all that was spent in earlier lives is in the store before the first call is made.
import { InvalidInput, messageOf, NotFound } from '../base/errors.ts'
import { type NewId, streamLane } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import { openStream, type Stream } from '../journal/stream.ts'
import { userActor } from '../protocol/actor.ts'
import type { NewEvent } from '../protocol/event.ts'
import type { Budget, Budgets, Micros, Reserved, Spender } from './budget.ts'
import { dayOf } from './budget-day.ts'
import { budgetFold, type KeptBudget, type KeptBudgets, spentOf } from './budget-facts.ts'
import { type Account, type Ledger, openLedger } from './budget-ledger.ts'
import { type BudgetWords, parseBudget } from './budget-words.ts'
import type { BudgetsStore } from './budgets-store.ts'

export type BudgetsOptions = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly view: BudgetsStore
  readonly now: () => number
  readonly newId: NewId
  readonly log: Log
  /** IANA name of that person's zone. */
  readonly zone: (user: string) => Promise<string>
  /** What one unit of a currency is worth in dollars by that person's setting budget.rates; USD need not be there. */
  readonly rates: (user: string) => Promise<Readonly<Record<string, number>>>
  /** Whether that person has such a project or session. */
  readonly exists: (user: string, scope: 'project' | 'session', name: string) => Promise<boolean>
}

/** The price table is in dollars. */
const base = 'USD'
const dayMs = 86_400_000
/** No day is longer, whatever becomes of its clocks. */
const longestDayMs = 26 * 3_600_000
const mostDays = 400
const mostBudgets = 200

export type OpenBudgets = Budgets & { close(): Promise<void> }

export async function openBudgets(options: BudgetsOptions): Promise<OpenBudgets> {
  const { journal, view } = options
  const from = journal.head()
  await journal.project(view.projection)
  const room: Room = { options, ledger: openLedger((key) => load(options, key)), streams: new Map() }
  const ending = new AbortController()
  const followed = follow(room, from, ending.signal)
  return {
    reserve: (spender, most) => reserve(room, spender, whole(most)),
    settle: (id, cost) => room.ledger.settle(id, cost === null ? null : whole(cost)),
    lost: (spender, what) => lost(room, spender, what),
    set: (user, text) => set(room, user, text),
    remove: (user, id) => remove(room, user, id),
    list: (user) => list(room, user),
    async ofRun(user, run) {
      await journal.passed(journal.head(), view.projection.name)
      return view.ofRun(user, run)
    },
    spending: (user, days) => spending(options, user, days),
    async close() {
      ending.abort()
      await followed
    },
  }
}

type Room = { readonly options: BudgetsOptions; readonly ledger: Ledger; readonly streams: Map<string, Stream<KeptBudgets>> }

/** A broken part of a millionth counts as a whole one; what is no amount counts as nothing. */
function whole(micros: Micros): Micros {
  return Number.isFinite(micros) ? Math.max(0, Math.ceil(micros)) : 0
}

// ---- keys of the ledger: JSON, so that no name can look like another

const dayKey = (user: string, day: { readonly zone: string; readonly day: string }) => JSON.stringify(['day', user, day.zone, day.day])
const nameKey = (user: string, scope: 'project' | 'session' | 'run', of: string) => JSON.stringify([scope, user, of])
const keysOf = (spender: Spender) => (['project', 'session', 'run'] as const).map((scope) => nameKey(spender.user, scope, spender[scope]))

async function load({ journal, view }: BudgetsOptions, key: string) {
  await journal.passed(journal.head(), view.projection.name)
  const [scope, user, of, day]: string[] = JSON.parse(key)
  if (user === undefined || of === undefined) throw new Error(`a ledger has no account ${key}`)
  if (scope === 'project' || scope === 'session' || scope === 'run') return view.total(user, scope, of)
  const { slots, cursor } = await view.slots(user, Date.parse(`${day}T00:00:00Z`) - dayMs)
  return { spent: slots.filter((slot) => dayOf(slot.at, of) === day).reduce((sum, slot) => sum + slot.cost, 0), cursor }
}

async function todayOf({ zone, now }: BudgetsOptions, user: string) {
  const own = await zone(user)
  return { zone: own, day: dayOf(now(), own) }
}

// ---- reserving

async function reserve({ options, ledger, streams }: Room, spender: Spender, most: Micros): Promise<Reserved> {
  const kept = [...(await streamOf({ options, streams }, spender.user).state()).values()]
  const rates = kept.some(({ budget }) => budget.currency !== base) ? await options.rates(spender.user) : {}
  const today = await todayOf(options, spender.user)
  const accounts = await ledger.accounts([dayKey(spender.user, today), ...keysOf(spender)])
  // From here on nothing is awaited: what is looked at is what is reserved from.
  const [day, project, session, run] = accounts
  const of: Readonly<Record<Budget['scope'], Account | undefined>> = { day, project, session, run }
  for (const one of applying(kept, spender)) {
    const account = of[one.budget.scope]
    const taken = (account?.spent ?? 0) + (account?.reserved ?? 0)
    const rate = rateOf(one, rates)
    if (most > 0 && taken + most > inDollars(one.budget.limit, rate)) {
      return { ok: false, budget: one.budget, spent: fromDollars(taken, rate), wanted: fromDollars(most, rate) }
    }
  }
  const id = options.newId('req')
  ledger.reserve(id, { accounts, most })
  return { ok: true, id }
}

const order: readonly Budget['scope'][] = ['day', 'project', 'session', 'run']

/** One a scope: what names this project or session counts instead of what is for each of them. */
function applying(kept: readonly KeptBudget[], spender: Spender): readonly KeptBudget[] {
  return order.flatMap((scope) => {
    const own = scope === 'project' || scope === 'session' ? spender[scope] : null
    const named = kept.find(({ budget }) => budget.scope === scope && budget.of !== null && budget.of === own)
    const each = kept.find(({ budget }) => budget.scope === scope && budget.of === null)
    const found = named ?? each
    return found === undefined ? [] : [found]
  })
}

function rateOf({ budget, rate }: KeptBudget, rates: Readonly<Record<string, number>>): number {
  return budget.currency === base ? 1 : (rates[budget.currency] ?? rate)
}

function inDollars(micros: Micros, rate: number): Micros {
  return rate === 1 ? micros : Math.floor(micros * rate)
}

function fromDollars(micros: Micros, rate: number): Micros {
  return rate === 1 ? micros : Math.ceil(micros / rate)
}

/** What calls that were cut short have cost comes with the fact of the call that was made after them. */
async function follow({ options, ledger }: Room, from: number, signal: AbortSignal): Promise<void> {
  try {
    for await (const events of options.journal.follow(from, { signal })) {
      for (const event of events) {
        const spent = spentOf(event)
        if (spent === null || spent.lost === 0) continue
        const own = await options.zone(spent.user)
        const day = dayKey(spent.user, { zone: own, day: dayOf(event.at, own) })
        ledger.lost([day, ...keysOf(spent)], { cost: spent.lost, cursor: event.cursor })
      }
    }
  } catch (error) {
    if (!signal.aborted) options.log('error', 'the journal can not be followed for budgets', { error: messageOf(error) })
  }
}

// ---- a person's budgets

function streamOf({ options, streams }: Pick<Room, 'options' | 'streams'>, user: string): Stream<KeptBudgets> {
  const found = streams.get(user) ?? openStream(options, streamLane(`budget:${user}`), { fold: budgetFold })
  streams.set(user, found)
  return found
}

/** A budget for the same replaces the one that there is. */
async function set(room: Room, user: string, text: string): Promise<Budget> {
  const words = parseBudget(text)
  const rate = await checkRate(room.options, user, words)
  if (words.of !== null && (words.scope === 'project' || words.scope === 'session')) {
    const isKnown = await room.options.exists(user, words.scope, words.of)
    if (!isKnown) throw new NotFound(`there is no ${words.scope} ${JSON.stringify(words.of)}`, { path: '/text' })
  }
  const id = words.of === null ? words.scope : `${words.scope}:${words.of}`
  const budget: Budget = { ...words, id, user, text: text.trim() }
  await streamOf(room, user).change((state) => {
    if (state.size >= mostBudgets && !state.has(id)) throw new InvalidInput(`there are ${mostBudgets} budgets already: remove one first`)
    return [factOf(room.options, user, { type: 'budget-set', data: { budget, rate } })]
  })
  return budget
}

/** What one unit of it is worth in dollars. Throws InvalidInput that says how to tell. */
async function checkRate({ rates }: BudgetsOptions, user: string, { currency }: BudgetWords): Promise<number> {
  if (currency === base) return 1
  const rate = (await rates(user))[currency]
  if (rate !== undefined && Number.isFinite(rate) && rate > 0) return rate
  const message = `prices are in ${base}, and what one ${currency} is worth is not known: set budget.rates to {"${currency}": 1.1} (dollars for one ${currency}), or say the budget in ${base}`
  throw new InvalidInput(message, { path: '/text' })
}

async function remove(room: Room, user: string, id: string): Promise<boolean> {
  let isThere = false
  await streamOf(room, user).change((state) => {
    isThere = state.has(id)
    return isThere ? [factOf(room.options, user, { type: 'budget-removed', data: { id } })] : []
  })
  return isThere
}

/** Beside the person's own settings: no lane says it, since its turn may be over. */
async function lost(room: Room, spender: Spender, { model, cost }: { readonly model: string; readonly cost: Micros }): Promise<void> {
  const data = { ...spender, model, cost: whole(cost), input: null, output: null, cached: null, lost: 0 }
  const fact: NewEvent = { ...factOf(room.options, spender.user, { type: 'model-spent', data }), actor: 'system' }
  await streamOf(room, spender.user).change(() => [fact])
}

function factOf({ newId, now }: BudgetsOptions, user: string, fact: Pick<NewEvent, 'type' | 'data'>): NewEvent {
  const about = { cause: null, correlation: null, session: null, visibility: 'user-detail', v: 1 } as const
  return { ...about, ...fact, id: newId('evt'), at: now(), actor: userActor(user) }
}

// ---- what was spent

async function list(room: Room, user: string): Promise<readonly (Budget & { readonly spent: Micros })[]> {
  const kept = [...(await streamOf(room, user).state()).values()]
  const rates = kept.some(({ budget }) => budget.currency !== base) ? await room.options.rates(user) : {}
  const sorted = kept.sort((a, b) => order.indexOf(a.budget.scope) - order.indexOf(b.budget.scope) || (a.budget.id < b.budget.id ? -1 : 1))
  return Promise.all(
    sorted.map(async (one) => ({ ...one.budget, spent: fromDollars(await spentFor(room, one.budget), rateOf(one, rates)) })),
  )
}

/** Of a budget for each project, session or run: what the dearest of them has cost. */
async function spentFor({ options, ledger }: Room, { user, scope, of }: Budget): Promise<Micros> {
  if (scope !== 'day' && of === null) {
    const kept = await options.view.dearest(user, scope)
    return Math.max(kept, ledger.dearest(`${JSON.stringify([scope, user]).slice(0, -1)},`))
  }
  const key = scope === 'day' ? dayKey(user, await todayOf(options, user)) : nameKey(user, scope, of ?? '')
  const [account] = await ledger.accounts([key])
  return account?.spent ?? 0
}

async function spending({ journal, view, zone, now }: BudgetsOptions, user: string, days: number) {
  if (!Number.isInteger(days) || days < 1 || days > mostDays) {
    throw new InvalidInput(`days is ${days}; allowed is a whole number from 1 to ${mostDays}`, { path: '/days' })
  }
  await journal.passed(journal.head(), view.projection.name)
  const own = await zone(user)
  const { slots } = await view.slots(user, now() - (days - 1) * dayMs - longestDayMs)
  const first = daysBefore(dayOf(now(), own), days - 1)
  const rows = new Map<string, { readonly day: string; readonly model: string; calls: number; cost: Micros }>()
  for (const slot of slots) {
    const day = dayOf(slot.at, own)
    if (day < first) continue
    const key = JSON.stringify([day, slot.model])
    const row = rows.get(key) ?? { day, model: slot.model, calls: 0, cost: 0 }
    rows.set(key, { ...row, calls: row.calls + slot.calls, cost: row.cost + slot.cost })
  }
  return [...rows.values()].sort((a, b) => (a.day === b.day ? (a.model < b.model ? -1 : 1) : a.day < b.day ? 1 : -1))
}

/** Of the calendar: what clocks do on those days does not matter. */
function daysBefore(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - count * dayMs).toISOString().slice(0, 10)
}
