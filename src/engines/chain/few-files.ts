// Who may change only a few files is told so before it writes to one more (E24). What a command changes nobody knows before: the chain
// counts it afterwards.
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { laneOf, type ProcessId } from '../../base/ids.ts'
import { isObject } from '../../base/json.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import type { Tools } from '../../tools/tools.ts'
import { ledgerOf } from './ledger.ts'

type Calling = Pick<Tools, 'call' | 'check'>
type Call = Parameters<Tools['call']>[0]
type Context = Parameters<Tools['check']>[1]

/** Of a process's params: how many files it may change. */
export const mostFilesParam = 'mostFiles'
const writing: ReadonlySet<string> = new Set(['file_write', 'file_edit', 'file_delete', 'file_move'])
const mostKept = 1_000

/** The same tools, for everybody else too. */
export function fewFiles<T extends Calling>(tools: T, events: Pick<JournalStore, 'readLane' | 'body'>): T {
  // What is being written at this moment stands in no journal yet.
  const begun = new Map<ProcessId, Set<string>>()
  async function beyond({ name, input }: Call, { process, roots }: Context): Promise<Beyond | null> {
    const most = process.params[mostFilesParam]
    const wanted = typeof most === 'number' && writing.has(name) ? await pathsIn(input, roots) : []
    if (typeof most !== 'number' || wanted.length === 0) return null
    const { files } = await ledgerOf(events, laneOf(process.id))
    const known = new Set([...files, ...(begun.get(process.id) ?? [])])
    const all = new Set([...known, ...wanted])
    return { most, known, wanted, isTooMuch: all.size > most && all.size > known.size }
  }
  return {
    ...tools,
    async call(call, context) {
      const found = await beyond(call, context)
      if (found === null) return tools.call(call, context)
      if (found.isTooMuch) return refusal(found)
      if (begun.size >= mostKept) begun.clear()
      const mine = begun.get(context.process.id) ?? new Set()
      begun.set(context.process.id, mine)
      for (const path of found.wanted) mine.add(path)
      const result = await tools.call(call, context)
      if (!result.ok) for (const path of found.wanted) mine.delete(path)
      return result
    },
    async check(call, context) {
      const found = await beyond(call, context)
      return found?.isTooMuch ? { effect: 'deny', result: refusal(found) } : tools.check(call, context)
    },
  }
}

type Beyond = {
  readonly most: number
  readonly known: ReadonlySet<string>
  readonly wanted: readonly string[]
  readonly isTooMuch: boolean
}

function refusal({ most, known }: Beyond) {
  const changed = known.size === 0 ? 'None is changed yet.' : `Changed are ${[...known].join(', ')}.`
  const text = `Not run: at most ${most} files may be changed here. ${changed} Hand over the rest as a proposal: begin your answer with "PROPOSE:".`
  return { ok: false, code: 'denied', text } as const
}

/** As the lane's account has them. */
async function pathsIn(input: unknown, roots: readonly string[]): Promise<readonly string[]> {
  const [root] = roots
  if (!isObject(input) || root === undefined) return []
  const given = ['path', 'to'].map((name) => input[name]).filter((path) => typeof path === 'string' && path !== '')
  return Promise.all(given.map((path) => realOf(resolve(root, String(path)))))
}

/** Also of a file that is not there yet. */
async function realOf(path: string): Promise<string> {
  const above = dirname(path)
  if (above === path) return path
  return realpath(path).catch(async () => join(await realOf(above), basename(path)))
}
