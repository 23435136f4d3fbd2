// Plays a transcript with an imported agent: what is said is our own, what is to be answered is read in the agent's own files while the
// test runs. A transcript says which actions each step has, and what stands where its templates were.
import type { AskId, SessionId } from '../../src/base/ids.ts'
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts'
import { handClock } from '../../src/base/testing.ts'
import type { PipelineRooms } from '../../src/engines/pipeline/pipeline.ts'
import type { TaskRooms } from '../../src/engines/pipeline/scene.ts'
import { effectTasks } from '../../src/engines/pipeline/tasks/effects.ts'
import type { Made } from '../../src/pipelines/conversations/conversations.ts'
import type { Files } from '../../src/pipelines/transfer/zip.ts'
import { openMcp } from '../../src/tools/mcp/mcp.ts'
import { policyThat } from '../../src/tools/testing.ts'
import { reachOf } from '../../src/tools/web/web.ts'
import type { Talk } from './talk.ts'

/** What one step did. `texts` and `replies` as a person sees them. */
export type Seen = { readonly actions: readonly string[]; readonly texts: readonly string[]; readonly replies: readonly string[] }

/** `fills`: in order, what stands where templates were. `steps`: of the first message there are two, the welcome and the answer. */
export type Turn = {
  readonly say: string
  readonly context?: JsonObject
  /** The person's decision, where the turn waits for one. */
  readonly decide?: string
  readonly steps: readonly { readonly actions: readonly string[]; readonly fills?: readonly string[] }[]
  readonly state: string
}
export type Call = {
  readonly method: string
  readonly path: string
  readonly status?: number
  readonly location?: string
  readonly body?: Json
}
export type Transcript = {
  readonly agent: string
  /** Answers of the stub, by method and the beginning of the path. */
  readonly calls?: readonly Call[]
  /** A conversation that has ended is followed by a new one. */
  readonly conversations: readonly (readonly Turn[])[]
  /** Values that the secret store is given. */
  readonly secrets?: readonly string[]
  /** Paths in the order in which they were asked for. */
  readonly asked?: readonly string[]
}

export type Stub = { readonly effects: ReturnType<typeof effectTasks>; readonly asked: string[]; readonly bodies: string[] }

/** Every call that goes out is answered here; one that is not foreseen gets 404. */
export function stubFor(calls: readonly Call[]): Stub {
  const asked: string[] = []
  const bodies: string[] = []
  const clock = handClock()
  const reach = reachOf({ exempt: () => [], ownPorts: () => [] })
  const rooms = {
    outgoing: { policy: policyThat('allow'), reach, clock, mcp: openMcp({ reach, clock, version: '0.0.0-test' }) },
    secrets: { seal: async (text: string) => text, resolve: async (text: string) => text, set: async () => {} },
    own: {
      isOwn: () => true,
      async call({ method, path, body }: { readonly method: string; readonly path: string; readonly body: string }) {
        const upper = method.toUpperCase()
        asked.push(`${upper} ${path}`)
        bodies.push(body)
        const found = calls.find((one) => one.method === upper && path.startsWith(one.path))
        const headers = { 'content-type': 'application/json', ...(found?.location ? { location: found.location } : {}) }
        return { status: found ? (found.status ?? 200) : 404, headers, body: JSON.stringify(found?.body ?? {}) }
      },
    },
  }
  return { effects: effectTasks(rooms as unknown as TaskRooms), asked, bodies }
}

/** Says it, decides when the turn waits for that, and gives the steps that came of it. */
export async function play(
  talk: Talk,
  { session, process }: Open,
  { say, context, decide }: Pick<Turn, 'say' | 'context' | 'decide'>,
): Promise<Played> {
  const before = (await talk.state(process)).steps.length
  const from = talk.bench.journal.head()
  const done = talk.say(session, say, context ? { context } : {})
  if (decide !== undefined) await answer(talk, session, { from, value: decide })
  await done
  const { state, steps } = await talk.state(process)
  return { state, steps: steps.slice(before).map(seenIn) }
}

type Open = Awaited<ReturnType<Talk['open']>>
type Played = { readonly state: string; readonly steps: readonly Seen[] }

