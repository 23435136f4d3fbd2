// One command as a process group of its own: started, listened to, and ended with all that it started.
import { spawn } from 'node:child_process'
import type { Clock } from '../../base/clock.ts'
import { codeOf } from '../files/past.ts'
import { Output } from './output.ts'

export type Spawning = {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** The newest line, now and then. */
  readonly onLine: (line: string) => void
}
export type Ended = {
  readonly output: Output
  /** Why it ended. */
  readonly how:
    | { readonly kind: 'exit'; readonly code: number }
    | { readonly kind: 'signal'; readonly name: string }
    | { readonly kind: 'timeout' | 'flood' | 'stopped' }
    /** It never ran. */
    | { readonly kind: 'failed'; readonly code: string }
  readonly ms: number
}

/** More than this is no output any more but a flood. */
const mostBytes = 256 * 1024 * 1024
/** For pipes that a child of the command still holds open. */
const drainMs = 500
const lineEveryMs = 500

/** Resolves when the whole group has ended. Never throws. */
export function spawned(clock: Clock, given: Spawning): Promise<Ended> {
  const { program, args, cwd, env, stdin, timeoutMs, signal, onLine } = given
  const started = clock.now()
  const output = new Output()
  const over = Promise.withResolvers<Ended>()
  const child = spawn(program, [...args], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  let cut: 'timeout' | 'flood' | 'stopped' | null = null
  const end = (why: typeof cut) => {
    cut ??= why
    killGroup(child.pid)
  }
  const stop = () => end('stopped')
  const alarm = clock.after(timeoutMs, () => end('timeout'))
  let lineAt = 0
  const hear = (bytes: Buffer) => {
    output.add(bytes)
    if (output.size > mostBytes) end('flood')
    if (clock.now() - lineAt < lineEveryMs) return
    lineAt = clock.now()
    onLine(lastLine(bytes))
  }
  const settle = (how: Ended['how']) => {
    alarm.cancel()
    signal.removeEventListener('abort', stop)
    over.resolve({ output, how, ms: clock.now() - started })
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  child.on('error', (error) => settle({ kind: 'failed', code: codeOf(error) }))
  child.stdin.on('error', () => {})
  child.on('exit', () => {
    // What it left behind goes with it.
    killGroup(child.pid)
    clock.after(drainMs, () => {
      child.stdout.destroy()
      child.stderr.destroy()
    })
  })
  child.on('close', (code, name) =>
    settle(cut ? { kind: cut } : code === null ? { kind: 'signal', name: name ?? 'unknown' } : { kind: 'exit', code }),
  )
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  child.stdin.end(stdin)
  return over.promise
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody of it is left.
  }
}

function lastLine(bytes: Buffer): string {
  const lines = bytes
    .subarray(-400)
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines.at(-1)?.trim().slice(0, 120) ?? ''
}
