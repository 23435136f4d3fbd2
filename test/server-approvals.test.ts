// Approvals, grants and the permission mode over HTTP and frames: who may decide, once, and what comes too late.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyView, foldAll } from '../src/protocol/view.ts'
import { decideApproval, ownApproval } from '../src/server/decide.ts'
import { type Asked, openHub, type TestHub } from './http-hub.ts'
import { type Client, connectTo } from './socket-client.ts'

let hub: TestHub
beforeAll(async () => {
  hub = await openHub()
})
afterAll(() => hub.close())

const wait = { prefer: 'wait=10' }
const say = (session: string, text: string) => hub.ask('POST', `/api/sessions/${session}/messages`, { text }, wait)
const decide = (id: string, body: unknown, headers?: Record<string, string>) => hub.ask('POST', `/api/approvals/${id}`, body, headers)

async function asked(text = 'risk') {
  const session = await hub.session()
  const reply = await say(session, text)
  return { session, reply: reply.json, id: String(reply.json.approval?.id) }
}

/** The headers of a program whose token has those scopes. */
async function program(...scopes: string[]): Promise<Record<string, string>> {
  const made = await hub.ask('POST', '/api/tokens', { name: scopes.join(' '), scopes })
  return { authorization: `Bearer ${made.json.secret}`, cookie: '' }
}

async function lastLine(session: string): Promise<string> {
  await until(async () => (await hub.ask('GET', `/api/sessions/${session}`)).json.processStatus === 'IDLE')
  return (await hub.ask('GET', `/api/sessions/${session}/messages`)).json.items.at(-1).text
}

