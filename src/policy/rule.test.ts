import { describe, expect, test } from 'vitest'
import { classPledge, effectivePledge, intersect, isPledged, narrowPledge } from './capability.ts'
import { parseRules } from './rule.ts'

const source = { level: 'project', place: 'policy.yaml (project shop)' } as const
const faultsOf = (text: string) => parseRules(text, source).faults.map(({ line, message }) => `${line} ${message}`)

describe('policy documents', () => {
  test('[D2] a document becomes rules of its level', () => {
    const { rules, faults } = parseRules(
      'rules:\n  - id: no-deploy\n    effect: deny\n    capability: exec\n    resource: npm run deploy\n    reason: Deploys are made by Bob.\n  - {id: docs, effect: allow, capability: fs.write, resource: /work/shop/docs/**, risk: R2}\n',
      source,
    )
    expect(faults).toEqual([])
    expect(rules.map(({ id, effect, risk, text }) => [id, effect, risk, text])).toEqual([
      ['project.no-deploy', 'deny', 'R0', 'Deploys are made by Bob.'],
      ['project.docs', 'allow', 'R2', 'policy.yaml (project shop): allow fs.write on /work/shop/docs/**'],
    ])
  })

  test('[D2] an empty one says nothing', () => {
    for (const text of ['', '# nothing yet\n', 'rules: []\n', '{}']) expect(parseRules(text, source)).toEqual({ rules: [], faults: [] })
  })

  test.each([
    ['rules: [', 1, "the YAML can't be read"],
    ['rules:\n  - id: a\n    effect: permit\n    capability: exec\n', 3, 'rule "a": effect is one of deny, ask, allow'],
    ['rules:\n  - {id: a, effect: deny, capability: exec}\n  - {id: b, effect: deny}\n', 3, 'rule "b": capability is missing'],
    [
      'rules:\n  - {id: a, effect: deny, capability: exec, path: /x}\n',
      2,
      'unknown "path"; allowed are id, effect, capability, resource, agent, risk, reason',
    ],
    ['rules:\n  - {id: a, effect: allow, capability: exec, risk: R5}\n', 2, 'allowed is R3 at most'],
    [
      'rules:\n  - {id: a, effect: deny, capability: fs.write, resource: "/work/*.ts"}\n',
      2,
      'allowed are a target itself, a prefix that ends in "/**"',
    ],
    ['rules:\n  - {id: a, effect: deny, capability: exec}\n  - {id: a, effect: deny, capability: exec}\n', 3, 'rule "a" is there twice'],
    ['rule: []\n', 1, 'unknown "rule"; allowed are rules'],
    ['- a\n', 1, 'the document is missing or of the wrong kind'],
    ['rules: 5\n', 1, 'rules is missing or of the wrong kind; a array is needed'],
    ['rules:\n  - just a text\n', 2, 'rule 1: it is missing or of the wrong kind'],
  ])('[D2] %j is wrong on line %i', (text, line, why) => {
    const set = parseRules(text, source)
    expect(set.rules).toEqual([])
    expect(set.faults[0]?.line).toBe(line)
    expect(faultsOf(text).join('\n')).toContain(why)
    expect(set.faults[0]?.message).toMatch(/^policy\.yaml \(project shop\), line \d+: .*\.$/)
  })
})

describe('pledges', () => {
  test('[D5] narrowed by the parent and the session, never widened', () => {
    expect(effectivePledge(['fs.*', 'exec'], ['fs.read', 'web.read'], null)).toEqual(['fs.read'])
    expect(effectivePledge(['fs.read'], ['fs.*'], ['*'])).toEqual(['fs.read'])
    expect(intersect(['a.*'], ['b.*'])).toEqual([])
    expect(isPledged([], 'none')).toBe(true)
    expect(isPledged(['fs.*'], 'fsx.read')).toBe(false)
    expect(narrowPledge(['fs.*', 'exec'], ['fs.read'])).toEqual(['fs.read'])
    expect(narrowPledge(['vault.write'], ['vault.write.import'])).toEqual(['vault.write.import'])
    expect(isPledged(['exec'], 'exec.network')).toBe(false)
    expect(() => narrowPledge(['fs.read'], ['fs.write'])).toThrow(
      'A pledge is only ever narrowed: fs.write is not among what is held (fs.read).',
    )
  })

  test('[D5] a class that nobody knows may look, and a prototype is no class', () => {
    expect(classPledge('poet')).toEqual(['fs.read'])
    expect(classPledge('constructor')).toEqual(['fs.read'])
  })
})
