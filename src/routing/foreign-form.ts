// The form of a foreign routing table (`routing_version` 1.x of Eidolons): which keys there are and what each may hold.
import { z } from 'zod'

export const most = { members: 2_000, phrases: 1_000, allPhrases: 100_000, signals: 1_000, templates: 1_000 }

export const tier = z.enum(['light', 'standard', 'deep'])
const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'a name is a letter or digit, then letters, digits, "_", "." and "-", at most 64 in all')
const word = z.string().min(1, 'an empty text is not allowed').max(64, 'at most 64 characters are allowed')
const phrase = z
  .string()
  .max(200, 'at most 200 characters are allowed')
  .refine((text) => text.trim() !== '', 'an empty phrase is not allowed')
const phrases = z.array(phrase).max(most.phrases, `at most ${most.phrases} phrases are allowed`)
const names = z.array(name).max(most.members)
const share = z.number().min(0, 'allowed is 0 to 1').max(1, 'allowed is 0 to 1')
const count = z.int('a whole number is needed').min(0, 'allowed is 0 or more').max(1_000_000)
const remark = z.string().max(10_000).nullish()
const flag = z.boolean().nullish()

const escalation = z.strictObject({
  on_fail: z.enum(['reroute', 'escalate-tier']),
  reroute_to: name.nullish(),
  max_escalations: count.min(1, 'allowed is 1 or more').nullish(),
})
const member = z.strictObject({
  capability_class: word,
  suggested_tier: tier.nullish(),
  /** What tiers were called before there was a ladder; any word. */
  model_tier: word.nullish(),
  trigger_verbs: phrases,
  refuse_verbs: phrases.nullish(),
  downstream: names.nullish(),
  default_for_class: word.nullish(),
  fallback: name.nullish(),
  loop_native: flag,
  requires_host_tier: word.nullish(),
  degraded_mode: z.enum(['fanout', 'sample-select']).nullish(),
  escalation: escalation.nullish(),
})
const signal = z.strictObject({
  id: word,
  match: phrases,
  boost: z.record(name, z.number().min(-10).max(10)),
  stakes: flag,
  requires_question_form: flag,
  skip_if_path: flag,
  note: remark,
})
const chain = z.strictObject({
  name: word,
  steps: names.min(1, 'at least one step is needed'),
  requires_classes: z.array(word).max(100),
  when: remark,
})
const thresholds = z.strictObject({
  tau_standard: share,
  tau_trance: share.default(0.8),
  chain_floor: share,
  max_reroutes: count.default(2),
  max_parallel: count.min(1).default(5),
  surface_files: count.default(25),
  surface_modules: count.default(5),
})
export const schema = z.strictObject({
  $schema: z.string().nullish(),
  routing_version: z.union([word, z.number()]),
  updated_at: z.union([word, z.number()]).nullish(),
  thresholds,
  trance: z.strictObject({ lead_tier: tier, workers_tier: tier }).nullish(),
  classes: z.record(name, z.strictObject({ suggested_tier: tier })).nullish(),
  eidolons: z.record(name, member),
  signals: z.array(signal).max(most.signals).nullish(),
  chains: z.array(chain).max(most.templates).nullish(),
})
export type ForeignForm = z.infer<typeof schema>
export type ForeignMember = ForeignForm['eidolons'][string]
export type ForeignSignal = z.infer<typeof signal>
export type ForeignChain = z.infer<typeof chain>

/** Which keys are allowed at such a path, for whoever wrote another one. */
export const fields: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^$/, Object.keys(schema.shape)],
  [/^thresholds$/, Object.keys(thresholds.shape)],
  [/^eidolons\.[^.]+\.escalation$/, Object.keys(escalation.shape)],
  [/^eidolons\./, Object.keys(member.shape)],
  [/^signals\./, Object.keys(signal.shape)],
  [/^chains\./, Object.keys(chain.shape)],
  [/^trance$/, ['lead_tier', 'workers_tier']],
  [/^classes\./, ['suggested_tier']],
]
