// The orchestrator's gate over recorded envelopes: verdict, exit code, and whether it blocks.
import { expect, test } from 'vitest'
import { type GateMode, gate } from '../../src/work/envelope/gate.ts'
import { describeShared } from '../shared.ts'

type Case = {
  readonly id: string
  readonly envelope: Readonly<Record<string, unknown>> | null
  readonly envelope_raw: string | null
  readonly artifact_text: string | null
  readonly artifact_filename: string
  readonly mode: GateMode
  readonly expect: { readonly verdict: string; readonly exit: number; readonly blocked: boolean | null }
}

describeShared('[K18] the gate', 'eidolons/ecl-verify-gate.json', ({ rows }) => {
  test.each((rows as readonly Case[]).map((one) => [one.id, one] as const))('[K18] %s', (_, one) => {
    const result = gate({
      envelopeText: one.envelope_raw ?? JSON.stringify(one.envelope),
      envelopeName: `${one.artifact_filename}.envelope.json`,
      payload: ({ path }) => (one.artifact_text !== null && path === one.artifact_filename ? Buffer.from(one.artifact_text) : null),
      mode: one.mode,
    })
    expect(result).toMatchObject({ verdict: one.expect.verdict, exit: one.expect.exit })
    if (one.expect.blocked !== null) expect(result.blocked).toBe(one.expect.blocked)
  })
})
