// Approvals and grants on the wire (CONTRACT section 4).
import { z } from 'zod'
import { listOf, paging } from './api.ts'

const risk = z.enum(['R0', 'R1', 'R2', 'R3', 'R4', 'R5'])
const scope = z.enum(['once', 'step', 'run', 'project', 'always'])
export const approvalStatuses = ['requested', 'approved', 'rejected', 'expired', 'revoked'] as const

/** A question about a risk, and what became of it. `scopes`: what may be given, the narrowest first; it is the default. */
export const approval = z.object({
  id: z.string(),
  session: z.string(),
  process: z.string(),
  turn: z.string(),
  run: z.string(),
  text: z.string(),
  risk,
  tool: z.string(),
  capability: z.string(),
  target: z.string(),
  why: z.string(),
  consequences: z.string(),
  preview: z.string().optional(),
  alternatives: z.array(z.string()).optional(),
  scopes: z.array(scope),
  status: z.enum(approvalStatuses),
  requestedAt: z.string(),
  expiresAt: z.string(),
  decidedBy: z.string().optional(),
  scope: scope.optional(),
})
export type Approval = z.infer<typeof approval>
export const approvals = listOf(approval)

const sessionId = z.string().regex(/^ses_[0-9A-HJKMNP-TV-Z]{26}$/, 'must be an id like ses_01J...')
export const approvalsQuery = paging.extend({ session: sessionId.optional(), status: z.enum(approvalStatuses).optional() })

const yearMs = 366 * 24 * 3_600_000
/** `narrow`: less than what was asked; a wider one is refused. */
export const newDecision = z.strictObject({
  decision: z.enum(['allow', 'deny']),
  scope: scope.optional(),
  narrow: z
    .strictObject({
      resource: z.string().min(1).max(8192).optional(),
      expiresInMs: z.number().int().min(1_000).max(yearMs).optional(),
    })
    .optional(),
  reason: z.string().trim().min(1).max(2_000).optional(),
})
export type NewDecision = z.infer<typeof newDecision>

/** A permission that lasts. Times are ISO text. */
export const grant = z.object({
  id: z.string(),
  subject: z.string(),
  capability: z.string(),
  resource: z.string(),
  scope,
  within: z.string().nullable(),
  taint: z.string(),
  maxRisk: risk,
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  approval: z.string().nullable(),
})
export const grants = listOf(grant)
export const grantsQuery = z.strictObject({
  ended: z
    .enum(['true', 'false', '1', '0'])
    .transform((text) => text === 'true' || text === '1')
    .optional(),
})

/** `subject`: an agent's name, `*` for all of them. `resource`: a pattern over targets, `*` for all. */
export const newGrant = z.strictObject({
  subject: z.string().min(1).max(100).optional(),
  capability: z.string().min(1).max(100),
  resource: z.string().min(1).max(8192).optional(),
  scope: z.enum(['project', 'always']),
  project: z.string().min(1).max(100).optional(),
  maxRisk: risk.optional(),
  expiresInMs: z.number().int().min(1_000).max(yearMs).optional(),
})
