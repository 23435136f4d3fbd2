// 50 approvals that wait: what that costs while nobody answers, beside a hub in which nothing waits.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageRoot } from '../../src/base/root.ts'
import type { Figure } from './figure.ts'
import { type At, type Part, turnIn } from './part.ts'
import { askHub, type Hub, newSessions, processorMs } from './place.ts'

const approvals = 50
const stepMs = 100
/** Until the work of asking is cleared away too. */
const settleMs = 15_000

export const waiting: Part = {
  name: 'waiting',
  async run(at) {
    at.tell(`${approvals} approvals that wait`)
    const model = await at.place.model()
    const [idle, asking] = [await open(at, model.address), await open(at, model.address)]
    await fill(at, asking.hub)
    const windowMs = at.quick ? 5_000 : 30_000
    await pause(at.quick ? 2_000 : settleMs)
    const before = [idle, asking].map(({ hub }) => processorMs(hub.pid))
    await pause(windowMs)
    const used = [idle, asking].map(({ hub }, i) => processorMs(hub.pid) - (before[i] ?? 0))
    const [none = 0, some = 0] = used
    const timers = [await timersOf(idle), await timersOf(asking)]
    await Promise.all([idle.hub.end(), asking.hub.end(), model.end()])
    return figures({ none: none / windowMs, some: some / windowMs }, timers)
  },
}

function figures(
  { none, some }: { readonly none: number; readonly some: number },
  [idle = 0, asking = 0]: readonly number[],
): readonly Figure[] {
  const note = 'of one core; floor: the same hub when nothing waits'
  const what = `${approvals} approvals that wait`
  return [
    { name: `${what}: processor`, unit: '%', ours: some * 100, floor: none * 100, hold: { most: 1.5 }, note },
    { name: `${what}: timers`, unit: '', ours: asking, floor: idle, hold: { most: idle + 2 } },
  ]
}

type Watched = { readonly hub: Hub; readonly file: string }

async function open(at: At, model: string): Promise<Watched> {
  const home = at.place.folder('waiting')
  const file = join(at.place.folder('timers'), 'count')
  const counting = pathToFileURL(join(packageRoot, 'scripts', 'bench', 'count-timers.ts')).href
  return { file, hub: await at.place.hub(home, model, { NODE_OPTIONS: `--import=${counting}`, BENCH_TIMERS: file }) }
}

/** Each in a session of its own, of an assistant that wants to delete a file. */
async function fill({ place }: At, hub: Hub): Promise<void> {
  const root = place.folder('project')
  writeFileSync(join(root, 'old.txt'), 'old\n')
  await askHub(hub, { method: 'POST', path: '/api/projects', body: JSON.stringify({ name: 'shop', roots: [root] }) })
  for (const session of await newSessions(hub, approvals, { project: 'shop', agent: 'assistant' })) {
    const { headers: _, ...ask } = turnIn(hub, session, '#delete what is old')
    await askHub(hub, ask)
  }
  await until(async () => {
    const { items } = await askHub<{ items: readonly unknown[] }>(hub, { method: 'GET', path: '/api/approvals?status=requested&limit=100' })
    return items.length >= approvals
  })
}

async function timersOf({ hub, file }: Watched): Promise<number> {
  process.kill(hub.pid, 'SIGUSR2')
  await until(async () => existsSync(file) && readFileSync(file, 'utf8') !== '')
  return Number(readFileSync(file, 'utf8'))
}

async function until(is: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 30_000; performance.now() < end; await pause(stepMs)) {
    if (await is()) return
  }
  throw new Error('not so after 30 seconds')
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
