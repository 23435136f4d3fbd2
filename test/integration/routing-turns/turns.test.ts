// Routing in conversations over the public surface: a whole hub in this process, reached over HTTP by two clients of one person; only
// the model is a script. And the page, which tells why.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { type ScriptedModel, type ScriptedRequest, startScriptedModel, withoutNotices } from '../../../src/models/scripted.ts'
import { openSteward, type Steward } from '../../../src/steward.ts'
import { launch, noBrowser, openPage } from '../../chromium.ts'

let home: string
let model: ScriptedModel
let steward: Steward

const nameOf = ({ body }: ScriptedRequest) => /You are called [^(]*\(@(\w+)\)/.exec(JSON.stringify(body.messages?.[0] ?? ''))?.[1] ?? ''
const askedOf = ({ body }: ScriptedRequest) =>
  withoutNotices(String(body.messages?.findLast(({ role }) => role === 'user')?.content ?? '')).trim()

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'steward-routing-'))
  const agents = join(home, 'documents', '_tenant', 'agents')
  mkdirSync(agents, { recursive: true })
  writeFileSync(join(agents, 'kurier.md'), '---\nname: kurier\ntriggers: [liefere, zustellen]\n---\nDu bist der Kurier.\n')
  model = await startScriptedModel({ otherwise: (request) => `${nameOf(request)}: ${askedOf(request)}` })
  steward = await openHub({ STEWARD_MODEL: 'openai/scripted', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: model.url })
})
afterEach(async () => {
  await steward.close()
  await model.close()
  rmSync(home, { recursive: true, force: true })
})

