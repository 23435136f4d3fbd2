// The page in a real Chromium, against the real hub with a scripted model server.

import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../src/base/root.ts'
import { hold } from '../src/models/scripted.ts'
import { launch, noBrowser, openPage, openWebHub, type Watched, type WebHub } from './chromium.ts'
import { openHub } from './http-hub.ts'

const lines = (page: Page) => page.locator('[data-line]')
const said = (page: Page) => page.locator('[data-line] .said')
const composer = (page: Page) => page.locator('textarea')
const lastAnswer = (page: Page) => page.locator('.agent .said').last()

async function type(page: Page, text: string): Promise<void> {
  await composer(page).fill(text)
  await composer(page).press('Enter')
}

/** Waits until the page shows these texts as its lines, in this order. */
async function shows(page: Page, texts: readonly string[]): Promise<void> {
  await expect.poll(async () => (await said(page).allTextContents()).map((text) => text.trim()), { timeout: 15_000 }).toEqual(texts)
}

/** Waits until nothing is written any more. */
async function settled(page: Page): Promise<void> {
  await expect.poll(() => page.locator('.writing').count(), { timeout: 15_000 }).toBe(0)
}

describe.skipIf(noBrowser !== null)(`the web page${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let browser: Browser
  let hub: WebHub
  const open: Watched[] = []
  beforeAll(async () => {
    browser = await launch()
    hub = await openWebHub()
  })
  afterAll(async () => {
    await browser.close()
    await hub.close()
  })
  afterEach(async () => {
    for (const { context, faults } of open.splice(0)) {
      await context.close()
      expect(faults).toEqual([])
    }
  })

  const failed = /Failed to load resource|WebSocket connection to/

  /** Signed in, at a conversation that is not begun. */
  async function fresh(options: Parameters<typeof openPage>[1] = {}): Promise<Watched> {
    const watched = await openPage(browser, options)
    open.push(watched)
    await watched.page.goto(await hub.signIn())
    await composer(watched.page).waitFor()
    await watched.page.keyboard.press('Control+Shift+O')
    await expect.poll(() => lines(watched.page).count()).toBe(0)
    return watched
  }

  test('[W7] the code signs in once and leaves the address; without a login the page says what to run', async () => {
    const watched = await openPage(browser, { allowed: failed })
    open.push(watched)
    const { page } = watched
    await page.goto(hub.address())
    await page.getByRole('heading', { name: 'You are signed out.' }).waitFor()
    expect(await page.locator('code').textContent()).toBe('npx steward start')
    const address = await hub.signIn()
    await page.goto(address)
    await page.reload()
    await composer(page).waitFor()
    // Nobody who isn't there is promised: who answers is known when the conversation has begun.
    expect(await composer(page).getAttribute('placeholder')).toBe('Message Steward')
    expect(page.url()).not.toContain('code')
    expect(await page.evaluate<string>('document.cookie')).toBe('')
    await watched.context.clearCookies()
    const other = await watched.tab()
    await other.goto(address)
    await other.getByText('That address was used before or is too old.').waitFor()
    expect(other.url()).not.toContain('code')
  })

  test('[W4, W9] a question is answered word by word, and what looks like HTML stays text', async () => {
    const { page } = await fresh()
    const middle = hold()
    hub.script('How are the heaters?', {
      text: ['Three of **four** ', middle, 'heaters <img src=x onerror=alert(1)> <script>alert(2)</script>\n\n```ts\nlet x = 1\n```'],
    })
    await type(page, 'How are the heaters?')
    await shows(page, ['How are the heaters?', 'Three of four'])
    expect(await page.locator('.writing').count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(true)
    middle.release()
    await settled(page)
    expect(await lastAnswer(page).locator('p').first().textContent()).toBe(
      'Three of four heaters <img src=x onerror=alert(1)> <script>alert(2)</script>',
    )
    expect(await lastAnswer(page).locator('strong').textContent()).toBe('four')
    expect(await lastAnswer(page).locator('pre').textContent()).toBe('let x = 1')
    expect(await page.locator('.lines img, .lines script').count()).toBe(0)
    expect(await page.locator('.fate').first().textContent()).toMatch(/^Seen by /)
  })

  test('[W8] stop keeps what was said, marked; what is sent right after it goes on from there', async () => {
    const { page } = await fresh()
    hub.script('Count', { text: ['One two three', hold()], end: 'hang' })
    hub.script('continue', 'Going on')
    await type(page, 'Count')
    await shows(page, ['Count', 'One two three'])
    const stopped = page.waitForRequest((request) => request.url().endsWith('/stop'))
    await page.keyboard.press('Control+.')
    expect((await stopped).postDataJSON()).toEqual({ turn: expect.stringMatching(/^trn_/) })
    await type(page, 'continue')
    await shows(page, ['Count', 'One two three', 'continue', 'Going on'])
    expect(await page.locator('.agent .fate').first().textContent()).toBe('Stopped')
    await page.reload()
    await shows(page, ['Count', 'One two three', 'continue', 'Going on'])
  })

  test('[W4] what is typed during an answer shows at once and says what it waits behind; stop leaves it in line', async () => {
    const { page } = await fresh()
    hub.script('Start', { text: ['Working', hold()], end: 'hang' })
    await type(page, 'Start')
    await shows(page, ['Start', 'Working'])
    await page.getByText('Next', { exact: true }).click()
    await type(page, 'also do X')
    await type(page, 'and Y')
    await expect
      .poll(() => page.locator('.queued .fate').allTextContents())
      .toEqual([
        expect.stringMatching(/^Waiting, first in line, while .+ works$/),
        expect.stringMatching(/^Waiting, 1 message goes first, while .+ works$/),
      ])
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect.poll(() => page.locator('.queued').count()).toBe(0)
    await settled(page)
    const texts = await said(page).allTextContents()
    expect(texts.filter((text) => text === 'also do X' || text === 'and Y')).toEqual(['also do X', 'and Y'])
  })

  test('[W4, W10] the view stays where it is while lines wait, and when they are taken up', async () => {
    const { page } = await fresh()
    const middle = hold()
    hub.script('Tell me all', { text: ['A long line of words.\n\n'.repeat(60), middle, 'The end'] })
    await type(page, 'Tell me all')
    await expect.poll(() => lastAnswer(page).textContent()).toContain('words')
    const place = () => page.evaluate<number>(`document.querySelector('.scroll').scrollTop`)
    await expect.poll(() => page.getByRole('button', { name: 'More below' }).isVisible()).toBe(true)
    const before = await place()
    await page.getByText('Next', { exact: true }).click()
    await type(page, 'and then this')
    await page.locator('.queue .queued').waitFor()
    middle.release()
    await expect.poll(() => lastAnswer(page).textContent()).toBe('and then this')
    await settled(page)
    expect(await place()).toBe(before)
    await page.getByRole('button', { name: 'More below' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'More below' }).isVisible()).toBe(false)
  })

  test('[W8] pause keeps the turn, go on ends it', async () => {
    const { page } = await fresh()
    const middle = hold()
    hub.script('Slowly', { text: ['One ', middle, 'two'] })
    await type(page, 'Slowly')
    await shows(page, ['Slowly', 'One'])
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.locator('.top .pill', { hasText: 'Paused' }).waitFor()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.locator('.top .pill', { hasText: 'Working' }).waitFor()
    middle.release()
    await settled(page)
    await shows(page, ['Slowly', 'One two'])
  })

  test('[W6] after a reload in the middle of an answer its words so far are there, then the rest', async () => {
    const { page } = await fresh()
    const words = Array.from({ length: 700 }, (_, index) => `w${index} `)
    const [middle, later] = [hold(), hold()]
    hub.script('Long', { text: [...words, middle, 'and ', later, 'end'] })
    await type(page, 'Long')
    await expect.poll(() => lastAnswer(page).textContent()).toBe(words.join(''))
    await page.reload()
    await expect.poll(() => lastAnswer(page).textContent()).toBe(words.join(''))
    middle.release()
    await expect.poll(() => lastAnswer(page).textContent()).toBe(`${words.join('')}and `)
    later.release()
    await settled(page)
    expect(await lastAnswer(page).textContent()).toBe(`${words.join('')}and end`)
    expect(await lines(page).count()).toBe(2)
  })

  test('[W6] a turn lives on when every page is closed, and a new page shows it from its first word', async () => {
    const { page, tab } = await fresh()
    const middle = hold()
    hub.script('Go', { text: ['Before ', middle, 'after'] })
    await type(page, 'Go')
    await shows(page, ['Go', 'Before'])
    const address = page.url()
    await page.close()
    const other = await tab()
    await other.goto(address)
    await shows(other, ['Go', 'Before'])
    middle.release()
    await shows(other, ['Go', 'Before after'])
  })

  test('[W5] what is typed while the hub is down is kept, said so, and sent once when it is back', async () => {
    const { page } = await fresh({ allowed: failed })
    await type(page, 'First')
    await shows(page, ['First', 'First'])
    await hub.down()
    await page.getByText('The hub is not reachable.', { exact: true }).waitFor()
    await type(page, 'remember code ZEBRA')
    await type(page, 'and code YAK')
    await expect
      .poll(() => page.locator('.outbox .fate').allTextContents())
      .toEqual(Array(2).fill('Saved here. Goes out when the hub is back'))
    await hub.up()
    await page.getByRole('button', { name: 'Try now' }).click()
    await expect.poll(() => page.locator('.outbox, .queued, .writing').count(), { timeout: 20_000 }).toBe(0)
    const own = await page.locator('.person .said').allTextContents()
    expect(own).toEqual(['First', 'remember code ZEBRA', 'and code YAK'])
    await page.reload()
    await expect.poll(() => page.locator('.person .said').allTextContents()).toEqual(own)
  })

  test('[W5] an answer of the hub that is lost makes no second line', async () => {
    const { page } = await fresh({ allowed: failed })
    let tries = 0
    await page.route('**/messages', async (route) => {
      tries += 1
      if (tries > 2) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await type(page, 'exactly once')
    await expect.poll(() => tries, { timeout: 20_000 }).toBe(3)
    await shows(page, ['exactly once', 'exactly once'])
    await page.reload()
    await shows(page, ['exactly once', 'exactly once'])
  })

  test('[W5] a line typed just before a reload is sent after it, once', async () => {
    const { page } = await fresh({ allowed: failed })
    await type(page, 'begin')
    await shows(page, ['begin', 'begin'])
    await page.route('**/messages', (route) => route.abort())
    await type(page, 'do not lose me')
    await page.locator('.outbox').waitFor()
    await page.unroute('**/messages')
    await page.reload()
    await shows(page, ['begin', 'begin', 'do not lose me', 'do not lose me'])
  })

  test('[W1, W4] two tabs of one conversation show the same, live', async () => {
    const { page, tab } = await fresh()
    await type(page, 'one')
    await shows(page, ['one', 'one'])
    const other = await tab()
    await other.goto(page.url())
    await shows(other, ['one', 'one'])
    const middle = hold()
    hub.script('two', { text: ['half ', middle, 'whole'] })
    await type(other, 'two')
    for (const each of [page, other]) await shows(each, ['one', 'one', 'two', 'half'])
    middle.release()
    for (const each of [page, other]) await shows(each, ['one', 'one', 'two', 'half whole'])
  })

  test('[W11] an edited message is another version, and the arrows lead back', async () => {
    const { page } = await fresh()
    await type(page, 'tea')
    await shows(page, ['tea', 'tea'])
    await page.locator('.person').hover()
    await page.getByRole('button', { name: 'Edit and send again' }).click()
    expect(await composer(page).inputValue()).toBe('tea')
    await type(page, 'coffee')
    await shows(page, ['coffee', 'coffee'])
    await settled(page)
    await page.getByText('2 of 2').waitFor()
    await page.getByRole('button', { name: 'Earlier version' }).click()
    await shows(page, ['tea', 'tea'])
    await page.reload()
    await shows(page, ['tea', 'tea'])
    await page.getByRole('button', { name: 'Later version' }).click()
    await shows(page, ['coffee', 'coffee'])
  })

  test('[W8] a turn that failed says so, and can be tried again', async () => {
    const { page } = await fresh()
    hub.script('try', { status: 401, message: 'bad key' }, 'Better')
    await type(page, 'try')
    await page.locator('.notice.bar').waitFor()
    expect(await page.locator('.person .fate').textContent()).toMatch(/^Seen by /)
    await page.locator('.notice.bar').getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => lastAnswer(page).textContent()).toBe('Better')
  })

  test.each([
    { width: 390, height: 844, colorScheme: 'dark' as const },
    { width: 320, height: 600, colorScheme: 'light' as const },
  ])('[W10] at $width px nothing scrolls sideways, every target is 44 px, the list is a drawer', async ({ width, height, colorScheme }) => {
    const { page } = await fresh({ viewport: { width, height }, colorScheme, hasTouch: true, isMobile: true })
    hub.script(
      'Hello',
      `A very ${'long'.repeat(60)} word, \`code\`, and\n\n\`\`\`\n${'x'.repeat(300)}\n\`\`\`\n\n| a | b |\n|---|---|\n| ${'y'.repeat(90)} | 2 |`,
    )
    await composer(page).fill('Hello')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await settled(page)
    await page.locator('.agent .table').waitFor()
    expect(await sideways(page)).toBe(0)
    expect(await smallTargets(page)).toEqual([])
    const list = page.getByRole('button', { name: 'Show conversations' })
    expect(await page.locator('.sidebar').getAttribute('inert')).toBe('')
    await list.click()
    await page.locator('.row.home').waitFor()
    expect(await smallTargets(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await page.evaluate<string>('document.activeElement?.getAttribute("aria-label")')).toBe('Show conversations')
  })

  test('[W10] with the keyboard alone: begin, say, stop, go through the regions and lines', async () => {
    const { page } = await fresh()
    const focus = () => page.evaluate<string>(`document.activeElement?.closest('[data-region], [data-line]')?.className ?? ''`)
    expect(await focus()).toContain('composer')
    hub.script('By keyboard', { text: ['Words', hold()], end: 'hang' })
    await page.keyboard.type('By keyboard')
    await page.keyboard.press('Enter')
    await shows(page, ['By keyboard', 'Words'])
    expect(await focus()).toContain('composer')
    await page.keyboard.press('Control+.')
    await settled(page)
    expect(await focus()).toContain('composer')
    await page.keyboard.press('F6')
    expect(await focus()).toContain('sidebar')
    await page.keyboard.press('Alt+ArrowUp')
    expect(await focus()).toContain('agent')
    await page.keyboard.press('Alt+ArrowUp')
    expect(await focus()).toContain('person')
  })

  test('[W10] states are announced, words are not', async () => {
    const { page } = await fresh()
    const heard: string[] = []
    await page.exposeFunction('heard', (text: string) => heard.push(text))
    await page.evaluate(announcerSpy)
    const [a, b] = [hold(), hold()]
    hub.script('first', 'warm')
    hub.script('second', { text: ['one ', a, 'two ', b, 'three'] })
    await type(page, 'first')
    await shows(page, ['first', 'warm'])
    await type(page, 'second')
    await a.reached
    await expect.poll(() => lastAnswer(page).textContent()).toBe('one ')
    a.release()
    await b.reached
    b.release()
    await expect.poll(() => heard.at(-1), { timeout: 15_000 }).toMatch(/ answered\. one two three$/)
    expect(heard.filter((text) => /is writing$/.test(text)).length).toBeGreaterThanOrEqual(1)
    expect(heard.every((text) => / is writing$| answered\. /.test(text))).toBe(true)
  })
})

