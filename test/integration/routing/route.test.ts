// Who a text goes to, over HTTP: the order in which it is asked, what a place changes, wrong input.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRoutingHub, type RoutingHub } from './bench.ts'

let hub: RoutingHub
beforeAll(async () => {
  hub = await openRoutingHub()
})
afterAll(() => hub.close())

const table = {
  routing_version: '1.1',
  thresholds: { tau_standard: 0.6, chain_floor: 0.6 },
  eidolons: {
    finder: { capability_class: 'scout', suggested_tier: 'standard', trigger_verbs: ['map'], refuse_verbs: ['fix'], downstream: [] },
    mender: { capability_class: 'coder', suggested_tier: 'deep', trigger_verbs: ['fix'], refuse_verbs: [], downstream: [] },
  },
}

describe('the order', () => {
  test('[R20] a mention goes before keywords, a rule before keywords, keywords before the cortex; what was dropped is told', async () => {
    const rules = 'keywords: {data: [vault, note], agenda: [calendar]}\nrules: [{id: mine, when: [vault, fix], to: agenda}]\n'
    expect((await hub.write('routing.yaml', rules, 'shop')).status).toBe(200)
    const at = async (text: string) => (await hub.route(text, { project: 'shop' })).json
    expect(await at('@zeno fix the vault')).toMatchObject({ decision: 'dispatch', by: 'mention', selected: ['data'], confidence: 1 })
    expect(await at('fix the vault')).toMatchObject({ decision: 'dispatch', by: 'rule', selected: ['agenda'] })
    const byKeywords = await at('fix the note')
    expect(byKeywords).toMatchObject({
      decision: 'dispatch',
      by: 'keywords',
      selected: ['data'],
      confidence: 0.5,
      thresholds: { keywords: 0.3 },
    })
    expect(byKeywords.dropped.map(({ what }: { what: string }) => what)).toEqual(expect.arrayContaining([expect.stringContaining('coder')]))
    expect(await at('fix the login page')).toMatchObject({ decision: 'dispatch', by: 'cortex', selected: ['coder'] })
    expect(await at('good evening')).toMatchObject({ decision: 'leave', by: null, selected: [] })
  })

  test('[R21] the first mention in the text wins, and the others are told', async () => {
    const { json } = await hub.route('@cato and @atlas, please')
    expect(json).toMatchObject({ by: 'mention', selected: ['agenda'] })
    expect(json.dropped[0]).toMatchObject({ what: 'scout', why: expect.stringContaining('first mention') })
    expect((await hub.route('mail bob@zeno.org')).json).toMatchObject({ by: null })
  })

  test('[R20] the same text, roster and rules give the same bytes; each of the three changes a version', async () => {
    const [one, two] = [await hub.route('fix it', { project: 'shop' }), await hub.route('fix it', { project: 'shop' })]
    expect(one.text).toBe(two.text)
    expect(one.json.rosterVersion).toMatch(/^[0-9a-f]{16}$/)
    expect(one.json.rulesVersion).toMatch(/^[0-9a-f]{16}$/)
    const home = await hub.route('fix it')
    expect(home.json.rosterVersion).toBe(one.json.rosterVersion)
    expect(home.json.rulesVersion).not.toBe(one.json.rulesVersion)
    await hub.write('agents/late.md', '---\nname: late\nclass: late\n---\nI came late.\n', 'shop')
    expect((await hub.route('fix it', { project: 'shop' })).json.rosterVersion).not.toBe(one.json.rosterVersion)
    expect((await hub.route('@late hello', { project: 'shop' })).json.selected).toEqual(['late'])
    expect((await hub.route('@late hello')).json.selected).toEqual([])
  })

  test('[R20] in a session its leader and its open question count', async () => {
    const session = await hub.session()
    await hub.say(session, 'question')
    expect((await hub.route('fix it', { session })).json).toMatchObject({ by: 'question', decision: 'dispatch', selected: ['quick'] })
    expect((await hub.route('@atlas fix it', { session })).json).toMatchObject({ by: 'mention', selected: ['scout'] })
    expect((await hub.route('fix it')).json).toMatchObject({ by: 'cortex', selected: ['coder'] })
    expect((await hub.route('x', { session: 'ses_01KB8T2K3XAAAAAAAAAAAAAAAA' })).status).toBe(404)
    expect((await hub.route('x', { session, project: 'shop' })).json).toMatchObject({ code: 'invalid', path: '/project' })
  })
})