async function openHub(given: Readonly<Record<string, string>>): Promise<Steward> {
  const env = { STEWARD_HOME: home, STEWARD_PORT: '0', ...given }
  return openSteward(await loadConfig({ env }), { log: () => {}, env: { ...process.env, ...env } })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Found = any
type Client = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<{ status: number; json: Found }>

async function client(): Promise<Client> {
  const type = { 'content-type': 'application/json' }
  const login = await fetch(`${steward.address}/api/login`, {
    ...{ method: 'POST', headers: type, body: JSON.stringify({ code: await steward.newCode() }) },
  })
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
  return async (method, path, body, headers = {}) => {
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    const got = await fetch(steward.address + path, { method, headers: { ...type, ...headers, cookie }, ...given })
    return { status: got.status, json: JSON.parse((await got.text()) || 'null') }
  }
}

const wait = { prefer: 'wait=30' }
const say = (ask: Client, session: string, body: object) => ask('POST', `/api/sessions/${session}/messages`, body, wait)
const linesOf = async (ask: Client, session: string): Promise<string[]> =>
  (await ask('GET', `/api/sessions/${session}/messages`)).json.items.map((line: Found) => `${line.agent ?? line.role}: ${line.text}`)
const until = async (ask: Client, session: string, count: number) => {
  await expect.poll(async () => (await linesOf(ask, session)).length, { timeout: 20_000 }).toBe(count)
  return linesOf(ask, session)
}
const session = async (ask: Client) => String((await ask('POST', '/api/sessions', {})).json.id)

describe('over HTTP', () => {
  test('[E43, E44] two clients of one person reach the same worker, and both see its answers under its name', async () => {
    const [one, other] = [await client(), await client()]
    const id = await session(one)
    const first = await say(one, id, { text: '@kurier wo ist das Paket?' })
    expect(first.json.reply).toMatchObject({ text: 'kurier hat es.', agent: 'hub' })
    expect(await until(other, id, 3)).toEqual([
      'user: @kurier wo ist das Paket?',
      'hub: kurier hat es.',
      'kurier: **[Worker kurier → reply]**\n\nkurier: @kurier wo ist das Paket?',
    ])
    await say(other, id, { text: 'und die Tests?', to: 'Kurier' })
    expect((await until(one, id, 6)).at(-1)).toBe('kurier: **[Worker kurier → reply]**\n\nkurier: und die Tests?')
    const { json } = await one('GET', '/api/sessions')
    expect(json.items.filter((item: Found) => item.agent === 'kurier')).toHaveLength(1)
  })

  test('[E43] an address of nobody is refused with who is there, an e-mail address mentions nobody', async () => {
    const ask = await client()
    const id = await session(ask)
    const refused = await say(ask, id, { text: 'x', to: 'niemand' })
    expect(refused).toMatchObject({ status: 400, json: { path: '/to' } })
    expect(refused.json.detail).toMatch(/there is no agent "niemand" here; there is .*kurier/)
    const plain = await say(ask, id, { text: 'schreib an post@kurier.de und an @niemand' })
    expect(plain.json.reply).toMatchObject({ agent: 'hub', text: expect.stringContaining('schreib an post@kurier.de') })
  })

  test('[E41, E45] what advised is shown with the turn, and who leads answers', async () => {
    const ask = await client()
    const id = await session(ask)
    const { json } = await say(ask, id, { text: 'Bitte liefere das Paket.' })
    expect(json.reply).toMatchObject({ agent: 'hub' })
    const events = (await ask('GET', `/api/sessions/${id}/events`)).json.items
    const decided = events.find((event: Found) => event.type === 'route-decided')
    expect(decided).toMatchObject({
      visibility: 'user-detail',
      data: { agent: 'hub', message: json.id, route: { decision: expect.any(String) } },
    })
    const turn = (await ask('GET', `/api/turns/${decided.data.turn}`)).json
    expect(turn.routes).toMatchObject([{ agent: 'hub', message: json.id, route: { rosterVersion: decided.data.route.rosterVersion } }])
  })

  test('[E47, E48] a correction in German makes a rule that the next message follows', async () => {
    const ask = await client()
    const id = await session(ask)
    await say(ask, id, { text: 'Wie wird das Quittungsbuch sortiert?' })
    const asked = await say(ask, id, { text: 'Das hätte der Kurier beantworten sollen.' })
    expect(asked.json).toMatchObject({
      status: 'waiting',
      question: { options: [{ label: 'Ja' }, { label: 'Nur die Regel' }, { label: 'Nein' }] },
    })
    await ask('POST', `/api/questions/${asked.json.question.id}`, { option: 'Nur die Regel' })
    expect((await until(ask, id, 4)).at(-1)).toMatch(
      /^hub: Behalten, ab der nächsten Nachricht: Was “.*quittungsbuch.*” enthält, geht an kurier\.$/,
    )
    await say(ask, id, { text: 'Wo wird das Quittungsbuch sortiert?' })
    expect((await until(ask, id, 7)).slice(-2)).toEqual([
      'hub: kurier hat es (nach deiner Regel).',
      'kurier: **[Worker kurier → reply]**\n\nkurier: Wo wird das Quittungsbuch sortiert?',
    ])
  })
})

test('[E46] without a model the plain sentence stands, and names who would have got it', async () => {
  await steward.close()
  steward = await openHub({})
  const ask = await client()
  const id = await session(ask)
  const { json } = await say(ask, id, { text: '@kurier hallo' })
  expect(json.reply.info).toBe('kurier would have got this: The text mentions @kurier.')
  expect(json.reply.text.length).toBeGreaterThan(20)
})

describe.skipIf(noBrowser !== null)(`on the page${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let browser: Browser
  beforeEach(async () => {
    browser = await launch()
  })
  afterEach(() => browser.close())

  test('[E41, W10] an answer that was somebody’s says why, by mouse and by keyboard, and a plain one does not', async () => {
    const { page, faults } = await openPage(browser)
    await page.goto(`${steward.address}/#code=${await steward.newCode()}`)
    const box = page.locator('textarea')
    await box.fill('hallo')
    await box.press('Enter')
    await page.locator('.agent .said').first().waitFor()
    expect(await page.locator('.why').count()).toBe(0)
    await box.fill('@kurier wo ist es?')
    await box.press('Enter')
    const why = page.locator('.why').first()
    await why.waitFor()
    expect(await why.locator('p').isVisible()).toBe(false)
    await why.locator('summary').click()
    await expect.poll(() => why.textContent()).toContain('It went to kurier, because it was mentioned.')
    expect(await why.textContent()).toContain('The text mentions @kurier.')
    await why.locator('summary').press('Enter')
    await expect.poll(() => why.locator('p').isVisible()).toBe(false)
    expect(faults).toEqual([])
  })
})
