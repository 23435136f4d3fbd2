// Kills a hub with SIGKILL again and again, starts it again on the same file, and judges what is left when it has come to rest.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seeded } from '../../src/base/testing.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { judge } from './oracle.ts'
import { type Effect, outside } from './outside.ts'
import { watch } from './watch.ts'

/** `work`: at any moment; `recovery`: between opening the file and the end of the start; `wal`: with a write-ahead log that only grows. */
export type KillMode = 'work' | 'recovery' | 'wal'
export type Survived = {
  readonly problems: readonly string[]
  readonly kills: number
  readonly turns: number
  readonly effects: number
  readonly acked: number
  readonly walBytes: number
}

export async function survive(given: {
  readonly seed: number
  readonly kills: number
  readonly mode: KillMode
  readonly tell?: (line: string) => void
}): Promise<Survived> {
  const { seed, kills, mode, tell = () => {} } = given
  const random = seeded(seed)
  const folder = mkdtempSync(join(tmpdir(), `steward-kill-${seed}-`))
  try {
    let walBytes = 0
    for (let life = 1; life <= kills; life++) {
      const inRecovery = mode === 'recovery' && life % 3 !== 0
      const ended = await oneLife(
        { folder, seed, life, mode },
        { after: inRecovery ? 'up' : 'on', ms: random.next() * (inRecovery ? 12 : 90) },
      )
      if (ended !== 'killed') return { ...(await verdict(folder, [`life ${life}: ${ended}`])), kills: life, walBytes }
      walBytes = Math.max(walBytes, sizeOf(join(folder, 'steward.db-wal')))
      if (life % 25 === 0) tell(`seed ${seed} ${mode}: ${life} kills`)
    }
    const last = await oneLife({ folder, seed, life: kills + 1, mode: 'calm' }, null)
    return { ...(await verdict(folder, last === 'ended' ? [] : [last])), kills, walBytes }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

type Child = { readonly folder: string; readonly seed: number; readonly life: number; readonly mode: KillMode | 'calm' }

/** 'killed', 'ended', or what went wrong. */
function oneLife(child: Child, kill: { readonly after: 'up' | 'on'; readonly ms: number } | null): Promise<string> {
  const { folder, seed, life, mode } = child
  const file = join(import.meta.dirname, 'kill-child.ts')
  const args = [file, folder, String(seed), String(life), mode === 'calm' ? 'calm' : 'work', ...(mode === 'wal' ? ['wal'] : [])]
  return new Promise((resolve) => {
    const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    let isArmed = false
    const hear = (part: Buffer) => {
      said += part.toString()
      if (!kill || isArmed || !said.includes(`${kill.after}\n`)) return
      isArmed = true
      setTimeout(() => running.kill('SIGKILL'), kill.ms)
    }
    running.stdout.on('data', hear)
    running.stderr.on('data', hear)
    running.on('close', (code, signal) =>
      resolve(signal === 'SIGKILL' ? 'killed' : code === 0 ? 'ended' : `it ended with ${code}: ${said}`),
    )
  })
}

async function verdict(folder: string, before: readonly string[]): Promise<Omit<Survived, 'kills' | 'walBytes'>> {
  const opened = await openSqliteStore({ file: join(folder, 'steward.db'), now: Date.now })
  const seen = watch(opened.journal)
  await seen.look()
  const world = outside(1)
  world.effects.push(...linesOf(join(folder, 'effects')).flatMap((line) => whole<Effect>(line)))
  const acked = new Map(linesOf(join(folder, 'acks')).flatMap((line) => whole<[string, string]>(line)))
  const judged = await judge(opened.journal, { events: seen.events, world, acked })
  await opened.close()
  const turns = seen.events.filter((event) => event.type === 'turn-started').length
  const problems = [...before, ...linesOf(join(folder, 'problems')), ...judged]
  return { problems, turns, effects: world.effects.length, acked: acked.size }
}

/** What stands in a line; nothing for one that a kill cut, which was then never acknowledged. */
export function whole<T>(line: string): T[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

/** The last one may have been cut by a kill. */
function linesOf(file: string): string[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').split('\n').slice(0, -1)
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}
