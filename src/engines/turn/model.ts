// One call of the model as an engine sees it: the step, what it cost and was given as facts, and a budget that stands against it
// as a question to the person (E3).
import { InvalidInput } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'
import type { Turn } from '../../lanes/engine.ts'
import type { ToolCall } from '../../models/message.ts'
import type { Budget, Budgets } from '../../policy/budget.ts'
import { type Asked, type AskRooms, askModel, type More, type OverBudget, type OwnLine, spenderOf } from './ask.ts'
import type { Setup } from './setup.ts'
import type { Voice } from './voice.ts'

export type ModelRooms = AskRooms & {
  /** Absent: a budget that is used up ends the turn. */
  readonly budgets?: Pick<Budgets, 'list' | 'set'>
}

export type Asking = {
  /** Of the step: `model-3`. */
  readonly name: string
  readonly setup: Setup
  readonly own: readonly OwnLine[]
  readonly voice: Voice
  readonly more?: More
}

/** `step`: whose streamed words these are. */
export type Answered = Extract<Asked, { ok: true }> & { readonly step: string }

/** A person who raises a budget again and again in one call means no limit. */
const mostRaises = 5

/** null: there is no answer, what there was to say about it is said, and the turn ends. Throws when the model fails. */
export async function callModel(rooms: ModelRooms, turn: Turn, asking: Asking): Promise<Answered | null> {
  const { setup, own, more, voice } = asking
  const soFar = [...own]
  for (let at = 0; at <= mostRaises; at++) {
    const step = at === 0 ? asking.name : `${asking.name}-raised-${at}`
    const given = { setup, own: soFar, ...(more ? { more } : {}) }
    const asked: Asked = await turn.step(step, 'replayable', (act) => askModel(rooms, turn, { ...given, act }))
    if (asked.ok) {
      noteCall(turn, { step, setup, asked })
      for (const notice of noticesOf(asked)) voice.notice(notice)
      return { ...asked, toolCalls: ownIds(soFar, asked.toolCalls), step }
    }
    if (!asked.budget || !rooms.budgets) {
      voice.say(`said-${step}`, { text: asked.said })
      return null
    }
    if (!(await mayRaise(rooms.budgets, turn, { step, over: asked.budget, voice }))) return null
  }
  voice.say(`said-${asking.name}`, { text: 'The budget still does not suffice, so I stop here.' })
  return null
}

/** Some providers number the calls of each reply anew; in a turn each has an id of its own, or its result could not be told apart. */
function ownIds(own: readonly OwnLine[], calls: readonly ToolCall[]): readonly ToolCall[] {
  const known = new Set(own.flatMap((line) => (line.role === 'assistant' ? line.toolCalls.map(({ id }) => id) : [])))
  return calls.map((call) => {
    let id = call.id
    for (let at = 2; known.has(id); at++) id = `${call.id}_${at}`
    known.add(id)
    return id === call.id ? call : { ...call, id }
  })
}

type Call = { readonly step: string; readonly setup: Setup; readonly asked: Extract<Asked, { ok: true }> }

/** What it was given stands in the step's own record, once. */
function noteCall(turn: Turn, { step, setup, asked }: Call): void {
  const { model, finish } = asked
  const { name, source } = setup.agent
  const data = { step, model, finish, agent: { name, version: source.version, hash: source.hash } }
  turn.note(`manifest-${step}`, { type: 'manifest', visibility: 'operator', data })
  noteSpent(turn, { step, ...asked })
}

export type Paid = Pick<Extract<Asked, { ok: true }>, 'model' | 'usage' | 'cost' | 'fellBack' | 'lost' | 'attempt'> & {
  readonly step: string
}

