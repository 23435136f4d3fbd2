// What a deep run may cost, before it begins: prices of its tiers, times steps and parts. A rough figure on the high side, so that
// nobody is surprised; above what is left of a budget it is asked about (E33).
import type { Price } from '../../models/catalogue.ts'
import type { Tier } from '../../models/message.ts'
import type { Budget } from '../../policy/budget.ts'
import { textIn } from '../turn/model.ts'
import type { ChainRooms, Scene } from './scene.ts'

/** Tokens of one agent's part: some ten calls over a growing conversation. */
const usual = { input: 200_000, output: 12_000 }
const usualParts = 5
const dayMs = 24 * 3_600_000

export type Estimate = { readonly deep: number | null; readonly plain: number | null }

/** Micros; null: not all of its models have a price. Pure. */
export function estimateOf(
  priceOf: ChainRooms['priceOf'],
  steps: readonly { readonly tier: Tier; readonly builds: boolean }[],
  models: { readonly lead: Tier; readonly workers: Tier },
): Estimate {
  const plain = sum(steps.map(({ tier }) => partCost(priceOf(tier))))
  // Each step is judged once by another, on average; a building step has its parts beside.
  const deep = sum(
    steps.flatMap(({ builds }) => [
      partCost(priceOf(models.lead)),
      partCost(priceOf(models.lead)),
      ...Array.from({ length: builds ? usualParts : 0 }, () => partCost(priceOf(models.workers))),
    ]),
  )
  return { plain, deep }
}

function partCost(price: Price | null): number | null {
  return price === null ? null : Math.ceil(usual.input * price.input + usual.output * price.output)
}

function sum(all: readonly (number | null)[]): number | null {
  return all.reduce<number | null>((total, one) => (total === null || one === null ? null : total + one), 0)
}

export type Going = 'deep' | 'plain' | 'stop'

/** Says what it may cost; asks when that is more than what is left. Silence of a day stops. */
export async function mayCost(scene: Scene): Promise<Going> {
  const { rooms, turn, plan, cast, steps, voice } = scene
  const models = plan.models ?? { lead: 'deep', workers: 'light' }
  const tiers = cast.steps.map((member, at) => ({ tier: steps[at]?.tier ?? member.tier, builds: member.class === 'coder' }))
  const found = await turn.read('estimate-made', async () => ({
    ...estimateOf(rooms.priceOf, tiers, models),
    ...leftOf(await budgetsOf(scene), scene),
  }))
  const { deep, plain, left, budget } = found
  voice.say('estimate', { text: words(found, models) })
  if (deep === null || left === null || deep <= left) return 'deep'
  const text = `This deep run may cost about ${amount(deep)} USD, and of the budget "${budget}" ${amount(Math.max(0, left))} are left. How shall it go?`
  const options = [
    { label: 'Go on', description: 'as a deep run; it is asked again when the budget is used up' },
    ...(plain === null ? [] : [{ label: 'Run it plainly', description: `step by step, about ${amount(plain)} USD` }]),
    { label: 'Stop' },
  ]
  const answer = await turn.ask('estimate-asked', { kind: 'question', text, options, timeoutMs: dayMs }, { wake: false })
  const said = answer.kind === 'answer' && answer.outcome === 'answered' ? textIn(answer.value).toLowerCase() : 'stop'
  return said === 'go on' ? 'deep' : said === 'run it plainly' ? 'plain' : 'stop'
}

async function budgetsOf({ rooms, turn }: Scene): Promise<readonly (Budget & { readonly spent: number })[]> {
  return rooms.budgets ? rooms.budgets.list(turn.process.user) : []
}

/** Of the budget that is nearest to its end. */
function leftOf(
  budgets: readonly (Budget & { readonly spent: number })[],
  { turn: { process } }: Scene,
): { readonly left: number | null; readonly budget: string } {
  const applies = budgets.filter(({ scope, of }) => of === null || (scope === 'project' ? of === process.project : of === process.session))
  const [tightest] = applies.map(({ limit, spent, text }) => ({ left: limit - spent, budget: text })).toSorted((a, b) => a.left - b.left)
  return tightest ?? { left: null, budget: '' }
}

function words({ deep, plain }: Estimate, { lead, workers }: { readonly lead: Tier; readonly workers: Tier }): string {
  const who = `This is a deep run: tier ${lead} leads, tier ${workers} builds side by side, and others judge it.`
  if (deep === null) return `${who} What it may cost is not known, because not all of its models have a price.`
  const times = plain !== null && plain > 0 ? `, ${Math.max(1, Math.round(deep / plain))} times as much as step by step` : ''
  return `${who} It may cost about ${amount(deep)} USD${times}.`
}

function amount(micros: number): string {
  return (micros / 1_000_000).toFixed(2)
}
