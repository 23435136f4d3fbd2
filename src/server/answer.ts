// A person's answer to a question about the work.
import { Gone, InvalidInput, NotFound } from '../base/errors.ts'
import { isId, laneOf } from '../base/ids.ts'
import { isObject } from '../base/json.ts'
import type { Question } from '../protocol/shapes.ts'
import type { Caller } from './caller.ts'
import type { Hub } from './hub.ts'
import { steerLane } from './outcome.ts'
import { fresh, ownSession } from './session-of.ts'

export type GivenAnswer = { readonly text: string } | { readonly option: string }

/**
 * The question as it is afterwards; the same answer again is answered like the first. Throws NotFound, Gone when it was answered in
 * another way or is withdrawn, InvalidInput for an unknown option.
 */
export async function answerQuestion(hub: Hub, caller: Caller, id: string, given: GivenAnswer): Promise<Question> {
  const asked = await questionOf(hub, caller, id)
  const ask = asked.id
  if (!isId('ask', ask) || !isId('prc', asked.lane) || !isId('ses', asked.session)) throw new Error(`question ${id} has a malformed id`)
  const value = valueFor(asked, given)
  if (asked.status !== 'open') return repeated(hub, caller, asked, value)
  const outcome = await steerLane(hub, caller, { session: asked.session, lane: laneOf(asked.lane) }, { kind: 'answer', ask, value })
  const now = await questionOf(hub, caller, id)
  return outcome.word === 'refused' ? repeated(hub, caller, now, value) : shown(now)
}

type Asked = Question & { readonly lane: string }

/** The words that answered it stand in the inbox of the person, where each question is an item. */
async function repeated(hub: Hub, caller: Caller, asked: Asked, value: string): Promise<Question> {
  const item = asked.status === 'answered' ? await hub.attention.get(caller.user.name, asked.id) : null
  const said = isObject(item?.answer?.value) ? (item.answer.value['chosen'] ?? item.answer.value['text']) : undefined
  if (said === value) return shown(asked)
  throw new Gone(`this question is ${asked.status === 'open' ? 'answered or withdrawn' : asked.status} already`)
}

async function questionOf(hub: Hub, caller: Caller, id: string): Promise<Asked> {
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

function shown({ lane: _, ...question }: Asked): Question {
  return question
}