/** What a call cost, as a fact (E3). */
export function noteSpent(turn: Turn, { step, model, usage, cost = null, attempt = 1, fellBack = [], lost: broken = 0 }: Paid): void {
  const { input, output, cached } = usage
  const spent = {
    ...spenderOf(turn),
    ...{ step, model, input, output, cached },
    // What broke off within the call was settled like the rest of it.
    cost: broken > 0 ? (cost ?? 0) + broken : cost,
    // Attempts that the machine's end cut short got no bill: each is counted like the one that came through.
    lost: (attempt - 1) * (cost ?? 0),
    fellBack: fellBack.map((one) => one.model),
  }
  turn.note(`spent-${step}`, { type: 'model-spent', data: spent })
}

function noticesOf({ finish, notice }: Call['asked']): readonly string[] {
  return [
    ...(finish === 'length' ? ["The answer ends here because it reached the model's length limit."] : []),
    ...(finish === 'content-filter' ? ["The provider's content filter ended this answer."] : []),
    ...(notice ? [notice] : []),
  ]
}

type Over = { readonly step: string; readonly over: OverBudget }

const stop = 'Stop'
const raise = 'Raise'

/** Asks "raise or stop?". True: it was raised. */
async function mayRaise(
  budgets: Pick<Budgets, 'list' | 'set'>,
  turn: Turn,
  { step, over, voice }: Over & { readonly voice: Voice },
): Promise<boolean> {
  const stopped = await overBudget(budgets, turn, { step, over })
  if (stopped !== null) voice.say(`stopped-${step}`, { text: stopped })
  return stopped === null
}

/** Asks "raise or stop?". null: it was raised; else why not, as a sentence. A text is taken as the new budget: "5 EUR a day". */
export async function overBudget(budgets: Pick<Budgets, 'list' | 'set'>, turn: Turn, { step, over }: Over): Promise<string | null> {
  const raised = await turn.read(`raised-${step}`, async () => raisedText(await budgets.list(turn.process.user), over))
  const text = `The budget "${over.text}" does not allow the next step (${amount(over.spent)} of it is spent or reserved, the step may cost ${amount(over.wanted)}). Raise it or stop?`
  const options = [...(raised === null ? [] : [{ label: raise, description: `to ${raised}` }]), { label: stop }]
  const answer = await turn.ask(`budget-${step}`, { kind: 'question', text, options }, { wake: false })
  const said = answer.kind === 'answer' && answer.outcome === 'answered' ? textIn(answer.value) : stop
  if (said.toLowerCase() === stop.toLowerCase()) return `I stopped, because the budget "${over.text}" is used up.`
  const wanted = said.toLowerCase() === raise.toLowerCase() && raised !== null ? raised : said
  const refused = await turn.step(`raise-${step}`, 'idempotent', () => setBudget(budgets, turn.process.user, wanted))
  return refused === null ? null : `I stopped: ${refused}`
}

/** What is wrong with it; null: nothing, it is set. */
async function setBudget(budgets: Pick<Budgets, 'set'>, user: string, text: string): Promise<string | null> {
  try {
    await budgets.set(user, text)
    return null
  } catch (thrown) {
    if (thrown instanceof InvalidInput) return thrown.message
    throw thrown
  }
}

/** The same budget, twice as high, in words; null when it has none that could be said again. */
function raisedText(budgets: readonly Budget[], { id, text }: OverBudget): string | null {
  const found = budgets.find((budget) => budget.id === id)?.text ?? text
  const number = /\d+(?:[.,]\d+)?/.exec(found)
  if (!number) return null
  const twice = Math.round(Number(number[0].replace(',', '.')) * 200) / 100
  return `${found.slice(0, number.index)}${twice}${found.slice(number.index + number[0].length)}`
}

function amount(micros: number): string {
  return (micros / 1_000_000).toFixed(micros < 100_000 ? 4 : 2)
}

/** An answer to a question: a text, or the label of an option. */
export function textIn(value: Json): string {
  if (typeof value === 'string') return value.trim()
  if (typeof value !== 'object' || value === null) return ''
  const given = Reflect.get(value, 'option') ?? Reflect.get(value, 'text')
  return typeof given === 'string' ? given.trim() : ''
}
