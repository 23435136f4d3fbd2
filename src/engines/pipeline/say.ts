// One say: a step of the conversation, made by the agent's tasks, kept as one fact, and answered with one line.
import type { JsonObject } from '../../base/json.ts'
import { actionsOf, type ContextValue, type ConversationState, type Step, specialActions } from '../../pipelines/conversation.ts'
import { itemsOf, quickRepliesOf, textOfItems } from '../../pipelines/output/output.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { Attachment } from '../../protocol/message.ts'
import { changedForLong, openMemory, type Working } from './memory.ts'
import { type Verdict, verdictOn } from './pause.ts'
import { seedOf } from './random.ts'
import { type Ended, runTasks } from './run-tasks.ts'
import type { Stage } from './stage.ts'
import { sceneOf } from './staging.ts'

export type Said = {
  /** null: the conversation begins by itself. */
  readonly entry: Entry | null
  readonly text: string
  readonly contexts: ReadonlyMap<string, ContextValue>
  readonly attachments: readonly Attachment[]
  readonly isPerson: boolean
  /** again: the last step is made anew, from its first task that speaks. */
  readonly how: 'step' | 'again'
}

/** Nothing when it has begun already. */
export async function startFirst(stage: Stage, contexts: Said['contexts']): Promise<void> {
  if (stage.remembered.steps.length > 0) return
  await say(stage, { entry: null, text: '', contexts, attachments: [], isPerson: true, how: 'step' })
}

export async function say(stage: Stage, said: Said): Promise<void> {
  const { rooms, turn, compiled, remembered } = stage
  const number = stage.facts + 1
  const last = said.how === 'again' ? remembered.steps.at(-1) : undefined
  const seed = last?.seed ?? seedOf(turn.id, number)
  const attachments = said.attachments.length === 0 ? [] : await attached(stage, said.attachments, number)
  const before = last ? { ...remembered, steps: remembered.steps.slice(0, -1) } : remembered
  const info = infoOf(stage, said)
  const memory = openMemory({ remembered: before, info, attachments, ...(last ? { from: withoutOutput(last) } : {}) })
  if (!last) await begin(stage, { memory, said, number })
  const scene = await sceneOf(stage, { memory, seed, number })
  const input = last ? String(memory.current.get('input:initial') ?? '') : said.text
  const from = last ? firstThatSpeaks(compiled.steps.map(({ taskId }) => taskId)) : 0
  let ended = await runTasks({ scene, effects: rooms.effects, input, from })
  for (let pauses = 1; ended.how === 'paused'; pauses++) {
    await stage.keep({ do: 'pause', agent: stage.agent, state: 'AWAITING_HUMAN', made: memory.made(seed) })
    const verdict = await verdictOn(stage, `${number}-${pauses}`)
    if (verdict.verdict === 'ABORTED') {
      ended = { how: 'stopped' }
      break
    }
    decided(memory, verdict)
    ended = await runTasks({ scene, effects: rooms.effects, input, from: ended.at })
  }
  await finish(stage, { memory, said, ended, seed, number })
}

type Making = { readonly memory: Working; readonly said: Said; readonly number: number }

/** What is there before the first task: contexts, the input, the action of a beginning. */
async function begin(stage: Stage, { memory, said, number }: Making): Promise<void> {
  const { current } = memory
  if (said.entry === null) await recall(stage, memory, number)
  for (const [key, value] of said.contexts) current.set(`context:${key}`, { ...value }, { isPublic: true })
  if (said.contexts.size > 0) current.out('context', Object.fromEntries([...said.contexts].map(([key, { value }]) => [key, value])))
  const lang = said.contexts.get('lang')?.value
  if (typeof lang === 'string' && lang !== '') memory.setProperty({ name: 'lang', value: lang, scope: 'longTerm', visibility: 'self' })
  if (said.entry !== null) {
    current.set('input:initial', said.text, { isPublic: true })
    current.out('input', said.text)
    return
  }
  current.set('actions', [specialActions.start], { isPublic: true })
  current.out('actions', [specialActions.start])
}

/** What the person's other conversations left behind. */
async function recall({ rooms, turn, agent }: Stage, memory: Working, number: number): Promise<void> {
  const { memories } = rooms
  if (!memories) return
  const { user } = turn.process
  const { groupIds } = memory.info
  const found = await turn.read(`memories-${number}`, async () =>
    (await memories.visible(user, { agentId: agent.id, groupIds })).map(({ key, value, visibility }) => ({ key, value, visibility })),
  )
  for (const { key, value, visibility } of [...found].reverse()) {
    memory.setProperty({ name: key, value, scope: 'longTerm', visibility })
  }
}

