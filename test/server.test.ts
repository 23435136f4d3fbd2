import { mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHub, type TestHub } from './http-hub.ts'

let hub: TestHub
beforeAll(async () => {
  hub = await openHub()
})
afterAll(() => hub.close())

const post = (session: string, body: unknown, headers?: Record<string, string>) =>
  hub.ask('POST', `/api/sessions/${session}/messages`, body, headers)
const wait = { prefer: 'wait=10' }

describe('messages', () => {
  test('[H2, H3] a message is accepted with its cursor, and the conversation shows it and the reply', async () => {
    const session = await hub.session()
    const posted = await post(session, { id: 'a', text: 'hello' }, wait)
    expect(posted.status).toBe(200)
    expect(posted.json).toMatchObject({ clientId: 'a', duplicate: false, status: 'settled', reply: { text: 'echo: hello' } })
    expect(posted.headers.get('preference-applied')).toBe('wait=10')
    const shown = await hub.ask('GET', `/api/sessions/${session}/messages`)
    expect(shown.json.items.map((one: { text: string }) => one.text)).toEqual(['hello', 'echo: hello'])
    expect(shown.json.items[0]).toMatchObject({
      id: posted.json.id,
      clientId: 'a',
      role: 'user',
      status: 'settled',
      cursor: posted.json.cursor,
    })
  })

  test('[H2] the same id and content is a duplicate with the id and cursor of the first; other content is a conflict', async () => {
    const session = await hub.session()
    const first = await post(session, { id: 'a', text: 'hello' })
    const again = await post(session, { id: 'a', text: 'hello' })
    expect(first.status).toBe(202)
    expect(again.status).toBe(202)
    expect(again.json).toEqual({ ...first.json, duplicate: true })
    const other = await post(session, { id: 'a', text: 'hello!' })
    expect(other.status).toBe(409)
    expect(other.json).toMatchObject({ code: 'conflict', path: '/id', status: 409 })
  })

  test('[H2] what goes without saying may be said or not: it is the same message', async () => {
    const session = await hub.session()
    const first = await post(session, { id: 'a', text: 'hello' })
    const said = { id: 'a', text: 'hello', when: 'now', voice: false, attachments: [] }
    expect((await post(session, said)).json).toEqual({ ...first.json, duplicate: true })
    for (const other of [{ when: 'next' }, { voice: true }, { to: 'quick' }, { text: 'hello ' }]) {
      expect((await post(session, { id: 'a', text: 'hello', ...other })).status).toBe(409)
    }
  })

  test('[H2, H3] a duplicate that waits gets the reply of the first', async () => {
    const session = await hub.session()
    const first = await post(session, { id: 'a', text: 'hello' }, wait)
    const again = await post(session, { id: 'a', text: 'hello' }, wait)
    expect(again.json).toEqual({ ...first.json, duplicate: true })
  })

  test('[H2] without an id the Idempotency-Key makes it the same message', async () => {
    const session = await hub.session()
    const first = await post(session, { text: 'hello' }, { 'idempotency-key': `k-${session}` })
    const again = await post(session, { text: 'hello' }, { 'idempotency-key': `k-${session}` })
    expect(again.json.id).toBe(first.json.id)
    const other = await post(session, { text: 'other' }, { 'idempotency-key': `k-${session}` })
    expect(other.status).toBe(422)
  })

  test('[H3] what asks a person answers waiting, with the question; the answer settles it', async () => {
    const session = await hub.session()
    const posted = await post(session, { text: 'question' }, wait)
    expect(posted.json).toMatchObject({ status: 'waiting', reply: null, question: { text: 'tea or coffee?' } })
    const open = await hub.ask('GET', `/api/questions?session=${session}&status=open`)
    expect(open.json.items).toHaveLength(1)
    const id = open.json.items[0].id
    expect((await hub.ask('POST', `/api/questions/${id}`, { option: 'water' })).json).toMatchObject({ status: 400, path: '/option' })
    const answered = await hub.ask('POST', `/api/questions/${id}`, { option: 'tea' })
    expect(answered.json).toMatchObject({ id, status: 'answered' })
    const again = await hub.ask('POST', `/api/questions/${id}`, { option: 'tea' })
    expect([again.status, again.json]).toEqual([200, answered.json])
    expect((await hub.ask('POST', `/api/questions/${id}`, { text: 'tea' })).status).toBe(200)
    for (const other of [{ option: 'coffee' }, { text: 'tea, please' }])
      expect((await hub.ask('POST', `/api/questions/${id}`, other)).status).toBe(410)
    const shown = await hub.ask('GET', `/api/sessions/${session}`)
    expect(shown.json.openQuestions).toEqual([])
  })

  test('[H3] of the same answers at once each is right, the turn hears one; without options the words count', async () => {
    const session = await hub.session()
    await post(session, { text: 'question' }, wait)
    const { items } = (await hub.ask('GET', `/api/questions?session=${session}&status=open`)).json
    const words = ['tea', 'tea', 'coffee', 'tea', 'coffee']
    const answers = await Promise.all(words.map((option) => hub.ask('POST', `/api/questions/${items[0].id}`, { option })))
    expect(answers.map((one) => one.status)).toEqual([200, 200, 410, 200, 410])
    const events = (await hub.ask('GET', `/api/sessions/${session}/events?limit=500`)).json.items
    expect(events.filter((one: { type: string }) => one.type === 'question-answered')).toHaveLength(1)
  })

  test('[H3] a question that its turn took with it is gone, whatever is answered', async () => {
    const session = await hub.session()
    await post(session, { text: 'question' }, wait)
    const { items } = (await hub.ask('GET', `/api/questions?session=${session}&status=open`)).json
    await hub.ask('POST', `/api/sessions/${session}/stop`, {})
    expect((await hub.ask('POST', `/api/questions/${items[0].id}`, { option: 'tea' })).status).toBe(410)
  })

  test('[H3] a turn that fails answers failed, with why', async () => {
    const posted = await post(await hub.session(), { text: 'fail' }, wait)
    expect(posted.json).toMatchObject({ status: 'failed', reply: null, why: 'as asked' })
  })

  test('[H3] when the time is over the answer says how it stands', async () => {
    const session = await hub.session()
    hub.gate.always = false
    const posted = await post(session, { text: 'stream 1' }, { prefer: 'wait=0' })
    expect(posted.json).toMatchObject({ reply: null })
    expect(['queued', 'accepted', 'writing']).toContain(posted.json.status)
    hub.gate.always = true
    hub.gate.open()
  })

  test('[H9] an edit of a settled message makes a branch beside it', async () => {
    const session = await hub.session()
    const one = await post(session, { text: 'one' }, wait)
    const two = await post(session, { text: 'two' }, wait)
    const edited = await post(session, { id: 'e', text: 'two, better', replaces: two.json.id }, wait)
    expect(edited.json.status).toBe('settled')
    const shown = await hub.ask('GET', `/api/sessions/${session}/messages`)
    expect(shown.json.items.map((m: { text: string }) => m.text)).toEqual(['one', 'echo: one', 'two, better', 'echo: two, better'])
    const again = await post(session, { id: 'e', text: 'two, better', replaces: two.json.id })
    expect(again.json.duplicate).toBe(true)
    const back = await hub.ask('POST', `/api/sessions/${session}/switch`, { leaf: two.json.reply.id })
    expect(back.status).toBe(200)
    const old = await hub.ask('GET', `/api/sessions/${session}/messages`)
    expect(old.json.items.map((m: { text: string }) => m.text)).toEqual(['one', 'echo: one', 'two', 'echo: two'])
    expect(one.json.status).toBe('settled')
  })

  test('[H9] a queued message is taken back for its edit; one at work is no_longer_queued', async () => {
    const session = await hub.session()
    hub.gate.always = false
    const running = await post(session, { text: 'stream 1' })
    await until(async () => (await hub.ask('GET', `/api/sessions/${session}`)).json.processStatus === 'RUNNING')
    const queued = await post(session, { text: 'later' })
    const edited = await post(session, { id: 'e', text: 'later, better', replaces: queued.json.id })
    expect(edited.status).toBe(202)
    const again = await post(session, { id: 'e', text: 'later, better', replaces: queued.json.id })
    expect(again.json).toEqual({ ...edited.json, duplicate: true })
    const late = await post(session, { text: 'x', replaces: running.json.id })
    expect(late.json).toMatchObject({ status: 409, code: 'no_longer_queued' })
    hub.gate.always = true
    hub.gate.open()
    const end = await post(session, { id: 'e', text: 'later, better', replaces: queued.json.id }, wait)
    expect(end.json).toMatchObject({ status: 'settled', reply: { text: 'echo: later, better' } })
  })

  test('[H4] a parent of another session is refused', async () => {
    const other = await post(await hub.session(), { text: 'one' }, wait)
    const posted = await post(await hub.session(), { text: 'two', parent: other.json.id })
    expect(posted.json).toMatchObject({ status: 400, path: '/parent' })
  })
})

