// Hub, assistant and quick over real lanes, SQLite, scopes, policy, inbox, context and tools; only the model is a script and the
// clock stands in the hand. Everything is opened before the lanes start, as steward.ts does it, so that it can be killed and opened again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { openAgents } from '../../src/agents/agents.ts'
import { openAttention } from '../../src/attention/open-attention.ts'
import { systemClock } from '../../src/base/clock.ts'
import { type AskId, isId, laneOf, type MessageId, type NodeId, type ProcessId, type SessionId, ulids } from '../../src/base/ids.ts'
import type { Json } from '../../src/base/json.ts'
import { packageRoot } from '../../src/base/root.ts'
import { type HandClock, handClock } from '../../src/base/testing.ts'
import { openContext } from '../../src/context/context.ts'
import { builtInEngines, openMinds, openRuns } from '../../src/engines/engines.ts'
import { openJournal } from '../../src/journal/journal.ts'
import type { Engine } from '../../src/lanes/engine.ts'
import { defaultChainLimits, openLanes } from '../../src/lanes/lanes.ts'
import type { Price } from '../../src/models/catalogue.ts'
import type { ModelReply, Tier } from '../../src/models/message.ts'
import { openModels } from '../../src/models/models.ts'
import type { Budgets } from '../../src/policy/budget.ts'
import { openPolicy } from '../../src/policy/open-policy.ts'
import type { Actor } from '../../src/protocol/actor.ts'
import type { MessageBody, NoteBody } from '../../src/protocol/entry.ts'
import type { Event } from '../../src/protocol/event.ts'
import type { RoutingRooms } from '../../src/routing/open-routing.ts'
import type { Routing } from '../../src/routing/routing.ts'
import { openScopes } from '../../src/scopes/open-scopes.ts'
import { openSecrets } from '../../src/secrets/open-secrets.ts'
import { scrubbedStore } from '../../src/store/scrubbed.ts'
import { sqliteAttention } from '../../src/store/sqlite/attention.ts'
import { sqliteConversation } from '../../src/store/sqlite/conversation.ts'
import { sqliteDocuments } from '../../src/store/sqlite/documents.ts'
import { sqlitePolicy } from '../../src/store/sqlite/policy.ts'
import { sqliteScopes } from '../../src/store/sqlite/scopes-tree.ts'
import { sqliteSecrets } from '../../src/store/sqlite/secrets.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { sqliteWork } from '../../src/store/sqlite/work.ts'
import { folderPast } from '../../src/tools/files/files.ts'
import { memoryResults } from '../../src/tools/results.ts'
import { defineTool, done, refused, type Tool } from '../../src/tools/tool.ts'
import { openTools } from '../../src/tools/tools.ts'
import { openWork } from '../../src/work/work.ts'

export type World = {
  /** Outlives a kill. */
  readonly home: string
  readonly person: string
  readonly clock: HandClock
  /** What the tool `send` sent. */
  readonly sent: string[]
}
export type SayOptions = Partial<Omit<MessageBody, 'kind'>> & { readonly from?: Actor }

/** `url`: the model's address; null: no model is chosen. `more`, `tools`: engines and tools beside the built-in ones. */
export type Options = {
  readonly tools?: readonly Tool[]
  readonly money?: Money
  /** Of a million tokens. */
  readonly priceOf?: (tier: Tier) => Price | null
  readonly url: string | null
  readonly world?: World
  readonly more?: readonly Engine[]
  /** Absent: no message is routed. */
  readonly routing?: (rooms: RoutingRooms) => Routing
}

/** Budgets as engines see them, and what stands against a call at present. */
export type Money = {
  readonly budgets: Pick<Budgets, 'list' | 'set'>
  readonly against: () => Extract<ModelReply, { ok: false }> | null
}

export type Bench = Awaited<ReturnType<typeof openBench>>

export function newWorld(): World {
  return {
    home: mkdtempSync(join(tmpdir(), 'steward-engines-')),
    person: mkdtempSync(join(tmpdir(), 'steward-person-')),
    clock: handClock(),
    sent: [],
  }
}

