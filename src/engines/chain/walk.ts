// The steps of a chain, one after the other. Where one can't go on the person is asked: do that step again, or stop. Going on with
// what did not pass its check is no choice (E21).

import type { Seat } from '../../work/envelope/own-contracts.ts'
import { orchestrator } from '../../work/envelope/own-contracts.ts'
import { textIn } from '../turn/model.ts'
import { scopeOf } from '../turn/route-worker.ts'
import { edgeBetween, seatOf } from './edges.ts'
import { hear } from './heard.ts'
import { check, usualBudget } from './keeping.ts'
import { tierOf } from './order.ts'
import { forget, type StepEnd } from './part.ts'
import type { Scene } from './scene.ts'
import { doStep } from './step.ts'
import { beginning } from './telling.ts'

export type Walked = { readonly stopped: string | null; readonly next: readonly string[] }

/** How often a person may have steps done again in one chain. */
const mostAgains = 5
const dayMs = 24 * 3_600_000

export async function walk(scene: Scene): Promise<Walked> {
  const undeclared = await undeclaredEdges(scene)
  if (undeclared.length > 0)
    return { stopped: `Nothing was begun. ${undeclared.join(' ')}`, next: ['Declare the hand-off, then ask again.'] }
  const { steps } = scene
  const due = steps.map((_, at) => at)
  const counts = new Map<number, number>()
  for (let agains = 0; ; ) {
    const step = due[0]
    const end = step === undefined ? await lastCheck(scene, agains) : await oneStep(scene, step, counts)
    if (end.ok && step === undefined) return { stopped: null, next: [] }
    if (end.ok) {
      due.shift()
      // What comes beside the last step is a turn of its own.
      if (due.length > 0) hearBetween(scene, `between-${step}-${counts.get(step ?? 0)}`)
      continue
    }
    if (end.again === null || agains >= mostAgains) return { stopped: end.why, next: end.next }
    if (!(await wantsAgain(scene, { end, again: end.again, name: `again-${++agains}` }))) return { stopped: end.why, next: end.next }
    const { again: anew } = end
    forget(scene, (one) => one.step === anew)
    if (due[0] !== end.again) due.unshift(end.again)
  }
}

function hearBetween(scene: Scene, name: string): void {
  hear(scene, scene.turn.arrivals(name), { name: `heard-${name}`, who: null })
}

async function oneStep(scene: Scene, step: number, counts: Map<number, number>): Promise<StepEnd> {
  const { cast, steps, plan, voice } = scene
  const member = cast.steps[step]
  const planned = steps[step]
  if (!member || !planned) throw new Error(`the chain has no step ${step + 1}`)
  const count = (counts.get(step) ?? 0) + 1
  counts.set(step, count)
  const label = count === 1 ? `s${step + 1}` : `s${step + 1}r${count}`
  voice.say(`${label}-begins`, { text: beginning(step, steps.length, member.title) })
  return doStep(scene, { label, step, member, tier: tierOf(plan, planned, member.tier) })
}

/** What the person is given at the end is what was handed over. */
async function lastCheck({ rooms, turn, folder, kept, messages }: Scene, count: number): Promise<StepEnd> {
  const checked = await check(rooms, turn, { name: `last-check-${count}`, folder, kept, messages: [...messages], budget: usualBudget })
  if (checked.ok) return { ok: true }
  const wrong = kept.find(({ number }) => number === checked.number)
  const why = `${wrong?.path ?? `Artifact ${checked.number}`} did not pass its check at the end: ${checked.code}. ${checked.why}`
  const again = wrong?.step ?? null
  return { ok: false, why, again, next: again === null ? [] : [`Do step ${again + 1} again, so that it is handed over anew.`] }
}

async function undeclaredEdges({ rooms, turn, cast }: Scene): Promise<readonly string[]> {
  return turn.read('edges', async () => {
    const scope = await scopeOf(rooms.projects, turn.process)
    const seats: readonly Seat[] = [...cast.steps.map(seatOf), orchestrator]
    const edges = await Promise.all(
      cast.steps.map((member, at) => edgeBetween(rooms, scope, { from: seatOf(member), to: seats[at + 1] ?? orchestrator })),
    )
    return edges.flatMap((edge) => (edge.ok ? [] : [`UNDECLARED_EDGE: ${edge.why}`]))
  })
}

type Asking = { readonly end: Extract<StepEnd, { ok: false }>; readonly again: number; readonly name: string }

const again = 'Do it again'
const stop = 'Stop'

/** Silence of a day is a stop. */
async function wantsAgain({ turn }: Scene, { end, again: step, name }: Asking): Promise<boolean> {
  const text = `${end.why} Shall step ${step + 1} be done again, or does the chain stop here?`
  const options = [{ label: again, description: `step ${step + 1}, by a new worker` }, { label: stop }]
  const answer = await turn.ask(name, { kind: 'question', text, options, timeoutMs: dayMs }, { wake: false })
  return answer.kind === 'answer' && answer.outcome === 'answered' && textIn(answer.value).toLowerCase() === again.toLowerCase()
}