describe('what is wrong is named', () => {
  const cases: readonly [string, unknown, number, object][] = [
    ['an empty text', { text: '' }, 400, { path: '/text' }],
    ['white space', { text: ' \n\t' }, 400, { path: '/text' }],
    ['nothing that shows', { text: ' \u200b\u2060\ufeff' }, 400, { path: '/text' }],
    ['an agent that is not there', { text: 'x', to: 'nobody' }, 400, { path: '/to', detail: expect.stringContaining('there is quick') }],
    ['no text', {}, 400, { path: '/text' }],
    ['a number as text', { text: 7 }, 400, { path: '/text', detail: '/text must be of type string' }],
    ['an unknown field', { text: 'x', colour: 'red' }, 400, { path: '/colour', detail: '/colour is not a known field' }],
    ['an unknown field inside', { text: 'x', attachments: [{ id: 'a', size: 1 }] }, 400, { path: '/attachments/0/size' }],
    ['a wrong word', { text: 'x', when: 'soon' }, 400, { path: '/when', detail: '/when must be one of: now, next' }],
    ['an empty id', { text: 'x', id: '' }, 400, { path: '/id', detail: '/id must not be empty' }],
    ['a long id', { text: 'x', id: 'a'.repeat(129) }, 400, { path: '/id', detail: '/id must have at most 128 characters' }],
    ['half a surrogate pair', '{"text":"a\\ud800"}', 400, { path: '/text' }],
    ['a NUL', '{"text":"a\\u0000"}', 400, { path: '/text' }],
    ['no JSON', '{text:', 400, { detail: 'the body is not valid JSON' }],
    ['a list', '[]', 400, {}],
    ['null', 'null', 400, {}],
    ['__proto__', '{"text":"x","__proto__":{"a":1}}', 400, { path: '/__proto__' }],
    ['deep JSON', `{"text":${'['.repeat(5000)}${']'.repeat(5000)}}`, 400, { detail: 'the JSON is nested deeper than 64 levels' }],
    [
      'a long text',
      { text: 'ä'.repeat(32_769) },
      413,
      { path: '/text', code: 'too_large', detail: expect.stringMatching('65538 bytes.*65536') },
    ],
    ['a large body', { text: 'x'.repeat(1_048_577) }, 413, { code: 'too_large' }],
    ['an attachment that is not there', { text: 'x', attachments: [{ id: 'att_1' }] }, 400, { path: '/attachments/0/id' }],
    ['a parent that is no id', { text: 'x', parent: 'first' }, 400, { path: '/parent' }],
  ]
  for (const [what, body, status, problem] of cases) {
    test(`[H4] ${what}: ${status}`, async () => {
      const posted = await post(await hub.session(), body)
      expect(posted.json).toMatchObject({ status, ...problem })
      expect(posted.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    })
  }

  test('[H4] ids of 1 and of 128 characters, of any characters, are fine', async () => {
    const session = await hub.session()
    for (const id of ['x', '  ', '💡'.repeat(64), "'; drop table", '../..', '__proto__', 'a/b?c#d']) {
      const posted = await post(session, { id, text: 'x' })
      expect([id, posted.status, posted.json.clientId]).toEqual([id, 202, id])
    }
  })

  test('[H4] another content type is 415, wrong UTF-8 is 400', async () => {
    const session = await hub.session()
    expect((await post(session, { text: 'x' }, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await post(session, { text: 'x' }, { 'content-type': 'application/json; charset=latin1' })).status).toBe(415)
    const packed = await post(session, { text: 'x' }, { 'content-encoding': 'gzip' })
    expect(packed.json).toMatchObject({ status: 415, code: 'wrong_content_encoding' })
    const request = new Request(`http://localhost/api/sessions/${session}/messages`, {
      method: 'POST',
      headers: { host: 'localhost', cookie: hub.cookie, 'content-type': 'application/json' },
      body: Buffer.from([0x7b, 0x22, 0x74, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
    })
    const response = await hub.inside.handle(request, { unix: false, remote: '127.0.0.1' })
    expect(await response.json()).toMatchObject({ status: 400, detail: 'the body is not valid UTF-8' })
  })

  test('[H4] unknown addresses are 404, wrong methods 405 with what is allowed, wrong query parameters 400', async () => {
    expect((await hub.ask('GET', '/api/nothing')).json).toMatchObject({ status: 404, code: 'not_found' })
    expect((await hub.ask('GET', '/api/sessions/ses_none')).json).toMatchObject({ status: 404 })
    expect((await hub.ask('GET', '/api/processes/prc_none')).json).toMatchObject({ status: 404 })
    expect((await hub.ask('GET', '/api/turns/trn_none')).json).toMatchObject({ status: 404 })
    expect((await hub.ask('GET', '/api/projects/none')).json).toMatchObject({ status: 404 })
    const wrong = await hub.ask('DELETE', '/api/sessions')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, GET'])
    expect((await hub.ask('GET', '/api/sessions?limit=501')).json).toMatchObject({ status: 400, path: '/limit' })
    expect((await hub.ask('GET', '/api/sessions?colour=red')).json).toMatchObject({ status: 400, path: '/colour' })
    expect((await hub.ask('POST', '/api/sessions', { project: 'none' })).json).toMatchObject({ status: 404 })
    expect((await hub.ask('POST', '/api/sessions', { agent: 'nobody' })).json).toMatchObject({ status: 404 })
    expect((await post(await hub.session(), { text: 'x' }, { prefer: 'wait=601' })).json).toMatchObject({ status: 400, path: 'Prefer' })
  })

  test('[H7] a cursor of another generation is 410, one that is none 400', async () => {
    expect((await hub.ask('GET', '/api/events?after=99.1')).status).toBe(410)
    expect((await hub.ask('GET', '/api/events?after=x')).json).toMatchObject({ status: 400, path: '/after' })
  })

  test('[H7] a cursor that is further on than the journal is of another data folder: 410, not an empty answer', async () => {
    const { cursor } = (await post(await hub.session(), { text: 'hello' }, wait)).json
    expect((await hub.ask('GET', `/api/events?after=${cursor}`)).status).toBe(200)
    const session = await hub.session()
    for (const path of ['/api/events', `/api/sessions/${session}/events`, `/api/sessions/${session}/stream`]) {
      expect((await hub.ask('GET', `${path}?after=${cursor.replace(/\d+$/, '999999999')}`)).json).toMatchObject({
        status: 410,
        path: '/after',
      })
    }
  })
})

describe('sessions, projects, documents', () => {
  test('[H10, H19] a session is named, pinned, listed, closed; a closed one takes no message', async () => {
    const session = await hub.session()
    const first = await post(session, { id: 'a', text: 'hello' }, wait)
    const changed = await hub.ask('PATCH', `/api/sessions/${session}`, { title: 'Tea', pinned: true })
    expect(changed.json).toMatchObject({ id: session, title: 'Tea', pinned: true })
    const listed = await hub.ask('GET', '/api/sessions?limit=500')
    expect(listed.json.items.find((one: { id: string }) => one.id === session)).toMatchObject({ title: 'Tea' })
    expect((await hub.ask('POST', `/api/sessions/${session}/close`)).status).toBe(200)
    expect((await post(session, { text: 'x' })).json).toMatchObject({ status: 409, code: 'closed' })
    expect((await post(session, { id: 'a', text: 'hello' }, wait)).json).toEqual({ ...first.json, duplicate: true })
    expect((await post(session, { id: 'a', text: 'other' })).json).toMatchObject({ status: 409, code: 'conflict' })
  })

  test('[H10] a suspended session goes on with a message', async () => {
    const session = await hub.session()
    await hub.scopes.sessions.suspend(session as Parameters<typeof hub.scopes.sessions.suspend>[0], 'FORCED')
    const posted = await post(session, { text: 'hello' }, wait)
    expect(posted.json).toMatchObject({ status: 'settled', reply: { text: 'echo: hello' } })
  })

  test('[H32] a root is a folder that is there, never the hub or what holds it, nor the whole of the person; one that was there may stay', async () => {
    const at = (...parts: readonly string[]) => join(hub.home, ...parts)
    for (const folder of ['data/blobs', 'person/shop', 'later']) mkdirSync(at(folder), { recursive: true })
    writeFileSync(at('person/file'), '')
    symlinkSync(at('data'), at('person/link'))
    const create = (...roots: readonly string[]) => hub.ask('POST', '/api/projects', { name: 'rooted', roots })
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['/', /too wide/],
      [at('person'), /too wide/],
      [at(), /too wide|own data/],
      [at('data'), /own data/],
      [at('data/blobs'), /own data/],
      [at('person/shop/../../data'), /own data/],
      [at('person/link'), /own data/],
      [at('person/file'), /is no folder/],
      [at('nowhere'), /does not exist.*Allowed is a folder that is there/],
      ['shop', /absolute path/],
    ]
    for (const [root, why] of wrong) {
      const refused = await create(at('person/shop'), root)
      expect([root, refused.status, refused.json.path]).toEqual([root, 400, '/roots/1'])
      expect(refused.json.detail).toMatch(why)
    }
    expect((await hub.ask('GET', '/api/projects/rooted')).status).toBe(404)
    expect((await create(at('person/shop'), at('later'))).status).toBe(201)
    const patch = (...roots: readonly string[]) => hub.ask('PATCH', '/api/projects/rooted', { roots })
    for (const [root, why] of wrong) expect((await patch(root)).json).toMatchObject({ status: 400, detail: expect.stringMatching(why) })
    rmdirSync(at('later'))
    expect((await patch(at('later'))).json.roots).toEqual([at('later')])
    expect((await patch(at('person/shop'))).status).toBe(200)
    expect((await patch(at('later'))).status).toBe(400)
  })

  test('[H19] projects are made, changed, archived; system ones are not removed', async () => {
    const made = await hub.ask('POST', '/api/projects', { name: 'garden', title: 'Garden' })
    expect([made.status, made.json.name]).toEqual([201, 'garden'])
    expect((await hub.ask('POST', '/api/projects', { name: 'garden' })).status).toBe(409)
    expect((await hub.ask('PATCH', '/api/projects/garden', { title: 'The garden' })).json).toMatchObject({ title: 'The garden' })
    expect((await hub.ask('DELETE', '/api/projects/_user_ada')).status).toBe(409)
    expect((await hub.ask('GET', '/api/projects/_user_bob')).status).toBe(404)
    expect((await hub.ask('POST', '/api/projects/garden/archive')).json).toMatchObject({ status: 'CLOSED' })
  })

  test('[H19] a document is written with the version that was read, and found through the cascade', async () => {
    const written = await hub.ask('PUT', '/api/documents/notes/tea.md', { text: 'green', expected: 0 })
    expect(written.json).toMatchObject({ path: 'notes/tea.md', version: 1, level: 'home' })
    expect((await hub.ask('PUT', '/api/documents/notes/tea.md', { text: 'black', expected: 0 })).status).toBe(409)
    expect((await hub.ask('GET', '/api/documents/notes/tea.md')).json).toMatchObject({ text: 'green' })
    expect((await hub.ask('GET', '/api/documents/notes/none.md')).status).toBe(404)
    expect((await hub.ask('GET', '/api/documents/notes/%2e%2e/x')).status).toBeGreaterThanOrEqual(400)
  })

  test('[H19, P17, P18] settings are set for the home or a project, read as they apply, and taken away by null', async () => {
    await hub.ask('POST', '/api/projects', { name: 'greenhouse' })
    const put = (path: string, value: unknown) => hub.ask('PUT', `/api/settings/${path}`, { value })
    expect((await put('chat.language', 'de')).json).toEqual({ key: 'chat.language', value: 'de' })
    expect((await put('my.colour?project=greenhouse', { main: 'green' })).status).toBe(200)
    expect((await hub.ask('GET', '/api/settings')).json).toEqual({ items: [{ key: 'chat.language', value: 'de' }], next: null })
    expect((await hub.ask('GET', '/api/settings/my.colour?project=greenhouse')).json.value).toEqual({ main: 'green' })
    expect((await hub.ask('GET', '/api/settings/my.colour')).status).toBe(404)
    expect((await put('chat.language', 'Deutsch, bitte')).json).toMatchObject({ status: 400, path: '/value' })
    expect((await put('mail.password', 'x')).json).toMatchObject({ status: 400, path: '/key' })
    expect((await put('a?project=none', 1)).status).toBe(404)
    expect((await hub.ask('PUT', '/api/settings/a', {})).json).toMatchObject({ status: 400, path: '/value' })
    expect((await put('chat.language', null)).status).toBe(200)
    expect((await hub.ask('GET', '/api/settings')).json.items).toEqual([])
  })

  test('[H19] a turn is found by its id, with its steps; a process shows its queue', async () => {
    const session = await hub.session()
    await post(session, { text: 'stream 2' }, wait)
    const events = await hub.ask('GET', `/api/sessions/${session}/events?detail=operator&limit=500`)
    const turn = (await hub.journal.read({ after: 0, limit: 500, session })).events.find((e) => e.type === 'turn-started')?.data['turn']
    const view = await hub.ask('GET', `/api/turns/${turn}`)
    expect(view.json).toMatchObject({ id: turn, session, status: 'done', steps: [{ name: 'words', state: 'done', attempt: 1 }] })
    const process = (await hub.ask('GET', `/api/sessions/${session}`)).json.process
    expect((await hub.ask('GET', `/api/processes/${process}`)).json).toMatchObject({ id: process, status: 'IDLE', turn: null, queue: [] })
    expect(events.json.items.length).toBeGreaterThan(2)
  })

  test('[H5] events are paged by cursor without a hole', async () => {
    const session = await hub.session()
    for (const text of ['a', 'b', 'c']) await post(session, { text }, wait)
    const all = (await hub.ask('GET', `/api/sessions/${session}/events?limit=500`)).json.items
    const paged: unknown[] = []
    for (let next = ''; ; ) {
      const page = await hub.ask('GET', `/api/sessions/${session}/events?limit=2${next && `&after=${next}`}`)
      paged.push(...page.json.items)
      if (page.json.next === null) break
      next = page.json.next
    }
    expect(paged).toEqual(all)
  })
})

describe('who may', () => {
  const nobody = { cookie: '' }

  test('[H1] without a credential only health and login answer', async () => {
    expect((await hub.ask('GET', '/health/live', undefined, nobody)).status).toBe(200)
    expect((await hub.ask('GET', '/health/ready', undefined, nobody)).json).toEqual({ status: 'ok' })
    for (const path of ['/api/me', '/api/sessions', '/metrics', '/api/openapi.json', '/api/doctor', '/api/tokens']) {
      const asked = await hub.ask('GET', path, undefined, nobody)
      expect([path, asked.status, asked.json.code]).toEqual([path, 401, 'not_logged_in'])
    }
  })

  test('[H1] a foreign Host is refused everywhere, a foreign Origin where something changes', async () => {
    expect((await hub.ask('GET', '/api/me', undefined, { host: 'evil.test' })).status).toBe(403)
    expect((await hub.ask('GET', '/health/live', undefined, { host: 'evil.test:4180' })).status).toBe(403)
    for (const origin of ['http://evil.test', 'null', 'http://localhost:3000', 'https://localhost.evil.test', 'file://']) {
      expect([origin, (await hub.ask('POST', '/api/sessions', {}, { origin })).status]).toEqual([origin, 403])
    }
    expect((await hub.ask('POST', '/api/sessions', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    const own = { host: 'localhost:4180', origin: 'http://localhost:4180', cookie: hub.cookie.replace('steward=', 'steward_4180=') }
    expect((await hub.ask('POST', '/api/sessions', {}, own)).status).toBe(201)
  })

  test('[H8] a one-time code logs in once; the cookie is HttpOnly and SameSite=Strict; logout ends it', async () => {
    const { code } = await hub.people.newCode('ada')
    const login = await hub.ask('POST', '/api/login', { code }, nobody)
    expect(login.json).toEqual({ name: 'ada', role: 'owner' })
    const set = login.headers.get('set-cookie') ?? ''
    expect(set).toMatch(/^steward=[0-9A-Z]{32}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/)
    const cookie = set.split(';')[0] ?? ''
    expect((await hub.ask('POST', '/api/login', { code }, nobody)).status).toBe(401)
    expect((await hub.ask('GET', '/api/me', undefined, { cookie })).json).toMatchObject({ user: { name: 'ada' }, via: 'cookie' })
    expect((await hub.ask('POST', '/api/logout', undefined, { cookie })).status).toBe(204)
    expect((await hub.ask('GET', '/api/me', undefined, { cookie })).status).toBe(401)
  })

  test('[H8] a cookie is of one port, so that two hubs on a machine leave each other alone; a stale one beside it does no harm', async () => {
    const { code } = await hub.people.newCode('ada')
    const host = '127.0.0.1:4181'
    const login = await hub.ask('POST', '/api/login', { code }, { ...nobody, host })
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    expect(cookie).toMatch(/^steward_4181=[0-9A-Z]{32}$/)
    const status = async (headers: Record<string, string>) => (await hub.ask('GET', '/api/me', undefined, headers)).status
    expect(await status({ host, cookie: `steward=x; steward_4180=y; steward_4181=stale; ${cookie}` })).toBe(200)
    expect(await status({ host: '127.0.0.1:4180', cookie })).toBe(401)
  })

  test('[H12, U5] a token has its scopes and nothing else, and gives no more than it has', async () => {
    const made = await hub.ask('POST', '/api/tokens', { name: 'cron', scopes: ['read', 'tokens'] })
    expect(made.status).toBe(201)
    const bearer = { cookie: '', authorization: `Bearer ${made.json.secret}` }
    expect((await hub.ask('GET', '/api/sessions', undefined, bearer)).status).toBe(200)
    expect((await hub.ask('POST', '/api/sessions', {}, bearer)).json).toMatchObject({ status: 403, code: 'forbidden' })
    expect((await hub.ask('POST', '/api/tokens', { name: 'more', scopes: ['chat'] }, bearer)).status).toBe(403)
    expect((await hub.ask('POST', '/api/tokens', { name: 'less', scopes: ['read'] }, bearer)).status).toBe(201)
    const listed = await hub.ask('GET', '/api/tokens')
    expect(JSON.stringify(listed.json)).not.toContain(made.json.secret)
    expect((await hub.ask('DELETE', `/api/tokens/${made.json.id}`)).status).toBe(204)
    expect((await hub.ask('GET', '/api/sessions', undefined, bearer)).status).toBe(401)
  })

  test('[H16] a new one-time code is only for the command line', async () => {
    expect((await hub.ask('POST', '/api/codes', {})).status).toBe(403)
    const made = await hub.inside.handle(new Request('http://localhost/api/codes', { method: 'POST' }), { unix: true, remote: null })
    expect(made.status).toBe(201)
  })

  test("[H13] somebody else's rows look like none", async () => {
    const session = (await hub.ask('POST', '/api/sessions', {})).json.id
    const bob = { name: 'bob', role: 'member' as const, createdAt: 0 }
    const caller = { user: bob, via: 'cookie' as const, actor: 'user:bob' as const, scopes: null, credential: null }
    const { calls } = await import('../src/server/app.ts')
    const call = calls.find((one) => one.path === '/api/sessions/:id' && one.method === 'GET')
    const raw = {
      hub: hub.inside.hub,
      caller,
      params: { id: session },
      query: {},
      body: undefined,
      headers: new Headers(),
      signal: AbortSignal.any([]),
      key: null,
    }
    await expect(call?.run(raw)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('descriptions', () => {
  test('[H6] the OpenAPI document names every call, and its schemas are those that check', async () => {
    const { json } = await hub.ask('GET', '/api/openapi.json')
    expect(json.openapi).toBe('3.1.0')
    const message = json.paths['/api/sessions/{id}/messages'].post.requestBody.content['application/json'].schema
    expect(message).toMatchObject({ required: ['text'], additionalProperties: false, properties: { id: { minLength: 1, maxLength: 128 } } })
    expect(Object.keys(json.paths)).toContain('/api/documents/{path}')
    expect(Object.keys(json.paths)).toContain('/api/approvals/{id}')
  })

  test('[H20] Prometheus text has requests by pattern, turns and lags', async () => {
    const { text } = await hub.ask('GET', '/metrics')
    expect(text).toContain('steward_http_requests_total{method="POST",path="/api/sessions/:id/messages",status="202"}')
    expect(text).toMatch(/^steward_journal_cursor \d+$/m)
    expect(text).toMatch(/^steward_projection_lag\{name="[a-z]+"\} \d+$/m)
    expect(text).not.toContain('ses_')
  })
})

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}

describe('while nothing can be stored', () => {
  test('[J6, H11] changes are refused at once with the reason, reads go on, and afterwards all goes on', async () => {
    const session = await hub.session()
    hub.refuse('the disk is full')
    const waiting = hub.ask('POST', '/api/sessions', {})
    await expect.poll(() => hub.journal.readOnly).toBe(true)
    const detail = 'nothing can be stored now: the disk is full; nothing was changed'
    const calls: readonly [string, string, unknown][] = [
      ['POST', `/api/sessions/${session}/messages`, { text: 'hello' }],
      ['POST', '/api/sessions', {}],
      ['POST', '/api/projects', { name: 'shop' }],
      ['PATCH', `/api/sessions/${session}`, { title: 'other' }],
      ['PUT', '/api/documents/notes/a.md', { text: 'a' }],
      ['POST', `/api/sessions/${session}/stop`, {}],
    ]
    for (const [method, path, body] of calls) {
      const refused = await hub.ask(method, path, body)
      expect([path, refused.status, refused.json.code, refused.json.detail]).toEqual([path, 503, 'unavailable', detail])
      expect(refused.headers.get('retry-after')).toBe('1')
    }
    expect((await hub.ask('GET', `/api/sessions/${session}`)).status).toBe(200)
    expect((await hub.ask('GET', '/health/ready')).json).toEqual({ status: 'failing', why: ['nothing can be stored: the disk is full'] })
    hub.refuse(null)
    expect((await waiting).status).toBe(201)
    const said = await hub.ask('POST', `/api/sessions/${session}/messages`, { text: 'hello' }, { prefer: 'wait=10' })
    expect(said.json).toMatchObject({ status: 'settled', reply: { text: 'echo: hello' } })
  })
})
