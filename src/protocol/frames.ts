// Frames of the WebSocket (CONTRACT section 5): {id?, replyTo?, type, cursor?, data, forwardedBy?}.
// A request has `id`; its answer has the same type (a ping's is `pong`, a refusal's is `error`) and echoes the id in `replyTo`.
// A journalled event has `cursor`, `at`, `session`, `process`, `actor` beside its `data`: protocol/view.ts folds it as it is.
import { z } from 'zod'
import { messageAccepted, newMessage, newSession, problem, steer, steered } from './api.ts'
import { approval, newDecision } from './api-approvals.ts'
import { question, session } from './shapes.ts'

/** Close codes of our own. 1001: the hub goes down; 1009: a frame was too large; 1008: against the rules. */
export const closeCodes = {
  /** The client read too slowly. Connect again and resume with the last cursor. */
  slow: 4008,
  /** The login or token is no longer valid. */
  loggedOut: 4001,
} as const

export const protocolVersion = 1
export const maxFrameBytes = 1024 * 1024

const sessionId = z.string().min(1).max(64)
const zone = z.string().min(1).max(64)
const profile = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be 1 to 32 lower case letters, digits, "-" and "_"')

/** What a client may send, by type: the schema of `data`. */
export const requests = {
  hello: z.strictObject({ profile: profile.optional(), zone: zone.optional() }),
  'session-create': newSession,
  'session-resume': z.strictObject({ sessionId, after: z.string().max(64).optional(), takeover: z.boolean().optional() }),
  'session-leave': z.strictObject({ sessionId }),
  say: newMessage.extend({ sessionId, id: z.string().min(1).max(128) }),
  answer: z.strictObject({ questionId: z.string().min(1).max(64), text: z.string().optional(), option: z.string().optional() }),
  decide: newDecision.extend({ approvalId: z.string().min(1).max(64) }),
  stop: steer.extend({ sessionId }),
  pause: steer.extend({ sessionId }),
  resume: steer.extend({ sessionId }),
  /** The person has seen the session up to that cursor. Told to the person's other connections, not kept. */
  seen: z.strictObject({ sessionId, cursor: z.string().max(64) }),
  ping: z.strictObject({ at: z.number().optional() }),
} as const
export type RequestType = keyof typeof requests
export const requestTypes = Object.keys(requests)

export const requestFrame = z.strictObject({
  id: z.string().min(1).max(128).optional(),
  type: z.string(),
  data: z.unknown().optional(),
})

export const binding = z.object({ holder: z.string(), mine: z.boolean(), movedFrom: z.string().nullable() })

/** Answers, by the request's type. */
export const answers = {
  hello: z.object({ profile: z.string(), zone: z.string().nullable() }),
  'session-create': session,
  /** `cursor`: where the live frames go on; what came before it and after `after` has been sent in between. */
  'session-resume': z.object({ session, binding, cursor: z.string() }),
  'session-leave': z.object({ sessionId: z.string() }),
  say: messageAccepted,
  answer: question,
  decide: approval,
  stop: steered,
  pause: steered,
  resume: steered,
  seen: z.object({}),
  pong: z.object({ at: z.number().nullable(), serverAt: z.number() }),
} as const

export const welcome = z.object({
  user: z.object({ name: z.string(), role: z.string() }),
  tenant: z.string(),
  connection: z.string(),
  server: z.object({
    version: z.string(),
    protocol: z.number().int(),
    /** Milliseconds between the hub's pings; a client that hears nothing for twice as long may connect anew. */
    pingInterval: z.number().int(),
    capabilities: z.array(z.string()),
  }),
})

/** Live words of a step (L9): a new attempt starts at offset 0 and withdraws what the attempt before it showed. */
export const chunk = z.object({
  session: z.string(),
  process: z.string(),
  turn: z.string(),
  step: z.string(),
  attempt: z.number().int(),
  offset: z.number().int(),
  text: z.string(),
})
export const progress = chunk.omit({ attempt: true, offset: true })

/** What the hub sends of itself and never journals, by type. */
export const notices = {
  welcome,
  'chat-message-chunk': chunk,
  'process-progress': progress,
  /** Another of the person's connections has seen that session up to there. */
  seen: z.object({ sessionId: z.string(), cursor: z.string() }),
  /** The binding of a session moved to another connection. */
  'binding-moved': z.object({ sessionId: z.string(), holder: z.string() }),
  error: problem,
} as const
export type Notice = keyof typeof notices

/** `eventId` to `cause` stand on journalled frames only: what the journal knows of the event beside its `data`. */
export const frame = z.object({
  id: z.string().optional(),
  replyTo: z.string().optional(),
  type: z.string(),
  cursor: z.string().optional(),
  eventId: z.string().optional(),
  at: z.string().optional(),
  session: z.string().optional(),
  process: z.string().optional(),
  actor: z.string().optional(),
  visibility: z.string().optional(),
  cause: z.string().nullable().optional(),
  data: z.record(z.string(), z.unknown()),
  forwardedBy: z.object({ engine: z.string(), processId: z.string(), viaSession: z.string() }).optional(),
})
export type Frame = z.infer<typeof frame>

/** Journalled types that reach all of a person's connections; everything else goes to those that resumed the session. */
export const everywhere: ReadonlySet<string> = new Set([
  'session-created',
  'session-updated',
  'process-status-changed',
  'question-asked',
  'question-answered',
  'inbox-item-added',
  'inbox-item-updated',
  'approval-requested',
  'approval-decided',
  'task-updated',
  /** What a turn asked waits no more when it is over. */
  'turn-settled',
])
