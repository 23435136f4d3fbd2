// Hand-offs: an artifact goes from one agent to another, and an envelope says what its bytes must be and what it is for (ECL;
// reference/eidolons.md section 2). Owns: composing and checking envelopes, contracts, gates, trace lines. Leaves where files and
// documents lie to who calls. Everything here is pure and answers hostile texts with a verdict, never with an exception.
// Others import: compose.ts, verify.ts, gate.ts, conform.ts, contract.ts, own-contracts.ts, sections.ts, trace.ts, places.ts,
// version.ts, uuid.ts, json-text.ts.
//
// K10  Who receives a hand-off verifies it before acting; what does not fit has one of seven codes.
// K11  The bytes count: SHA-256 over them, and with a key an HMAC; no key is the same as a wrong one.
// K15  What no contract declares may not be handed over.

export const performatives = [
  'REQUEST', 'INFORM', 'PROPOSE', 'CRITIQUE', 'DECIDE', 'DELEGATE', 'ACKNOWLEDGE', 'ESCALATE', 'RESUME', 'REFUSE',
] as const // biome-ignore format: one line reads better
export type Performative = (typeof performatives)[number]

export const edgeOrigins = ['roster', 'composition', 'implicit', 'emitted-request'] as const
export type EdgeOrigin = (typeof edgeOrigins)[number]
export const trustLevels = ['low', 'standard', 'high'] as const
export type TrustLevel = (typeof trustLevels)[number]
export const assertionGrades = ['unverified', 'self-attested', 'validated', 'human-reviewed'] as const
export type AssertionGrade = (typeof assertionGrades)[number]

/** A name of lower case letters, digits and "-". `human` and `orchestrator` are reserved. */
export const slug: RegExp = /^[a-z][a-z0-9-]*$/
export const hex64: RegExp = /^[0-9a-f]{64}$/

/** `version` is three numbers, or `n/a`. */
export type Party = { readonly eidolon: string; readonly version: string }

/** How sure the sender is, who checked, and what the receiver may do without asking. From 2.0 on; `verification` from 2.1 on. */
export type Ise = {
  readonly assertion_grade: AssertionGrade
  readonly provenance?: {
    readonly methodology_version: string
    readonly tool_surface?: readonly string[]
    readonly lateral_consults?: readonly { readonly eidolon: string; readonly performative: string }[]
  }
  readonly receiver_authorization?: {
    readonly auto_route?: boolean
    readonly auto_merge?: boolean
    readonly auto_deploy?: boolean
  }
  readonly verification?: {
    readonly fresh_context: boolean
    readonly checker: string
    readonly transcript_access: 'none' | 'artifact-only'
  }
}

export type Envelope = {
  readonly envelope_version: string
  readonly message_id: string
  readonly thread_id: string
  readonly parent_id: string | null
  readonly from: Party
  readonly to: Party
  readonly performative: Performative
  /** One sentence of 1 to 240 characters. */
  readonly objective: string
  readonly artifact: {
    readonly kind: string
    readonly schema_version: string
    /** Relative, without "..". */
    readonly path: string
    readonly sha256: string
    readonly size_bytes: number
  }
  readonly integrity: { readonly method: 'sha256' | 'hmac-sha256'; readonly value: string }
  readonly trace: { readonly ts: string; readonly host: string; readonly model: string; readonly tier: 'standard' | 'trance' }
  readonly edge_origin?: EdgeOrigin
  readonly context_delta?: {
    readonly token_budget: number
    readonly tokens_used: number
    readonly input_handles: readonly string[]
    readonly summary: string
  }
  readonly constraints?: { readonly deadline_ts?: string | null; readonly trust_level?: TrustLevel }
  readonly expected_response?: { readonly performative?: Performative; readonly shape_hint?: string }
  readonly confidence?: number
  readonly assumptions?: readonly string[]
  readonly ise?: Ise
}

/** What may go over one edge (`contracts/<from>-to-<to>.yaml`). */
export type Contract = {
  readonly from: string
  readonly to: string
  readonly edgeOrigin: EdgeOrigin | null
  readonly performatives: readonly Performative[]
  readonly artifacts: readonly {
    readonly kind: string
    readonly requiredSections: readonly string[]
    /** The text must point at a place: `file:line` or an address. */
    readonly evidence?: boolean
  }[]
  readonly tokenBudgetMax: number | null
  readonly trustLevel: TrustLevel | null
  /** What the envelope's `input_handles` must hold. */
  readonly requiredHandles?: readonly string[]
}

/** What the receiver may do without asking; what is false it must not do. */
export type Authorization = { readonly route: boolean; readonly merge: boolean; readonly deploy: boolean }

export const verifyFailures = [
  'INTEGRITY_MISMATCH',
  'SCHEMA_INVALID',
  'UNDECLARED_EDGE',
  'PERFORMATIVE_NOT_ALLOWED',
  'ARTIFACT_KIND_NOT_ALLOWED',
  'CONTEXT_OVER_BUDGET',
  'MISSING_REQUIRED_SECTION',
] as const
export type VerifyFailure = (typeof verifyFailures)[number]
export type Failed = { readonly ok: false; readonly code: VerifyFailure; readonly why: string }

/** `code`: of the trace (reference/eidolons.md 2.7). */
export type Verified =
  | { readonly ok: true; readonly envelope: Envelope; readonly warnings: readonly string[]; readonly authorization: Authorization }
  | Failed

/** Tokens of a text as this protocol counts them: a token for four characters, a begun one counts. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}

/** What nobody said: it may be routed on, neither merged nor deployed. */
export function authorizationOf({ ise }: Pick<Envelope, 'ise'>): Authorization {
  const { auto_route = true, auto_merge = false, auto_deploy = false } = ise?.receiver_authorization ?? {}
  return { route: auto_route, merge: auto_merge, deploy: auto_deploy }
}
