// Requests and answers of the HTTP interface (CONTRACT section 4). The same schemas check requests and make the OpenAPI document.
// Requests are strict: an unknown field is refused by name. Answers are open: fields may be added.
import { z } from 'zod'
import { visibilities } from './event.ts'
import { attachment, message, option } from './message.ts'
import { messageStatuses } from './message-status.ts'
import { processStatuses } from './process.ts'
import { approvalBrief, project, projectTypes, question, session } from './shapes.ts'

/** Most characters of a client's id, and most bytes (UTF-8) of a message's text: an event carries it whole, and stays small. */
const maxClientId = 128
export const maxTextBytes = 64 * 1024
const defaultLimit = 50
export const maxLimit = 500
export const maxWaitSeconds = 600

/** What a program's token may be allowed. `read` is every GET of what its owner may see. */
const tokenScopes = [
  'read',
  'chat',
  'projects',
  'documents',
  'metrics',
  'tokens',
  'approvals',
  'grants',
  'models',
  'secrets',
  'budgets',
] as const
export type TokenScope = (typeof tokenScopes)[number]

/** RFC 9457. `path` is a JSON pointer into the request; `id` stands in the log too (5xx). */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string(),
  path: z.string().optional(),
  id: z.string().optional(),
})
export type Problem = z.infer<typeof problem>

/** `{items, next}`; `next` is given back as `?after`, null at the end. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next: z.string().nullable() })
}

const limit = z.coerce.number().int().min(1).max(maxLimit).default(defaultLimit)
const after = z.string().min(1).max(200).optional()
const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1')
const id = (kind: string) => z.string().regex(new RegExp(`^${kind}_[0-9A-HJKMNP-TV-Z]{26}$`), `must be an id like ${kind}_01J...`)
const title = z.string().trim().min(1).max(200)
const name = z.string().min(1).max(100)

export const paging = z.strictObject({ limit, after })

// ---- sessions

export const newSession = z.strictObject({
  project: name.optional(),
  agent: name.optional(),
  title: title.optional(),
  profile: z.string().min(1).max(50).optional(),
})
export const sessionMade = z.object({ id: z.string(), project: z.string(), process: z.string(), agent: z.string() })
export const sessionsQuery = z.strictObject({ limit, after, project: name.optional(), archived: flag.optional() })
export const sessionPatch = z.strictObject({
  title: title.optional(),
  pinned: z.boolean().optional(),
  leaf: id('msg').nullable().optional(),
  /** How much may be done without asking; null: as the project or the person has it. */
  mode: z.enum(['read-only', 'ask', 'auto']).nullable().optional(),
})
export const chooseLeaf = z.strictObject({ leaf: id('msg').nullable() })
export const sessions = listOf(session)

// ---- messages

export const newMessage = z.strictObject({
  id: z.string().min(1).max(maxClientId).optional(),
  text: z.string(),
  attachments: z
    .array(attachment.omit({ size: true }).strict())
    .max(20)
    .optional(),
  voice: z.boolean().optional(),
  /** The absolute folder that relative paths in the text are meant from: the terminal's. */
  folder: z
    .string()
    .max(4096)
    .regex(/^(\/|[A-Za-z]:[\\/])[^\0\n\r]*$/, 'must be the absolute path of a folder')
    .optional(),
  to: name.optional(),
  when: z.enum(['now', 'next']).optional(),
  parent: id('msg').nullable().optional(),
  replaces: id('msg').optional(),
})
export type NewMessage = z.infer<typeof newMessage>

export const messageAccepted = z.object({
  id: z.string(),
  clientId: z.string().optional(),
  duplicate: z.boolean(),
  cursor: z.string(),
})
export type MessageAccepted = z.infer<typeof messageAccepted>

/** Answer to `Prefer: wait=N`. `waiting`: a person is asked something first; `question` or `approval` says what. */
export const messageAnswered = messageAccepted.extend({
  reply: z
    .object({
      id: z.string(),
      text: z.string(),
      info: z.string().optional(),
      agent: z.string().optional(),
      options: z.array(option).optional(),
    })
    .nullable(),
  status: z.enum([...messageStatuses, 'waiting']),
  question: z.object({ id: z.string(), text: z.string(), options: z.array(option).optional() }).optional(),
  approval: approvalBrief.optional(),
  why: z.string().optional(),
})
export type MessageAnswered = z.infer<typeof messageAnswered>
export const messages = listOf(message)

// ---- events

export const event = z.object({
  cursor: z.string(),
  id: z.string(),
  type: z.string(),
  at: z.string(),
  session: z.string().optional(),
  process: z.string().optional(),
  actor: z.string(),
  visibility: z.enum(visibilities),
  data: z.record(z.string(), z.unknown()),
  cause: z.string().nullable(),
})
export type WireEvent = z.infer<typeof event>
export const eventsQuery = z.strictObject({ limit, after, detail: z.enum(['operator']).optional() })
export const streamQuery = z.strictObject({ after, detail: z.enum(['operator']).optional() })
export const events = listOf(event)

