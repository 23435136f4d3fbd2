import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHub, type TestHub } from './http-hub.ts'

let hub: TestHub
let root: string
const nobody = { cookie: '' }
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'steward-page-'))
  mkdirSync(join(root, 'dist/assets'), { recursive: true })
  writeFileSync(join(root, 'dist/index.html'), '<!doctype html><title>Steward</title>')
  writeFileSync(join(root, 'dist/assets/app-1.js'), 'export {}')
  writeFileSync(join(root, 'secret.txt'), 'secret')
  symlinkSync(join(root, 'secret.txt'), join(root, 'dist/link.txt'))
  hub = await openHub({ webRoot: join(root, 'dist') })
})
afterAll(async () => {
  await hub.close()
  rmSync(root, { recursive: true })
})

test('[H21] the page comes without a credential, may load only its own, and may not be framed', async () => {
  for (const path of ['/', '/sessions/ses_1', '/inbox']) {
    const page = await hub.ask('GET', path, undefined, nobody)
    expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  }
})

test('files with a hash in their name are kept for good, the page is asked for again', async () => {
  const file = await hub.ask('GET', '/assets/app-1.js', undefined, nobody)
  expect([file.headers.get('content-type'), file.headers.get('cache-control')]).toEqual([
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ])
  const page = await hub.ask('GET', '/', undefined, nobody)
  const again = await hub.ask('GET', '/', undefined, { ...nobody, 'if-none-match': page.headers.get('etag') ?? '' })
  expect([again.status, again.text, page.headers.get('cache-control')]).toEqual([304, '', 'no-cache'])
})

test('[H21] nothing outside of the page is served', async () => {
  for (const path of [
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/link.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/nothing.js',
    '/a%00.js',
  ]) {
    const asked = await hub.ask('GET', path, undefined, nobody)
    expect([path, asked.status]).toEqual([path, 404])
    expect(asked.text).not.toContain('secret"')
  }
  expect((await hub.ask('GET', '/', undefined, { ...nobody, host: 'evil.test' })).status).toBe(403)
})

test('[H21] answers of the interface are no pages: not kept, not sniffed, not framed', async () => {
  const { headers } = await hub.ask('GET', '/api/me')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  expect(headers.get('x-frame-options')).toBe('DENY')
})

test('[H21] after a login the code and the cookie stand in no log line, no answer and no file of the page', async () => {
  const { code } = await hub.people.newCode('ada')
  const login = await hub.ask('POST', '/api/login', { code }, nobody)
  const secret = /^steward=(\w+)/.exec(login.headers.get('set-cookie') ?? '')?.[1] ?? ''
  const texts = [JSON.stringify(hub.lines), login.text]
  for (const path of ['/', '/assets/app-1.js', '/api/me', '/api/doctor', '/api/config', '/api/events?limit=500', '/metrics']) {
    const asked = await hub.ask('GET', path, undefined, { cookie: `steward=${secret}` })
    expect(asked.status).toBe(200)
    texts.push(asked.text)
  }
  expect(secret).toHaveLength(32)
  for (const text of texts) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(code)
  }
})
