// Pipelines on the wire: which there are, what is wrong with one, how they come, go and are deployed.
import { z } from 'zod'

const environment = z.enum(['production', 'test'])
const ref = z.object({ kind: z.string(), id: z.string(), version: z.number().int() })
const fault = z.object({ where: z.string(), severity: z.enum(['error', 'warning']), message: z.string() })

const listed = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** The newest. */
  version: z.number().int(),
  /** Versions that new conversations get, by environment; null: none. */
  deployed: z.object({ production: z.number().int().nullable(), test: z.number().int().nullable() }),
  /** What it is mentioned by; null: it is not deployed in production. */
  agent: z.string().nullable(),
  changedAt: z.number(),
})
export const pipelineList = z.object({ items: z.array(listed), next: z.string().nullable() })
export type PipelineList = z.infer<typeof pipelineList>

export const pipelineShown = listed.extend({
  /** The version that is shown. */
  shown: z.number().int(),
  steps: z.array(z.object({ at: z.string(), task: z.string(), uri: z.string().nullable() })),
  faults: z.array(fault),
  configuration: z.looseObject({}),
})
export type PipelineShown = z.infer<typeof pipelineShown>
export const pipelineChecked = z.object({ name: z.string(), version: z.number().int(), faults: z.array(fault) })
export type PipelineChecked = z.infer<typeof pipelineChecked>

const whole = z.string().regex(/^[1-9]\d{0,9}$/, 'must be a whole number from 1')
const id = z.string().min(1).max(64)
const ids = z
  .string()
  .max(20_000)
  .regex(/^[A-Za-z0-9-]+(?:,[A-Za-z0-9-]+)*$/, 'must be ids with commas between them')

export const pipelineQuery = z.strictObject({ filter: z.string().max(200).optional() })
export const versionQuery = z.strictObject({ version: whole.optional() })
export const exportQuery = z.strictObject({ version: whole.optional(), only: ids.optional() })

/** What is imported is bytes of a ZIP; how, stands in the query. */
export const importQuery = z.strictObject({
  strategy: z.enum(['create', 'merge', 'upgrade']).optional(),
  agentId: id.optional(),
  targetAgentId: id.optional(),
  workflowOrder: ids.optional(),
  selectedResources: ids.optional(),
  /** Absent: a preview. */
  apply: z.enum(['true', 'false']).optional(),
  mark: z.string().max(100).optional(),
  deploy: environment.optional(),
})
export const importFrom = z.strictObject({
  /** Of an agent in another instance. */
  url: z.string().min(1).max(2_000),
  strategy: z.enum(['create', 'merge', 'upgrade']).optional(),
  targetAgentId: id.optional(),
  workflowOrder: z.array(id).max(500).optional(),
  selectedResources: z.array(id).max(2_000).optional(),
  apply: z.boolean().optional(),
  mark: z.string().max(100).optional(),
  deploy: environment.optional(),
})

export const deployed = z.object({ id: z.string(), version: z.number().int(), environment, agent: z.string().nullable() })

export const imported = z.object({
  name: z.string(),
  sourceId: z.string(),
  strategy: z.string(),
  applied: z.boolean(),
  items: z.array(
    z.object({
      kind: z.string(),
      name: z.string(),
      sourceId: z.string(),
      action: z.enum(['CREATE', 'UPDATE', 'SKIP']),
      target: ref.nullable(),
      differs: z.array(z.string()),
      notes: z.array(z.string()),
    }),
  ),
  /** `stops`: what can't be done because of it. */
  faults: z.array(z.object({ where: z.string(), message: z.string(), stops: z.enum(['import', 'deploy']).nullable() })),
  hosts: z.array(z.string()),
  secrets: z.array(z.object({ name: z.string(), state: z.enum(['there', 'missing', 'taken']) })),
  ignored: z.array(z.string()),
  mark: z.string(),
  /** What was made or changed; null in a preview. */
  agent: ref.nullable(),
  deployed: deployed.nullable(),
  /** Why it was not deployed although that was wanted. */
  notDeployed: z.string().nullable(),
})
export type PipelineImported = z.infer<typeof imported>

/** `version` absent: the newest. */
export const deployBody = z.strictObject({ version: z.number().int().min(1).optional(), environment: environment.optional() })
/** `resource`: the version that it was made from, as an eddi:// URI. */
export const changeBody = z.strictObject({
  changes: z
    .array(z.strictObject({ resource: z.string().max(300), value: z.unknown() }))
    .min(1)
    .max(100),
})
/** The agent's new version, and all that got one. */
export const changedPipeline = z.object({ id: z.string(), version: z.number().int(), changed: z.array(ref) })
export const undeployBody = z.strictObject({ environment: environment.optional() })
export const undeployed = z.object({ undeployed: z.boolean() })

export const templateList = z.object({
  items: z.array(z.object({ template: z.string(), title: z.string(), description: z.string() })),
  next: z.string().nullable(),
})
export const fromTemplate = z.strictObject({
  template: z.string().min(1).max(64),
  name: z.string().min(1).max(100),
  deploy: environment.optional(),
})
