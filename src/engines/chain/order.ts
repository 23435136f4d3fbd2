// What a chain is asked to do: the person's text, and the route that says who works in which order. A route comes with the process
// (whoever decided it gave it along), or the engine asks routing itself. Pure, but for asking.
import { z } from 'zod'
import { type JsonObject, jsonCopy } from '../../base/json.ts'
import { textOfEntry } from '../../context/lines.ts'
import type { Turn } from '../../lanes/engine.ts'
import { type Tier, tiers } from '../../models/message.ts'
import type { Entry } from '../../protocol/entry.ts'

const step = z.object({
  agent: z.string().min(1).max(64),
  class: z.string().max(64).default(''),
  tier: z.enum(tiers).nullable().default(null),
  edgeOrigin: z.enum(['roster', 'composition', 'implicit']).default('roster'),
})
const question = z.object({ text: z.string(), options: z.array(z.string()).max(10).default([]) })
const plan = z.object({
  /** The text that was routed, where it is not the text of the turn. */
  text: z.string().optional(),
  decision: z.string().default('chain'),
  selected: z.array(z.string()).default([]),
  chain: z.array(step).max(30).default([]),
  tier: z.enum(['standard', 'trance']).default('standard'),
  models: z
    .object({ lead: z.enum(tiers), workers: z.enum(tiers) })
    .nullable()
    .default(null),
  reasons: z.array(z.string()).default([]),
  clarification: z
    .object({ questions: z.array(question).max(3) })
    .nullable()
    .default(null),
  thresholds: z.record(z.string(), z.number()).default({}),
  gates: z
    .array(
      z.object({ id: z.string(), holds: z.boolean(), text: z.string().default(''), count: z.int().min(1).max(5).nullable().default(null) }),
    )
    .default([]),
})

/** What the engine needs of a route. */
export type Plan = Omit<z.infer<typeof plan>, 'text'>
export type PlannedStep = Plan['chain'][number]

/** `faults`: why what was given along is no route, in a sentence. */
export type GivenPlan = { readonly text: string | null; readonly plan: Plan } | { readonly fault: string } | null

/** The route that the process was made with. It is for the first order of the process, or for exactly its own text. */
export function givenPlan({ process: { params }, before }: Pick<Turn, 'process' | 'before'>, text: string): GivenPlan {
  const given = params['route']
  if (given === undefined || given === null) return null
  const read = plan.safeParse(given)
  if (!read.success) {
    const [issue] = read.error.issues
    return { fault: `The route that came with this work can't be used: ${issue?.path.join('.') ?? 'it'}: ${issue?.message ?? 'wrong'}.` }
  }
  const { text: own = null, ...rest } = read.data
  return before === null || own === text ? { text: own, plan: rest } : null
}

/** The same of a route that was decided now. */
export function planOf(route: object): Plan {
  const { text: _, ...rest } = plan.parse(jsonCopy(route))
  return rest
}

/** As it is recorded. */
export function planFact(given: Plan): JsonObject {
  return jsonCopy(given)
}

/** Who works, in order: the chain, or the one who was chosen. */
export function stepsOf({ chain, selected }: Plan): readonly PlannedStep[] {
  if (chain.length > 0) return chain
  const [agent] = selected
  return agent === undefined ? [] : [{ agent, class: '', tier: null, edgeOrigin: 'roster' }]
}

/** What was said or asked in those entries, without the name of the chain itself in front; null: nothing that orders work. */
export function orderIn(entries: readonly Entry[], names: readonly string[]): string | null {
  const texts = entries.flatMap((entry) => {
    const { kind } = entry.body
    const text = kind === 'message' || kind === 'request' ? textOfEntry(entry) : null
    return text === null || text.trim() === '' ? [] : [text.trim()]
  })
  const whole = texts.join('\n\n')
  const called = /^@([\w-]+)[,:]?\s+/.exec(whole)
  const text = called && names.includes((called[1] ?? '').toLowerCase()) ? whole.slice(called[0].length).trim() : whole
  return text === '' ? null : text
}

/** Of its step; in a deep run those who lead get the lead's. */
export function tierOf({ tier, models }: Plan, step: PlannedStep, own: Tier): Tier {
  if (tier === 'trance' && models !== null) return models.lead
  return step.tier ?? own
}
