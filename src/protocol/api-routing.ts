// Routing on the wire: who should do this and why; rules that were learned, and proposals of such.
import { z } from 'zod'
import { listOf } from './api.ts'

const name = z.string().min(1).max(100)
const surface = z.int().min(0).max(1_000_000_000)
const flag = z.boolean()

/** What is known beside the text. Each member has the ancestor's own spelling too; it is given in one of them. */
const context = z
  .strictObject({
    surfaceFiles: surface.optional(),
    surface_files: surface.optional(),
    surfaceModules: surface.optional(),
    surface_modules: surface.optional(),
    tranceToken: flag.optional(),
    trance_token: flag.optional(),
    trance: flag.optional(),
    priorFailure: flag.optional(),
    prior_failure: flag.optional(),
    hostTier: name.nullable().optional(),
    host_tier: name.nullable().optional(),
    answered: flag.optional(),
  })
  .transform((given) => ({
    ...part('surfaceFiles', given.surfaceFiles ?? given.surface_files),
    ...part('surfaceModules', given.surfaceModules ?? given.surface_modules),
    ...part('tranceToken', given.tranceToken ?? given.trance_token ?? given.trance),
    ...part('priorFailure', given.priorFailure ?? given.prior_failure),
    ...part('hostTier', given.hostTier === undefined ? given.host_tier : given.hostTier),
    ...part('answered', given.answered),
  }))

function part<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  const made: { [P in K]?: T } = {}
  if (value !== undefined) made[key] = value
  return made
}

/** An envelope that the text came with, and the bytes that it is for; they are looked at before anybody is chosen. */
const verify = z.strictObject({
  /** Its JSON, as text or as it is. */
  envelope: z.union([z.string().min(1), z.record(z.string(), z.unknown())]),
  /** The artifact, as text; null or absent: there is none at hand. */
  payload: z.string().nullable().optional(),
  /** block: what does not fit is not routed. */
  mode: z.enum(['warn', 'block']).default('warn'),
  /** What the envelope is called in the answer; its message's id when absent. */
  name: z.string().min(1).max(300).optional(),
})

export const routeRequest = z.strictObject({
  text: z.string().min(1),
  project: name.optional(),
  /** Its project, its leader, and the question that stands open in it count. */
  session: z.string().min(1).max(64).optional(),
  context: context.optional(),
  /** A routing table from elsewhere, as JSON or as YAML text; it alone speaks then. */
  roster: z.union([z.string().min(1), z.record(z.string(), z.unknown())]).optional(),
  verify: verify.optional(),
  mode: z.enum(['default', 'strict']).default('default'),
  /** strict: the scores too, and what is odd about a table that was given. */
  explain: z.boolean().default(false),
})

const tier = z.enum(['light', 'standard', 'deep'])
const texts = z.array(z.string())
const scored = z.object({
  agent: z.string(),
  class: z.string(),
  matched: texts,
  named: z.boolean(),
  base: z.number(),
  signals: z.array(z.object({ id: z.string(), boost: z.number() })),
  score: z.number(),
  refused: texts,
})

export const routeView = z.object({
  decision: z.enum(['dispatch', 'chain', 'refusal_reroute', 'clarify', 'leave']),
  by: z.enum(['address', 'mention', 'question', 'rule', 'keywords', 'cortex']).nullable(),
  selected: texts,
  chain: z.array(
    z.object({
      agent: z.string(),
      class: z.string(),
      tier,
      edgeOrigin: z.enum(['roster', 'composition', 'implicit']),
      template: z.string().nullable(),
    }),
  ),
  tier: z.enum(['standard', 'trance']),
  models: z.object({ lead: tier, workers: tier }).nullable(),
  confidence: z.number(),
  reasons: texts,
  marks: z.array(z.object({ mark: z.enum(['GAP', 'DISPUTED', 'DECISION', 'BLOCKED']), text: z.string() })),
  clarification: z.object({ questions: z.array(z.object({ text: z.string(), options: texts })) }).nullable(),
  scores: z.array(scored),
  signals: z.array(z.object({ id: z.string(), matched: texts })),
  template: z.string().nullable(),
  gates: z.array(z.object({ id: z.string(), holds: z.boolean(), text: z.string(), count: z.int().min(1).optional() })),
  dropped: z.array(z.object({ what: z.string(), why: z.string() })),
  thresholds: z.record(z.string(), z.number()),
  context: z.looseObject({}),
  looked: z.number().nullable(),
  rosterVersion: z.string(),
  rulesVersion: z.string(),
  /** Of an envelope that was given. */
  incomingVerify: z.object({ verdict: z.string(), mode: z.string(), envelope: z.string() }).optional(),
  /** What is odd about a table that was given, a sentence each. */
  warnings: texts.optional(),
})
export type RouteView = z.infer<typeof routeView>

/** The ancestor's artifact with its own names. */
export const strictRoute = z.looseObject({
  decision: z.enum(['dispatch', 'chain', 'refusal_reroute', 'clarify']),
  selected: texts,
  chain: z.array(z.looseObject({ eidolon: z.string(), role: z.string(), edge_origin: z.string(), template: z.string().optional() })),
  model_tier_per_step: texts,
  fallthrough_reason: z.string().nullable(),
  confidence: z.number(),
  clarification_request: z.string().nullable(),
  refusal_rerouting: z.boolean(),
  assumptions: texts,
  tier: z.enum(['standard', 'trance']),
  incoming_verify: z.object({ verdict: z.string(), mode: z.string(), envelope: z.string() }).optional(),
  _warnings: texts.optional(),
})
export type StrictRoute = z.infer<typeof strictRoute>
export const routeAnswer = z.union([routeView, strictRoute])

export const rulesQuery = z.strictObject({ project: name.optional() })
const ruleShape = z.object({
  id: z.string(),
  when: texts,
  to: z.string(),
  from: z.string().nullable(),
  at: z.string(),
  by: z.string(),
})
export const routingRule = ruleShape
export type RoutingRule = z.infer<typeof ruleShape>
export const routingRules = listOf(ruleShape).extend({ mode: z.enum(['hint', 'direct']), faults: texts })

/** `message` or `text`: what should have gone to somebody else. `when`: what the rule asks for, if not the telling words. */
export const newCorrection = z.strictObject({
  to: name,
  text: z.string().min(1).optional(),
  message: z.string().min(1).max(64).optional(),
  project: name.optional(),
  when: z.array(z.string().min(1).max(100)).min(1).max(8).optional(),
})
export const routingProposal = z.object({
  id: z.string(),
  rule: ruleShape,
  changes: z.array(z.object({ message: z.string(), text: z.string(), was: z.string().nullable(), would: z.string() })),
  looked: z.number(),
})
export type RoutingProposal = z.infer<typeof routingProposal>
export const acceptProposal = z.strictObject({ proposal: z.string().min(1).max(64) })

/** `text`: for a host model, without markers. Both measures are below their `most`. */
export const cortexView = z.object({
  text: z.string(),
  tokens: z.number(),
  mostTokens: z.number(),
  /** Characters / 4. */
  quarters: z.number(),
  mostQuarters: z.number(),
  agents: z.number(),
  /** Most phrases that an agent is shown with. */
  phrases: z.number(),
})
export type CortexView = z.infer<typeof cortexView>