async function attached({ rooms, turn }: Stage, given: readonly Attachment[], number: number) {
  const found = rooms.attachments
  if (!found) return []
  return turn.read(`attachments-${number}`, async () => [...(await found(given, turn.process.user))])
}

function infoOf({ turn, agent, remembered }: Stage, { contexts }: Said) {
  const { id, user, session } = turn.process
  const given = contexts.get('groupIds')?.value ?? contexts.get('groupId')?.value ?? remembered.properties.get('groupIds')?.value ?? []
  const groupIds = (Array.isArray(given) ? given : [given]).filter((one): one is string => typeof one === 'string' && one !== '')
  return {
    ...{ conversationId: session, agentId: agent.id, agentVersion: agent.version, environment: agent.environment, userId: user, groupIds },
    process: id,
  }
}

/** A person's decision stands in the step; a no leaves no other action for what comes after. */
function decided({ current }: Working, { verdict, note }: Verdict): void {
  const kept: JsonObject = note === '' ? { verdict } : { verdict, note }
  current.set('hitl:verdict', kept, { isPublic: true })
  current.out('hitl', kept)
  if (verdict === 'APPROVED') return
  current.set('actions', [rejectedAction], { isPublic: true })
  current.out('actions', [rejectedAction])
}

/** The only action of a step after a person has said no to it. */
export const rejectedAction = 'APPROVAL_REJECTED'

type Finishing = Making & { readonly ended: Ended; readonly seed: string }

async function finish(stage: Stage, { memory, said, ended, seed, number }: Finishing): Promise<void> {
  const made = memory.made(seed)
  const state = stateAfter(ended, memory)
  await remember(stage, memory, number)
  await stage.keep({ do: said.how, agent: stage.agent, state, made })
  speak(stage, { made, said, ended, number, language: memory.language })
}

function stateAfter(ended: Ended, { current }: Working): ConversationState {
  if (ended.how === 'failed') return 'ERROR'
  const isEnd = ended.how === 'stopped' || actionsOf(current).includes(specialActions.end)
  return isEnd ? 'ENDED' : 'READY'
}

/** Before the fact that says so: what is written again after a crash is the same. */
async function remember({ rooms, turn, agent }: Stage, memory: Working, number: number): Promise<void> {
  const { memories } = rooms
  const changes = changedForLong(memory.made(''))
  if (!memories || changes.length === 0) return
  const { userId, groupIds } = memory.info
  const own = { userId, groupIds, sourceAgentId: agent.id, sourceConversationId: turn.process.session }
  const all = changes.map(({ name, value, visibility = 'self' }) => ({ ...own, key: name, value, visibility }))
  await turn.step(`memories-kept-${number}`, 'idempotent', async () => {
    await memories.put(all)
    return all.length
  })
}

type Spoken = { readonly made: Step; readonly said: Said; readonly ended: Ended; readonly number: number; readonly language: string }

/** A task that failed is told; a person who said something is never left without any answer. */
function speak({ voice }: Stage, { made, said, ended, number, language }: Spoken): void {
  const replies = quickRepliesOf(made)
  const text = textOfItems(itemsOf(made), language)
  const failure = ended.how === 'failed' ? `This step could not be finished: ${ended.message}` : ''
  const words = [text, failure].filter((one) => one !== '').join('\n\n')
  const isRejected = actionsOf(made).includes(rejectedAction)
  const options = replies.length === 0 ? {} : { options: replies.map(({ value }) => ({ label: value })) }
  if (words !== '' || replies.length > 0) voice.say(`reply-${number}`, { text: words === '' ? 'Please choose:' : words, ...options })
  else if (said.entry !== null) voice.say(`reply-${number}`, { text: isRejected ? 'It was not approved, so it was not done.' : noAnswer })
}

const noAnswer = 'I have no answer to that.'

function withoutOutput({ data, output }: Step): Step {
  const isOutput = (key: string) => /^(?:rendered:)?(?:output|quickReplies):/.test(key)
  const { output: _, quickReplies: __, ...rest } = output
  return { data: data.filter(({ key }) => !isOutput(key)), output: rest }
}

function firstThatSpeaks(tasks: readonly string[]): number {
  const at = tasks.findIndex((task) => task === 'ai.labs.llm' || task === 'ai.labs.output')
  return at < 0 ? tasks.length : at
}
