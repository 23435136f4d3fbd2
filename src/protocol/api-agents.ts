// Agents on the wire: who can be asked and what their files say, what is wrong with a file, rosters from elsewhere.
import { z } from 'zod'

const fault = z.object({
  severity: z.enum(['error', 'warning']),
  path: z.string(),
  level: z.string(),
  scope: z.string(),
  line: z.number().int(),
  field: z.string(),
  /** A whole sentence: file, line, what is wrong, what is allowed. */
  message: z.string(),
})
export type AgentFault = z.infer<typeof fault>

const listed = z.object({
  name: z.string(),
  title: z.string(),
  aliases: z.array(z.string()),
  class: z.string(),
  engine: z.string(),
  tier: z.enum(['light', 'standard', 'deep']),
  triggers: z.array(z.string()),
  refuses: z.array(z.string()),
  handsOff: z.array(z.string()),
  /** Capabilities; null: what its class has. */
  pledge: z.array(z.string()).nullable(),
  /** Of the cascade, where its file was found. */
  level: z.string(),
  source: z.object({ path: z.string(), level: z.string(), scope: z.string(), version: z.number().int() }),
  /** Of its file; it can be asked all the same. */
  faults: z.array(fault),
})
export type ListedAgent = z.infer<typeof listed>
/** `faults`: of every file that is seen from there, also of those that are nobody because of it. */
export const agentList = z.object({ items: z.array(listed), next: z.string().nullable(), faults: z.array(fault) })
export type AgentList = z.infer<typeof agentList>

/** `persona`: the text below the front matter. */
export const agentShown = listed.extend({
  persona: z.string(),
  routing: z.looseObject({}),
  unveil: z.array(z.string()),
  tools: z.looseObject({}),
  params: z.looseObject({}),
  schedule: z.array(z.string()),
  profiles: z.looseObject({}),
})
export type AgentShown = z.infer<typeof agentShown>

const project = z.string().min(1).max(100)
const path = z.string().min(1).max(512)

/** A text as if it lay at that path of the project, or of the person's home. */
export const agentCheck = z.strictObject({
  path: path.regex(/^agents\/.+\.md$/, 'must be a path like agents/scout.md'),
  text: z.string(),
  project: project.optional(),
})
export const agentChecked = z.object({ faults: z.array(fault) })

/** `apply` absent: a preview. */
export const rosterImport = z.strictObject({
  files: z
    .array(z.strictObject({ path, text: z.string() }))
    .min(1)
    .max(500),
  project: project.optional(),
  apply: z.boolean().optional(),
})
export const rosterImported = z.object({
  place: z.object({ level: z.string(), scope: z.string() }),
  applied: z.boolean(),
  items: z.array(
    z.object({
      kind: z.enum(['agent', 'routing', 'contract']),
      name: z.string(),
      path: z.string(),
      action: z.enum(['create', 'update', 'same']),
      differs: z.array(z.string()),
      notes: z.array(z.string()),
    }),
  ),
  skipped: z.array(z.object({ what: z.string(), file: z.string(), why: z.string() })),
})
export type RosterImported = z.infer<typeof rosterImported>
