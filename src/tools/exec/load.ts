// What a command uses with all that it started. A limit of the system holds for one process, or not at all for a superuser: so the
// sum is looked at while the command runs, and too much ends it.
import { readdir, readFile } from 'node:fs/promises'
import { totalmem } from 'node:os'

export type Load = { readonly processes: number; readonly bytes: number }

export const mostLoad: Load = { processes: 1_000, bytes: Math.max(1024 ** 3, Math.floor(totalmem() / 2)) }
/** Threads count as processes here. */
const mostThreads = 4_096

/**
 * Shell words that lower the limits of what the shell becomes: no core dumps, no file over 4 GB, memory of each process, threads in
 * all (`-p` in dash), and the first to be ended when memory runs out. A limit that is lower already stays.
 */
export const lowered = [
  'ulimit -c 0',
  'ulimit -f 8388608',
  `ulimit -d ${Math.floor(mostLoad.bytes / 1024)}`,
  `ulimit -u ${mostThreads} || ulimit -p ${mostThreads}`,
  'echo 900 >/proc/self/oom_score_adj',
]
  .map((words) => `{ ${words}; } 2>/dev/null`)
  .join('; ')

/**
 * Of the process, all below it, and all of its group: `bytes` is memory that cannot be shared with the file system. Nothing where
 * the system does not tell, which is everywhere but on Linux. Never throws.
 */
export async function loadOf(pid: number): Promise<Load> {
  const names = await readdir('/proc').catch(() => [])
  const rows = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(rowOf))
  return summed(
    pid,
    rows.filter((row) => row !== null),
  )
}

export type Row = { readonly pid: number; readonly parent: number; readonly group: number; readonly bytes: number }

/** Pure. */
export function summed(pid: number, rows: readonly Row[]): Load {
  const below = Map.groupBy(rows, ({ parent }) => parent)
  const found = new Map(rows.filter((row) => row.pid === pid || row.group === pid).map((row) => [row.pid, row]))
  for (const { pid: above } of found.values()) for (const row of below.get(above) ?? []) found.set(row.pid, row)
  return { processes: found.size, bytes: [...found.values()].reduce((sum, { bytes }) => sum + bytes, 0) }
}

/** null: it has ended. */
async function rowOf(name: string): Promise<Row | null> {
  try {
    const text = await readFile(`/proc/${name}/status`, 'utf8')
    const number = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
    return { pid: Number(name), parent: number('PPid'), group: number('NSpgid'), bytes: (number('RssAnon') + number('VmSwap')) * 1024 }
  } catch {
    return null
  }
}
