// A person's answer to a question about the work.
import { Gone, InvalidInput, NotFound } from '../base/errors.ts'
import { isId, laneOf } from '../base/ids.ts'
import type { Question } from '../protocol/shapes.ts'
import type { Caller } from './caller.ts'
import type { Hub } from './hub.ts'
import { steerLane } from './outcome.ts'
import { fresh, ownSession } from './session-of.ts'

export type GivenAnswer = { readonly text: string } | { readonly option: string }

/** The question as it is afterwards. Throws NotFound, Gone when it is answered or withdrawn, InvalidInput for an unknown option. */
export async function answerQuestion(hub: Hub, caller: Caller, id: string, given: GivenAnswer): Promise<Question> {
  const asked = await questionOf(hub, caller, id)
  const ask = asked.id
  if (!isId('ask', ask) || !isId('prc', asked.lane) || !isId('ses', asked.session)) throw new Error(`question ${id} has a malformed id`)
  if (asked.status !== 'open') throw new Gone(`this question is ${asked.status} already`)
  const value = valueFor(asked, given)
  const outcome = await steerLane(hub, caller, { session: asked.session, lane: laneOf(asked.lane) }, { kind: 'answer', ask, value })
  if (outcome.word === 'refused') throw new Gone('this question is answered or withdrawn already')
  await fresh(hub)
  return shown(await questionOf(hub, caller, id))
}

async function questionOf(hub: Hub, caller: Caller, id: string): Promise<Question & { readonly lane: string }> {
  await fresh(hub)
  const found = await hub.scopes.conversation.question(id)
  if (!found) throw new NotFound(`there is no question ${JSON.stringify(id.slice(0, 64))}`)
  await ownSession(hub, caller, found.session)
  return found
}

/** What the engine is given: the text, or the label of the option. */
function valueFor(asked: Question, given: GivenAnswer): string {
  if ('text' in given) return given.text
  const labels = (asked.options ?? []).map((one) => one.label)
  if (labels.includes(given.option)) return given.option
  const allowed = labels.length === 0 ? 'this question has no options: answer with text' : `one of: ${labels.join(', ')}`
  throw new InvalidInput(`/option is not on offer; ${allowed}`, { path: '/option' })
}

function shown({ lane: _, ...question }: Question & { readonly lane: string }): Question {
  return question
}