async function answer(
  { bench }: Talk,
  session: SessionId,
  { from, value }: { readonly from: number; readonly value: string },
): Promise<void> {
  for await (const batch of bench.journal.follow(from)) {
    const found = batch.find((event) => event.type === 'question-asked' && event.session === session)
    if (!found) continue
    await bench.journal.passed(found.cursor)
    const [one] = await bench.scopes.conversation.questions({ user: 'ada', session, status: 'open' })
    if (!one) throw new Error('the question is not open')
    const body = { kind: 'answer', ask: one.id as AskId, value } as const
    await bench.lanes.post({ lane: found.lane, id: bench.newId('ent'), from: 'user:ada', body })
    return
  }
}

/** The public data of a step. */
export function seenIn({ data, output }: Pick<Made, 'data' | 'output'>): Seen {
  const actions = data.find(({ key }) => key === 'actions')?.value
  const items = output['output']
  const replies = output['quickReplies']
  return {
    actions: Array.isArray(actions) ? actions.map(String) : [],
    texts: Array.isArray(items) ? items.map(wordsOf) : [],
    replies: Array.isArray(replies) ? replies.map((one) => (isJsonObject(one) ? String(one['value']) : '')) : [],
  }
}

function wordsOf(item: Json): string {
  if (typeof item === 'string') return item
  if (!isJsonObject(item)) return ''
  return String(item['text'] ?? item['uri'] ?? item['placeholder'] ?? item['type'] ?? '')
}

/** The output sets of an agent's files, in the order of its workflows. */
export function outputsOf(files: Files): readonly JsonObject[] {
  const json = (name: string): JsonObject => JSON.parse(new TextDecoder().decode(files.get(name)))
  const called = (id: string, ...ends: readonly string[]) =>
    [...files.keys()].find((name) => ends.some((end) => name.endsWith(`${id}.${end}.json`))) ?? ''
  const top = json([...files.keys()].find((name) => /\.(?:bot|agent)\.json$/.test(name)) ?? '')
  const idIn = (uri: Json | undefined) => /([0-9a-f]{24})\?/.exec(String(uri))?.[1] ?? ''
  const list = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isJsonObject) : [])
  const uris = top['packages'] ?? top['workflows']
  return (Array.isArray(uris) ? uris : []).flatMap((uri) => {
    const workflow = json(called(idIn(uri), 'package', 'workflow'))
    const steps = list(workflow['packageExtensions'] ?? workflow['workflowExtensions'] ?? workflow['workflowSteps'])
    return steps.flatMap((step) => {
      if (!String(step['type']).endsWith('ai.labs.output')) return []
      return [json(called(idIn(isJsonObject(step['config']) ? step['config']['uri'] : ''), 'output'))]
    })
  })
}

const templated = /\[\[.*?\]\]|\[\(.*?\)\]|\{[a-zA-Z][a-zA-Z0-9.[\]]*\}/g

/**
 * What a step with those actions says by the files: each text as the alternatives that it may be. `before`: how often each action
 * stood in earlier steps.
 */
export function expectedOf(
  sets: readonly JsonObject[],
  { actions, fills = [] }: Turn['steps'][number],
  before: ReadonlyMap<string, number>,
): { readonly texts: readonly (readonly string[])[]; readonly replies: readonly string[] } {
  const left = [...fills]
  const filled = (text: string) => text.replace(templated, () => left.shift() ?? '')
  const chosen = sets.flatMap((set) => actions.flatMap((action) => entriesOf(set, action, before.get(action) ?? 0)))
  const texts = chosen.flatMap((entry) =>
    listOf(entry['outputs']).map((one) =>
      Array.isArray(one['valueAlternatives']) ? one['valueAlternatives'].map((item) => filled(wordsOf(item))) : [],
    ),
  )
  const replies = chosen.flatMap((entry) => listOf(entry['quickReplies']).map((one) => filled(String(one['value']))))
  return { texts, replies }
}

function entriesOf({ outputSet }: JsonObject, action: string, count: number): readonly JsonObject[] {
  const own = listOf(outputSet).filter((one) => one['action'] === action)
  const times = (one: JsonObject) => Number(one['timesOccurred'] ?? 0)
  const exact = own.filter((one) => times(one) === count)
  if (exact.length > 0) return exact
  const highest = Math.max(...own.map(times))
  return own.filter((one) => times(one) === highest)
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** Values that are set are in `kept`, in order; references stay references. */
export function secretsInto(kept: string[]): PipelineRooms['secrets'] & object {
  const secrets = {
    async set({ value }: { readonly value: string }) {
      kept.push(value)
    },
    resolve: async (text: string) => text,
    seal: async (text: string) => text,
  }
  return secrets as unknown as PipelineRooms['secrets'] & object
}
