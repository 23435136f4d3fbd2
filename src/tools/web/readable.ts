// HTML to readable text, whatever the page is made of: in a thread of its own with limits on time and memory, and by leaving out the
// tags where that fails. The libraries are loaded by the thread alone, when the first page is read. Its time is real time.
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { isObject } from '../../base/json.ts'
import { packageRoot } from '../../base/root.ts'
import type { Read, Reading } from './reader.ts'

const budgetMs = 4_000
/** Of HTML; what is longer is read without its structure. */
const largest = 3_000_000

/** Resolves whatever the page is. `note`: what was not done for it, in a few words. */
export async function readable(reading: Reading): Promise<Read & { readonly note: string | null }> {
  const read = reading.html.length <= largest ? await inThread(reading) : null
  if (read !== null) return { ...read, note: null }
  const text = withoutTags(reading.html)
  return {
    title: '',
    text: text.slice(0, reading.most),
    links: [],
    isCut: text.length > reading.most,
    note: 'the page was too large or too nested to be read with its structure; its tags were left out',
  }
}

async function inThread(reading: Reading): Promise<Read | null> {
  const worker = new Worker(join(packageRoot, 'src', 'tools', 'web', 'reader.ts'), {
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
    env: {},
    stdout: true,
    stderr: true,
  })
  worker.unref()
  const { promise, resolve } = Promise.withResolvers<Read | null>()
  const timer = setTimeout(() => resolve(null), budgetMs)
  worker.once('message', (read: unknown) => resolve(isRead(read) ? read : null))
  worker.once('error', () => resolve(null))
  worker.once('exit', () => resolve(null))
  worker.postMessage(reading)
  const read = await promise
  clearTimeout(timer)
  await worker.terminate()
  return read
}

function isRead(given: unknown): given is Read {
  return isObject(given) && typeof given.title === 'string' && typeof given.text === 'string' && Array.isArray(given.links)
}

/** One pass, no nesting, no backtracking: takes as long as the text is. */
export function withoutTags(html: string): string {
  const parts: string[] = []
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    if (open < 0) return tidy([...parts, html.slice(at)])
    parts.push(html.slice(at, open))
    at = endOf(html, open)
  }
  return tidy(parts)
}

/** Where the tag that starts there ends; of a script or style, where all of it ends. */
function endOf(html: string, open: number): number {
  const start = html.slice(open, open + 9).toLowerCase()
  const whole = ['script', 'style', 'template'].find((name) => start.startsWith(`<${name}`))
  const close = start.startsWith('<!--') ? '-->' : whole ? `</${whole}` : '>'
  const end = html.indexOf(close, open)
  if (end < 0) return html.length
  return whole ? Math.max(end + close.length, html.indexOf('>', end) + 1) : end + close.length
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function tidy(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n')
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (_all, name: string) => entities[name] ?? '')
}