/** Follows the journal instead of sleeping: looks again after each batch of events. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  if (await holds()) return
  for await (const _ of hub.journal.follow(hub.journal.head())) if (await holds()) return
}

describe('approvals', () => {
  test('[H22] a call that waits for the reply is told at once what is asked', async () => {
    const { session, reply, id } = await asked()
    expect(reply).toMatchObject({
      status: 'waiting',
      reply: null,
      approval: {
        ...{
          text: 'Send mail 1?',
          risk: 'R3',
          tool: 'mail_send',
          capability: 'mail.send',
          target: 'bob1@example.org',
          preview: 'Dear Bob',
        },
        ...{ why: 'Bob asked for it.', consequences: 'The mail can not be taken back.', scopes: ['once', 'step', 'run', 'project'] },
      },
    })
    const shown = (await hub.ask('GET', `/api/approvals/${id}`)).json
    expect(shown).toMatchObject({ id, session, status: 'requested', risk: 'R3', target: 'bob1@example.org', preview: 'Dear Bob' })
    expect(shown).not.toHaveProperty('user')
    expect(Date.parse(shown.expiresAt) - Date.parse(shown.requestedAt)).toBeGreaterThan(86_000_000)
    const list = await hub.ask('GET', `/api/approvals?status=requested&session=${session}`)
    expect(list.json).toEqual({ items: [shown], next: null })
  })

  test('[H23] allowed once the turn goes on; the same again is the same answer, another one a conflict', async () => {
    const { session, id } = await asked()
    const first = await decide(id, { decision: 'allow' })
    expect(first.status).toBe(200)
    expect(first.json).toMatchObject({ id, status: 'approved', scope: 'once', decidedBy: 'user:ada' })
    expect(await lastLine(session)).toBe('answered {"decision":"allow","scope":"once"}')
    expect((await decide(id, { decision: 'allow', scope: 'once' })).json).toEqual(first.json)
    for (const other of [{ decision: 'deny' }, { decision: 'allow', scope: 'project' }]) {
      const refused = await decide(id, other)
      expect([refused.status, refused.json.code]).toEqual([409, 'decided'])
      expect(refused.json.detail).toContain('approved (once) by user:ada')
    }
  })

  test('[H23] denied with a reason, the agent is told so', async () => {
    const { session, id } = await asked()
    expect((await decide(id, { decision: 'deny', reason: 'not today' })).json.status).toBe('rejected')
    expect(await lastLine(session)).toContain('"decision":"deny"')
    expect(await lastLine(session)).toContain('not today')
    expect((await decide(id, { decision: 'allow' })).status).toBe(409)
  })

  test('[H23] of many who decide at once one is right, and the turn hears one answer', async () => {
    const { session, id } = await asked()
    const words = ['allow', 'deny', 'allow', 'deny', 'allow', 'deny'] as const
    const answers = await Promise.all(words.map((decision) => decide(id, { decision })))
    const status = (await hub.ask('GET', `/api/approvals/${id}`)).json.status
    const wanted = words.map((word) => ((word === 'allow') === (status === 'approved') ? 200 : 409))
    expect(answers.map((one) => one.status)).toEqual(wanted)
    const events = (await hub.ask('GET', `/api/sessions/${session}/events?limit=500`)).json.items
    expect(events.filter((one: { type: string }) => one.type === 'approval-decided')).toHaveLength(1)
  })

  test('[H23] a stopped turn and one that is over ask no more: gone, with why', async () => {
    const { session, id } = await asked()
    await hub.ask('POST', `/api/sessions/${session}/stop`, {})
    const late = await decide(id, { decision: 'allow' })
    expect(late.status).toBe(410)
    expect(late.json.detail).toContain('revoked')
    expect((await hub.ask('GET', `/api/approvals?status=requested&session=${session}`)).json.items).toEqual([])
  })

  test('[H23, D10] a yes to what a rule forbids by now: gone with the reason, it is revoked, and the turn goes on without', async () => {
    const { session, id } = await asked()
    const rules = 'rules:\n  - {id: no-mail, effect: deny, capability: mail.send}\n'
    const put = (text: string) => hub.ask('PUT', '/api/documents/policy.yaml', { text })
    expect((await put(rules)).status).toBeLessThan(300)
    const late = await Promise.all([decide(id, { decision: 'allow' }), decide(id, { decision: 'allow' })])
    await put('rules: []\n')
    expect(late.map((one) => one.status)).toEqual([410, 410])
    expect(late[0]?.json.detail).toContain('mail.send')
    const shown = (await hub.ask('GET', `/api/approvals/${id}`)).json
    expect(shown).toMatchObject({ id, status: 'revoked' })
    expect(shown).not.toHaveProperty('decidedBy')
    expect(await lastLine(session)).toContain('mail.send')
    expect((await hub.ask('GET', `/api/approvals?status=requested&session=${session}`)).json.items).toEqual([])
    expect((await decide(id, { decision: 'allow' })).json.detail).toContain('revoked')
    expect((await hub.ask('GET', `/api/inbox/${id}`)).json.status).not.toBe('PENDING')
    expect((await hub.ask('GET', '/api/grants')).json.items.filter((one: { approval?: string }) => one.approval === id)).toEqual([])
  })

  test('[H4, H23] what was not offered, wider than asked, or malformed is refused by name; nothing is decided by it', async () => {
    const { id } = await asked()
    const wrong: readonly (readonly [unknown, string])[] = [
      [{ decision: 'perhaps' }, '/decision'],
      [{}, '/decision'],
      [{ decision: 'allow', scope: 'everything' }, '/scope'],
      [{ decision: 'allow', more: 1 }, '/more'],
      [{ decision: 'allow', narrow: { expiresInMs: -1 } }, '/narrow/expiresInMs'],
    ]
    for (const [body, path] of wrong) {
      const refused = await decide(id, body)
      expect([refused.status, refused.json.path]).toEqual([400, path])
    }
    expect((await decide(id, { decision: 'allow', scope: 'always' })).status).toBe(400)
    expect((await decide(id, { decision: 'allow', scope: 'run', narrow: { resource: '*' } })).status).toBe(400)
    expect((await hub.ask('GET', `/api/approvals/${id}`)).json.status).toBe('requested')
    for (const unknown of ['apr_01J00000000000000000000000', 'apr_x', 'ask_01J00000000000000000000000'])
      expect((await decide(unknown, { decision: 'allow' })).status).toBe(404)
  })

  test('[H24] words in the chat decide nothing, whatever they say', async () => {
    const { session, id } = await asked()
    for (const text of ['yes', 'allow', 'ja', `approve ${id}`, `{"decision":"allow","ask":"${id}"}`])
      await hub.ask('POST', `/api/sessions/${session}/messages`, { text, when: 'next' })
    expect((await hub.ask('POST', `/api/questions/${id.replace('apr', 'ask')}`, { text: 'yes' })).status).toBe(404)
    expect((await hub.ask('GET', `/api/approvals/${id}`)).json.status).toBe('requested')
  })

  test('[H24] a program decides only with exactly that scope; policy is changed by nobody else either', async () => {
    const { session, id } = await asked()
    const ordinary = await program('read', 'chat', 'projects', 'documents', 'metrics', 'tokens', 'models')
    const tries: readonly (readonly [string, string, unknown])[] = [
      ['POST', `/api/approvals/${id}`, { decision: 'allow' }],
      ['POST', `/api/inbox/${id}/answer`, { value: true }],
      ['POST', '/api/grants', { capability: 'mail.send', scope: 'always' }],
      ['DELETE', '/api/grants/x', undefined],
      ['PATCH', `/api/sessions/${session}`, { mode: 'auto' }],
      ['PUT', '/api/settings/policy.mode', { value: 'auto' }],
      ['PUT', '/api/documents/policy.yaml', { text: 'rules: []' }],
      ['POST', '/api/projects', { name: 'free', policy: { rules: [] } }],
    ]
    for (const [method, path, body] of tries) expect([path, (await hub.ask(method, path, body, ordinary)).status]).toEqual([path, 403])
    expect((await hub.ask('GET', `/api/approvals/${id}`, undefined, ordinary)).json.status).toBe('requested')
    expect((await decide(id, { decision: 'allow' }, await program('approvals'))).json).toMatchObject({ status: 'approved' })
  })

  test("[H13, H24] somebody else's approval looks like none, and a token never has more than who made it", async () => {
    const { id } = await asked()
    const user = { name: 'bob', role: 'member' as const, createdAt: 0 }
    const bob = { user, via: 'cookie' as const, actor: 'user:bob' as const, scopes: null, credential: null }
    const inside = hub.inside.hub
    await expect(ownApproval(inside, bob, id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(decideApproval(inside, bob, id, { decision: 'allow' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(hub.attention.read('bob', id, 'user:bob')).rejects.toMatchObject({ code: 'not_found' })
    expect((await hub.ask('GET', `/api/approvals/${id}`)).json.status).toBe('requested')
    const maker = await program('tokens', 'read')
    expect((await hub.ask('POST', '/api/tokens', { name: 'more', scopes: ['approvals'] }, maker)).status).toBe(403)
  })
})

describe('who waits', () => {
  test('[H22] a message that joins a turn which waits is told what it waits for; a second sending of the first too', async () => {
    const { session, id } = await asked()
    const joined = await say(session, 'are you there?')
    expect(joined.json).toMatchObject({ status: 'waiting', reply: null, approval: { id, tool: 'mail_send', target: 'bob1@example.org' } })
    expect((await hub.ask('GET', `/api/approvals/${id}`)).json.status).toBe('requested')
    await decide(id, { decision: 'deny' })
    expect(await lastLine(session)).toContain('deny')
  })

  test('[H5, H22] several side by side: the oldest is told, all are listed, and the list is walked by pages', async () => {
    const { session, reply } = await asked('risk 3')
    expect(reply.approval.text).toBe('Send mail 1?')
    const path = `/api/approvals?session=${session}&limit=2`
    const first = (await hub.ask('GET', path)).json
    const rest = (await hub.ask('GET', `${path}&after=${first.next}`)).json
    expect([first.items.length, rest.items.length, rest.next]).toEqual([2, 1, null])
    const ids = [...first.items, ...rest.items].map((one: { id: string }) => one.id)
    expect(new Set(ids).size).toBe(3)
    expect((await hub.ask('GET', `${path}&after=apr_nothing`)).json.path).toBe('/after')
    for (const id of ids) await decide(id, { decision: 'allow' })
    expect((await lastLine(session)).match(/"allow"/g)).toHaveLength(3)
  })
})

describe('turns', () => {
  test('[H28] a turn says who is behind it, up to the person; somebody else sees none', async () => {
    const [above, below] = [await hub.session(), await hub.session()]
    const worker = (await hub.ask('GET', `/api/sessions/${below}`)).json.process
    const { id: message } = (await say(above, `order ${worker}`)).json
    const turnIn = async (session: string): Promise<string> => {
      const { events } = await hub.journal.read({ after: 0, limit: 500, session })
      return String(events.find((event) => event.type === 'turn-started')?.data['turn'] ?? '')
    }
    await until(async () => (await turnIn(below)) !== '')
    const [first, second] = [await turnIn(above), await turnIn(below)]
    const { cause } = (await hub.ask('GET', `/api/turns/${second}`)).json
    expect(cause).toMatchObject({
      hops: 1,
      chain: [
        { actor: expect.stringMatching(/^process:prc_/), turn: first, session: above },
        { actor: 'user:ada', message },
      ],
    })
    expect((await hub.ask('GET', `/api/turns/${first}`)).json.cause.root).toBe(cause.root)
    expect((await hub.ask('GET', '/api/turns/trn_01J00000000000000000000000')).status).toBe(404)
  })
})

describe('grants', () => {
  test('[H25] an approval for longer is a grant; it is listed, and taken back once', async () => {
    const { id } = await asked()
    await decide(id, { decision: 'allow', scope: 'project', narrow: { expiresInMs: 60_000 } })
    const grant = (await hub.ask('GET', '/api/grants')).json.items.find((one: { approval: string }) => one.approval === id)
    expect(grant).toMatchObject({ capability: 'mail.send', resource: 'bob1@example.org', scope: 'project', revokedAt: null })
    expect(Date.parse(grant.expiresAt) - Date.parse(grant.createdAt)).toBe(60_000)
    expect((await hub.ask('DELETE', `/api/grants/${grant.id}`)).status).toBe(204)
    expect((await hub.ask('DELETE', `/api/grants/${grant.id}`)).status).toBe(404)
    expect((await hub.ask('GET', '/api/grants')).json.items.map((one: { id: string }) => one.id)).not.toContain(grant.id)
    const ended = (await hub.ask('GET', '/api/grants?ended=true')).json.items
    expect(ended.find((one: { id: string }) => one.id === grant.id).revokedAt).not.toBeNull()
  })

  test('[H25] one in advance says what it is for; what is wrong is named', async () => {
    const made = await hub.ask('POST', '/api/grants', { capability: 'web.read', scope: 'always', resource: 'https://example.org/**' })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      capability: 'web.read',
      resource: 'https://example.org/**',
      scope: 'always',
      approval: null,
      subject: '*',
    })
    expect((await hub.ask('POST', '/api/grants', { capability: 'web.read', scope: 'once' })).json.path).toBe('/scope')
    expect((await hub.ask('POST', '/api/grants', { scope: 'always' })).json.path).toBe('/capability')
  })

  test('[H25] the mode of a session is shown, changed and taken away', async () => {
    const session = await hub.session()
    const mode = async () => (await hub.ask('GET', `/api/sessions/${session}`)).json.mode
    expect(await mode()).toBe('ask')
    expect((await hub.ask('PATCH', `/api/sessions/${session}`, { mode: 'read-only' })).json.mode).toBe('read-only')
    expect(await mode()).toBe('read-only')
    expect((await hub.ask('PATCH', `/api/sessions/${session}`, { mode: null })).json.mode).toBe('ask')
    expect((await hub.ask('PATCH', `/api/sessions/${session}`, { mode: 'yolo' })).json.path).toBe('/mode')
  })
})

describe('the inbox', () => {
  const answer = (id: string, body: unknown): Promise<Asked> => hub.ask('POST', `/api/inbox/${id}/answer`, body)

  test('[I7, H26] what waits is in one list, and answered from there by its own way', async () => {
    const { session, id } = await asked()
    await say(await hub.session(), 'question')
    const { items, counts } = (await hub.ask('GET', '/api/inbox?status=PENDING&limit=500')).json
    expect(items.slice(0, 2).map((one: { type: string }) => one.type)).toEqual(['DECISION', 'APPROVAL'])
    expect(counts.requiresAction).toBe(items.length)
    expect(items.filter((one: { id: string }) => one.id === id)).toHaveLength(1)
    expect((await answer(id, { outcome: 'UNDECIDABLE' })).json.path).toBe('/outcome')
    expect((await answer(id, { value: 'yes' })).json.path).toBe('/value/approved')
    expect((await answer(id, { value: true })).json).toMatchObject({
      status: 'ANSWERED',
      answer: { value: { approved: true, scope: 'once' } },
    })
    expect(await lastLine(session)).toContain('"decision":"allow"')
    expect((await answer(id, { value: false })).status).toBe(409)
    const question = items[0].id
    expect((await answer(question, { value: { chosen: 'milk' } })).status).toBe(400)
    expect((await answer(question, { value: { chosen: 'tea' } })).json).toMatchObject({ status: 'ANSWERED' })
    expect((await answer(question, { value: { chosen: 'tea' } })).status).toBe(200)
    expect((await answer(question, { value: { chosen: 'coffee' } })).status).toBe(410)
  })

  test('[I7] a no in the inbox stays one, whatever else stands beside it', async () => {
    const { session, id } = await asked()
    await answer(id, { value: { approved: false, decision: 'allow' } })
    expect(await lastLine(session)).toContain('"decision":"deny"')
  })

  test('[I5, H26] an item is read, archived, taken out, answered; the list pages', async () => {
    const add = (key: string) =>
      hub.attention.add({ user: 'ada', type: 'DECISION', title: key, body: '', payload: { options: ['a', 'b'] }, key }, 'system')
    const { id } = await add('one')
    await add('two')
    const verb = async (name: string) => (await hub.ask('POST', `/api/inbox/${id}/${name}`)).json
    expect(await verb('read')).toMatchObject({ read: true, status: 'PENDING' })
    expect(await verb('archive')).toMatchObject({ status: 'ARCHIVED' })
    expect(await verb('unarchive')).toMatchObject({ status: 'PENDING' })
    expect((await answer(id, { value: 'c' })).json.path).toBe('/value/chosen')
    expect((await answer(id, { value: 'a', reason: 'shorter' })).json.answer).toEqual({
      ...{ outcome: 'DECIDED', value: { chosen: 'a' }, reason: 'shorter', by: 'user:ada' },
    })
    expect((await answer(id, { value: 'b' })).json.answer.value).toEqual({ chosen: 'a' })
    expect((await hub.ask('POST', `/api/inbox/${id}/dismiss`)).status).toBe(409)
    expect((await hub.ask('POST', '/api/inbox/ntf_nothing/read')).status).toBe(404)
    const first = (await hub.ask('GET', '/api/inbox?limit=1')).json
    expect(first.next).not.toBeNull()
    const second = (await hub.ask('GET', `/api/inbox?limit=1&after=${encodeURIComponent(first.next)}`)).json
    expect(second.items[0].id).not.toBe(first.items[0].id)
  })
})

describe('frames', () => {
  const connect = async (): Promise<Client> => {
    const { address } = await hub.listen()
    return connectTo(address, { cookie: hub.cookie, origin: address })
  }

  test('[H27] asked, decided and items reach every connection of the person, and a frame decides', async () => {
    const [here, there] = [await connect(), await connect()]
    const { id } = await asked()
    const requested = await there.until((frame) => frame.type === 'approval-requested' && frame.data['approval'] === id)
    expect(requested.cursor).toBeDefined()
    const wrong = await here.ask('decide', { approvalId: id, decision: 'maybe' })
    expect(wrong).toMatchObject({ type: 'error', data: { status: 400, path: '/data/decision' } })
    expect(await here.ask('decide', { approvalId: id, decision: 'deny' })).toMatchObject({
      type: 'decide',
      data: { id, status: 'rejected' },
    })
    expect(await there.ask('decide', { approvalId: id, decision: 'allow' })).toMatchObject({ type: 'error', data: { status: 409 } })
    await there.until((frame) => frame.type === 'approval-decided' && frame.data['approval'] === id)
    await hub.attention.add({ user: 'ada', type: 'NOTICE', title: 'done', body: '', key: id }, 'system')
    expect((await there.until((frame) => frame.type === 'inbox-item-added')).data['item']).toMatchObject({
      title: 'done',
      status: 'PENDING',
    })
    for (const client of [here, there]) client.drop()
  })

  test("[H13, H27] another person's items are not among a person's frames and events", async () => {
    const client = await connect()
    await hub.attention.add({ user: 'bob', type: 'NOTICE', title: 'secret of bob', body: '', key: 'b' }, 'system')
    await hub.attention.add({ user: 'ada', type: 'NOTICE', title: 'for ada', body: '', key: 'a' }, 'system')
    await client.until((frame) => JSON.stringify(frame).includes('for ada'))
    expect(JSON.stringify(client.frames)).not.toContain('secret of bob')
    expect((await hub.ask('GET', '/api/events?limit=500')).text).not.toContain('secret of bob')
    client.drop()
  })

  test("[H31] a worker's frames come to the session of who ordered its work, and say through whom; to others as they are", async () => {
    const [hubSession, workSession] = [await hub.session(), await hub.session()]
    const at = async (id: string) => (await hub.ask('GET', `/api/sessions/${id}`)).json.process
    const [owner, worker] = [await at(hubSession), await at(workSession)]
    const [near, far] = [await connect(), await connect()]
    await near.ask('session-resume', { sessionId: hubSession })
    expect((await say(hubSession, `link ${worker} ${workSession}`)).json.status).toBe('settled')
    await say(workSession, 'risk')
    const forwardedBy = { engine: 'script', processId: owner, viaSession: hubSession }
    const seen = await near.until((frame) => frame.type === 'approval-requested' && frame.session === workSession)
    expect(seen).toMatchObject({ forwardedBy, process: worker })
    const plain = await far.until((frame) => frame.type === 'approval-requested' && frame.session === workSession)
    expect(plain.forwardedBy).toBeUndefined()
    const view = foldAll(emptyView(hubSession), [seen])
    expect(view.approvals.map((one) => one.text)).toEqual(['Send mail 1?'])
    expect(view.cursor).toBeNull()
    await near.ask('session-resume', { sessionId: workSession })
    await decide(String(seen.data['approval']), { decision: 'deny' })
    const own = await near.until((frame) => frame.type === 'approval-decided' && frame.session === workSession)
    expect(own.forwardedBy).toBeUndefined()
    for (const client of [near, far]) client.drop()
  })
})