export async function openBench(options: Options) {
  const world = options.world ?? newWorld()
  const { home, clock, person } = world
  const log = () => {}
  const newId = ulids(clock.now)
  const store = await openSqliteStore({ file: join(home, 'steward.db'), now: clock.now })
  const secrets = await openSecrets({
    ...{ store: sqliteSecrets(store), passphrase: null, keyFolder: join(home, 'keys'), now: clock.now, log },
    ...{ random: (count) => crypto.getRandomValues(new Uint8Array(count)), keyring: async () => ({ why: 'there is none in tests' }) },
  })
  const { seal } = secrets
  const journal = await openJournal({ store: scrubbedStore(store.journal, secrets.scrub), clock, log })
  const lanes = openLanes({
    ...{ journal, store: store.journal, clock, newId, log, node: newId('nod') as NodeId },
    scrub: secrets.mask,
  })
  const engines: Engine[] = [...(options.more ?? [])]
  const users = async (name: string) => name === 'ada'
  const scopes = await openScopes({
    ...{ journal, store: store.journal, lanes, clock, newId, log, users },
    views: { scopes: sqliteScopes(store), conversation: sqliteConversation(store), documents: sqliteDocuments(store) },
    engineOf: (agent, scope, profile) => agents.engineOf(agent, scope, profile),
    bundledRoot: join(packageRoot, 'bundled'),
    documentsRoot: null,
  })
  const agents = openAgents({ documents: scopes.documents, engines: () => engines.map((engine) => engine.name), log })
  const attention = await openAttention({
    ...{ journal, store: store.journal, lanes, clock, newId, users, log },
    view: sqliteAttention(store),
  })
  const policy = await openPolicy({
    ...{ journal, store: store.journal, view: sqlitePolicy(store), clock, newId, log },
    ...{ projects: scopes.projects, documents: scopes.documents, settings: scopes.settings },
    own: () => ({ closed: [home], addresses: [], sockets: [] }),
    home: person,
  })
  const name = options.url === null ? null : 'openai-compatible/scripted'
  const chosen = { models: { light: name, standard: name, deep: name }, providers: { OPENAI_BASE_URL: options.url ?? '' } }
  const real = openModels(chosen, { clock: systemClock, retries: 0 })
  const { money } = options
  const models: typeof real = { ...real, stream: async (request, given) => money?.against() ?? real.stream(request, given) }
  const tools = openTools({ clock, log, results: memoryResults(), closed: [home], policy, past: folderPast(join(home, 'past')), seal })
  for (const tool of [sendTool(world.sent), pageTool(), brokenTool(), ...(options.tools ?? [])]) tools.register(tool)
  const context = openContext({ journal, store: store.journal, clock, newId, models, ...scopes, specs: tools.specs })
  const work = await openWork({
    ...{ journal, lanes, clock, log, store: sqliteWork(store), limits: () => defaultChainLimits, taintOf: policy.taint.ofProcess },
    line: scopes.conversation.get,
    sessionOf: async (process) => (await scopes.sessions.process(process))?.session ?? null,
    async wake(session) {
      if ((await scopes.sessions.brief(session))?.life === 'SUSPENDED') await scopes.sessions.resume(session, 'system')
    },
  })
  const routing = options.routing?.({ ...scopes, agents, journal, store: store.journal, clock, newId }) ?? null
  const places = { homedir: person, closed: [home] }
  const minds = openMinds(policy.taint)
  const runs = await openRuns({ journal, store: store.journal, lanes, ...scopes, clock, newId, log })
  engines.push(
    ...builtInEngines({
      ...scopes,
      agents,
      models,
      tools,
      minds,
      context,
      attention,
      work,
      places,
      secrets,
      seal,
      clock,
      chains: { runs, events: store.journal, taint: policy.taint, priceOf: options.priceOf ?? (() => null) },
      ...(routing ? { routing } : {}),
      ...(money ? { budgets: money.budgets } : {}),
    }),
  )
  for (const engine of engines) lanes.registerEngine(engine)
  await lanes.start()

  const process = async (session: SessionId): Promise<ProcessId> => {
    const brief = await scopes.sessions.brief(session)
    if (brief === null) throw new Error('no such session')
    return brief.process
  }
  async function events(type?: string): Promise<readonly Event[]> {
    const found: Event[] = []
    for (;;) {
      const page = await journal.read({ after: found.at(-1)?.cursor ?? 0, limit: 500 })
      found.push(...page.events)
      if (page.events.length === 0) return type === undefined ? found : found.filter((event) => event.type === type)
    }
  }

  return {
    ...{ world, scopes, agents, routing, secrets, lanes, journal, policy, attention, work, tools, clock, newId, events, process },
    /** A session of the hub, or of the agent in that project. */
    async session(given: { readonly project?: string; readonly agent?: string } = {}): Promise<SessionId> {
      const { value } = await scopes.sessions.create({ user: 'ada', ...given }, 'user:ada')
      if (!isId('ses', value.id)) throw new Error('no id')
      return value.id
    },
    async say(session: SessionId, text: string, { from = 'user:ada', ...more }: SayOptions = {}): Promise<MessageId> {
      const id = newId('msg')
      const body = { kind: 'message', session, text, ...more } as const
      const posted = await lanes.post({ lane: laneOf(await process(session)), id: newId('ent'), from, body, ref: id })
      if (!posted.ok) throw new Error(posted.reason)
      return id
    },
    async note(session: SessionId, body: Omit<NoteBody, 'kind'>, from: Actor): Promise<void> {
      await lanes.post({ lane: laneOf(await process(session)), id: newId('ent'), from, body: { kind: 'note', ...body } })
    },
    /** Answers the open ask of that event. */
    async answer(asked: Event, value: Json): Promise<void> {
      const ask = asked.data['ask'] as AskId
      await lanes.post({ lane: asked.lane, id: newId('ent'), from: 'user:ada', body: { kind: 'answer', ask, value } })
    },
    /** The n-th event of that type (that holds) since the beginning; all projections have passed it. */
    async until(type: string, is: (event: Event) => boolean = () => true, nth = 1): Promise<Event> {
      let seen = 0
      for await (const batch of journal.follow(0)) {
        for (const event of batch) {
          if (event.type !== type || !is(event) || ++seen < nth) continue
          await journal.passed(event.cursor)
          return event
        }
      }
      throw new Error(`closed before ${type}`)
    },
    /** The lines of a session, as a person reads them. */
    async lines(session: SessionId): Promise<readonly string[]> {
      await journal.passed(journal.head())
      const { items } = await scopes.conversation.branch(session, { limit: 200 })
      return items.map((line) => `${line.role}: ${line.text}${line.info ? ` (${line.info})` : ''}`)
    },
    /** Ends it without mercy: what was under way is done again by whoever opens it next. `keep`: the folders stay. */
    async close({ keep = false } = {}): Promise<void> {
      await runs.close()
      await work.close()
      routing?.close()
      await context.close()
      await policy.close()
      await attention.close()
      agents.close()
      await scopes.close()
      await lanes.stop()
      await secrets.close()
      await journal.close()
      await store.close()
      if (!keep) for (const folder of [home, person]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Outward, and not to be done twice. */
function sendTool(sent: string[]) {
  return defineTool({
    name: 'send',
    description: 'Sends a mail.',
    labels: ['write'],
    capability: 'mail.send',
    effect: 'once',
    risk: 'R3',
    outward: true,
    input: z.strictObject({ to: z.string(), text: z.string().optional() }),
    plan: async ({ to, text }) => ({
      ...{ target: to, risk: 'R3', outward: true, destructive: false, consequences: `A mail goes to ${to}.` },
      preview: text ?? '',
    }),
    async run({ to }) {
      sent.push(to)
      return done(`sent to ${to}`)
    },
  })
}

/** Something foreign, read without asking. */
function pageTool() {
  return defineTool({
    name: 'page',
    description: 'Shows a page.',
    labels: ['read-only'],
    capability: null,
    effect: 'replayable',
    taint: 'foreign',
    input: z.strictObject({ text: z.string() }),
    run: async ({ text }) => done(text, { sources: ['https://example.org/'], taint: 'foreign' }),
  })
}

function brokenTool() {
  return defineTool({
    name: 'broken',
    description: 'Never works.',
    labels: ['read-only'],
    capability: null,
    effect: 'replayable',
    input: z.strictObject({}),
    run: async () => refused('no', 'it does not work'),
  })
}
