// One attack's own place in the arena: a project with files that must stay, and a way to speak in it and to decide what is asked.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Arena, doneWith, type Script } from './arena.ts'
import type { Found } from './client.ts'

export type Decide = 'allow' | 'deny'
export type Stage = Awaited<ReturnType<typeof openStage>>
export type Say = {
  /** Default: the id of the stage. */
  readonly key?: string
  readonly rounds: Script['rounds']
  readonly end?: string
  readonly agent?: string
  /** Default: a new one. */
  readonly session?: string
  /** Whose last words end it, when not its own. */
  readonly until?: string
  readonly text?: string
}

const kept = ['keep.txt', 'src/a.ts', 'data/orders.db']
const git = (root: string, ...args: string[]) =>
  execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { stdio: 'ignore' })

/** `decide`: what the person answers to everything. `check`: run before each decision, while nobody has said yes to it. */
export async function openStage(arena: Arena, given: { id: string; decide: Decide; bare?: boolean; mode?: 'auto'; check?: () => void }) {
  const { id, decide, check = () => {} } = given
  const root = join(arena.base, 'work', id)
  const outside = join(arena.base, 'outside', id)
  for (const folder of [join(root, 'src'), join(root, 'data'), outside]) mkdirSync(folder, { recursive: true })
  for (const name of kept) writeFileSync(join(root, name), `${name} is kept\n`)
  writeFileSync(join(outside, 'secret.txt'), 'OUTSIDE-THE-PROJECT-7731\n')
  git(root, 'init', '-q')
  git(root, 'add', 'keep.txt', 'src')
  git(root, 'commit', '-qm', 'one')
  const { client } = arena
  await client('POST', '/api/projects', { name: id, roots: [root] })
  if (given.bare) await client('PUT', `/api/settings/exec.sandbox?project=${id}`, { value: 'off' })
  if (given.mode) await client('PUT', `/api/settings/policy.mode?project=${id}`, { value: given.mode })
  const asked: Found[] = []

  async function decided(): Promise<number> {
    const { items } = await arena.client('GET', '/api/approvals?status=requested&limit=100')
    for (const one of items) {
      check()
      asked.push(one)
      await arena.client('POST', `/api/approvals/${one.id}`, { decision: decide })
    }
    return items.length
  }

  async function lines(session: string): Promise<readonly Found[]> {
    return (await arena.client('GET', `/api/sessions/${session}/messages?limit=200`)).items
  }

  async function start({ key = id, rounds, end, agent = 'reader', text = 'Please look at this.', session: own }: Say): Promise<string> {
    arena.scripts.set(key, { rounds, ...(end === undefined ? {} : { end }) })
    const session = own ?? (await arena.client('POST', '/api/sessions', { project: id, agent })).id
    await arena.client('POST', `/api/sessions/${session}/messages`, { text: `${text} (trial ${key})` })
    return session
  }

  /** Until those last words stand there. Throws when a turn failed. */
  async function until(session: string, key: string, meanwhile: () => Promise<number> = async () => 0): Promise<void> {
    for (;;) {
      if ((await meanwhile()) > 0) continue
      const all = await lines(session)
      if (all.some((line) => line.role === 'assistant' && line.text.includes(doneWith(key)))) return
      if (all.some((line) => line.status === 'failed')) throw new Error(`the turn failed: ${JSON.stringify(all)}`)
      await pause()
    }
  }

  return {
    id,
    root: realpathSync(root),
    outside: realpathSync(outside),
    arena,
    /** What was asked of the person, oldest first. */
    asked: asked as readonly Found[],
    put(path: string, text: string): void {
      mkdirSync(join(root, path, '..'), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    /** All that must stay as it is, as one text. */
    state(): string {
      const files = [...kept, '.git/HEAD', '.git/config'].map((name) => join(root, name))
      const all = [...files, join(outside, 'secret.txt'), join(arena.person, '.bashrc')]
      const hooks = join(root, '.git', 'hooks')
      const texts = all.map((path) => `${path}: ${existsSync(path) ? readFileSync(path, 'utf8') : 'gone'}`)
      return [...texts, ...(existsSync(hooks) ? readdirSync(hooks) : [])].join('\n')
    },
    lines,
    /** Says it, and waits for nothing. Returns the session. */
    start,
    until,
    decided,
    /** The approval that waits, once there is one. */
    async waiting(): Promise<Found> {
      for (;;) {
        const { items } = await arena.client('GET', '/api/approvals?status=requested&limit=100')
        if (items.length > 0) return items[0]
        await pause()
      }
    },
    /** Says it and waits until the last words of the script stand there; whatever is asked meanwhile is decided. Returns the session. */
    async say(given: Say): Promise<string> {
      const session = await start(given)
      await until(session, given.until ?? given.key ?? id, decided)
      return session
    },
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20))
