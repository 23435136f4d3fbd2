// A hand-off between two agents: an artifact and the envelope that goes with it (ECL; reference/eidolons.md section 2). The envelope
// says what the bytes must be; who receives it checks before acting.

export const performatives = [
  'REQUEST', 'INFORM', 'PROPOSE', 'CRITIQUE', 'DECIDE', 'DELEGATE', 'ACKNOWLEDGE', 'ESCALATE', 'RESUME', 'REFUSE',
] as const // biome-ignore format: one line reads better
export type Performative = (typeof performatives)[number]

export type Party = { readonly eidolon: string; readonly version: string }

export type Envelope = {
  readonly envelope_version: string
  readonly message_id: string
  readonly thread_id: string
  readonly parent_id: string | null
  readonly from: Party
  readonly to: Party
  readonly performative: Performative
  readonly objective: string
  readonly artifact: {
    readonly kind: string
    readonly schema_version: string
    readonly path: string
    readonly sha256: string
    readonly size_bytes: number
  }
  readonly integrity: { readonly method: 'sha256' | 'hmac-sha256'; readonly value: string }
  readonly trace: { readonly ts: string; readonly host: string; readonly model: string; readonly tier: 'standard' | 'trance' }
  readonly edge_origin?: 'roster' | 'composition' | 'implicit' | 'emitted-request'
  readonly context_delta?: {
    readonly token_budget: number
    readonly tokens_used: number
    readonly input_handles: readonly string[]
    readonly summary: string
  }
  readonly constraints?: { readonly deadline_ts?: string; readonly trust_level: 'low' | 'standard' | 'high' }
  readonly expected_response?: { readonly performative: Performative; readonly shape_hint?: string }
  readonly confidence?: number
  readonly assumptions?: readonly string[]
  readonly ise?: Readonly<Record<string, unknown>>
}

/** What may go over one edge (`contracts/<from>-to-<to>.yaml`). */
export type Contract = {
  readonly from: string
  readonly to: string
  readonly edgeOrigin: Envelope['edge_origin'] | null
  readonly performatives: readonly Performative[]
  readonly artifacts: readonly { readonly kind: string; readonly requiredSections: readonly string[] }[]
  readonly tokenBudgetMax: number | null
  readonly trustLevel: 'low' | 'standard' | 'high' | null
}

/** `code`: of the trace (reference/eidolons.md 2.7). */
export type Verified =
  | { readonly ok: true; readonly envelope: Envelope; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly code: VerifyFailure; readonly why: string }
export type VerifyFailure =
  | 'INTEGRITY_MISMATCH'
  | 'SCHEMA_INVALID'
  | 'UNDECLARED_EDGE'
  | 'PERFORMATIVE_NOT_ALLOWED'
  | 'ARTIFACT_KIND_NOT_ALLOWED'
  | 'CONTEXT_OVER_BUDGET'
  | 'MISSING_REQUIRED_SECTION'
