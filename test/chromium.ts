// A real Chromium on the real page of a real hub, for end-to-end tests. Watches what must never happen: an error on the console, a
// page error, a request to anywhere else.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { loadConfig } from '../src/config.ts'
import { type ScriptedReply, type ScriptedRequest, startScriptedModel, withoutNotices } from '../src/models/scripted.ts'
import { openSteward, type Steward } from '../src/steward.ts'

const path = process.env.STEWARD_CHROMIUM || '/usr/bin/chromium'

/** Why there is no browser to test with; null when there is one. */
export const noBrowser: string | null = existsSync(path) ? null : `no Chromium at ${path}; set STEWARD_CHROMIUM or install chromium`

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

export type WebHub = {
  /** What the model answers, one after the other, whenever the newest line is that text; then, and to every other text, it echoes. */
  script(text: string, ...replies: readonly (string | ScriptedReply)[]): void
  readonly address: () => string
  /** The address with a fresh one-time code. */
  signIn(): Promise<string>
  /** Down, as after a crash of the machine, and up again on the same port and folder. */
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

/** In place of the hub's own file: these tests are about the page, so that what the model says is the answer. */
const plainHub = '---\nname: hub\nengine: quick\n---\nAnswers.\n'

/** A hub with a scripted model, on a port of its own. */
export async function openWebHub(): Promise<WebHub> {
  const home = mkdtempSync(join(tmpdir(), 'steward-web-'))
  const agents = join(home, 'documents', '_tenant', 'agents')
  mkdirSync(agents, { recursive: true })
  writeFileSync(join(agents, 'hub.md'), plainHub)
  const scripts = new Map<string, (string | ScriptedReply)[]>()
  const model = await startScriptedModel({
    otherwise(request) {
      const text = newestLine(request)
      return scripts.get(text)?.shift() ?? text
    },
  })
  const port = await freePort()
  let steward: Steward | null = null
  const env = {
    STEWARD_HOME: home,
    STEWARD_PORT: String(port),
    STEWARD_MODEL: 'openai/scripted',
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: model.url,
  }
  const up = async () => {
    steward = await openSteward(await loadConfig({ env }), { log: () => {}, env: { ...process.env, ...env } })
  }
  const down = async () => {
    await steward?.close()
    steward = null
  }
  await up()
  return {
    script: (text, ...replies) => void scripts.set(text, [...replies]),
    address: () => `http://127.0.0.1:${port}`,
    signIn: async () => `http://127.0.0.1:${port}/#code=${await steward?.newCode()}`,
    down,
    up,
    async close() {
      await down()
      await model.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function newestLine({ body }: ScriptedRequest): string {
  const content = body.messages?.findLast((message) => message.role === 'user')?.content
  return withoutNotices(Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : String(content ?? ''))
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}

export type Watched = { readonly context: BrowserContext; readonly page: Page; tab(): Promise<Page>; readonly faults: string[] }

/** A browser profile of its own. `faults` collects what must not happen; `allowed` are console lines that a test provokes. */
export async function openPage(browser: Browser, options: BrowserContextOptions & { readonly allowed?: RegExp } = {}): Promise<Watched> {
  const { allowed, ...rest } = options
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...rest })
  const faults: string[] = []
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (hostname !== '127.0.0.1' && protocol !== 'data:' && protocol !== 'blob:') faults.push(`request to ${request.url()}`)
  })
  const tab = async () => {
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    page.on('pageerror', (error) => faults.push(`page error: ${error.message}`))
    page.on('console', (message) => {
      const isFault = message.type() === 'error' || message.type() === 'warning'
      if (isFault && !allowed?.test(message.text())) faults.push(`console: ${message.text()}`)
    })
    return page
  }
  return { context, page: await tab(), tab, faults }
}
