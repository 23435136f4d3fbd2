// The conformance checker over recorded envelopes: every gate with its level, what fails, what is warned of, and the exit code.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { conform, exitOf } from '../../src/work/envelope/conform.ts'
import { type Contracts, contractsOf } from '../../src/work/envelope/contract.ts'
import { verifyHandoff } from '../../src/work/envelope/verify.ts'
import { describeShared, sharedFolder } from '../shared.ts'

type Case = {
  readonly id: string
  readonly envelope: Readonly<Record<string, unknown>> | null
  readonly envelope_raw?: string | null
  readonly artifact_text: string | null
  readonly artifact_filename: string
  readonly hmac_key: string | null
  readonly expect: {
    readonly exit: number
    readonly fails: readonly string[]
    readonly warns: readonly string[]
    readonly gates?: Readonly<Record<string, { readonly level: string; readonly status: string }>>
  }
}

function recordedContracts(): Contracts {
  const folder = join(sharedFolder, 'data', 'eidolons', 'contracts')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.yaml')) : []
  return contractsOf(names.map((name) => ({ path: name, text: readFileSync(join(folder, name), 'utf8') })))
}

function textOf({ envelope, envelope_raw }: Case): string {
  return envelope_raw ?? (envelope === null ? '{ broken' : JSON.stringify(envelope))
}

describeShared('[K19] conformance of envelopes', 'eidolons/ecl-conformance.json', ({ rows }) => {
  const contracts = recordedContracts()
  const cases = rows as readonly Case[]

  test('[K15] all recorded contracts can be read', () => {
    expect(contracts.faults).toEqual([])
    expect(contracts.all).toHaveLength(62)
  })

  test.each(cases.map((one) => [one.id, one] as const))('[K19] %s', (_, one) => {
    const checks = conform({
      envelopeText: textOf(one),
      payload: ({ path }) => (one.artifact_text !== null && path === one.artifact_filename ? Buffer.from(one.artifact_text) : null),
      contractOf: contracts.of,
      key: one.hmac_key,
    })
    const withStatus = (status: string) => checks.filter((check) => check.status === status).map((check) => check.id)
    expect(withStatus('fail').toSorted()).toEqual(one.expect.fails.toSorted())
    expect(withStatus('warn').toSorted()).toEqual(one.expect.warns.toSorted())
    expect(exitOf(checks)).toBe(one.expect.exit)
    const gates = Object.fromEntries(checks.map(({ id, level, status }) => [id, { level, status }]))
    if (one.expect.gates) expect(gates).toEqual(one.expect.gates)
  })

  // The receiver is stricter than the checker, never laxer: what fails a MUST is never taken.
  test.each(cases.map((one) => [one.id, one] as const))('[K10] %s: a receiver takes nothing that fails a MUST', (_, one) => {
    const edge = (name: 'from' | 'to') => {
      const party = one.envelope?.[name]
      return typeof party === 'object' && party !== null && 'eidolon' in party ? String(party.eidolon) : ''
    }
    const verified = verifyHandoff({
      envelopeText: textOf(one),
      payload: (path) => (one.artifact_text !== null && path === one.artifact_filename ? Buffer.from(one.artifact_text) : null),
      contract: contracts.of(edge('from'), edge('to')),
      key: one.hmac_key,
    })
    if (one.expect.exit === 2) expect(verified.ok).toBe(false)
  })
})
