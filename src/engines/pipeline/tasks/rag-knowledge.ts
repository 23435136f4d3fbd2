// What a model task is told of knowledge bases: found for what was said, recorded as steps, given as content between marks.
//
// Y146  The bases of a task are those that its agent's workflows bind and that it names, or all of them with enableWorkflowRag.
// Y147  Each search is a step with its cost as a fact; local-only projects, budgets and the guard of what goes out hold. What was found is
//       content between marks, before the question, and lies on the turn's mind; no template in it is rendered.
// Y148  A base that has nothing, or can't be asked, fails no turn.

import { StewardError } from '../../../base/errors.ts'
import type { Act } from '../../../lanes/engine.ts'
import type { LlmTask } from '../../../pipelines/configuration.ts'
import type { CompiledStep } from '../../../pipelines/configurations/store.ts'
import {
  type Embedder,
  embedderOf,
  type Found,
  type FoundPassage,
  ownAccountOf,
  type SearchOptions,
} from '../../../pipelines/knowledge/knowledge.ts'
import { oneLine } from '../../../tools/fence.ts'
import { spenderOf } from '../../turn/ask.ts'
import { noteSpent } from '../../turn/model.ts'
import type { Scene, Task, TaskRooms } from '../scene.ts'
import { type Clear, type Intent, isRefusal, judged, type Refusal } from './calls-judge.ts'
import { stepName } from './calls-scene.ts'
import { framed } from './calls-tool.ts'
import { searchedByCall } from './rag-call.ts'

/** Its place in a workflow binds a base to the agent; the model task, which knows the question, does the rest. */
export function ragTask(): Task<'ai.labs.rag'> {
  return async () => {}
}

type Bound = Extract<CompiledStep, { readonly taskId: 'ai.labs.rag' }>
type Base = {
  readonly bound: Bound
  readonly name: string
  readonly maxResults: number
  readonly minScore: number
  /** '': just what was found. */
  readonly template: string
}
/** As the step records it. */
type Recorded = Pick<Found, 'how' | 'why' | 'passages'> & { readonly spent?: NonNullable<Found['spent']>; readonly attempt: number }
type Asking = { readonly name: string; readonly base: Base; readonly question: string }

/** Characters, whatever a task says. */
const mostText = 100_000

/** '': there is nothing. `at`: of the model task's step. */
export async function knowledgeFor(
  rooms: TaskRooms,
  scene: Scene,
  { at, task }: { readonly at: string; readonly task: LlmTask },
): Promise<string> {
  const bases = basesOf(scene, task)
  const question = questionIn(scene)
  if (question === '' || (bases.length === 0 && task.httpCallRag.trim() === '')) return ''
  const all: { readonly base: Base; readonly found: Recorded }[] = []
  for (const base of bases) {
    const name = stepName(scene, at, `knowledge ${base.name}`)
    all.push({ base, found: await searched(rooms, scene, { name, base, question }) })
  }
  const most = task.maxRagContextChars > 0 ? Math.min(task.maxRagContextChars, mostText) : mostText
  const told = partsOf(scene, all, most)
  const used = told.reduce((sum, { size }) => sum + size, 0)
  const called = await searchedByCall(rooms, scene, { at, call: task.httpCallRag, question, most: most - used })
  trace(scene, task, all)
  return [...told.map(({ text }) => text), called].filter((one) => one !== '').join('\n\n')
}

function questionIn({ memory }: Scene): string {
  const input = memory.current.get('input:initial')
  return typeof input === 'string' ? input.trim() : ''
}

/** Each once, in the order in which they are named or bound. A name that is bound nowhere has nothing. */
function basesOf({ agent }: Scene, { knowledgeBases, enableWorkflowRag, ragDefaults }: LlmTask): readonly Base[] {
  const bound = agent.steps.filter((step) => step.taskId === 'ai.labs.rag')
  if (knowledgeBases.length > 0) {
    return knowledgeBases.flatMap(({ name, maxResults, minScore, contextTemplate = '' }): readonly Base[] => {
      const found = bound.find(({ rag }) => rag.name === name)
      if (!found) return []
      const { rag } = found
      return [
        { bound: found, name, maxResults: maxResults ?? rag.maxResults, minScore: minScore ?? rag.minScore, template: contextTemplate },
      ]
    })
  }
  if (!enableWorkflowRag) return []
  const each = [...new Map(bound.map((one) => [one.id, one])).values()]
  return each.map((one) => ({ bound: one, name: one.rag.name || one.id, ...ragDefaults, template: '' }))
}

