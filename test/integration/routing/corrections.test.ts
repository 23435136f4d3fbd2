// "That should have gone to X": proposals, what they would change, acceptance, undoing, a restart.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openRoutingHub, type RoutingHub } from './bench.ts'

let hub: RoutingHub
beforeEach(async () => {
  hub = await openRoutingHub()
})
afterEach(() => hub.close())

const propose = (body: object) => hub.ask('POST', '/api/route/proposals', body)
const accept = (proposal: string, headers = {}) => hub.ask('POST', '/api/route/rules', { proposal }, headers)
const rules = async (project?: string) =>
  (await hub.ask('GET', `/api/route/rules${project === undefined ? '' : `?project=${project}`}`)).json.items
const routed = async (text: string, project?: string) => (await hub.route(text, project === undefined ? {} : { project })).json

async function events(type: string) {
  return (await hub.journal.read({ after: 0, limit: 1000 })).events.filter((event) => event.type === type)
}

describe('a correction', () => {
  test('[R24] asks for the telling words, shows which past messages it would change, and changes nothing yet', async () => {
    const session = await hub.session()
    const first = await hub.say(session, 'Please file the invoice of ACME in the vault')
    await hub.say(session, 'good morning')
    await hub.say(session, '@cato file this invoice in the vault too')
    const { status, json } = await propose({ message: first, to: 'zeno' })
    expect(status).toBe(201)
    expect(json.rule).toMatchObject({
      to: 'data',
      when: ['file', 'invoice', 'vault'].filter((word) => json.rule.when.includes(word)),
      from: first,
    })
    expect(json.rule.when.length).toBeGreaterThanOrEqual(2)
    expect(json.looked).toBe(3)
    // The one with a mention stays where it is.
    expect(json.changes).toEqual([{ message: first, text: 'Please file the invoice of ACME in the vault', was: null, would: 'data' }])
    expect(await rules()).toEqual([])
    expect((await routed('file the invoice of ACME in the vault')).by).not.toBe('rule')
  })

  test('[R25] accepted, it changes the next decision; twice is one rule; undone, all is as before', async () => {
    const before = await routed('file the invoice in the vault', 'shop')
    const { json } = await propose({ text: 'file the invoice in the vault', to: 'data', project: 'shop', when: ['invoice', 'vault'] })
    const [one, two] = await Promise.all([accept(json.id), accept(json.id)])
    expect([one.status, two.status]).toEqual([201, 201])
    expect(one.json.id).toBe(two.json.id)
    expect(await rules('shop')).toHaveLength(1)
    expect(await routed('the vault has an Invoice', 'shop')).toMatchObject({ by: 'rule', selected: ['data'] })
    expect((await routed('the vault has an Invoice')).by).not.toBe('rule')
    const document = (await hub.ask('GET', '/api/documents/routing.yaml?project=shop')).json
    expect(document).toMatchObject({ level: 'project', scope: 'shop', version: 1 })
    expect((await hub.ask('DELETE', `/api/route/rules/${one.json.id}?project=shop`)).status).toBe(204)
    expect((await hub.ask('DELETE', `/api/route/rules/${one.json.id}?project=shop`)).status).toBe(404)
    expect(await routed('file the invoice in the vault', 'shop')).toEqual(before)
    expect((await events('routing-rule-added')).map(({ data }) => data.level)).toEqual(['project'])
    expect(await events('routing-rule-removed')).toHaveLength(1)
    expect((await accept(json.id)).status).toBe(404)
  })

  test('[R25] what else stands in the document stays', async () => {
    await hub.write('routing.yaml', '# mine\nkeywords:\n  data: [seed] # few\n')
    const { json } = await propose({ text: 'water the roses', to: 'agenda', when: ['roses'] })
    await accept(json.id)
    const text = (await hub.ask('GET', '/api/documents/routing.yaml')).json.text
    expect(text).toContain(
      '# mine\nkeywords:\n  data: [ seed ] # few'.replace('[ seed ]', text.includes('[ seed ]') ? '[ seed ]' : '[seed]'),
    )
    expect(await routed('seed')).toMatchObject({ by: 'keywords' })
    expect(await routed('roses')).toMatchObject({ by: 'rule', selected: ['agenda'] })
  })

  test('[R26] never to an agent that refuses such a text; and a rule that would is passed over, and said so', async () => {
    const refused = await propose({ text: 'delete the old notes', to: 'data' })
    expect(refused.status).toBe(400)
    expect(refused.json).toMatchObject({ path: '/to', detail: expect.stringContaining('"delete"') })
    const { json } = await propose({ text: 'sort the old notes', to: 'data', when: ['old notes'] })
    await accept(json.id)
    expect(await routed('sort the old notes')).toMatchObject({ by: 'rule' })
    const other = await routed('delete the old notes')
    expect(other.by).not.toBe('rule')
    expect(other.dropped[0]).toMatchObject({ what: `rule ${json.rule.id}`, why: expect.stringContaining('refuses') })
    const gone = await routed('old notes')
    expect(gone.by).toBe('rule')
  })

  test('[R25] several at the same moment are all there', async () => {
    const words = ['roses', 'tulips', 'lilies', 'asters']
    const proposals = await Promise.all(words.map((word) => propose({ text: `water the ${word}`, to: 'agenda', when: [word] })))
    const accepted = await Promise.all(proposals.map(({ json }) => accept(json.id)))
    expect(accepted.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect((await rules()).map((rule: { when: string[] }) => rule.when[0]).sort()).toEqual([...words].sort())
    await Promise.all(accepted.slice(1).map(({ json }) => hub.ask('DELETE', `/api/route/rules/${json.id}`)))
    expect((await rules()).map((rule: { when: string[] }) => rule.when)).toEqual([['roses']])
  })

  test('[R25] a program without the scope and an agent change nothing; a rule further out is taken out there', async () => {
    const made = await hub.ask('POST', '/api/tokens', { name: 'reader', scopes: ['read', 'chat'] })
    const { json } = await propose({ text: 'water the roses', to: 'agenda' })
    expect((await accept(json.id, { authorization: `Bearer ${made.json.secret}`, cookie: '' })).status).toBe(403)
    const { corrections } = hub.inside.hub.routing
    await expect(corrections.accept(json.id, 'process:prc_1')).rejects.toThrow('by a person')
    await expect(corrections.accept(json.id, 'user:bob')).rejects.toThrow('no proposal')
    const outer = { path: 'routing.yaml', level: 'tenant', scope: '_tenant', text: 'rules: [{id: far, when: [x], to: data}]' } as const
    await hub.scopes.documents.write(outer, 'user:ada')
    expect((await rules()).map(({ id }: { id: string }) => id)).toEqual(['far'])
    expect((await hub.ask('DELETE', '/api/route/rules/far')).json).toMatchObject({
      status: 409,
      detail: expect.stringContaining('tenant _tenant'),
    })
  })

  test('[R24] outlives a restart', async () => {
    const { json } = await propose({ text: 'water the roses', to: 'agenda' })
    const { home } = hub
    await hub.close({ keep: true })
    hub = await openRoutingHub({ home })
    expect((await accept(json.id)).status).toBe(201)
    expect(await routed('water my roses')).toMatchObject({ by: 'rule', selected: ['agenda'] })
  })

  test.each([
    [{ text: 'water the roses', to: 'nobody' }, 404, '/to'],
    [{ text: 'do it please', to: 'data' }, 400, '/when'],
    [{ text: 'water the roses', to: 'data', when: ['tulips'] }, 400, '/when'],
    [{ text: 'water the roses', to: 'data', when: [] }, 400, '/when'],
    [{ to: 'data' }, 400, '/text'],
    [{ text: 'a', message: 'b', to: 'data' }, 400, '/text'],
    [{ message: 'msg_01KB8T2K3XAAAAAAAAAAAAAAAA', to: 'data' }, 404, '/message'],
    [{ text: 'a', to: 'data', rule: 1 }, 400, '/rule'],
  ])('[R24] %j is refused: %i at %s', async (body, status, path) => {
    const refused = await propose(body)
    expect(refused.status).toBe(status)
    expect(refused.json.path).toBe(path)
  })

  test('[R25] a document with a fault is not written over', async () => {
    await hub.write('routing.yaml', 'routing: sideways\n')
    const { json } = await propose({ text: 'water the roses', to: 'agenda' })
    const refused = await accept(json.id)
    expect(refused.status).toBe(409)
    expect(refused.json.detail).toContain('line 1')
    expect((await hub.ask('GET', '/api/documents/routing.yaml')).json.text).toBe('routing: sideways\n')
  })
})
