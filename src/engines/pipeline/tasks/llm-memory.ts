// What a model remembers of a person by its own tools. Source: EDDI's digest, 6.1.
//
// Y119  A model remembers within the limits of its agent, forgets only what its agent has kept itself, and is told what it recalls as
//       content. With foreign content on its mind it remembers only what a person says yes to.
import { sha256 } from '../../../base/hash.ts'
import type { Json, JsonObject } from '../../../base/json.ts'
import type { Turn } from '../../../lanes/engine.ts'
import type { UserMemoryConfig } from '../../../pipelines/configuration.ts'
import { visibilities } from '../../../pipelines/conversation.ts'
import type { Memories, NewMemory, UserMemory } from '../../../pipelines/memories/memories.ts'
import { fenced } from '../../../tools/fence.ts'
import type { ToolResult } from '../../../tools/tool.ts'
import type { Scene, TaskRooms } from '../scene.ts'
import { stepName } from './calls-scene.ts'
import { inOrder } from './calls-tool.ts'
import { askYes } from './llm-approve.ts'
import type { LoopTool } from './llm-tool.ts'

type Store = Pick<Memories, 'visible' | 'put' | 'forget' | 'all'>
type Desk = { readonly scene: Scene; readonly store: Store; readonly at: string; readonly config: UserMemoryConfig }

const usual: UserMemoryConfig = {
  defaultVisibility: 'self',
  maxRecallEntries: 50,
  maxEntriesPerUser: 500,
  onCapReached: 'evict_oldest',
  recallOrder: 'most_recent',
  guardrails: { maxKeyLength: 100, maxValueLength: 1_000, maxWritesPerTurn: 10, allowedCategories: ['preference', 'fact', 'context'] },
}
const text = { type: 'string' } as const

/** None where nothing is remembered at all. */
export function memoryTools({ memories: store }: TaskRooms, scene: Scene, at: string): readonly LoopTool[] {
  if (!store) return []
  const config = scene.agent.config.userMemoryConfig ?? usual
  const desk: Desk = { scene, store, at, config }
  const tool = (name: string, description: string, properties: JsonObject, run: (args: JsonObject) => Promise<ToolResult>): LoopTool => ({
    ...{ name, description },
    schema: {
      type: 'object',
      properties,
      required: Object.keys(properties).filter((one) => needed.includes(one)),
      additionalProperties: false,
    },
    run: (args) => inOrder(scene, () => run(args)),
  })
  const categories = { ...text, enum: [...config.guardrails.allowedCategories] }
  const shared = { ...text, enum: [...visibilities] }
  return [
    tool(
      'rememberFact',
      'Remembers one thing about the person beyond this conversation, under a short key. The same key again replaces it.',
      { key: text, value: text, category: categories, visibility: shared },
      (args) => remember(desk, args),
    ),
    tool('recallMemories', 'Shows what is remembered about the person.', {}, () => recall(desk, 'recallMemories', () => true)),
    tool('searchMemory', 'Looks for words in what is remembered about the person.', { query: text }, ({ query }) => {
      const words = wordsIn(String(query ?? ''))
      return recall(desk, 'searchMemory', (one) => words.every((word) => plainOf(one).includes(word)))
    }),
    tool('forgetFact', 'Forgets what this agent has remembered under that key.', { key: text }, ({ key }) =>
      forget(desk, String(key ?? '')),
    ),
  ]
}

const needed: readonly string[] = ['key', 'value', 'query']

// ---- remembering

const writes = new WeakMap<Turn, number>()

async function remember(desk: Desk, args: JsonObject): Promise<ToolResult> {
  const { scene, config } = desk
  const { maxWritesPerTurn } = config.guardrails
  const given = givenIn(desk, args)
  if ('wrong' in given) return refused('invalid', given.wrong)
  const count = (writes.get(scene.turn) ?? 0) + 1
  if (count > maxWritesPerTurn) return refused('too_many', `Not remembered: at most ${maxWritesPerTurn} things are remembered in one turn.`)
  if (scene.mind.taint === 'foreign') {
    const tool = { name: 'rememberFact', description: 'Remembers something after content from outside was read.' }
    const terms = { pauseReason: 'content from outside was read before, and could have said what to remember' }
    const said = await askYes(scene, { tool, args, terms, mayBeSilent: false })
    if (said.how === 'no') return refused('denied', said.said)
  }
  writes.set(scene.turn, count)
  return keep(desk, given)
}

