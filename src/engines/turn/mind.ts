// What a turn has on its mind: where all that it has read comes from (TaintFacts). It only rises, and each rise is a fact.
//
// A fact is folded by policy's projection, which may be a moment behind. What was raised here is therefore kept in memory too, so
// that a turn which starts at once knows it; after a restart the projection has caught up before any turn runs.
import type { Turn } from '../../lanes/engine.ts'
import { type Taint, taints } from '../../policy/decision.ts'
import type { Taints } from '../../policy/policy.ts'
import { highest, isHigher } from '../../policy/taint.ts'
import type { Entry } from '../../protocol/entry.ts'

/** What all processes of this node have on their minds. */
export type Minds = {
  /** The higher of what is recorded and what was raised here. */
  of(process: string): Promise<Taint>
  raised(process: string, taint: Taint): void
}

export type Mind = {
  readonly taint: Taint
  /** Notes the fact when it rises, and only then. */
  raise(taint: Taint, sources: readonly string[]): void
  /** Of a process that is given what this turn knows. */
  pass(process: string, sources: readonly string[]): void
}

/** Processes remembered; the oldest are by then long in the projection. */
const mostKept = 10_000
const mostSources = 20

export function openMinds(known: Pick<Taints, 'ofProcess'>): Minds {
  const here = new Map<string, Taint>()
  return {
    async of(process) {
      return highest(await known.ofProcess(process), here.get(process) ?? 'none')
    },
    raised(process, taint) {
      const before = here.get(process) ?? 'none'
      here.delete(process)
      here.set(process, highest(before, taint))
      const [oldest] = here.keys()
      if (here.size > mostKept && oldest !== undefined) here.delete(oldest)
    },
  }
}

/** `from`: what the process had on its mind when the turn began, as it was recorded. */
export function mindOf(turn: Turn, minds: Pick<Minds, 'raised'>, from: Taint): Mind {
  let taint = from
  let count = 0
  const { id } = turn.process
  const raisedNote = (process: string, to: Taint, sources: readonly string[]) => {
    minds.raised(process, to)
    const data = { process, taint: to, sources: sources.slice(0, mostSources) }
    turn.note(`taint-${++count}`, { type: 'taint-raised', data })
  }
  return {
    get taint() {
      return taint
    },
    raise(to, sources) {
      if (!isHigher(to, taint)) return
      taint = to
      raisedNote(id, to, sources)
    },
    pass(process, sources) {
      if (taint !== 'none') raisedNote(process, taint, sources)
    },
  }
}

/** What the data of entries brings with it: a report, a peer's note. */
export function hearTaint(mind: Mind, entries: readonly Entry[]): void {
  for (const { body, from } of entries) {
    if (body.kind !== 'note' && body.kind !== 'request') continue
    const taint = taints.find((one) => one === body.data?.['taint'])
    if (taint !== undefined) mind.raise(taint, [from])
  }
}
