// Recorded facts about HUE's permissions and its order of policies, over our own decisions. What differs stands in docs/compatibility.md.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/base/clock.ts'
import { openModels } from '../../src/models/models.ts'
import { startScriptedModel } from '../../src/models/scripted.ts'
import { decide } from '../../src/policy/decide.ts'
import { type Decision, type GrantScope, type Plan, type Risk, risks } from '../../src/policy/decision.ts'
import { covers } from '../../src/policy/grant.ts'
import { judgeApproval } from '../../src/policy/holds.ts'
import { type Level, strongest } from '../../src/policy/levels.ts'
import { requestHash } from '../../src/policy/request-hash.ts'
import { parseRules } from '../../src/policy/rule.ts'
import { command, facts, grant, plan, rules, where } from '../../src/policy/testing.ts'
import { newAnswer } from '../../src/protocol/api.ts'
import { useBench } from '../secrets/bench.ts'
import { describeShared } from '../shared.ts'

const bench = useBench()

const scopes: Readonly<Record<string, GrantScope>> = {
  once: 'once',
  current_step: 'step',
  current_run: 'run',
  project_rule: 'project',
  global_rule: 'always',
}
const permission = z.looseObject({
  id: z.string(),
  risk: z.string().optional(),
  resource: z.string().optional(),
  path: z.string().optional(),
  scope: z.string().optional(),
  when: z.string().optional(),
  worker: z.string().optional(),
  expect: z.string(),
})
type Permission = z.infer<typeof permission>

/** What is checked elsewhere, by a test of ours that names the same thing. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^pa-acp-/, 'outside agents over ACP come later; approvals.test.ts: a stopped turn takes back what it asked, a restart does not'],
]

const by = (what: Plan, given = {}): Decision => decide(what, facts(given))
const atRisk = (risk: Risk) =>
  plan({ tool: 'x', capability: 'mail.send', target: 'bob@example.org', risk, outward: risk === 'R3', preview: 'Dear Bob' })
const isRisk = (text: string | undefined): text is Risk => risks.some((risk) => risk === text)

/** What would happen, in the words of the case. */
function outcome(one: Permission): string {
  const { effect } = seen(one)
  return effect
}

function seen(one: Permission): Pick<Decision, 'effect' | 'scopes'> {
  if (one.path !== undefined) return by(plan({ capability: 'fs.read', target: pathOf(one.path), risk: 'R0' }))
  if (one.resource === 'allowed_roots' && isRisk(one.risk))
    return by(plan({ capability: 'fs.read', target: '/work/shop/a', risk: one.risk }))
  if (isRisk(one.risk)) return by(atRisk(one.risk))
  const scope = one.scope === undefined ? undefined : scopes[one.scope]
  if (scope === 'once') return by(plan(), { grants: [grant({ scope, within: where().turn })] })
  if (scope === 'run') return by(plan(), { grants: [grant({ scope, within: 'ent_of_a_run_that_is_over' })] })
  return special(one)
}

function special({ id, worker }: Permission): Pick<Decision, 'effect' | 'scopes'> {
  if (/expired/.test(id)) return by(plan(), { grants: [grant({ expiresAt: 999 })] })
  if (/revoked/.test(id)) return by(plan(), { grants: [grant({ revokedAt: 999 })] })
  if (/missing-root/.test(id))
    return by(plan({ capability: 'fs.read', target: '/work/shop/a', risk: 'R0' }), { ground: { ...facts().ground, roots: [] } })
  if (/self-expand/.test(id))
    return by(plan({ capability: 'grants.add', target: 'exec *' }), { where: where({ agent: { name: 'coder', pledge: ['*'] } }) })
  if (/undeclared-net/.test(id))
    return by(command('curl https://x.org', { capability: 'exec.network' }), {
      where: where({ agent: { name: 'plugin', pledge: ['exec'] } }),
    })
  if (/injection/.test(id))
    return by(plan({ capability: 'web.read', target: 'https://x.org', risk: 'R0', outward: true }), {
      where: where({ taint: 'foreign' }),
      mode: 'auto',
    })
  if (worker === 'reviewer') return by(plan(), { where: where({ agent: { name: 'reviewer', pledge: ['fs.read'] } }) })
  return by(plan())
}

/** What would be stored has a reference in place of the secret. */
async function checkSealed(): Promise<void> {
  const secrets = await bench().open()
  const event = await secrets.sealJson({ tool: 'exec_run', input: { env: 'export API_KEY=a1b2c3' } })
  expect(JSON.stringify(event)).not.toContain('a1b2c3')
}

