// Which route a chain follows: the one that came along, or the one that routing finds now; what it can't tell is asked once (E28).
import type { JsonObject } from '../../base/json.ts'
import type { Turn } from '../../lanes/engine.ts'
import { joinAnswer } from '../../routing/clarify.ts'
import { routeFact } from '../turn/route-fact.ts'
import { scopeOf } from '../turn/route-worker.ts'
import { askRound } from './clarify.ts'
import { givenPlan, type Plan, planOf, stepsOf } from './order.ts'
import type { ChainRooms } from './scene.ts'

export type Decided = { readonly order: string; readonly plan: Plan } | { readonly say: string }

export async function decided(rooms: ChainRooms, turn: Turn, text: string): Promise<Decided> {
  const given = givenPlan(turn, text)
  if (given && 'fault' in given) return { say: given.fault }
  const order = given?.text ?? text
  const first = given?.plan ?? (await routed(rooms, turn, { text: order, name: 'route', answered: false }))
  if (first === null) return { say: 'Nobody decided who should do this, and there is no routing here that could.' }
  if (first.decision !== 'clarify') return ready(first, order)
  const questions = first.clarification?.questions ?? []
  const answers = questions.length === 0 ? null : await askRound(turn, questions)
  if (answers === null) return { say: 'I could not tell who should do this, and nobody answered what I asked. Nothing was begun.' }
  const whole = joinAnswer(order, answers)
  const second = await routed(rooms, turn, { text: whole, name: 'route-again', answered: true })
  // Never a second round: whoever comes nearest does it, or nobody.
  return second === null ? { say: nobody } : ready(second, whole)
}

const nobody = 'I found nobody for this: no phrase, name or sign of it speaks for an agent here. Say who should do it, as in "@coder ...".'

function ready(plan: Plan, order: string): Decided {
  return stepsOf(plan).length === 0 ? { say: nobody } : { order, plan }
}

async function routed(
  rooms: ChainRooms,
  turn: Turn,
  { text, name, answered }: { readonly text: string; readonly name: string; readonly answered: boolean },
): Promise<Plan | null> {
  const { routing } = rooms
  if (routing === undefined) return null
  const route = await turn.read<JsonObject>(name, async () => {
    const scope = await scopeOf(rooms.projects, turn.process)
    return {
      ...routeFact(await routing.route({ text, scope, leader: turn.process.agent, ...(answered ? { context: { answered } } : {}) })),
    }
  })
  turn.note(`${name}-decided`, { type: 'route-decided', visibility: 'user-detail', data: route })
  return planOf(route)
}
