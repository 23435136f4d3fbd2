// For tests: a hand-off that fits, and its parts to change.
import { composeEnvelope, envelopeText, type Given } from './compose.ts'
import type { Contract, Envelope } from './envelope.ts'
import { uuids } from './uuid.ts'
import type { Incoming } from './verify.ts'

export const reportText = '# Report\n\n## Findings\nsrc/shop.ts:12 adds the tax twice.\n\n## Gaps\nNone.\n'

export const sampleContract: Contract = {
  from: 'scout',
  to: 'planner',
  edgeOrigin: 'roster',
  performatives: ['PROPOSE', 'INFORM', 'REFUSE', 'ESCALATE', 'ACKNOWLEDGE'],
  artifacts: [{ kind: 'scout-report', requiredSections: ['findings', 'gaps'], evidence: true }],
  tokenBudgetMax: 4000,
  trustLevel: 'standard',
}

export const sampleGiven: Given = {
  from: { eidolon: 'scout', version: '1.0.0' },
  to: { eidolon: 'planner', version: '1.0.0' },
  performative: 'PROPOSE',
  objective: 'Plan the repair of the tax.',
  artifact: { kind: 'scout-report', path: 'scout-report.md', bytes: Buffer.from(reportText) },
  edgeOrigin: 'roster',
  trace: { host: 'steward', model: 'example', tier: 'standard' },
  context: { budget: 4000, summary: 'The tax is added twice.' },
}

/** 2026-11-30T12:00:00Z, and bytes that count up. */
export function sampleSource() {
  let count = 0
  const now = () => Date.UTC(2026, 10, 30, 12)
  return { now, newUuid: uuids({ now, random: (bytes) => new Uint8Array(bytes).fill(++count) }) }
}

export function sampleEnvelope(change: Partial<Given> = {}): Envelope {
  return composeEnvelope({ ...sampleGiven, ...change }, sampleSource())
}

/** The envelope as text, with members replaced; `undefined` takes one away. */
export function sampleText(change: Readonly<Record<string, unknown>> = {}, given: Partial<Given> = {}): string {
  return JSON.stringify({ ...sampleEnvelope(given), ...change })
}

export function incoming(change: Partial<Incoming> = {}): Incoming {
  const payload = (path: string) => (path === 'scout-report.md' ? Buffer.from(reportText) : null)
  return { envelopeText: envelopeText(sampleEnvelope()), payload, contract: sampleContract, ...change }
}