/** The edge takes an option or a text, of a bounded length, and nothing beside it. */
function checkAnswers(): void {
  const isTaken = (given: object) => newAnswer.safeParse(given).success
  expect([isTaken({ text: 'yes' }), isTaken({ option: 'a' })]).toEqual([true, true])
  for (const given of [{ text: 'yes', more: 1 }, { text: 'x'.repeat(20_001) }, { text: '' }, { text: 'a', option: 'b' }, {}])
    expect(isTaken(given)).toBe(false)
}

/** A yes for another request is none: another argument, another preview, another target. */
async function checkStale(): Promise<void> {
  const [was, input] = [plan({ preview: 'one' }), { path: 'src/a.ts' }]
  const decision = by(was)
  const request = { hash: requestHash(was, input), plan: was, decision, where: where(), input }
  const answer = { decision: 'allow', scope: 'once' } as const
  const rooms = { view: { approvalsOf: async () => [], grant: async () => null }, now: () => 1_000 }
  const now = (next: Plan) => judgeApproval(rooms, { request, answer }, { plan: next, where: where(), present: by(next) })
  for (const next of [plan({ preview: 'two' }), plan({ preview: 'one', target: '/work/shop/src/b.ts' })])
    expect(await now(next)).toMatchObject({ effect: 'deny', rule: { id: 'approval.stale' } })
  const changed = { ...request, input: { path: 'src/b.ts' } }
  const judged = await judgeApproval(rooms, { request: changed, answer }, { plan: was, where: where(), present: decision })
  expect(judged).toMatchObject({ effect: 'deny', rule: { id: 'approval.stale' } })
}

