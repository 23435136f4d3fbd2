// From what a tool said to what a model reads: without secrets, with what it brings, cut to its length and kept whole by reference.
import { messageOf } from '../base/errors.ts'
import type { Taint } from '../policy/decision.ts'
import { highest } from '../policy/taint.ts'
import type { ToolPolicy } from './checked.ts'
import type { Results } from './results.ts'
import type { Outcome, Tool, ToolResult } from './tool.ts'

export type AnswerRooms = {
  readonly results: Results
  readonly policy: ToolPolicy
  /** Takes secrets out of a text before anything keeps or shows it. */
  readonly seal?: (text: string) => Promise<string>
}

const defaultOutputLimit = 30_000
/** A longer answer is not kept whole. */
const mostKept = 64_000_000

/** Never throws: a tool that ran has an answer, whatever becomes of its words. */
export async function answerOf(rooms: AnswerRooms, tool: Tool, given: { outcome: Outcome; session: string }): Promise<ToolResult> {
  const { outcome, session } = given
  const taint = await taintOf(rooms, tool, outcome)
  const { sources = [], wrote = [] } = outcome
  const more = {
    ...(taint === 'none' ? {} : { taint }),
    ...(sources.length > 0 ? { sources } : {}),
    ...(wrote.length > 0 ? { wrote } : {}),
  }
  const status = outcome.ok ? { ok: true } : { ok: false, code: outcome.code }
  return {
    ...status,
    ...(await cut(rooms, outcome.text, { session, taint, limit: tool.outputLimit ?? defaultOutputLimit, tail: tool.outputTail ?? 0 })),
    ...more,
  }
}

/** The highest of what the tool always brings, what it says of this answer, and what lies on the files it shows. */
export async function taintOf({ policy }: Pick<AnswerRooms, 'policy'>, tool: Tool, { taint = 'none', read = [] }: Outcome): Promise<Taint> {
  // In doubt it came from elsewhere.
  const ofFiles = read.length === 0 ? 'none' : await policy.taint.ofPaths(read).catch((): Taint => 'foreign')
  return highest(tool.taint ?? 'none', taint, ofFiles)
}

type Cutting = { readonly session: string; readonly taint: Taint; readonly limit: number; readonly tail: number }

async function cut(
  rooms: AnswerRooms,
  said: string,
  { session, taint, limit, tail }: Cutting,
): Promise<Pick<ToolResult, 'text' | 'ref' | 'size'>> {
  const text = await storable(rooms, said)
  if (text.length <= limit) return { text }
  const whole = text.slice(0, mostKept).toWellFormed()
  const head = whole.slice(0, limit - tail).toWellFormed()
  const end = tail === 0 ? '' : `\n${text.slice(-tail).toWellFormed()}`
  const lost = text.length > mostKept ? ` (of ${text.length}; the rest is not kept)` : ''
  const size = `the first ${head.length} of ${whole.length} characters${lost}`
  const after = tail === 0 ? '' : '; the end follows'
  try {
    const ref = await rooms.results.keep(session, { text: whole, taint })
    const note = `[${size}; read on with result_read {"ref": "${ref}", "from": ${head.length}}${after}]`
    return { text: `${head}\n${note}${end}`, ref, size: whole.length }
  } catch (thrown) {
    return { text: `${head}\n[${size}; the rest could not be kept: ${messageOf(thrown).slice(0, 200)}${after}]${end}` }
  }
}

/** Without secrets. No store keeps half characters or NUL. */
async function storable({ seal }: AnswerRooms, text: string): Promise<string> {
  const whole = text.toWellFormed().replaceAll('\0', '\ufffd')
  if (!seal) return whole
  return seal(whole).catch(() => '[The answer is not shown: it could not be looked through for secrets. The tool itself ended.]')
}
