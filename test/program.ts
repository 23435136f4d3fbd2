/** Runs the real program in its own process, with a data folder of its own and nothing of the person's environment. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../src/base/root.ts'

export type Env = Readonly<Record<string, string>>
export type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

export type Running = {
  readonly child: ChildProcessWithoutNullStreams
  /** What it has written so far. */
  readonly out: () => string
  readonly err: () => string
  /** Resolves with the match as soon as standard output (or error) holds it; rejects when the process ends without it. */
  readonly until: (pattern: RegExp, stream?: 'out' | 'err') => Promise<RegExpExecArray>
  readonly ended: Promise<Ended>
}

export type Place = {
  readonly home: string
  readonly env: Env
  /** Starts `steward ARGS`. */
  readonly spawn: (args: readonly string[], env?: Env) => Running
  /** Runs `steward ARGS` to its end, with that text on standard input. */
  readonly run: (args: readonly string[], options?: { readonly input?: string; readonly env?: Env }) => Promise<Ended>
  /** Starts the hub and resolves when it has printed its address. */
  readonly start: (env?: Env) => Promise<Hub>
  /** Ends what still runs, and removes the folder. */
  readonly remove: () => Promise<void>
}

export type Hub = Running & {
  /** Without the code. */
  readonly address: string
  readonly code: string
  /** Milliseconds from the start of the process to the line with the address. */
  readonly readyMs: number
  readonly stop: () => Promise<Ended>
}

export const program = join(packageRoot, 'bin', 'steward.js')

/** A new, empty place. */
export function newPlace(env: Env = {}): Place {
  const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
  const home = join(folder, 'home')
  const base = { PATH: process.env.PATH ?? '', HOME: folder, STEWARD_HOME: home, STEWARD_PORT: '0', XDG_RUNTIME_DIR: folder, ...env }
  const alive = new Set<Running>()
  const start = (args: readonly string[], more: Env = {}): Running => {
    const running = watch(spawn(process.execPath, [program, ...args], { env: { ...base, ...more }, cwd: folder }))
    alive.add(running)
    void running.ended.then(() => alive.delete(running))
    return running
  }
  return {
    home,
    env: base,
    spawn: start,
    async run(args, { input = '', env: more } = {}) {
      const running = start(args, more)
      running.child.stdin.end(input)
      return running.ended
    },
    start: (more) => startHub(start, more),
    async remove() {
      for (const one of alive) one.child.kill('SIGKILL')
      await Promise.all([...alive].map((one) => one.ended))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startHub(start: Place['spawn'], env?: Env): Promise<Hub> {
  const began = performance.now()
  const running = start(['start'], env)
  const [, address = '', code = ''] = await running.until(/^(http:\S+)\/#code=(\S+)\n/)
  const readyMs = performance.now() - began
  const stop = (): Promise<Ended> => {
    running.child.kill('SIGTERM')
    return running.ended
  }
  return { ...running, address, code, readyMs, stop }
}

export function watch(child: ChildProcessWithoutNullStreams): Running {
  const text = { out: '', err: '' }
  const looks = new Set<() => void>()
  const hear = (stream: 'out' | 'err') => (chunk: string) => {
    text[stream] += chunk
    for (const look of looks) look()
  }
  child.stdout.setEncoding('utf8').on('data', hear('out'))
  child.stderr.setEncoding('utf8').on('data', hear('err'))
  child.stdin.on('error', () => {})
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...text })))
  const until: Running['until'] = (pattern, stream = 'out') => {
    const found = Promise.withResolvers<RegExpExecArray>()
    const look = (): void => {
      const match = pattern.exec(text[stream])
      if (match) found.resolve(match)
    }
    looks.add(look)
    void ended.then(({ code }) => found.reject(new Error(`ended with ${code} before ${pattern}\n${text.out}\n${text.err}`)))
    look()
    return found.promise.finally(() => looks.delete(look))
  }
  return { child, out: () => text.out, err: () => text.err, until, ended }
}

/** The environment by which a hub uses that scripted model. */
export function modelEnv(model: { readonly url: string }): Env {
  return { STEWARD_MODEL: 'openai/scripted', OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test-0123456789' }
}