describe.skipIf(noBrowser !== null)(`questions on the page${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  test('[W8, W10] a question shows its answers as buttons; a number and Enter picks one; it can be left aside', async () => {
    const hub = await openHub()
    const server = await hub.listen({ webRoot: join(packageRoot, 'web', 'dist') })
    const browser = await launch()
    const { page, faults } = await openPage(browser)
    try {
      const { code } = await hub.people.newCode('ada')
      await page.goto(`${server.address}/#code=${code}`)
      await composer(page).waitFor()
      await type(page, 'question')
      await page.getByRole('heading', { name: 'tea or coffee?' }).waitFor()
      expect(await page.getByRole('group', { name: 'tea or coffee?' }).getByRole('button').allTextContents()).toEqual(['1tea', '2coffee'])
      await type(page, '2')
      await expect.poll(() => lastAnswer(page).textContent()).toContain('coffee')
      await page.getByText('You answered: coffee').waitFor()
      await type(page, 'question')
      await page.getByRole('button', { name: 'tea', exact: false }).last().waitFor()
      await page.getByRole('group').getByRole('button', { name: 'tea' }).click()
      await expect.poll(() => lastAnswer(page).textContent()).toContain('tea')
      await settled(page)
      expect(faults).toEqual([])
    } finally {
      await browser.close()
      await hub.close()
    }
  })
})

// What runs inside the page is text: this program knows no DOM.

const announcerSpy = `for (const id of ['polite', 'urgent']) {
  const node = document.getElementById(id)
  new MutationObserver(() => heard(node.textContent)).observe(node, { childList: true, characterData: true, subtree: true })
}`

/** How many pixels the page can be scrolled sideways. */
function sideways(page: Page): Promise<number> {
  return page.evaluate<number>(`
    Math.max(...[document.documentElement, ...document.querySelectorAll('.scroll, .main, .dock')].map((part) => part.scrollWidth - part.clientWidth))
  `)
}

/** Visible targets whose hit area, extended by ::after, is lower or narrower than 44 px, but for what a running move rounds. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('button, select, textarea, summary, .switch label')].flatMap((node) => {
    if (!node.checkVisibility() || node.closest('[inert]')) return []
    const box = node.getBoundingClientRect()
    const after = getComputedStyle(node, '::after')
    const extra = after.content === 'none' ? 0 : -2 * parseFloat(after.top || '0')
    const isSmall = box.height + extra < 43.99 || box.width + extra < 43.99
    return isSmall ? [node.outerHTML.slice(0, 90) + ': ' + box.width + ' x ' + box.height + ' + ' + extra] : []
  })`)
}