describe('what a place changes', () => {
  test('[R22] a wrong document is named with its line and changes nothing; mended it holds at once', async () => {
    await hub.ask('POST', '/api/projects', { name: 'garden' })
    await hub.write('routing.yaml', 'keywords: {data: [seed]}\n', 'garden')
    const by = async () => (await hub.route('seed', { project: 'garden' })).json.by
    expect(await by()).toBe('keywords')
    await hub.write('routing.yaml', 'keywords: {data: [seed]}\ntresholds: {}\n', 'garden')
    expect(await by()).toBeNull()
    const rules = (await hub.ask('GET', '/api/route/rules?project=garden')).json
    expect(rules.faults).toEqual([
      expect.stringContaining('routing.yaml (project garden), line 2: the document has the unknown "tresholds"'),
    ])
    await hub.write('routing.yaml', 'routing: direct\nkeywords: {data: [seed], nobody: [plant]}\n', 'garden')
    expect(await by()).toBe('keywords')
    expect((await hub.ask('GET', '/api/route/rules?project=garden')).json).toMatchObject({
      mode: 'direct',
      items: [],
      faults: ['The keywords of "nobody" do nothing: nobody here is called so.'],
    })
  })

  test('[R22] the setting goes before the documents', async () => {
    const mode = async () => (await hub.ask('GET', '/api/route/rules?project=garden')).json.mode
    await hub.ask('PUT', '/api/settings/routing?project=garden', { value: 'hint' })
    expect(await mode()).toBe('hint')
    await hub.ask('PUT', '/api/settings/routing?project=garden', { value: null })
    expect(await mode()).toBe('direct')
  })
})

describe('a table from elsewhere', () => {
  test('[R27] strict gives the source’s own members, as text and as JSON; default gives a route', async () => {
    const strict = await hub.route('map the login flow', { roster: table, mode: 'strict' })
    expect(strict.json).toMatchObject({ decision: 'dispatch', selected: ['finder'], confidence: 0.8, refusal_rerouting: false })
    expect(strict.json).not.toHaveProperty('_scores')
    const text = await hub.route('map the login flow', { roster: JSON.stringify(table), mode: 'strict', explain: true })
    expect(text.json).toMatchObject({ selected: ['finder'], _scores: expect.any(Array) })
    const route = (await hub.route('fix the login flow', { roster: table })).json
    expect(route).toMatchObject({ decision: 'dispatch', by: 'cortex', selected: ['mender'] })
    expect((await hub.route('@finder hello', { roster: table })).json).toMatchObject({ by: 'mention', selected: ['finder'] })
  })

  test('[R27] both spellings of the context are read, and shown as ours', async () => {
    const both = [
      { surface_files: 30, prior_failure: true, host_tier: null },
      { surfaceFiles: 30, priorFailure: true, hostTier: null },
    ]
    for (const context of both) {
      const { json } = await hub.route('map it', { context })
      expect(json.context).toEqual({ surfaceFiles: 30, priorFailure: true, hostTier: null })
    }
  })

  test.each([
    [{ text: '' }, '/text'],
    [{ text: 1 }, '/text'],
    [{}, '/text'],
    [{ text: 'x', mode: 'lax' }, '/mode'],
    [{ text: 'x', context: { files: 3 } }, '/context/files'],
    [{ text: 'x', context: { surface_files: -1 } }, '/context/surface_files'],
    [{ text: 'x', extra: 1 }, '/extra'],
    [{ text: 'x', roster: [] }, '/roster'],
    [{ text: 'x', roster: 'a: [' }, '/roster'],
    [{ text: 'x', roster: { ...table, eidolon: {} } }, '/roster'],
    [{ text: 'x', roster: { ...table, thresholds: { tau_standard: 'high' } } }, '/roster/thresholds/tau_standard'],
  ])('[R27] %j is refused at its place', async (body, path) => {
    const { status, json } = await hub.ask('POST', '/api/route', body)
    expect(status).toBe(400)
    expect(json.path).toBe(path)
    expect(json.detail.length).toBeLessThan(2_000)
  })

  test('[R27] an unknown project is not found; a body over the limit is 413; a long text is looked at up to a bound', async () => {
    expect((await hub.route('x', { project: 'nowhere' })).status).toBe(404)
    expect((await hub.route('y'.repeat(2_000_000))).status).toBe(413)
    const long = await hub.route(`fix ${'word '.repeat(180_000)}`)
    expect(long.status).toBe(200)
    expect(long.json.looked).toBeLessThanOrEqual(32_768)
  })

  test('[R27] a program needs the scope for it', async () => {
    const made = await hub.ask('POST', '/api/tokens', { name: 'reader', scopes: ['read'] })
    const headers = { authorization: `Bearer ${made.json.secret}`, cookie: '' }
    expect((await hub.ask('POST', '/api/route', { text: 'fix it' }, headers)).status).toBe(200)
    expect((await hub.ask('POST', '/api/route/proposals', { text: 'fix it', to: 'data' }, headers)).status).toBe(403)
    expect((await hub.ask('POST', '/api/route', { text: 'fix it' }, { cookie: '' })).status).toBe(401)
  })
})