async function searched(rooms: TaskRooms, scene: Scene, asking: Asking): Promise<Recorded> {
  const { name, base } = asking
  const baseUrl = embedderOf(base.bound.rag)?.baseUrl ?? ''
  const step = (own: string, clear?: Clear) =>
    scene.turn.step<Recorded | Refusal>(own, 'replayable', async (act) => (await clear?.(act)) ?? search(rooms, scene, { ...asking, act }))
  const got =
    baseUrl === ''
      ? await step(name)
      : await judged<Recorded>(rooms, scene, { name, intent: intentOf(base, baseUrl), run: (own, clear) => step(own, clear) })
  if (isRefusal(got)) return { how: 'none', why: got.text, passages: [], attempt: 1 }
  if (got.spent) noteSpent(scene.turn, { step: name, ...got.spent, attempt: got.attempt })
  return got
}

/** Where an own address is named, the question goes there. */
function intentOf({ name }: Base, baseUrl: string): Intent {
  return {
    tool: 'http_call',
    capability: 'web.send',
    target: baseUrl.slice(0, 2_000),
    risk: 'R2',
    outward: true,
    consequences: `Sends what is said in this conversation to ${baseUrl.slice(0, 200)}, to look in the knowledge base ${JSON.stringify(name.slice(0, 100))}.`,
    input: { url: baseUrl },
    isAgreed: true,
    // Whether it may leave the machine is judged by the models room, by that address.
    isLocal: true,
  }
}

async function search(rooms: TaskRooms, scene: Scene, { base, question, act }: Asking & { readonly act: Act }): Promise<Recorded> {
  const { bound, maxResults, minScore } = base
  if (!rooms.knowledge) return { how: 'none', why: 'there are no knowledge bases here', passages: [], attempt: act.attempt }
  const setup = await scene.setup()
  const embedder = embedderOf(bound.rag)
  const account = embedder === null ? null : await accountFor(embedder, { reach: rooms.outgoing.reach, resolve: scene.resolve })
  const asked = { user: scene.turn.process.user, base: bound.id, config: bound.rag, question, maxResults, minScore }
  const found = await rooms.knowledge.search(asked, {
    ...{ signal: act.signal, priority: act.priority, spender: spenderOf(scene.turn) },
    ...(setup.localOnly ? { localOnly: true } : {}),
    ...account,
  })
  const { how, why, spent } = found
  const passages = await sealed(rooms, found.passages)
  return { how, why, passages, ...(spent ? { spent } : {}), attempt: act.attempt }
}

type Account = Pick<SearchOptions, 'account' | 'blocked'>

async function accountFor(embedder: Embedder, reaching: Parameters<typeof ownAccountOf>[1]): Promise<Account> {
  try {
    const account = await ownAccountOf(embedder, reaching)
    return account === null ? {} : { account }
  } catch (thrown) {
    if (thrown instanceof StewardError) return { blocked: thrown.message }
    throw thrown
  }
}

async function sealed({ secrets }: TaskRooms, passages: readonly FoundPassage[]): Promise<readonly FoundPassage[]> {
  const seal = secrets?.seal
  return seal ? Promise.all(passages.map(async (one) => ({ ...one, text: await seal(one.text) }))) : passages
}

// ---- what the model is told

type Told = { readonly text: string; readonly size: number }
type All = readonly { readonly base: Base; readonly found: Recorded }[]

/** One part for each base that has something; the passages of all of them together are no longer than `most`. */
function partsOf(scene: Scene, all: All, most: number): readonly Told[] {
  let left = most
  return all.flatMap(({ base, found }): readonly Told[] => {
    const taken: string[] = []
    for (const passage of found.passages) {
      const line = lineOf(passage)
      if (line.length > left) break
      left -= line.length
      taken.push(line)
    }
    if (found.passages.length === 0) return []
    const omitted = found.passages.length - taken.length
    const rest = omitted === 0 ? [] : [`[${omitted} more were found; there is no room for them.]`]
    const source = `knowledge base ${JSON.stringify(base.name)}${found.how === 'words' ? ', found by its words only' : ''}`
    const { text } = framed(scene, base.name, { ok: true, head: '', text: [...taken, ...rest].join('\n\n'), source })
    return [{ text: within(scene, base.template, text), size: taken.reduce((sum, line) => sum + line.length, 0) }]
  })
}

function lineOf({ name, seq, text }: FoundPassage): string {
  return `${oneLine(name)}, part ${seq + 1}:\n${text}`
}

const place = '\u{f8ff}knowledge\u{f8ff}'

/** The configuration's own words round it; no template in what was found is rendered. */
function within(scene: Scene, template: string, found: string): string {
  if (template.trim() === '') return found
  const words = scene.render(template.replace(/\{{1,2}\s*context\s*\}{1,2}/g, place))
  return words.includes(place) ? words.split(place).join(found) : `${words}\n\n${found}`
}

/** For those who look at the conversation: how each base was asked, and why it had nothing. */
function trace({ memory, tell }: Scene, { id }: LlmTask, all: All): void {
  if (all.length === 0) return
  const told = all.map(({ base, found }) => ({ name: base.name, how: found.how, why: found.why, count: found.passages.length }))
  memory.current.set(`rag:trace:${id === '' ? 'llm' : id}`, told)
  for (const one of told) tell('knowledge', one)
}
