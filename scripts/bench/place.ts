// Where a run happens: its folder, and the processes it started. Everything is ended and removed when the run ends, however it ends.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../src/base/root.ts'
import { type Ask, openClient } from './client.ts'
import type { Job, Result } from './load.ts'

export type Started = {
  readonly pid: number
  /** The first line it printed. */
  readonly line: string
  /** From its start to that line. */
  readonly readyMs: number
  /** Wall clock at its start. */
  readonly startedAt: number
  end(signal?: NodeJS.Signals): Promise<void>
}
/** A hub that one is logged in to. */
export type Hub = Started & { readonly address: string; readonly headers: Readonly<Record<string, string>> }

export type Place = {
  /** A new, empty folder. */
  folder(name: string): string
  /** Runs Node with those arguments; resolves at the first line on standard output. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Started>
  /** Runs one of scripts/bench to its end, and gives what it printed, parsed. */
  run<T>(script: string, args: readonly string[], input?: string): Promise<T>
  load<J extends Job>(job: J): Promise<Result<J>>
  /** `npm start` on that home, without npm; with `model`, its models are that scripted server. `env`: over what it gets else. */
  hub(home: string, model?: string, env?: Readonly<Record<string, string>>): Promise<Hub>
  rulesHub(home: string): Promise<Hub>
  /** The scripted model server; its address without a path. */
  model(): Promise<Started & { readonly address: string }>
  floor(model: string): Promise<Started & { readonly address: string }>
  /** What processes said that ended although nobody ended them. */
  readonly died: readonly string[]
  close(): Promise<void>
}

/** `profile`: a folder that gets a CPU profile of each hub. */
export function openPlace(options: { readonly profile?: string | undefined } = {}): Place {
  const root = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  const alive = new Set<ChildProcess>()
  const died: string[] = []
  const base = { PATH: process.env['PATH'] ?? '', HOME: root, XDG_RUNTIME_DIR: root }
  const killAll = () => {
    for (const child of alive) child.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  }
  process.once('exit', killAll)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

  function launch(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    const child = spawn(process.execPath, args, { cwd: root, env: { ...base, ...env }, stdio: 'pipe' })
    child.stdin?.on('error', () => {})
    alive.add(child)
    child.once('close', () => alive.delete(child))
    return child
  }
  const start: Place['start'] = (args, env) => untilFirstLine(launch(args, env), died)
  const script = (name: string) => join(packageRoot, 'scripts', 'bench', name)
  let folders = 0

  function folder(name: string): string {
    const path = join(root, `${++folders}-${name}`)
    mkdirSync(path)
    return path
  }
  async function run<T>(name: string, args: readonly string[], input = ''): Promise<T> {
    const child = launch([script(name), ...args])
    child.stdin?.end(input)
    return JSON.parse(await wholeOutput(child))
  }
  const profiling = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`]
  return {
    folder,
    start,
    died,
    run,
    load: (job) => run('load.ts', [], JSON.stringify(job)),
    async hub(home, model, env = {}) {
      const models =
        model === undefined
          ? {}
          : { STEWARD_MODEL: 'openai/scripted', OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: 'sk-bench-0123456789' }
      const program = join(packageRoot, 'bin', 'steward.js')
      return logIn(await start([...profiling, program, 'start'], { STEWARD_HOME: home, STEWARD_PORT: '0', ...models, ...env }))
    },
    rulesHub: async (home) => logIn(await start([...profiling, script('rules-hub.ts'), home])),
    async model() {
      const started = await start([script('model.ts')])
      return { ...started, address: `http://127.0.0.1:${started.line}` }
    },
    async floor(model) {
      const started = await start([script('floor.ts'), join(folder('floor'), 'floor.db'), model])
      return { ...started, address: started.line }
    },
    async close() {
      process.removeListener('exit', killAll)
      const ended = [...alive].map((child) => new Promise((resolve) => void child.once('close', resolve)))
      for (const child of alive) child.kill('SIGKILL')
      await Promise.all(ended)
      killAll()
    },
  }
}

async function untilFirstLine(child: ChildProcess, died: string[]): Promise<Started> {
  const [begun, startedAt] = [performance.now(), Date.now()]
  const output = hear(child)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.stdout?.on('data', () => {
    const end = output.out.indexOf('\n')
    if (end >= 0) resolve(output.out.slice(0, end))
  })
  void output.ended.then(() => reject(new Error(`${nameOf(child)} ended before its first line: ${output.err}`)), reject)
  const line = await promise
  const readyMs = performance.now() - begun
  let isOver = false
  void output.ended.then((code) => isOver || died.push(`${nameOf(child)} ended with ${code}: ${output.err}`))
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    isOver = true
    child.kill(signal)
    await output.ended
  }
  return { pid: child.pid ?? 0, line, startedAt, readyMs, end }
}

async function wholeOutput(child: ChildProcess): Promise<string> {
  const output = hear(child)
  const code = await output.ended
  if (code === 0) return output.out
  throw new Error(`${nameOf(child)} ended with ${code}: ${output.err}`)
}

/** What it says: all of standard output, the end of standard error. */
function hear(child: ChildProcess) {
  const ended = new Promise<number | null>((resolve, reject) => void child.once('error', reject).once('close', resolve))
  const output = { out: '', err: '', ended }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.err = (output.err + text).slice(-4000)
  })
  return output
}

function nameOf(child: ChildProcess): string {
  return child.spawnargs.slice(1).join(' ').slice(0, 200)
}

/** As the person's browser does: the one-time code becomes the cookie. */
async function logIn(started: Started): Promise<Hub> {
  const [address = '', code = ''] = started.line.split('/#code=')
  const answer = await fetch(`${address}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address },
    body: JSON.stringify({ code }),
  })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0]
  if (!answer.ok || cookie === undefined) throw new Error(`login failed: ${answer.status} ${await answer.text()}`)
  return { ...started, address, headers: { Cookie: cookie, Origin: address } }
}

/** Makes so many sessions, in the person's home unless `of` names a project; their ids. */
export async function newSessions(hub: Hub, count: number, of: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const ids: string[] = []
  while (ids.length < count)
    ids.push((await askHub<{ id: string }>(hub, { method: 'POST', path: '/api/sessions', body: JSON.stringify(of) })).id)
  return ids
}

/** One request of the person, and the answer's JSON. Throws for another status than 2xx. */
export async function askHub<T>(hub: Hub, ask: Ask): Promise<T> {
  const client = await openClient(hub.address)
  const { status, text } = await client.ask({ ...ask, headers: { ...hub.headers, ...ask.headers } })
  client.close()
  if (status >= 300) throw new Error(`${ask.method} ${ask.path}: ${status} ${text}`)
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
}

/** Resident memory of a process in MB (2^20 bytes). Linux only; NaN elsewhere. */
export function residentMb(pid: number): number {
  try {
    const kb = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(kb) / 1024
  } catch {
    return Number.NaN
  }
}

/** Processor time that a process has used so far, its threads included, in ms (in steps of 10). Linux only; NaN elsewhere. */
export function processorMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}
