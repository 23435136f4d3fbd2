// Models on the wire: what is there, which tier uses what, whether one answers.
import { z } from 'zod'

const tier = z.enum(['light', 'standard', 'deep'])
const name = z
  .string()
  .max(200)
  .regex(/^[^\s/]+\/\S+$/, 'must be <provider>/<model>')

const model = z.object({
  model: z.string(),
  /** Why it can't be called; null: it can. */
  why: z.string().nullable(),
  isLocal: z.boolean(),
  /** Tokens; `from`: setting, table, learned or default. */
  window: z.object({ window: z.number(), maxOutput: z.number(), from: z.string() }),
  /** Of a million tokens, by the table; null: it has no price there. */
  price: z.looseObject({}).nullable(),
  /** It rests after a failure; ISO text. */
  rest: z.object({ until: z.string(), code: z.string(), message: z.string() }).nullable(),
})

/** `fixedBy`: the variable of the environment that decides the tier; null: it can be chosen here. */
export const models = z.object({
  tiers: z.array(z.object({ tier, chain: z.array(model), fixedBy: z.string().nullable() })),
  providers: z.array(
    z.object({ provider: z.string(), key: z.string(), baseUrl: z.string(), isLocal: z.boolean(), why: z.string().nullable() }),
  ),
  prices: z.object({ date: z.string(), currency: z.string(), source: z.string() }),
  faults: z.array(z.string()),
})
/** The first choice first; an empty chain takes it away. */
export const chooseModels = z.strictObject({ tier, chain: z.array(name).max(10) })
export const testModel = z.strictObject({ model: name })
export const tested = z.object({
  ok: z.boolean(),
  model: z.string(),
  ms: z.number(),
  said: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
})
