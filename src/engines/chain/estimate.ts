// What a deep run may cost, before it begins: prices of its tiers, times steps and parts. A range, since nobody knows how long each part
// talks; when its upper end is above what is left of a budget it is asked about (E33). Shown in the currency of that budget.

import { isObject } from '../../base/json.ts'
import { type Price, priceTable, tableRates } from '../../models/catalogue.ts'
import type { Tier } from '../../models/message.ts'
import type { Budget } from '../../policy/budget.ts'
import { textIn } from '../turn/model.ts'
import { fanOf, sidesOf } from './fans.ts'
import type { Plan } from './order.ts'
import type { ChainRooms, Scene } from './scene.ts'

/** Tokens of one agent's part: two or three calls, or some ten over a growing conversation. */
const tokens = { least: { input: 40_000, output: 3_000 }, most: { input: 200_000, output: 12_000 } }
const usualParts = 5
const dayMs = 24 * 3_600_000

/** Micros of the price table's currency. */
export type Range = { readonly least: number; readonly most: number }
export type Estimate = { readonly deep: Range | null; readonly plain: Range | null }
/** `aside`: how many work side by side in it, beside who leads. */
export type CostStep = { readonly tier: Tier; readonly aside: number }

/** null: not all of its models have a price. Pure. */
export function estimateOf(
  priceOf: ChainRooms['priceOf'],
  steps: readonly CostStep[],
  models: { readonly lead: Tier; readonly workers: Tier },
): Estimate {
  const plain = steps.map(({ tier }) => partCost(priceOf(tier)))
  const lead = partCost(priceOf(models.lead))
  const worker = partCost(priceOf(models.workers))
  // At best nobody finds fault; on average each step is judged once, or its parts are named first.
  const judged = steps.map(() => (lead === null ? null : { least: 0, most: lead.most }))
  const deep = steps.flatMap(({ aside }) => [lead, ...Array.from({ length: aside }, () => worker)])
  return { plain: sum(plain), deep: sum([...deep, ...judged]) }
}

function partCost(price: Price | null): Range | null {
  if (price === null) return null
  const of = ({ input, output }: typeof tokens.most) => Math.ceil(input * price.input + output * price.output)
  return { least: of(tokens.least), most: of(tokens.most) }
}

function sum(all: readonly (Range | null)[]): Range | null {
  return all.reduce<Range | null>(
    (total, one) => (total === null || one === null ? null : { least: total.least + one.least, most: total.most + one.most }),
    { least: 0, most: 0 },
  )
}

/** Where the gate is open, as many as the plan usually names. */
function asideIn(plan: Plan, kind: string): number {
  const fan = fanOf(plan, kind)
  if (fan !== null) return sidesOf(plan, fan, usualParts)
  return kind === 'coder' && plan.gates.find(({ id }) => id === 'G4')?.holds !== false ? usualParts : 0
}

export type Going = 'deep' | 'plain' | 'stop'

/** Says what it may cost; asks when that is more than what is left. Silence of a day stops. */
export async function mayCost(scene: Scene): Promise<Going> {
  const { rooms, turn, plan, cast, steps, voice } = scene
  const models = plan.models ?? { lead: 'deep', workers: 'light' }
  const found = await turn.read('estimate-made', async () => {
    const parts = cast.steps.map((member, at) => ({ tier: steps[at]?.tier ?? member.tier, aside: asideIn(plan, member.class) }))
    return { ...estimateOf(rooms.priceOf, parts, models), purse: await purseOf(scene) }
  })
  const { deep, plain, purse } = found
  voice.say('estimate', { text: words(found, models, purse) })
  if (deep === null || purse.left === null || deep.most <= purse.left) return 'deep'
  const rest = amount(Math.max(0, purse.left), purse)
  const text = `This deep run may cost ${range(deep, purse)}, and of the budget "${purse.budget}" ${rest} ${purse.currency} are left. How shall it go?`
  const options = [
    { label: 'Go on', description: 'as a deep run; it is asked again when the budget is used up' },
    ...(plain === null ? [] : [{ label: 'Run it plainly', description: `step by step, ${range(plain, purse)}` }]),
    { label: 'Stop' },
  ]
  const answer = await turn.ask('estimate-asked', { kind: 'question', text, options, timeoutMs: dayMs }, { wake: false })
  const said = answer.kind === 'answer' && answer.outcome === 'answered' ? textIn(answer.value).toLowerCase() : 'stop'
  return said === 'go on' ? 'deep' : said === 'run it plainly' ? 'plain' : 'stop'
}

/** The budget that is nearest to its end. `left`: micros of the price table's currency; `rate`: what one of `currency` is worth in it. */
type Purse = { readonly left: number | null; readonly budget: string; readonly currency: string; readonly rate: number }

async function purseOf({ rooms, turn: { process } }: Scene): Promise<Purse> {
  const none = { left: null, budget: '', currency: priceTable.currency, rate: 1 }
  const all = rooms.budgets ? await rooms.budgets.list(process.user) : []
  const applies = all.filter(({ scope, of }) => of === null || (scope === 'project' ? of === process.project : of === process.session))
  if (applies.length === 0) return none
  const given = await rooms.settings.getForUser('budget.rates', { user: process.user })
  const rateOf = ({ currency }: Budget) =>
    currency === priceTable.currency ? 1 : rateIn(isObject(given) ? given[currency] : null, currency)
  const purses = applies.map((one) => {
    const rate = rateOf(one)
    return { left: Math.floor((one.limit - one.spent) * rate), budget: one.text, currency: one.currency, rate }
  })
  return purses.toSorted((a, b) => a.left - b.left)[0] ?? none
}

/** An unknown currency is taken for worth as much: what is asked once too often does no harm. */
function rateIn(said: unknown, currency: string): number {
  const rate = Number(said ?? tableRates[currency])
  return Number.isFinite(rate) && rate > 0 ? rate : 1
}

function words({ deep, plain }: Estimate, { lead, workers }: { readonly lead: Tier; readonly workers: Tier }, purse: Purse): string {
  const who = `This is a deep run: tier ${lead} leads, tier ${workers} works side by side, and others judge it.`
  if (deep === null) return `${who} What it may cost is not known, because not all of its models have a price.`
  const times = plain !== null && plain.most > 0 ? `, ${Math.max(1, Math.round(deep.most / plain.most))} times as much as step by step` : ''
  return `${who} It may cost ${range(deep, purse)}${times}.`
}

function range({ least, most }: Range, purse: Purse): string {
  const [from, to] = [amount(least, purse), amount(most, purse)]
  return from === to ? `about ${to} ${purse.currency}` : `${from} to ${to} ${purse.currency}`
}

function amount(micros: number, { rate }: Purse): string {
  return (micros / rate / 1_000_000).toFixed(2)
}
