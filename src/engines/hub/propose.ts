// A delegation that an existing project would fit is proposed first: accept, change or keep (E7). Nothing is begun before the person
// chose, every field can be changed, and silence keeps all as it is.

import type { Entry } from '../../protocol/entry.ts'
import type { Option } from '../../protocol/message.ts'
import { gateAnswer } from '../action/answer.ts'
import type { Acting } from '../action/loop.ts'
import { textIn } from '../turn/model.ts'
import type { Found, Plan } from './project.ts'

/** `words`: the person said something else, which the model has to read. */
export type Chosen =
  | { readonly as: 'accept' }
  | { readonly as: 'keep' }
  | { readonly as: 'change'; readonly fields: Readonly<Record<string, string>> }
  | { readonly as: 'words'; readonly arrived: readonly Entry[] }

export const fieldNames: readonly string[] = ['name', 'title', 'goal', 'folder']

const options: readonly Option[] = [
  { label: 'Accept', description: 'give it to that project' },
  { label: 'Change', description: 'say what should be different, also for a project of its own' },
  { label: 'Keep', description: 'start nothing' },
]
/** The turn stands behind the question, so it does not stand for ever; silence starts nothing. */
const timeoutMs = 3_600_000

export async function propose(
  acting: Acting,
  plan: Plan,
  { fit, at }: { readonly fit: NonNullable<Found['fit']>; readonly at: number },
): Promise<Chosen> {
  const text = `There is a project "${fit.title}" (${fit.name}) that fits, because ${fit.why}. Shall I give it this: ${plan.goal}`
  const answer = await put(acting, `fit-${at}`, { text, options })
  if ('arrived' in answer) return { as: 'words', arrived: answer.arrived }
  const word = choiceIn(answer.text)
  if (word === 'Change') return askFields(acting, plan, at)
  if (word === 'Accept') return { as: 'accept' }
  const fields = fieldsIn(answer.text)
  return word === null && fields ? { as: 'change', fields } : { as: 'keep' }
}

async function askFields(acting: Acting, { name, title, goal, roots }: Plan, at: number): Promise<Chosen> {
  const now = [`name: ${name}`, `title: ${title}`, `goal: ${goal}`, `folder: ${roots.join(', ') || 'none'}`].join('\n')
  const text = `What should be different? Answer with lines like these; what you leave out stays:\n\n${now}`
  const answer = await put(acting, `fields-${at}`, { text })
  if ('arrived' in answer) return { as: 'words', arrived: answer.arrived }
  const fields = fieldsIn(answer.text)
  return fields ? { as: 'change', fields } : { as: 'keep' }
}

type Put = { readonly text: string } | { readonly arrived: readonly Entry[] }

/** An answer, or what the person said instead; '' when nobody answered. A plain line that is an answer counts as one. */
export async function put(
  acting: Acting,
  name: string,
  what: { readonly text: string; readonly options?: readonly Option[] },
): Promise<Put> {
  const { turn, voice: _ } = acting
  const got = await turn.ask(`${acting.name}-${name}`, { kind: 'question', timeoutMs, ...what })
  if (got.kind === 'answer') return { text: got.outcome === 'answered' ? textIn(got.value) : '' }
  const said = got.entries.flatMap(({ body }) => (body.kind === 'message' ? [body.text.trim()] : [])).at(-1) ?? ''
  const isAnswer = what.options ? choiceIn(said) !== null : true
  return isAnswer && got.entries.length === 1 ? { text: said } : { arrived: got.entries }
}

function choiceIn(text: string): string | null {
  const chosen = gateAnswer({ type: 'DECISION', text, options: options.map(({ label }) => label) })
  if (chosen && 'chosen' in chosen) return chosen.chosen
  const yesNo = gateAnswer({ type: 'APPROVAL', text })
  if (yesNo && 'approved' in yesNo) return yesNo.approved ? 'Accept' : 'Keep'
  return null
}

/** null: there is no line "name: ...". */
export function fieldsIn(text: string): Readonly<Record<string, string>> | null {
  const found = text.split('\n').flatMap((line): [string, string][] => {
    const plain = line.trim()
    const [head = '', name = ''] = /^[-*]?\s*(\w{1,20})\s*[:=]/.exec(plain) ?? []
    const value = plain.slice(head.length).trim()
    return fieldNames.includes(name.toLowerCase()) && value !== '' ? [[name.toLowerCase(), value]] : []
  })
  return found.length === 0 ? null : Object.fromEntries(found)
}
