// A worker that waits for the person is told in the chain's own conversation, in one line (E37). What it asks is shown there too, since
// it is the chain's worker; it is answered there or wherever else the person is.
import { type AskId, laneOf, type ProcessId } from '../../base/ids.ts'
import type { Turn } from '../../lanes/engine.ts'
import { readApproval } from '../../protocol/asked-approval.ts'
import { headline } from '../../protocol/asks-elsewhere.ts'
import type { Event } from '../../protocol/event.ts'
import { asking } from './runs-state.ts'
import type { Scene } from './scene.ts'

export type Watch = {
  /** Of the ask that is answered when the worker asks for something; null: enough was told. `at` from 1. */
  begin(at: number): Promise<AskId | null>
  /** Says what the worker asks for since the last time. */
  tell(at: number): Promise<void>
}

const mostTold = 20
const longestLine = 240
const weekMs = 7 * 24 * 3_600_000
const pageLength = 500

/** `who`: the worker's title. */
export function watchOf(
  { rooms, turn, voice }: Pick<Scene, 'rooms' | 'turn' | 'voice'>,
  { name, who, worker }: { readonly name: string; readonly who: string; readonly worker: ProcessId },
): Watch {
  let seen = 0
  const look = async (at: number) => {
    const found = await turn.read(`${name}-asks-${at}`, () => asksAfter(rooms.events, laneOf(worker), seen))
    seen = found.seq
    return found.texts
  }
  return {
    async begin(at) {
      // What it asked in an earlier part of its work was told then.
      if (at === 1) await look(at)
      return at > mostTold ? null : begun(rooms.runs, turn, { name: `${name}-watch-${at}`, worker })
    },
    async tell(at) {
      const [first, ...rest] = await look(at)
      if (first === undefined) return
      const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`
      voice.say(`${name}-waits-${at}`, { text: `${who} waits for you: ${first}${more}` })
    },
  }
}

type Beginning = { readonly name: string; readonly worker: ProcessId }

async function begun(runs: Scene['rooms']['runs'], turn: Turn, { name, worker }: Beginning): Promise<AskId> {
  const ask = turn.open(name, { kind: 'timer', afterMs: weekMs })
  await turn.step(`${name}-known`, 'idempotent', async () => {
    await runs.watch(turn.id, { worker, ask })
    return null
  })
  return ask
}

async function asksAfter({ readLane }: Scene['rooms']['events'], lane: Event['lane'], after: number) {
  const texts: string[] = []
  for (let seq = after; ; ) {
    const events = await readLane(lane, seq, pageLength)
    for (const event of events) texts.push(...wordsOf(event))
    seq = events.at(-1)?.seq ?? seq
    if (events.length < pageLength) return { seq, texts: texts.slice(0, 20) }
  }
}

function wordsOf({ type, data }: Event): readonly string[] {
  if (!asking.has(type)) return []
  const approval = type === 'approval-requested' ? readApproval(data) : null
  const text = approval === null ? data['text'] : headline(approval)
  const line = typeof text === 'string' ? text.replace(/\s+/g, ' ').trim() : ''
  return [line.length <= longestLine ? line : `${line.slice(0, longestLine).toWellFormed()}…`]
}