function givenIn({ scene, config }: Desk, args: JsonObject): NewMemory | { readonly wrong: string } {
  const { maxKeyLength, maxValueLength, allowedCategories } = config.guardrails
  const { info } = scene.memory
  const key = String(args['key'] ?? '').trim()
  const value = String(args['value'] ?? '').trim()
  const category = String(args['category'] ?? allowedCategories[0] ?? 'fact')
  const visibility = args['visibility'] === undefined ? config.defaultVisibility : visibilities.find((one) => one === args['visibility'])
  if (key === '' || key.length > maxKeyLength) return { wrong: `The key needs 1 to ${maxKeyLength} characters.` }
  if (value === '' || value.length > maxValueLength) return { wrong: `The value needs 1 to ${maxValueLength} characters.` }
  if (!allowedCategories.includes(category)) return { wrong: `The category is one of ${allowedCategories.join(', ')}.` }
  if (visibility === undefined) return { wrong: `The visibility is one of ${visibilities.join(', ')}.` }
  if (visibility === 'group' && info.groupIds.length === 0) return { wrong: 'This conversation is in no group; choose self or global.' }
  return {
    ...{ userId: info.userId, key, value, category, visibility },
    ...{ sourceAgentId: info.agentId, groupIds: info.groupIds, sourceConversationId: info.conversationId },
  }
}

async function keep({ scene, store, at, config }: Desk, given: NewMemory): Promise<ToolResult> {
  const { info } = scene.memory
  return scene.turn.step<Kept>(stepName(scene, at, `remember-${given.key}`), 'idempotent', async () => {
    const own = (await store.all(info.userId)).filter((one) => one.sourceAgentId === info.agentId)
    const isNew = !own.some((one) => one.key === given.key && (one.visibility === 'global') === (given.visibility === 'global'))
    const over = isNew ? own.length + 1 - config.maxEntriesPerUser : 0
    if (over > 0 && config.onCapReached === 'reject')
      return refused('full', `Not remembered: this agent keeps at most ${config.maxEntriesPerUser} things; forget one first.`)
    for (const one of [...own].reverse().slice(0, Math.max(0, over))) await store.forget(info.userId, one.id)
    await store.put([given])
    return { ok: true, text: `Remembered under ${JSON.stringify(given.key)}.` }
  })
}

type Kept = { readonly ok: boolean; readonly code?: string; readonly text: string }

function refused(code: string, said: string): Kept {
  return { ok: false, code, text: said }
}

// ---- recalling

type Known = { readonly key: string; readonly value: Json; readonly category: string }

async function recall({ scene, store, at, config }: Desk, tool: string, isWanted: (one: Known) => boolean): Promise<ToolResult> {
  const { userId, agentId, groupIds } = scene.memory.info
  const name = stepName(scene, at, tool)
  const found = await scene.turn.read(name, async () => {
    const all = (await store.visible(userId, { agentId, groupIds })).filter(isWanted)
    return ordered(all, config).map(({ key, value, category }) => ({ key, value, category }))
  })
  if (found.length === 0) return { ok: true, text: 'Nothing is remembered.' }
  const word = sha256(`${scene.turn.id} memory ${name}`).slice(0, 32)
  const lines = found.map(
    ({ key, value, category }) => `- ${key} (${category}): ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  scene.mind.raise('content', ['memory'])
  return { ok: true, text: fenced({ source: 'memory', text: lines.join('\n').replaceAll(word, '') }, word), taint: 'content' }
}

function ordered(all: readonly UserMemory[], { recallOrder, maxRecallEntries }: UserMemoryConfig): readonly UserMemory[] {
  const sorted = recallOrder === 'most_accessed' ? [...all].sort((a, b) => b.accessCount - a.accessCount) : all
  return sorted.slice(0, maxRecallEntries)
}

function wordsIn(query: string): readonly string[] {
  return query
    .slice(0, 500)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 20)
}

function plainOf({ key, value, category }: Known): string {
  return `${key} ${category} ${typeof value === 'string' ? value : JSON.stringify(value)}`.toLowerCase()
}

async function forget({ scene, store, at }: Desk, key: string): Promise<ToolResult> {
  const { userId, agentId } = scene.memory.info
  return scene.turn.step<Kept>(stepName(scene, at, `forget-${key.slice(0, 100)}`), 'idempotent', async () => {
    const own = (await store.all(userId)).filter((one) => one.key === key && one.sourceAgentId === agentId)
    for (const one of own) await store.forget(userId, one.id)
    return own.length > 0 ? { ok: true, text: 'Forgotten.' } : refused('not_found', 'This agent has remembered nothing under that key.')
  })
}
