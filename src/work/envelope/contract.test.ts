import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../base/root.ts'
import { contractPath, contractsOf, parseContract } from './contract.ts'
import { human, orchestrator, parseHandoffs } from './own-contracts.ts'
import { sampleText } from './testing.ts'
import { humanPerformatives, verifyHandoff } from './verify.ts'

const whole = `contract_version: "1.0"
from: scout
to: planner
edge_origin: roster
performatives_allowed: [PROPOSE, INFORM]
artifacts:
  - kind: scout-report
    schema_ref: scout-report.v1.json
    required_sections: [findings]
    evidence_anchor_required: true
context_delta: {token_budget_max: 4000, required_handles: [mission.md]}
trust_level: high
`

describe('contracts', () => {
  test('[K15] a contract is read whole', () => {
    expect(parseContract(whole)).toEqual({
      ok: true,
      contract: {
        ...{ from: 'scout', to: 'planner', edgeOrigin: 'roster', performatives: ['PROPOSE', 'INFORM'] },
        artifacts: [{ kind: 'scout-report', requiredSections: ['findings'], evidence: true }],
        ...{ tokenBudgetMax: 4000, requiredHandles: ['mission.md'], trustLevel: 'high' },
      },
    })
  })

  test.each([
    ['a version of another kind', whole.replace('"1.0"', '1.0'), 1, 'contract_version'],
    ['an unknown performative', whole.replace('INFORM', 'SHOUT'), 5, 'performatives_allowed.1'],
    ['one that stands there twice', whole.replace('INFORM', 'PROPOSE'), 5, 'twice'],
    ['an unknown member', `${whole}until: tomorrow\n`, 1, 'until'],
    ['no artifact', whole.replace(/artifacts:[\s\S]*true\n/, 'artifacts: []\n'), 6, 'artifacts'],
    ['an implicit edge without a reason', whole.replace('roster', 'implicit'), 1, 'notes'],
    ['a negative budget', whole.replace('4000', '-1'), 11, 'token_budget_max'],
    ['a key twice', `${whole}from: scout\n`, 13, 'YAML'],
    ['a list', '- a\n', 1, 'no map'],
    ['nothing', '', 1, 'no map'],
  ])('[K15] %s is a fault with its line', (_, text, line, why) => {
    expect(parseContract(text)).toMatchObject({ ok: false, line, why: expect.stringContaining(why) })
  })

  test.each([
    ['long', `notes: "${'x'.repeat(100_000)}"`],
    ['deep', '['.repeat(60_000)],
    ['deep maps', Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['bombs', `a: &a [${'1,'.repeat(50)}]\n${Array.from({ length: 20 }, (_, at) => `b${at}: [${'*a,'.repeat(100)}]`).join('\n')}`],
    ['__proto__', `${whole}__proto__: {x: 1}\n`],
    ['NUL', whole.replace('scout\n', '"sc\\0ut"\n')],
  ])('[K23] a hostile contract (%s) is a fault', (_, text) => {
    const began = performance.now()
    expect(parseContract(text).ok).toBe(false)
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  test('[K15] a folder of contracts names what is wrong in it, and keeps the rest', () => {
    const good = { path: contractPath('scout', 'planner'), text: whole }
    const contracts = contractsOf([
      good,
      { path: 'contracts/scout-to-coder.yaml', text: whole },
      { path: 'contracts/second.yaml', text: whole },
      { path: 'contracts/broken.yaml', text: 'from: [' },
    ])
    expect(contracts.of('scout', 'planner')?.trustLevel).toBe('high')
    expect(contracts.of('scout', 'coder')).toBeNull()
    expect(contracts.all).toHaveLength(1)
    expect(contracts.faults.map((one) => one.message)).toEqual([
      expect.stringContaining('contracts/broken.yaml, line 1: the YAML'),
      'contracts/scout-to-coder.yaml: its name says another edge than it does: scout to planner.',
      'contracts/second.yaml: another contract declares the edge from scout to planner already.',
    ])
  })
})

const bundled = readFileSync(join(packageRoot, 'bundled', 'handoffs.yaml'), 'utf8')
const order = ['scout', 'debugger', 'reasoner', 'planner', 'coder', 'executor', 'scriber']

function own() {
  const read = parseHandoffs(bundled)
  if (!read.ok) throw new Error(`line ${read.line}: ${read.why}`)
  return read.handoffs
}

describe("the hub's own contracts", () => {
  test('[K21] whatever classes a message triggers, each step may hand to the next', () => {
    const handoffs = own()
    const seat = (of: string) => ({ name: `my-${of}`, class: of })
    for (let subset = 1; subset < 2 ** order.length; subset++) {
      const steps = [orchestrator, ...order.filter((_, at) => (subset >> at) & 1).map(seat), orchestrator]
      for (const [at, to] of steps.entries()) {
        const from = steps[at - 1]
        if (from === undefined) continue
        const contract = handoffs.contract(from, to)
        expect(contract, `${from.name} to ${to.name}`).toMatchObject({ from: from.name, to: to.name })
        expect(contract?.artifacts[0]?.kind).toBe(handoffs.result(from.class))
        expect(contract?.performatives).toContain('INFORM')
      }
    }
  })

  test("[K21] what the hub's own agents say they hand over is what their contracts take", () => {
    const handoffs = own()
    const seen: string[] = []
    for (const file of readdirSync(join(packageRoot, 'bundled', 'agents'))) {
      const text = readFileSync(join(packageRoot, 'bundled', 'agents', file), 'utf8')
      const [, of = ''] = /^class: (\S+)$/m.exec(text) ?? []
      const [, kind, sections = ''] = /artifact: \{kind: ([a-z-]+), sections: \[(.*?)\]\}/.exec(text) ?? []
      if (kind === undefined || handoffs.result(of) === null) continue
      expect(kind, file).toBe(handoffs.result(of))
      const own = sections.toLowerCase().split(', ')
      for (const wanted of handoffs.sections(kind)) expect(own, file).toContain(wanted)
      seen.push(of)
    }
    expect(new Set(seen).size).toBe(order.length + 1)
  })

  test('[K21] executor and generalist never decide, delegate, criticise or ask for themselves', () => {
    const handoffs = own()
    for (const from of ['executor', 'generalist']) {
      for (const to of ['orchestrator', ...order]) {
        const contract = handoffs.contract({ name: from, class: from }, { name: to, class: to })
        for (const verb of ['DECIDE', 'DELEGATE', 'CRITIQUE', 'REQUEST'] as const) expect(contract?.performatives).not.toContain(verb)
      }
    }
    expect(handoffs.contract({ name: 'g', class: 'generalist' }, { name: 'c', class: 'coder' })?.edgeOrigin).toBe('emitted-request')
  })

  test('[K21] a person only says what people say', () => {
    expect(own().contract(human, { name: 'scout', class: 'scout' })?.performatives).toEqual(humanPerformatives)
  })

  test('[K21] an unknown class, and a name that is no slug, have no contract', () => {
    const handoffs = own()
    expect(handoffs.contract({ name: 'a', class: 'poet' }, orchestrator)).toBeNull()
    expect(handoffs.contract({ name: 'a_b', class: 'scout' }, orchestrator)).toBeNull()
    expect(handoffs.contract(orchestrator, orchestrator)).toBeNull()
    expect(handoffs.result('poet')).toBeNull()
    expect(handoffs.result('constructor')).toBeNull()
    expect(handoffs.sections('spec')).toEqual(['goal', 'steps', 'acceptance'])
  })

  test('[K21] the sections that a contract asks for are asked for', () => {
    const contract = own().contract({ name: 'scout', class: 'scout' }, { name: 'planner', class: 'planner' })
    const bytes = Buffer.from('## Findings\nsrc/a.ts:1\n')
    const artifact = { kind: 'scout-report', path: 'scout-report.md', bytes }
    const verified = verifyHandoff({
      envelopeText: sampleText({}, { artifact, edgeOrigin: 'composition' }),
      payload: () => bytes,
      contract,
    })
    expect(verified).toEqual({ ok: false, code: 'MISSING_REQUIRED_SECTION', why: 'The scout-report lacks: gaps.' })
  })

  test.each([
    ['an artifact that nobody described', bundled.replace('scout: scout-report', 'scout: poem'), 'no artifact is called poem'],
    ['another one on an edge', bundled.replace('also: [reasoning-request]', 'also: [poem]'), 'no artifact is called poem'],
    ['a sender without a result', bundled.replace('  planner: spec\n', ''), 'results does not say what planner makes'],
    ['an unknown member', `${bundled}more: 1\n`, 'more'],
  ])('[K21] %s is named', (_, text, why) => {
    expect(parseHandoffs(text)).toMatchObject({ ok: false, why: expect.stringContaining(why) })
  })
})
