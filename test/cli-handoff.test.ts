// `steward handoff` over real files, without a hub.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { reportText, sampleEnvelope, sampleText } from '../src/work/envelope/testing.ts'
import { newPlace, type Place } from './program.ts'

const contract = `contract_version: "1.0"
from: scout
to: planner
edge_origin: roster
performatives_allowed: [PROPOSE]
artifacts: [{kind: scout-report, schema_ref: scout-report.v1.json, required_sections: [findings, gaps]}]
context_delta: {token_budget_max: 4000}
`
const envelopeName = 'scout-report.md.envelope.json'
const key = 'k'.repeat(32)

let place: Place
let folder: string
beforeEach(() => {
  place = newPlace()
  folder = join(dirname(place.home), 'run')
  mkdirSync(join(folder, 'contracts'), { recursive: true })
  write('contracts/scout-to-planner.yaml', contract)
  write('scout-report.md', reportText)
  write(envelopeName, sampleText())
})
afterEach(() => place.remove())

function write(name: string, text: string | Uint8Array): void {
  writeFileSync(join(folder, name), text)
}

async function handoff(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, out, err } = await place.run(['handoff', ...args, '--json'], { env })
  return { code, value: JSON.parse(out), err }
}

describe('verify', () => {
  const file = () => join(folder, envelopeName)

  test('[K24] a whole hand-off ends with 0, a changed one with 3 in block mode only', async () => {
    expect(await handoff(['verify', file(), '--mode', 'block'])).toMatchObject({ code: 0, value: { verdict: 'pass', blocked: false } })
    write('scout-report.md', reportText.replace('12', '13'))
    expect(await handoff(['verify', file()])).toMatchObject({ code: 0, value: { verdict: 'tamper', blocked: false } })
    expect(await handoff(['verify', file(), '--mode', 'block'])).toMatchObject({ code: 3, value: { verdict: 'tamper', blocked: true } })
    const { out } = await place.run(['handoff', 'verify', file(), '--mode', 'block'])
    expect(out).toBe('tamper: The artifact is not the one that the envelope was made for.\nBlocked.\n')
  })

  test('[K24] with contracts everything counts that a receiver asks', async () => {
    const args = ['verify', file(), '--contracts', join(folder, 'contracts'), '--mode', 'block']
    expect(await handoff(args)).toMatchObject({ code: 0, value: { verified: { ok: true, authorization: { merge: false } } } })
    expect(await handoff([...args, '--target', '1.0'])).toMatchObject({ code: 3, value: { verified: { code: 'SCHEMA_INVALID' } } })
    write('contracts/scout-to-planner.yaml', contract.replace('PROPOSE', 'INFORM'))
    expect(await handoff(args)).toMatchObject({ code: 3, value: { verified: { code: 'PERFORMATIVE_NOT_ALLOWED' } } })
    write('contracts/scout-to-planner.yaml', contract.replace('PROPOSE', 'SHOUT'))
    const broken = await handoff(args)
    expect(broken).toMatchObject({ code: 3, value: { verdict: 'pass', verified: { code: 'UNDECLARED_EDGE' } } })
    expect(broken.err).toContain('scout-to-planner.yaml, line 5: performatives_allowed.0')
  })

  test('[K11] an HMAC passes with its key, and only with it', async () => {
    write(envelopeName, sampleText({}, { key }))
    const args = ['verify', file(), '--contracts', join(folder, 'contracts'), '--mode', 'block']
    expect(await handoff(args, { ECL_HMAC_KEY: key })).toMatchObject({ code: 0, value: { verified: { ok: true } } })
    expect(await handoff(args)).toMatchObject({ code: 3, value: { verified: { code: 'INTEGRITY_MISMATCH' } } })
    expect(await handoff(['verify', file(), '--mode', 'block'])).toMatchObject({ code: 3, value: { verdict: 'unsupported_algo' } })
  })

  test('[K24] what is no envelope ends with 2, what is not there and wrong use with a sentence', async () => {
    write(envelopeName, Buffer.from([0xff, 0xfe, 0x7b]))
    expect(await handoff(['verify', file()])).toMatchObject({ code: 2, value: { verdict: 'malformed' } })
    expect(await handoff(['verify', join(folder, 'none.json')])).toMatchObject({ code: 1, value: { error: { code: 'not_found' } } })
    expect(await handoff(['verify', file(), '--mode', 'maybe'])).toMatchObject({ code: 1, value: { error: { path: 'mode' } } })
    expect(await handoff(['verify', file(), '--contracts', folder, '--target', '9'])).toMatchObject({
      code: 1,
      value: { error: { path: 'target' } },
    })
  })

  test('[K20] neither a path nor a link leads out of the folder', async () => {
    writeFileSync(join(folder, '..', 'outside.md'), reportText)
    const { artifact } = sampleEnvelope()
    for (const path of ['../outside.md', join(folder, '..', 'outside.md')]) {
      write('handoff.envelope.json', sampleText({ artifact: { ...artifact, path } }))
      expect(await handoff(['verify', join(folder, 'handoff.envelope.json')])).toMatchObject({ value: { verdict: 'missing_payload' } })
    }
    symlinkSync(join(folder, '..', 'outside.md'), join(folder, 'link.md'))
    write('link.md.envelope.json', sampleText({ artifact: { ...artifact, path: 'link.md' } }))
    expect(await handoff(['verify', join(folder, 'link.md.envelope.json')])).toMatchObject({ value: { verdict: 'missing_payload' } })
  })
})