/** As tools hand it over: links and `..` are resolved by then. */
function pathOf(path: string): string {
  if (path.includes('->')) return path.split('->')[1] ?? '/'
  return path.replace(/^root\/\.\.\//, '/work/').replace(/^root\//, '/work/shop/')
}

describeShared('[D4] HUE: permissions and approvals', 'hue/permissions-approvals.json', ({ rows, file }) => {
  const head = z.object({ risk_defaults: z.record(z.string(), z.string()), grant_scopes: z.array(z.string()) }).parse(file)

  test.each(Object.entries(head.risk_defaults))('[D4] %s by default: %s', (risk, said) => {
    if (!isRisk(risk)) throw new Error(`${risk} is no risk`)
    const { effect, scopes: may } = by(atRisk(risk))
    expect([/^allow/.test(said), effect === 'allow']).toEqual([effect === 'allow', /^allow/.test(said)])
    if (/strong|exceptional/.test(said)) expect(may).toEqual(['once'])
  })

  test('[D6] its scopes are ours', () => {
    expect(head.grant_scopes.map((one) => scopes[one])).toEqual(['once', 'step', 'run', 'project', 'always'])
  })

  test.each(rows.map((row) => permission.parse(row)).map((row) => [row.id, row] as const))('[D6] %s', async (id, one) => {
    if (elsewhere.some(([pattern]) => pattern.test(id))) return
    if (/redacted/.test(one.expect)) return checkSealed()
    if (/stale/.test(id)) return checkStale()
    if (/clarify/.test(id)) return checkAnswers()
    const found = outcome(one)
    if (/^allow/.test(one.expect)) return expect(found).toBe('allow')
    // Asked each time, once only: docs/compatibility.md.
    if (one.risk === 'R5') return expect(seen(one)).toMatchObject({ effect: 'ask', scopes: ['once'] })
    if (/approval|confirmation/.test(one.expect)) return expect(found).toBe('ask')
    if (/preselected/.test(one.expect)) {
      const { scopes: may } = seen(one)
      return expect(may[0]).toBe('once')
    }
    // A yes that is over leaves the question: nothing runs without a new one.
    if (/^(second denied|deny, approval\.expired|next use denied)/.test(one.expect) || one.scope === 'current_run')
      return expect(found).not.toBe('allow')
    expect(found).toBe('deny')
  })
})

const levelNames: Readonly<Record<string, Level>> = {
  user_instruction: 'instruction',
  task_run_override: 'run',
  project_policy: 'project',
  global_user_policy: 'user',
  worker_class_default: 'agent',
  system_fallback: 'system',
}
/** A chain whose first model is out of order. Its server plays the provider in the cloud too: only its marks say who is local. */
async function askChain(chain: string, options: { readonly localOnly: boolean; readonly broken: RegExp }) {
  const asked: string[] = []
  const server = await startScriptedModel({
    otherwise({ body: { model = '' } }) {
      asked.push(model)
      return options.broken.test(model) ? { status: 503 } : { text: 'from here' }
    },
  })
  const providers = { OPENAI_BASE_URL: server.url, OLLAMA_HOST: server.origin, OPENAI_API_KEY: 'sk-x', ANTHROPIC_API_KEY: 'sk-y' }
  const models = openModels({ models: { light: chain, standard: chain, deep: chain }, providers }, { clock: systemClock, retries: 0 })
  const reply = await models.stream(
    { tier: 'standard', messages: [{ role: 'user', text: 'hello' }], tools: [], localOnly: options.localOnly },
    { signal: new AbortController().signal, onText: () => {}, priority: 'person' },
  )
  await server.close()
  return { reply, asked }
}

async function checkPrivacy(wanted: unknown): Promise<void> {
  expect(wanted).toBe('local')
  const { reply, asked } = await askChain('ollama/broken,anthropic/cloud,ollama/local', { localOnly: true, broken: /broken/ })
  expect(reply).toMatchObject({ ok: true, model: 'ollama/local' })
  expect(asked).toEqual(['broken', 'local'])
}

/** Said to the person in a sentence; no other provider is asked for it. */
async function checkExhausted(): Promise<void> {
  const { reply, asked } = await askChain('ollama/one,ollama/two', { localOnly: true, broken: /./ })
  expect(reply).toMatchObject({ ok: false, message: expect.stringMatching(/./) })
  expect([...new Set(asked)]).toEqual(['one', 'two'])
}

/** What the person says now stands above the project and themselves of yesterday, part by part. */
function checkInstruction(wanted: unknown): void {
  const parts = z.record(z.string(), z.string()).parse(wanted)
  expect(strongest({ instruction: parts['review'], project: 'other' })).toBe(parts['review'])
  expect(strongest({ project: parts['other'], system: 'cloud' })).toBe(parts['other'])
  const said = [
    ...rules('instruction', 'effect: deny, capability: computer.use'),
    ...rules('project', 'effect: allow, capability: computer.*'),
  ]
  const use = plan({ tool: 'screen', capability: 'computer.use', target: 'desktop', risk: 'R1' })
  const at = where({ agent: { name: 'coder', pledge: ['computer.*'] } })
  expect(by(use, { rules: said, where: at }).effect).toBe(parts['computer_use'])
}

const precedence = z.looseObject({ id: z.string(), expect: z.unknown() })

describeShared('[D1] HUE: precedence of policies', 'hue/policy-precedence.json', ({ rows, file }) => {
  const { routing_levels_high_to_low: levels } = z.looseObject({ routing_levels_high_to_low: z.array(z.string()) }).parse(file)

  test('[D1] the levels are ours, and safety stands above them all', () => {
    expect(levels[0]).toBe('safety_legal')
    expect(levels.slice(1).map((name) => levelNames[name])).toEqual(['instruction', 'run', 'project', 'user', 'agent', 'system'])
  })

  test.each(rows.map((row) => precedence.parse(row)).map((row) => [row.id, row] as const))('[D1] %s', async (id, row) => {
    const values: Partial<Record<Level, string>> = {}
    for (const [name, level] of Object.entries(levelNames)) {
      const said = row[name]
      if (typeof said === 'string') values[level] = said.split('=').at(-1) ?? ''
    }
    if (Object.values(values).includes('<invalid>')) {
      const { faults, rules } = parseRules('rules: <invalid>', { level: 'project', place: 'policy.yaml' })
      expect(rules).toEqual([])
      return expect(by(plan({ capability: 'fs.read', risk: 'R0' }), { faults }).effect).toBe('deny')
    }
    if (Object.keys(values).length > 0) return expect(strongest(values)).toBe(row.expect)
    if ('fallbacks' in row) return checkPrivacy(row.expect)
    if (/exhausted/.test(id)) return checkExhausted()
    if ('user' in row) return checkInstruction(row.expect)
    throw new Error(`no call for the case ${id}`)
  })
})

describe('[D6] a yes reaches no further than it says', () => {
  test('[D6] in another project the grant of a project is none', () => {
    const asked = { capability: 'fs.write', target: '/work/shop/a', risk: 'R2', grave: false, now: 0 } as const
    const inShop = grant({ scope: 'project', within: 'shop' })
    expect(covers(inShop, { ...asked, where: where() })).toBe(true)
    expect(covers(inShop, { ...asked, where: where({ project: 'garden' }) })).toBe(false)
  })
})
