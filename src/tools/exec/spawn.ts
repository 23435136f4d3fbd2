// One command as a process group of its own: started, listened to, and ended with all that it started.
import { spawn } from 'node:child_process'
import type { Alarm, Clock } from '../../base/clock.ts'
import { codeOf } from '../files/past.ts'
import { type Load, loadOf, mostLoad } from './load.ts'
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
  /** More than this ends it; absent: `mostLoad`. */
  readonly most?: Load
}
export type Ended = {
  readonly output: Output
  /** Why it ended. */
  readonly how:
    | { readonly kind: 'exit'; readonly code: number }
    | { readonly kind: 'signal'; readonly name: string }
    | { readonly kind: Cut }
    /** It never ran. */
    | { readonly kind: 'failed'; readonly code: string }
  readonly ms: number
}

export type Cut = 'timeout' | 'flood' | 'stopped' | 'memory' | 'crowd'

/** More than this is no output any more but a flood. */
const mostBytes = 256 * 1024 * 1024
/** For pipes that a child of the command still holds open. */
const drainMs = 500
const lineEveryMs = 500
const lookEveryMs = 250

/** Resolves when the whole group has ended. Never throws. */
export function spawned(clock: Clock, given: Spawning): Promise<Ended> {
  const { program, args, cwd, env, stdin, timeoutMs, signal, onLine, most = mostLoad } = given
  const started = clock.now()
  const output = new Output()
  const over = Promise.withResolvers<Ended>()
  const child = spawn(program, [...args], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  let cut: Cut | null = null
  const end = (why: Cut) => {
    cut ??= why
    killGroup(child.pid)
  }
  const stop = () => end('stopped')
  const alarm = clock.after(timeoutMs, () => end('timeout'))
  const watch = child.pid === undefined ? null : watched(clock, { pid: child.pid, most, end })
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
    watch?.cancel()
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

/** One look after the other, each a while after the one before has ended. */
function watched(clock: Clock, { pid, most, end }: { readonly pid: number; readonly most: Load; readonly end: (why: Cut) => void }): Alarm {
  let isOver = false
  const look = async () => {
    const load = await loadOf(pid)
    if (isOver) return
    if (load.bytes > most.bytes) end('memory')
    else if (load.processes > most.processes) end('crowd')
    else alarm = clock.after(lookEveryMs, look)
  }
  let alarm = clock.after(lookEveryMs, look)
  return {
    cancel() {
      isOver = true
      alarm.cancel()
    },
  }
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
