// Attachments through the HTTP interface of a whole hub.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openHub, type TestHub } from './http-hub.ts'

let hub: TestHub
beforeAll(async () => {
  hub = await openHub()
})
afterAll(() => hub.close())

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const raw = async (path: string, bytes: Uint8Array | string, headers: Record<string, string> = {}, on = hub) => {
  const all = { host: 'localhost', cookie: on.cookie, ...headers }
  const body = typeof bytes === 'string' ? bytes : new Uint8Array(bytes)
  const given = new Request(`http://localhost${path}`, { method: 'POST', headers: all, body })
  const response = await on.inside.handle(given, { unix: false, remote: '127.0.0.1' })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: JSON.parse(text) }
}
const kept = (home: string) => {
  const folder = join(home, 'blobs', 'attachments')
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length
}
const fresh = async (work: (own: TestHub) => Promise<void>) => {
  const own = await openHub()
  try {
    await work(own)
  } finally {
    await own.close()
  }
}

describe('kept and given back', () => {
  test('[Y210, Y211] raw bytes are kept, and their type is found by them', async () => {
    const made = await raw('/api/attachments?name=a%20b.txt', png, { 'content-type': 'text/plain' })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({ name: 'a b.txt', mime: 'image/png', size: png.length, duplicate: false })
    const got = await hub.ask('GET', `/api/attachments/${made.json.id}`)
    expect(got.status).toBe(200)
    expect(got.headers.get('content-length')).toBe(String(png.length))
  })

  test('[Y215] nothing that is given back can run here: saved, not sniffed, in a sandbox', async () => {
    const page = await raw('/api/attachments?name=x.html', '<script>alert(1)</script>', { 'content-type': 'text/html' })
    expect(page.json.mime).toBe('text/plain')
    for (const how of ['', '?inline=1']) {
      const got = await hub.ask('GET', `/api/attachments/${page.json.id}${how}`)
      expect(got.headers.get('x-content-type-options')).toBe('nosniff')
      expect(got.headers.get('content-disposition')).toBe(`attachment; filename="x.html"; filename*=UTF-8''x.html`)
      expect(got.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
      expect(got.text).toBe('<script>alert(1)</script>')
    }
    const picture = await raw('/api/attachments?name=p.png', png)
    const shown = await hub.ask('GET', `/api/attachments/${picture.json.id}?inline=1`)
    expect(shown.headers.get('content-disposition')).toMatch(/^inline; /)
    expect(shown.headers.get('content-security-policy')).toContain('sandbox')
    const saved = await hub.ask('GET', `/api/attachments/${picture.json.id}`)
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment; /)
  })

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\a.txt', 'a.txt'],
    ['..', 'file'],
    ['', 'file'],
    ['a\r\nX-Evil: 1.txt', 'aX-Evil_ 1.txt'],
    ['\u202egpj.exe', 'gpj.exe'],
    ['.ssh', 'ssh'],
    ['"quoted".txt', '_quoted_.txt'],
    ['Käse 🧀.txt', 'Käse 🧀.txt'],
  ])('[Y215] the name %j is kept as %j', async (given, name) => {
    const made = await raw(`/api/attachments?name=${encodeURIComponent(given)}`, 'text')
    expect(made.json.name).toBe(name)
    const got = await hub.ask('GET', `/api/attachments/${made.json.id}`)
    expect(got.headers.get('content-disposition')).toMatch(/^attachment; filename="[ -~]+"; filename\*=UTF-8''[A-Za-z0-9%._~!$&+^`|-]+$/)
    expect(got.headers.get('x-evil')).toBeNull()
  })

  test('[Y212] somebody else sees none of it, and a message of another session can not name it', async () => {
    const [one, two] = [await hub.session(), await hub.session()]
    const made = await raw(`/api/attachments?name=a.txt&session=${one}`, 'mine')
    expect((await hub.ask('GET', `/api/attachments/${made.json.id}`, undefined, { cookie: '' })).status).toBe(401)
    expect(await hub.attachments.get('bob', made.json.id)).toBeNull()
    const said = await hub.ask('POST', `/api/sessions/${two}/messages`, { text: 'see', attachments: [{ id: made.json.id }] })
    expect(said.json).toMatchObject({ status: 400, path: '/attachments/0/id' })
    expect((await hub.ask('GET', '/api/attachments/..%2f..%2fetc%2fpasswd')).status).toBe(404)
    expect((await raw('/api/attachments?session=ses_1', 'x')).status).toBe(404)
  })

  test('[Y210] the same id of the sender is the same file; with other bytes it is a conflict', async () => {
    const first = await raw('/api/attachments?name=a.txt&id=up1', 'abc')
    const again = await raw('/api/attachments?name=a.txt&id=up1', 'abc')
    expect([first.status, again.status, again.json.id, again.json.duplicate]).toEqual([201, 200, first.json.id, true])
    expect((await raw('/api/attachments?name=a.txt&id=up1', 'abd')).status).toBe(409)
  })

  test('[Y213] no bytes, a form and too many bytes are refused, and nothing of them stays', async () => {
    await fresh(async (own) => {
      expect((await raw('/api/attachments?name=a', new Uint8Array(0), {}, own)).json).toMatchObject({ status: 400 })
      expect((await raw('/api/attachments?name=a', 'x', { 'content-type': 'multipart/form-data; boundary=x' }, own)).status).toBe(415)
      const announced = await raw('/api/attachments?name=a', 'x', { 'content-length': String(21 * 1024 * 1024) }, own)
      expect(announced.json).toMatchObject({ status: 413, code: 'too_large' })
      const large = await raw('/api/attachments?name=a', new Uint8Array(20 * 1024 * 1024 + 1), {}, own)
      expect(large.json).toMatchObject({ status: 413, code: 'too_large' })
      expect(kept(own.home)).toBe(0)
      expect((await raw('/api/attachments?name=a', new Uint8Array(20 * 1024 * 1024).fill(1), {}, own)).status).toBe(201)
    })
  })

  test('[Y213] a conversation has 50 files and 100 MB at most, also of those that come at once', async () => {
    await fresh(async (own) => {
      const [many, heavy] = [await own.session(), await own.session()]
      const to = (session: string) => `/api/attachments?name=a&session=${session}`
      for (let i = 0; i < 48; i++) await raw(to(many), `${i}`, {}, own)
      const last = await Promise.all([1, 2, 3, 4, 5].map((i) => raw(to(many), `last ${i}`, {}, own)))
      expect(last.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409])
      const bytes = new Uint8Array(20 * 1024 * 1024)
      for (let i = 0; i < 5; i++) expect((await raw(to(heavy), bytes.fill(i + 1), {}, own)).status).toBe(201)
      expect((await raw(to(heavy), 'x', {}, own)).json).toMatchObject({ status: 409, code: 'limit' })
    })
  })
})

describe('messages', () => {
  test('[Y216] a message names them by id, in order, with what the hub knows of them; the session lists them', async () => {
    const session = await hub.session()
    const made = [await raw('/api/attachments?name=1.txt', 'one'), await raw('/api/attachments?name=2.png', png)]
    const attachments = made.map(({ json }) => ({ id: json.id, name: 'other', mime: 'text/html' })).reverse()
    const said = { id: 'a', text: 'see', attachments }
    const posted = await hub.ask('POST', `/api/sessions/${session}/messages`, said, { prefer: 'wait=10' })
    expect(posted.json.status).toBe('settled')
    const line = (await hub.ask('GET', `/api/sessions/${session}/messages`)).json.items[0]
    expect(line.attachments).toEqual([
      { id: made[1]?.json.id, name: '2.png', mime: 'image/png', size: png.length },
      { id: made[0]?.json.id, name: '1.txt', mime: 'text/plain', size: 3 },
    ])
    const listed = (await hub.ask('GET', `/api/sessions/${session}/attachments`)).json.items
    expect(listed.map((one: { id: string }) => one.id)).toEqual(made.map(({ json }) => json.id))
    expect((await hub.ask('POST', `/api/sessions/${session}/messages`, said)).json.duplicate).toBe(true)
    for (const { json } of made) expect((await hub.ask('DELETE', `/api/attachments/${json.id}`)).status).toBe(204)
    expect((await hub.ask('GET', `/api/attachments/${made[0]?.json.id}`)).status).toBe(404)
    expect((await hub.ask('DELETE', `/api/attachments/${made[0]?.json.id}`)).status).toBe(404)
    expect((await hub.ask('POST', `/api/sessions/${session}/messages`, said)).json).toMatchObject({ duplicate: true, id: posted.json.id })
    const other = await hub.ask('POST', `/api/sessions/${session}/messages`, { ...said, id: 'b' })
    expect(other.json).toMatchObject({ status: 400, path: '/attachments/0/id' })
  })

  test('[Y213] six files, and one file twice, are refused by name', async () => {
    const session = await hub.session()
    const made = await Promise.all([1, 2, 3, 4, 5, 6].map((i) => raw('/api/attachments?name=a', `${i}`)))
    const ids = made.map(({ json }) => ({ id: json.id }))
    const say = (attachments: unknown) => hub.ask('POST', `/api/sessions/${session}/messages`, { text: 'x', attachments })
    expect((await say(ids)).json).toMatchObject({ status: 400, path: '/attachments' })
    expect((await say([ids[0], ids[0]])).json).toMatchObject({ status: 400, path: '/attachments/1/id' })
    expect((await say(ids.slice(0, 5))).status).toBe(202)
  })
})

describe('what is left on the disk', () => {
  test('[Y214] equal bytes lie there once, and go with the last that refers to them', async () => {
    await fresh(async (own) => {
      const made = [await raw('/api/attachments?name=a', 'same', {}, own), await raw('/api/attachments?name=b', 'same', {}, own)]
      expect(kept(own.home)).toBe(1)
      await own.ask('DELETE', `/api/attachments/${made[0]?.json.id}`)
      expect((await own.ask('GET', `/api/attachments/${made[1]?.json.id}`)).text).toBe('same')
      await own.ask('DELETE', `/api/attachments/${made[1]?.json.id}`)
      expect(kept(own.home)).toBe(0)
    })
  })

  test('[Y214] they go with their project when it is purged', async () => {
    await fresh(async (own) => {
      await own.ask('POST', '/api/projects', { name: 'garden' })
      const session = (await own.ask('POST', '/api/sessions', { project: 'garden' })).json.id
      const made = await raw(`/api/attachments?name=a&session=${session}`, 'x', {}, own)
      expect((await own.ask('DELETE', '/api/projects/garden?purge=true')).status).toBeLessThan(300)
      expect((await own.ask('GET', `/api/attachments/${made.json.id}`)).status).toBe(404)
      expect(kept(own.home)).toBe(0)
    })
  })

  test('[Y210] while nothing can be stored nothing is acknowledged, and nothing new is taken', async () => {
    await fresh(async (own) => {
      own.refuse('the disk is full')
      const waiting = raw('/api/attachments?name=a', 'x', {}, own)
      await vi.waitFor(() => expect(own.journal.health().readOnly).not.toBeNull())
      expect((await raw('/api/attachments?name=b', 'y', {}, own)).status).toBe(503)
      expect(kept(own.home)).toBe(1)
      own.refuse(null)
      expect((await waiting).status).toBe(201)
      await vi.waitFor(() => expect(own.journal.health().readOnly).toBeNull())
      expect((await raw('/api/attachments?name=b', 'y', {}, own)).status).toBe(201)
    })
  })

  test('[Y210] a sender that goes away in the middle leaves nothing, and one that sends for ever is cut off', async () => {
    await fresh(async (own) => {
      const at = new URL((await own.listen()).address)
      const headers = { cookie: own.cookie, 'transfer-encoding': 'chunked' }
      const sent = request({ host: at.hostname, port: at.port, method: 'POST', path: '/api/attachments?name=a', headers })
      sent.on('error', () => {})
      await new Promise<void>((resolve) => sent.write(Buffer.alloc(1_000_000, 1), () => resolve()))
      await vi.waitFor(() => expect(kept(own.home)).toBe(1))
      sent.destroy()
      await vi.waitFor(() => expect(kept(own.home)).toBe(0))
      const status = await new Promise<number>((resolve) => {
        const endless = request(
          { host: at.hostname, port: at.port, method: 'POST', path: '/api/attachments?name=a', headers },
          (answer) => {
            resolve(answer.statusCode ?? 0)
            answer.resume()
            endless.destroy()
          },
        )
        endless.on('error', () => {})
        const more = () => {
          while (!endless.destroyed && endless.write(Buffer.alloc(100_000, 1)));
        }
        endless.on('drain', more)
        more()
      })
      expect(status).toBe(413)
      await vi.waitFor(() => expect(kept(own.home)).toBe(0))
    })
  })

  test('[Y210] what was acknowledged is there after a restart, and halves of files are not', async () => {
    const home = mkdtempSync(join(tmpdir(), 'steward-attached-'))
    const first = await openHub({ home })
    const session = await first.session()
    const made = await raw(`/api/attachments?name=a.txt&session=${session}`, 'stays', {}, first)
    await first.close({ keep: true })
    const folder = join(home, 'blobs', 'attachments')
    writeFileSync(join(folder, 'coming', 'att_half'), 'half')
    mkdirSync(join(folder, 'ab'), { recursive: true })
    writeFileSync(join(folder, 'ab', `ab${'0'.repeat(62)}`), 'named, but never said')
    const second = await openHub({ home })
    expect(kept(home)).toBe(1)
    expect((await second.ask('GET', `/api/attachments/${made.json.id}`)).text).toBe('stays')
    await second.close()
    rmSync(home, { recursive: true, force: true })
  })
})