// ---- control

export const steer = z.strictObject({ process: id('prc').optional(), turn: id('trn').optional() })
/** `outcome`: done; too_late (that turn is over); nothing (no turn runs); pending (accepted, not carried out yet). */
export const steered = z.object({
  process: z.string(),
  turn: z.string().nullable(),
  outcome: z.enum(['done', 'too_late', 'nothing', 'pending']),
})

// ---- questions

export const questionsQuery = z.strictObject({ session: id('ses').optional(), status: z.enum(['open']).optional() })
export const questions = listOf(question)
const answerText = z.string().trim().min(1).max(20_000)
export const newAnswer = z.union([z.strictObject({ text: answerText }), z.strictObject({ option: z.string().min(1).max(200) })])

// ---- projects

export const newProject = z.strictObject({
  name,
  title: title.optional(),
  type: z.enum(projectTypes).optional(),
  group: name.optional(),
  roots: z.array(z.string().min(1).max(4096)).max(50).optional(),
  policy: z.record(z.string(), z.json()).optional(),
})
export const projectPatch = newProject.omit({ name: true })
export const projectsQuery = z.strictObject({ limit, after, system: flag.optional(), closed: flag.optional() })
export const purgeQuery = z.strictObject({ purge: flag.optional() })
export const projects = listOf(project)

// ---- documents and agents

export const document = z.object({
  path: z.string(),
  level: z.string(),
  scope: z.string(),
  version: z.number().int(),
  mime: z.string(),
  text: z.string(),
  at: z.string(),
  by: z.string(),
})
export const documents = listOf(document.omit({ text: true }))
export const documentQuery = z.strictObject({ project: name.optional() })
export const documentsQuery = z.strictObject({ project: name.optional(), prefix: z.string().max(500).optional() })
/** `expected`: the version that was read, 0 for none; another one is a conflict. */
export const documentPut = z.strictObject({
  text: z.string(),
  mime: z.string().min(1).max(100).optional(),
  expected: z.number().int().min(0).optional(),
})

/** `value` null: it is taken away at that place. */
export const setting = z.object({ key: z.string(), value: z.json() })
export const settings = listOf(setting)
export const settingPut = z.strictObject({ value: z.json() })

const agentListing = z.object({
  name: z.string(),
  title: z.string().optional(),
  aliases: z.array(z.string()).optional(),
  class: z.string().optional(),
  engine: z.string(),
  tier: z.string().optional(),
  level: z.string().optional(),
})
export type AgentListing = z.infer<typeof agentListing>

// ---- processes and turns

export const processView = z.object({
  id: z.string(),
  session: z.string(),
  project: z.string(),
  agent: z.string(),
  engine: z.string(),
  status: z.enum(processStatuses),
  leaf: z.string().nullable(),
  turn: z.looseObject({ id: z.string(), engine: z.string() }).nullable(),
  queue: z.array(z.looseObject({ entry: z.string(), kind: z.string(), message: z.string().optional(), behind: z.string() })),
})

// ---- login, tokens, the hub itself

export const loginWith = z.strictObject({ code: z.string().min(1).max(200) })
export const user = z.object({ name: z.string(), role: z.enum(['owner', 'member']) })
export const me = z.object({
  user,
  via: z.enum(['cookie', 'token', 'socket', 'loopback']),
  scopes: z.array(z.string()).nullable(),
  home: z.string(),
  server: z.object({ version: z.string() }),
})
export const loginCode = z.object({ code: z.string(), expiresAt: z.string(), address: z.string().nullable() })
export const newToken = z.strictObject({
  name: title,
  scopes: z.array(z.enum(tokenScopes)).min(1),
  /** Absent: it doesn't expire. */
  days: z.number().int().min(1).max(3650).optional(),
})
export const token = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
})
export const tokenMade = token.extend({ secret: z.string() })
export const tokens = listOf(token)

export const health = z.object({ status: z.enum(['ok', 'failing']), why: z.array(z.string()).optional() })
/** One thing that was looked at. `mend`: what to do about it. */
const finding = z.object({
  name: z.string(),
  status: z.enum(['ok', 'warn', 'fail']),
  detail: z.string(),
  mend: z.string().optional(),
})
export type Finding = z.infer<typeof finding>
export const doctor = z.object({ status: z.enum(['ok', 'warn', 'fail']), items: z.array(finding) })
/** An effective setting and where it came from; a secret's value is masked before it gets here. */
export const configItem = z.object({ key: z.string(), value: z.json(), source: z.string() })
export type ConfigItem = z.infer<typeof configItem>
export const config = listOf(configItem)
