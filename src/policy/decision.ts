// What policy decides about: one call of a tool, described before it runs, and the decision with the rule that made it.

import type { ProcessId, SessionId, TurnId } from '../base/ids.ts'
import type { JsonObject } from '../base/json.ts'

/** R0 observe, R1 reversible and local, R2 consequential and local, R3 outward, R4 money or security, R5 destructive. */
export const risks = ['R0', 'R1', 'R2', 'R3', 'R4', 'R5'] as const
export type Risk = (typeof risks)[number]

/** read-only: nothing but R0 runs. ask: what is risky is asked. auto: fewer questions, a reviewer may turn an allow into an ask. */
export const permissionModes = ['read-only', 'ask', 'auto'] as const
export type PermissionMode = (typeof permissionModes)[number]

/**
 * Where what a turn has read comes from. none: the person and the hub. content: files and output of the project that the person
 * chose. foreign: pages, mail, imported things, and all that was made from them. It only rises, and goes with the data.
 */
export const taints = ['none', 'content', 'foreign'] as const
export type Taint = (typeof taints)[number]

/**
 * What a call would do. Made by the tool itself from its arguments (Tool.plan), before anything runs; the same call gives the
 * same plan. Targets are canonical: a real path, an origin with its path, the argument vector.
 */
export type Plan = {
  readonly tool: string
  /** As in a pledge: fs.read, fs.write, exec, exec.network, web.read, web.send, documents.write, projects.write, ... */
  readonly capability: string
  /** What grants and rules match: `/work/shop/src/db.ts`, `https://example.org/a`, `npm test`. */
  readonly target: string
  /** What else it changes, canonical as well: where a file is moved to. Each is judged like `target`; the strictest word counts. */
  readonly also?: readonly string[]
  readonly risk: Risk
  /** Something leaves the machine: any request to elsewhere, also a read. */
  readonly outward: boolean
  /** What it changes can't be brought back by us. */
  readonly destructive: boolean
  /** It can change no file of the project, whatever it turns out to do: its sandbox holds it. */
  readonly onlyReads?: boolean
  /** For a person, each a short sentence. */
  readonly why?: string
  readonly consequences: string
  /** A diff, a command, the body to be sent: at most 20,000 characters. */
  readonly preview?: string
  readonly alternatives?: readonly string[]
  /** Hash of what the preview was made from (a file's bytes): another one later makes an approval stale. */
  readonly binding?: string
}

/** Who wants it, where, and with what on its mind. */
export type Where = {
  readonly user: string
  readonly project: string
  readonly session: SessionId
  readonly process: ProcessId
  readonly turn: TurnId
  /** The root of the chain of causes: everything that came of one request is one run. */
  readonly run: string
  readonly agent: { readonly name: string; readonly pledge: readonly string[] }
  readonly taint: Taint
}

/** The rule that decided. `level`: the precedence of DESIGN section 7, or `floor`, `mode`, `taint`, `grant`, `risk`. */
export type RuleRef = { readonly id: string; readonly level: string; readonly text: string }

export type Decision = {
  readonly effect: 'allow' | 'ask' | 'deny'
  readonly rule: RuleRef
  /** The risk after context and taint were looked at. */
  readonly risk: Risk
  /** One sentence for a person: why. */
  readonly reason: string
  /** The grant that allowed it. */
  readonly grant?: string
  /** Of an ask: the scopes that may be offered, the narrowest first; it is the default. */
  readonly scopes: readonly GrantScope[]
  /** Of an allow: nobody but the mode auto allows it, so it runs only when a reviewer finds it fine (review.ts). */
  readonly review?: boolean
  /** What else spoke, and was weaker. */
  readonly considered: readonly RuleRef[]
}

/** once: this call. step: this turn. run: all that comes of the same request. project, always: until revoked or expired. */
export const grantScopes = ['once', 'step', 'run', 'project', 'always'] as const
export type GrantScope = (typeof grantScopes)[number]

export type Grant = {
  readonly id: string
  /** The person that gave it. */
  readonly user: string
  /** An agent's name, or `*`. */
  readonly subject: string
  readonly capability: string
  /** A pattern over targets: the target itself, a prefix that ends in `/**`, an origin and `/**`, `*`. */
  readonly resource: string
  readonly scope: GrantScope
  /** What the scope is bound to: a turn, a run's root, a project's name; null for always. */
  readonly within: string | null
  /** It was given while the asking turn had that on its mind; it holds for taint up to it. */
  readonly taint: Taint
  readonly maxRisk: Risk
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The approval that it came of; null: made by the person in advance. */
  readonly approval: string | null
}

/** What is kept of an approval's request, as the data of `approval-requested`. Times are milliseconds. */
export type ApprovalRequest = {
  readonly hash: string
  readonly plan: Plan
  readonly decision: Decision
  readonly where: Where
  readonly input: JsonObject
}

/** The value of the answer to it. `resource`, `capability`: narrower than what was asked. */
export type ApprovalAnswer = {
  readonly decision: 'allow' | 'deny'
  readonly scope: GrantScope
  readonly narrow?: { readonly resource?: string; readonly expiresInMs?: number }
  readonly reason?: string
}
