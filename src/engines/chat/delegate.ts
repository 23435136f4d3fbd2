// DELEGATE: a worker in a session of its own, in the same project, for one piece of work (E10, K2).
import { laneOf } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import { StepFailed } from '../../lanes/engine.ts'
import { type Action, fieldOf } from '../action/action.ts'
import type { Acting, Applied } from '../action/loop.ts'
import { told } from '../action/speak.ts'
import { type Fitting, fittingAgent, newWorker, type WorkerRooms } from '../turn/route-worker.ts'
import { saidIn } from '../turn/said.ts'

export type DelegateRooms = WorkerRooms

/** `chain`: what an agent with the engine chain is given of the route of this turn; null: there is no chain in it. */
export async function delegate(
  rooms: DelegateRooms,
  action: Action,
  acting: Acting & { readonly chain: JsonObject | null },
): Promise<Applied> {
  const { turn, name, mind, streamed, setup, chain } = acting
  const fitting: Fitting = await turn.read(`${name}-agent`, () => fittingAgent(rooms, turn.process, fieldOf(action, 'agent') ?? ''))
  if ('why' in fitting) return { end: false, text: fitting.why, isWrong: true }
  const { agent, engine } = fitting
  const title = (fieldOf(action, 'title') ?? fieldOf(action, 'prompt') ?? '').replace(/\s+/g, ' ').slice(0, 120)
  const params = { pledge: [...(setup.agent.pledge ?? [])], ...(engine === 'chain' && chain ? { route: chain } : {}) }
  try {
    const link = await turn.step(`${name}-session`, 'idempotent', ({ key }) =>
      newWorker(rooms, turn.process, { agent, title, key, mode: 'milestones', params }),
    )
    turn.note(`${name}-link`, { type: 'worker-linked', data: link })
    mind.pass(link.worker, [`process:${turn.process.id}`])
    const text = fieldOf(action, 'prompt') ?? ''
    turn.post(`${name}-prompt`, laneOf(link.worker), { kind: 'message', session: link.session, text, said: saidIn(acting.entries) })
  } catch (thrown) {
    if (thrown instanceof StepFailed) return { end: false, text: `It could not be done: ${thrown.message}`, isWrong: true }
    throw thrown
  }
  const said = fieldOf(action, 'message') ?? (streamed ? null : `${fitting.title} is at work on it: ${title}`)
  return told(acting, said, {})
}
