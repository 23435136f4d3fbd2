// What waits for the person, on the page in a real Chromium: allow and deny, reload, two tabs, hostile text, the inbox, steps, the mode.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silent } from '../../src/base/log.ts'
import { loadConfig } from '../../src/config.ts'
import { openSteward, type Steward } from '../../src/steward.ts'
import { launch, noBrowser, openPage, type Watched } from '../chromium.ts'
import { type Mail, mailer } from '../mailer.ts'
import { newPlace, type Place } from '../program.ts'

/** Looks until it holds; a busy machine takes its time. */
const eventually = <T>(look: () => T | Promise<T>) => expect.poll(look, { timeout: 15_000 })
const composer = (page: Page) => page.locator('textarea')
const card = (page: Page) => page.locator('.main .card.approval:visible')
const lastAnswer = (page: Page) => page.locator('.agent .said').last()

describe.skipIf(noBrowser !== null)(`what waits, on the page${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let browser: Browser
  let place: Place
  let steward: Steward
  const open: Watched[] = []
  beforeEach(async () => {
    place = newPlace()
    browser = await launch()
  })
  afterEach(async () => {
    for (const { faults, context } of open.splice(0)) {
      await context.close()
      expect(faults).toEqual([])
    }
    await browser.close()
    await steward.close()
    await place.remove()
  })

  async function start(mails: readonly Mail[] = [{}]): Promise<void> {
    const folder = join(place.home, 'documents', '_tenant', 'agents')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'mailer.md'), '---\nname: mailer\nengine: mailer\n---\nSends mails.\n')
    const config = await loadConfig({ env: { ...place.env } })
    steward = await openSteward(config, { log: silent, env: { ...place.env }, engines: [mailer(mails)] })
  }

  /** Signed in, at a new conversation with the mailer; in the project, where one is named. */
  async function fresh(options: Parameters<typeof openPage>[1] & { readonly project?: string } = {}): Promise<Watched> {
    const { project, ...rest } = options
    const watched = await openPage(browser, rest)
    open.push(watched)
    const { page } = watched
    await page.goto(`${steward.address}/#code=${await steward.newCode()}`)
    await composer(page).waitFor()
    const body = { agent: 'mailer', ...(project === undefined ? {} : { project }) }
    const { id } = await post<{ id: string }>(page, '/api/sessions', body)
    await goTo(page, id)
    return watched
  }

  async function goTo(page: Page, session: string): Promise<void> {
    await page.goto('about:blank')
    await page.goto(`${steward.address}/#s=${session}`)
    await composer(page).waitFor()
    await eventually(() => composer(page).getAttribute('placeholder')).toBe('Message Mailer')
  }

  function post<T>(page: Page, path: string, body: object): Promise<T> {
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    return page.evaluate<T>(`fetch(${JSON.stringify(path)}, ${JSON.stringify(options)}).then((answer) => answer.json())`)
  }

  async function type(page: Page, text: string): Promise<void> {
    await composer(page).fill(text)
    await composer(page).press('Enter')
  }

  /** The card takes no yes in its first moment. It is over when the card is gone: by the event, or by the list of what waits. */
  async function press(page: Page, name: string): Promise<void> {
    const button = card(page).first().getByRole('button', { name })
    await eventually(async () => {
      await button.click({ timeout: 1_000 }).catch(() => {})
      return (await card(page).count()) === 0 || (await page.locator('.notice.still').count()) > 0
    }).toBe(true)
  }

  test('[W13] a card says what, why, effect and the exact text, with once as the scope; allowed, the turn goes on', async () => {
    await start([{ preview: 'Dear Bob,\nsee you.' }])
    const { page } = await fresh()
    await type(page, 'send')
    await card(page).waitFor()
    expect(await card(page).locator('h3').textContent()).toBe('Send mail 1?')
    expect(await card(page).locator('dd').allTextContents()).toEqual([
      'mail.send · bob1@example.org',
      'Bob asked for it.',
      'The mail can not be taken back.',
      'R3 · mail_send',
    ])
    expect(await card(page).locator('pre').textContent()).toBe('Dear Bob,\nsee you.')
    expect(await card(page).locator('.until').textContent()).toMatch(/^Until .+ · 2[34] h left$/)
    expect(await card(page).locator('select').inputValue()).toBe('once')
    expect(await card(page).getByRole('button', { name: 'Allow once' }).isVisible()).toBe(true)
    await card(page).locator('select').selectOption('run')
    await card(page).getByRole('button', { name: 'Allow for this task' }).waitFor()
    await press(page, 'Allow for this task')
    await eventually(() => lastAnswer(page).textContent()).toContain('"scope":"run"')
    await page.getByText('You allowed it for this task.').waitFor()
    expect(await card(page).count()).toBe(0)
  })

  test('[W13] denied from the page; an impatient yes in the first moment is none', async () => {
    await start()
    const { page } = await fresh()
    await page.evaluate(`new MutationObserver(() => document.querySelector('.card.approval .primary')?.click())
      .observe(document.body, { childList: true, subtree: true })`)
    await type(page, 'send')
    await card(page).waitFor()
    expect(await card(page).count()).toBe(1)
    await press(page, 'Deny')
    await eventually(() => lastAnswer(page).textContent()).toContain('"decision":"deny"')
    await page.getByText('You said no.').waitFor()
  })

  test('[W12, W13] a reload while it waits shows it again; what is typed is a message and decides nothing', async () => {
    await start()
    const { page } = await fresh()
    await type(page, 'send')
    await card(page).waitFor()
    await type(page, 'yes')
    await page.reload()
    await card(page).waitFor()
    await press(page, 'Allow once')
    await eventually(() => page.locator('.agent .said').first().textContent()).toContain('"scope":"once"')
  })

  test('[W13] two tabs: one decides, the card of the other closes', async () => {
    await start()
    const { page, tab } = await fresh()
    await type(page, 'send')
    await card(page).waitFor()
    const other = await tab()
    await other.goto(page.url())
    await card(other).waitFor()
    await page.bringToFront()
    await press(page, 'Allow once')
    await eventually(() => card(other).count()).toBe(0)
    await other.getByText('You allowed it for this one time.').waitFor()
  })

  test('[W9, W13] hostile text in it stays text; a diff has its lines marked', async () => {
    const bad = '<img src=x onerror="document.title=1"><script>alert(1)</script>'
    await start([{ preview: `--- a\n+++ b\n@@ -1 +1 @@\n-${bad}\n+javascript:alert(1)\n`, why: `${bad}\u202e`, to: bad }])
    const { page } = await fresh()
    await type(page, 'send')
    await card(page).waitFor()
    expect(await card(page).locator('img, script, a').count()).toBe(0)
    expect(await card(page).locator('dd').nth(1).textContent()).toContain(bad)
    expect(await card(page).locator('.del').textContent()).toBe(`removed -${bad}\n`)
    expect(await card(page).locator('.add').textContent()).toBe('added +javascript:alert(1)\n')
    expect(await page.title()).toContain('Steward')
  })

  test('[W10, W13] with the keyboard alone: D and A move, Enter presses; it is announced', async () => {
    await start()
    const { page } = await fresh()
    const heard: string[] = []
    await page.exposeFunction('heard', (text: string) => heard.push(text))
    await page.evaluate(`new MutationObserver(() => heard(document.getElementById('polite').textContent))
      .observe(document.getElementById('polite'), { childList: true, characterData: true, subtree: true })`)
    await type(page, 'send')
    await card(page).waitFor()
    await eventually(() => heard).toContain('Needs your yes: Send mail 1?')
    expect(await page.evaluate<string>('document.activeElement.tagName')).toBe('TEXTAREA')
    await card(page).focus()
    await page.keyboard.press('a')
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Allow once')
    await page.keyboard.press('d')
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Deny')
    await page.keyboard.press('Enter')
    await eventually(() => lastAnswer(page).textContent()).toContain('"decision":"deny"')
    expect(await page.evaluate<string>('document.activeElement.tagName')).toBe('TEXTAREA')
  })

  test('[W14] the inbox lists what waits in every conversation, with a count; decided there it leaves', async () => {
    await start()
    const { page } = await fresh()
    await type(page, 'send')
    await card(page).waitFor()
    await page
      .getByRole('button', { name: /^Inbox/ })
      .getByText('1 needs you')
      .waitFor()
    expect(await page.title()).toMatch(/^\(1\) /)
    await page.getByRole('button', { name: 'New conversation' }).first().click()
    await page.getByRole('button', { name: /^Inbox/ }).click()
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    await card(page).getByRole('button', { name: 'Allow once' }).waitFor()
    await eventually(async () => {
      await card(page)
        .getByRole('button', { name: 'Allow once' })
        .click({ timeout: 500 })
        .catch(() => {})
      return page.getByText('Nothing needs you.').count()
    }).toBe(1)
    expect(await page.title()).toBe('Inbox · Steward')
  })

  test('[W14] a question is answered from the inbox by its options', async () => {
    await start()
    const { page } = await fresh()
    await type(page, 'question')
    await page.getByRole('group', { name: 'Tea or coffee?' }).waitFor()
    await page.getByRole('button', { name: /^Inbox/ }).click()
    await page.locator('.inbox').getByRole('button', { name: 'Coffee' }).click()
    await page.getByText('Nothing needs you.').waitFor()
  })

  test('[W12, W14] in the home what waits in a project is shown too, and decided there', async () => {
    await start()
    const { page } = await fresh()
    await post(page, '/api/projects', { name: 'shop' })
    const work = await post<{ id: string }>(page, '/api/sessions', { agent: 'mailer', project: 'shop' })
    await post(page, `/api/sessions/${work.id}/messages`, { text: 'send' })
    await card(page).waitFor()
    expect(await card(page).locator('.head').textContent()).toContain('Mailer needs your yes')
    await page.reload()
    await card(page).waitFor()
    await card(page).getByRole('button', { name: 'Deny' }).click()
    await eventually(() => card(page).count()).toBe(0)
  })

  test('[W15] the steps of a turn open on demand; who said more is told below; the mode is shown and changed', async () => {
    await start()
    const { page } = await fresh()
    await type(page, 'hello')
    await page.locator('.info').getByText('said by the mailer').waitFor()
    await page.locator('details.steps.over summary').click()
    await page.locator('details.steps.over li').first().waitFor()
    await eventually(() => page.locator('details.steps.over li').first().textContent()).toMatch(/^Because of /)
    const mode = page.getByRole('combobox', { name: 'How much may be done without asking you' })
    await eventually(() => mode.inputValue()).toBe('ask')
    await mode.selectOption('read-only')
    await page.reload()
    await eventually(() => mode.inputValue()).toBe('read-only')
  })

  test.each([
    { width: 390, height: 844, colorScheme: 'dark' as const },
    { width: 320, height: 600, colorScheme: 'light' as const },
  ])('[W10, W13] at $width px a card scrolls inside itself only, and every target is 44 px', async ({ width, height, colorScheme }) => {
    const long = Array.from({ length: 90 }, (_, at) => `+${'x'.repeat(200)} ${at}`).join('\n')
    await start([{ preview: `--- a\n+++ b\n@@ -1 +1 @@\n${long}\n`, to: 'y'.repeat(300) }])
    const { page } = await fresh({ viewport: { width, height }, colorScheme, hasTouch: true, isMobile: true })
    await composer(page).fill('send')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await card(page).waitFor()
    expect(await sideways(page)).toBe(0)
    expect(await smallTargets(page)).toEqual([])
    const shot = process.env['STEWARD_SHOTS']
    if (shot) await page.screenshot({ path: join(shot, `card-${width}.png`) })
    await page.getByRole('button', { name: 'Show conversations' }).click()
    await page.getByRole('button', { name: /^Inbox/ }).click()
    await card(page).waitFor()
    expect(await sideways(page)).toBe(0)
    expect(await smallTargets(page)).toEqual([])
    if (shot) await page.screenshot({ path: join(shot, `inbox-${width}.png`) })
  })
})

/** How many pixels the page can be scrolled sideways. */
function sideways(page: Page): Promise<number> {
  return page.evaluate<number>(`
    Math.max(...[document.documentElement, ...document.querySelectorAll('.scroll, .main, .dock, .card')].map((part) => part.scrollWidth - part.clientWidth))
  `)
}

/** Visible targets whose hit area is lower or narrower than 44 px. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate<
    string[]
  >(`[...document.querySelectorAll('button, select, textarea, input:not(.switch input), summary, .switch label')].flatMap((node) => {
    if (!node.checkVisibility() || node.closest('[inert]')) return []
    const box = node.getBoundingClientRect()
    const after = getComputedStyle(node, '::after')
    const extra = after.content === 'none' ? 0 : -2 * parseFloat(after.top || '0')
    return box.height + extra < 43.99 || box.width + extra < 43.99 ? [node.outerHTML.slice(0, 90) + ': ' + box.width + ' x ' + box.height] : []
  })`)
}
