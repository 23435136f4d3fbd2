// The shapes of CONTRACT section 4 that more than one call returns. Schemas first; the types are inferred.
import { z } from 'zod'
import { message } from './message.ts'
import { processStatuses } from './process.ts'

export const projectKinds = ['NORMAL', 'SYSTEM'] as const
export const projectTypes = ['project', 'area'] as const
export const projectStatuses = ['INIT', 'RECOVERING', 'RUNNING', 'SUSPENDING', 'SUSPENDED', 'CLOSED'] as const

export const project = z.object({
  name: z.string(),
  title: z.string(),
  kind: z.enum(projectKinds),
  type: z.enum(projectTypes),
  status: z.enum(projectStatuses),
  group: z.string(),
  /** Absolute folders that its agents may see. */
  roots: z.array(z.string()),
  policy: z.record(z.string(), z.unknown()),
  lastActivityAt: z.string().nullable(),
})
export type Project = z.infer<typeof project>

const sessionStatuses = ['INIT', 'RUNNING', 'IDLE', 'SUSPENDED', 'ARCHIVED', 'CLOSED'] as const
export const onDisconnect = ['SUSPEND', 'KEEP_OPEN', 'CLOSE'] as const
export const onIdle = ['SUSPEND', 'NONE'] as const
export const onSuspend = ['KEEP', 'CLOSE'] as const
export const suspendCauses = ['IDLE', 'DISCONNECT', 'FORCED'] as const

export const question = z.object({
  id: z.string(),
  session: z.string(),
  process: z.string(),
  text: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string().optional() })).optional(),
  status: z.enum(['open', 'answered', 'withdrawn']),
})
export type Question = z.infer<typeof question>

/** A question about a risk, in short: enough to say yes or no to. Times are ISO text. */
export const approvalBrief = z.object({
  id: z.string(),
  text: z.string(),
  risk: z.string(),
  tool: z.string(),
  capability: z.string(),
  target: z.string(),
  why: z.string(),
  consequences: z.string(),
  preview: z.string().optional(),
  alternatives: z.array(z.string()).optional(),
  scopes: z.array(z.string()),
  expiresAt: z.string(),
})
export type ApprovalBrief = z.infer<typeof approvalBrief>

export const session = z.object({
  id: z.string(),
  project: z.string(),
  /** Its own chat process, and the agent that it runs. */
  process: z.string(),
  agent: z.string(),
  title: z.string(),
  profile: z.string(),
  status: z.enum(sessionStatuses),
  processStatus: z.enum(processStatuses),
  pinned: z.boolean(),
  leaf: z.string().nullable(),
  lastMessage: message.nullable(),
  openQuestions: z.array(question),
  /** Of one session that is looked at: how much may be done without asking. */
  mode: z.string().optional(),
  createdAt: z.string(),
  lastActivityAt: z.string(),
})
export type Session = z.infer<typeof session>
