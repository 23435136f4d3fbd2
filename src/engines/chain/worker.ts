// A worker of a chain: an agent in a session of its own, in the same project, with the tier and the capabilities of its step. It is
// asked by a request, so that its answer comes back wherever the hub is killed (E20, E26).
import { z } from 'zod'
import { Conflict, Gone, InvalidInput, NotFound } from '../../base/errors.ts'
import { laneOf, type ProcessId, type SessionId } from '../../base/ids.ts'
import type { Json } from '../../base/json.ts'
import type { Answer, Turn } from '../../lanes/engine.ts'
import type { Tier } from '../../models/message.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { WorkerLink } from '../../work/work.ts'
import { newWorker, type WorkerRooms } from '../turn/route-worker.ts'
import { saidIn } from '../turn/said.ts'
import type { Member } from './cast.ts'
import { boundOf, mostFilesOfExecutor } from './charter.ts'
import { mostFilesParam } from './few-files.ts'
import type { Runs } from './runs.ts'
import type { Watch } from './watch.ts'

export type Worker = { readonly session: SessionId; readonly worker: ProcessId; readonly agent: string }
/** `why`: nobody could be hired, since the agent is gone or the place takes no work any more. */
export type Hired = Worker | { readonly why: string }
export type HireRooms = Pick<WorkerRooms, 'sessions'> & { readonly runs: Pick<Runs, 'engaged'> }

export type Hiring = {
  /** Begins the names of its steps. */
  readonly name: string
  readonly member: Member
  readonly tier: Tier
  readonly title: string
  /** What the chain itself may do. */
  readonly held: readonly string[]
  /** Folders that it alone sees, each in one of the project's; absent: all of them. */
  readonly roots?: readonly string[]
}

/** One step: made and known as the chain's, so that a stop reaches it. */
export async function hire(rooms: HireRooms, turn: Turn, { name, member, tier, title, held, roots }: Hiring): Promise<Hired> {
  const pledge = [...boundOf(member.class, held)]
  const few = member.class === 'executor' ? { [mostFilesParam]: mostFilesOfExecutor } : {}
  const params = { pledge, tier, ...few, ...(roots ? { roots: [...roots] } : {}) }
  const link = await turn.step<WorkerLink | { readonly why: string }>(`${name}-worker`, 'idempotent', async ({ key }) => {
    const given = { agent: member.agent, title: title.slice(0, 120), key, mode: 'reply', params } as const
    const made = await newWorker(rooms, turn.process, given).catch(notHired)
    if ('worker' in made) await rooms.runs.engaged(turn.id, { session: made.session, process: made.worker })
    return made
  })
  if ('why' in link) return link
  turn.note(`${name}-link`, { type: 'worker-linked', data: link })
  return { session: link.session, worker: link.worker, agent: link.agent }
}

/** What a person can mend is said; anything else is a fault. */
function notHired(thrown: unknown): { readonly why: string } {
  if (thrown instanceof NotFound || thrown instanceof Conflict || thrown instanceof Gone || thrown instanceof InvalidInput)
    return { why: `nobody could be given the work: ${thrown.message.replace(/\.$/, '')}` }
  throw thrown
}

/** How a part ended for good: its worker refused or could not be had; a person stopped it. null: others may try. */
export type ForGood = 'refused' | 'stopped' | null

/** `final`: asking again would change nothing. */
export type Replied =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string; readonly final: boolean; readonly forGood: ForGood }

export type Asking = {
  readonly name: string
  readonly text: string
  /** The person's words behind it. */
  readonly entries: readonly Entry[]
  /** What came in while it was waited for. Absent: it waits in line for the next turn. */
  readonly heard?: (entries: readonly Entry[], at: string) => void
  readonly watch: Watch
}

/** After so many interruptions new words wait in the mailbox. */
const mostWakings = 20

export async function askWorker(turn: Turn, { worker }: Worker, { name, text, entries, heard, watch }: Asking): Promise<Replied> {
  const said = saidIn(entries)
  const data = said.length > 0 ? { data: { said: [...said] } } : {}
  // Begun before the worker is asked, so that nothing that it asks is missed.
  let watching = await watch.begin(1)
  const ask = turn.open(`${name}-ask`, { kind: 'delegation', lane: laneOf(worker), text, ...data })
  for (let [at, told] = [1, 1]; ; at++) {
    const wake = heard !== undefined && at <= mostWakings && turn.process.facesPerson
    const answer = await turn.wait(`${name}-answer-${at}`, watching === null ? [ask] : [ask, watching], { wake })
    if (answer.kind === 'answer' && answer.ask === ask) return understood(answer)
    if (answer.kind === 'arrived') heard?.(answer.entries, `${name}-${at}`)
    else {
      watching = await watch.begin(++told)
      await watch.tell(told)
    }
  }
}

const reply = z.object({ outcome: z.enum(['done', 'failed', 'stopped']), text: z.string().nullable(), error: z.string().nullable() })

function understood({ outcome, value }: Answer): Replied {
  if (outcome === 'held')
    return { ok: false, final: true, forGood: 'refused', why: 'it was not started, because work is too many agents deep here already' }
  if (outcome !== 'answered')
    return { ok: false, final: true, forGood: 'refused', why: `it could not be reached (${outcome}): ${textIn(value)}` }
  const read = reply.safeParse(value)
  if (!read.success) return { ok: false, final: true, forGood: null, why: 'its answer could not be read' }
  const { outcome: how, text, error } = read.data
  if (how === 'stopped') return { ok: false, final: true, forGood: 'stopped', why: 'it was stopped' }
  if (how === 'failed') return { ok: false, final: false, forGood: null, why: error ?? 'it failed and gave no reason' }
  if (text === null || text.trim() === '') return { ok: false, final: false, forGood: null, why: 'it gave no answer' }
  return { ok: true, text }
}

function textIn(value: Json): string {
  return typeof value === 'string' ? value : 'no reason was given'
}