describe('check', () => {
  test('[K24] each envelope below the folder is checked, and the worst is the code', async () => {
    expect(await handoff(['check', folder])).toMatchObject({ code: 0, value: { exit: 0, envelopes: [{ file: envelopeName, exit: 0 }] } })
    mkdirSync(join(folder, 'deep', 'er'), { recursive: true })
    write('deep/er/scout-report.md', reportText)
    write(`deep/er/${envelopeName}`, sampleText({ edge_origin: undefined }))
    expect(await handoff(['check', folder])).toMatchObject({ code: 4 })
    write('broken.envelope.json', '{')
    const { code, out } = await place.run(['handoff', 'check', folder])
    expect(code).toBe(2)
    expect(out.split('\n')).toEqual([
      'FAIL  broken.envelope.json',
      '      fail E-1 (MUST): it is not JSON',
      `warn  deep/er/${envelopeName}`,
      '      warn E-7 (SHOULD): edge_origin is missing',
      `ok    ${envelopeName}`,
      '',
      '3 envelopes: 1 kept all gates, 1 with warnings, 1 failed (exit 2).',
      '',
    ])
  })

  test('[K24] without contracts beside it, a folder is checked against those of the bundled agents', async () => {
    rmSync(join(folder, 'contracts'), { recursive: true })
    write(envelopeName, sampleText({ performative: 'INFORM', edge_origin: 'composition' }))
    expect(await handoff(['check', folder])).toMatchObject({ code: 0 })
    write(envelopeName, sampleText({ from: { eidolon: 'stranger', version: '1.0.0' } }))
    const { out } = await place.run(['handoff', 'check', folder])
    expect(out).toContain('fail C-1 (MUST): no contract from "stranger" to "planner"')
  })

  test('[K24] a folder says which version it speaks; the option says it louder', async () => {
    write('ECL_VERSION', '1.0\n')
    expect(await handoff(['check', folder])).toMatchObject({ code: 2 })
    expect(await handoff(['check', folder, '--target', '2.1'])).toMatchObject({ code: 0 })
  })

  test('[K24] nothing to check is told', async () => {
    expect(await handoff(['check', join(folder, 'contracts')])).toMatchObject({ code: 1, value: { error: { code: 'not_found' } } })
    expect(await handoff(['check', join(folder, 'nowhere')])).toMatchObject({ code: 1, value: { error: { code: 'not_found' } } })
  })
})
