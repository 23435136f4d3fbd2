// The map of the system: builds every room in order with plain calls, and passes to each what it needs. Nothing else happens here.
//
// The road of one message:
//   server    a request or frame becomes an entry: its sender is known, its id is the client's          (server/post.ts)
//   lanes     the entry goes into the mailbox of the session's process, durable before it is acknowledged (lanes/lanes.ts)
//   turn      the lane takes what waits and runs the process's engine over it                            (lanes/turn.ts)
//   engine    the one named by the agent; every effect is a step of the turn                             (engines/hub, chat, quick, pipeline)
//   routing   who a text is for, with all reasons: decided, or a hint for whoever leads                      (routing)
//   context   what the model is given, within its budget, and the exact account of it                     (context)
//   models    the call, within what may be spent; words stream live past the journal                      (models, policy/budget.ts)
//   policy    whether a call of a tool may run, is asked first, or never happens                          (policy)
//   tools     what the model asked for: checked, run, recorded; secrets only at the moment of use         (tools, secrets)
//   work      what a worker has to say becomes an entry of whoever ordered the work                       (work)
//   journal   what happened, one commit a tick                                                           (journal, store/sqlite)
//   feed      followers hear it from their cursor: sockets, streams, projections                         (server/feed.ts, scopes)
//
// Order of opening: what others lean on first. The server listens before unfinished lanes are looked at, so that a long queue
// delays no answer. Order of closing: the other way round; what is cut short is done again at the next start.
// Beside this file: families.ts (tools that speak for rooms), treasury.ts (secrets and money), knowing.ts, doctor.ts, lifetime.ts.

import { randomBytes } from 'node:crypto'
import { homedir, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { type Agents, openAgents } from './agents/agents.ts'
import { agentFinding } from './agents/faults.ts'
import { openImports } from './agents/import/import.ts'
import { listedAgents } from './agents/listing.ts'
import { type Attachments, openAttaching, stepAttachments } from './attaching.ts'
import type { Attention } from './attention/attention.ts'
import { openAttention } from './attention/open-attention.ts'
import { type Clock, systemClock } from './base/clock.ts'
import { Conflict, InvalidInput, messageOf } from './base/errors.ts'
import { heapWatch } from './base/heap.ts'
import { makeHome, makeSocketPath, placesOf, removeRuntime, writeRuntime } from './base/home.ts'
import { type NewId, ulids } from './base/ids.ts'
import { type Log, scrubbed } from './base/log.ts'
import { packageRoot, version } from './base/root.ts'
import type { Config } from './config.ts'
import { type Context, openContext } from './context/context.ts'
import { findings, folderFindings, onlySqlite } from './doctor.ts'
import { builtInEngines, openMinds, openRuns, openTells } from './engines/engines.ts'
import { openFamilies, shownBy } from './families.ts'
import { type Journal, openJournal } from './journal/journal.ts'
import { openKnowing } from './knowing.ts'
import type { Engine } from './lanes/engine.ts'
import { type ChainLimits, defaultChainLimits, type Lanes, openLanes } from './lanes/lanes.ts'
import { closer, regularly } from './lifetime.ts'
import type { Tier } from './models/message.ts'
import { type Models, openModels, storeIn } from './models/models.ts'
import { openPeople, type People } from './people/people.ts'
import { openPipelines } from './pipelines/open-pipelines.ts'
import { openTransferOver } from './pipelines/transfer/open-transfer.ts'
import type { Budgets } from './policy/budget.ts'
import { policyFinding } from './policy/finding.ts'
import { groundOfHub, type HubPlaces } from './policy/ground.ts'
import { openPolicy, type PolicyRoom } from './policy/open-policy.ts'
import type { ConfigItem, Finding } from './protocol/api.ts'
import { routingFinding } from './routing/finding.ts'
import { openRouting } from './routing/open-routing.ts'
import type { Routing } from './routing/routing.ts'
import { homeOf } from './scopes/names.ts'
import { openScopes } from './scopes/open-scopes.ts'
import type { ScopeRef, Scopes, Settings } from './scopes/scopes.ts'
import { zonesOf } from './scopes/zone.ts'
import { secretFacts } from './secrets/facts.ts'
import { secretsFinding } from './secrets/finding.ts'
import type { Secrets } from './secrets/secrets.ts'
import { type OpenServer, openOwnCalls, openServer, type PipelineDesk } from './server/server.ts'
import { scrubbedStore } from './store/scrubbed.ts'
import { sqliteAttention } from './store/sqlite/attention.ts'
import { sqliteConversation } from './store/sqlite/conversation.ts'
import { sqliteDocuments } from './store/sqlite/documents.ts'
import { sqlitePeople } from './store/sqlite/people.ts'
import { sqlitePolicy } from './store/sqlite/policy.ts'
import { sqliteScopes } from './store/sqlite/scopes-tree.ts'
import { openSqliteStore, type SqliteStore } from './store/sqlite/sqlite.ts'
import { sqliteWork } from './store/sqlite/work.ts'
import { sandboxFinding, sandboxModeOf, sandboxOf } from './tools/exec/exec.ts'
import { folderPast } from './tools/files/files.ts'
import { openMcp } from './tools/mcp/mcp.ts'
import { folderResults } from './tools/results.ts'
import { openTools } from './tools/tools.ts'
import { openKeeping, openMoney } from './treasury.ts'
import { openWork, type Work, type WorkRooms } from './work/work.ts'

export type Steward = {
  /** Of the web page, without a slash at the end: http://127.0.0.1:4180 */
  readonly address: string
  /** A one-time code of the owner, good for ten minutes. */
  newCode(): Promise<string>
  /** Stops in good order, in less than five seconds. Idempotent. */
  close(): Promise<void>
}

export type StewardOptions = {
  readonly log: Log
  /** Where sockets go; the process's own environment by default. */
  readonly env?: NodeJS.ProcessEnv
  /** Beside the built-in ones. */
  readonly engines?: readonly Engine[]
  /** Told how lines are scrubbed of secrets, for what is logged outside of the hub. Its own log is scrubbed already. */
  readonly onScrub?: (scrub: (text: string) => string) => void
}

const watchHeapMs = 1_000
const readLimitsMs = 10_000
/** What a person sets and tries at once. */
const readAskedMs = 1_000
const sweepIdleMs = 30_000
const sweepPeopleMs = 3_600_000
const mostPlaces = 200

/**
 * Opens the hub on the data folder and resolves when it answers requests. Throws AlreadyOpen when a hub runs on it already,
 * Conflict for a port that is taken, InvalidInput for a setting that can't be used, CannotOpen for a damaged database.
 */
export async function openSteward(config: Config, options: StewardOptions): Promise<Steward> {
  const closers: (() => unknown)[] = []
  const close = closer(closers, options.log)
  try {
    return await build(config, options, { opened: (last) => void closers.unshift(last), close })
  } catch (error) {
    await close()
    throw error
  }
}

type Lifetime = { readonly opened: (close: () => unknown) => void; readonly close: () => Promise<void> }

async function build(config: Config, options: StewardOptions, { opened, close }: Lifetime): Promise<Steward> {
  const { log, scrubWith } = scrubbed(options.log)
  const clock = systemClock
  const newId = ulids(clock.now)
  makeHome(config.home)
  const store = await openStore(config, { clock, log })
  opened(() => store.close())
  const secrets = await openKeeping({ config, clock, log, store, record: (fact, by) => record(fact, by) })
  scrubWith(secrets.mask)
  options.onScrub?.(secrets.mask)
  const journal = await openJournal({ store: scrubbedStore(store.journal, secrets.scrub), clock, log })
  opened(() => journal.close())
  const record = secretFacts({ journal, store: store.journal, newId, now: clock.now })
  opened(() => secrets.close())
  let limits = defaultChainLimits
  const { restored } = store
  const over = { journal, store: store.journal, clock, newId, node: newId('nod'), log, restored }
  const lanes = openLanes({ ...over, limits: () => limits, scrub: secrets.mask })
  opened(() => lanes.stop())
  const people = await openPeople({
    store: sqlitePeople(store),
    clock,
    newId,
    random: randomBytes,
    ownerName: loginOf(),
  })
  const here: Here = { home: config.home, address: null, socket: null }
  const rooms: Rooms = { config, clock, newId, log, store, secrets, journal, lanes, people, here, limits: () => limits }
  const inner = await openInner(rooms, { opened, more: options.engines ?? [] })
  const { scopes } = inner
  const server = await openDoor(rooms, { ...inner, env: options.env ?? process.env })
  opened(() => server.close())
  const readLimits = async () => {
    limits = await limitsFrom(scopes.settings)
  }
  await readLimits()
  await lanes.start()
  if (restored) {
    log('warn', 'this is a restored copy: turns that were open in it are paused until a person lets them go on')
    store.restoreSeen()
  }
  opened(regularly(rooms, readLimitsMs, readLimits))
  const watchHeap = heapWatch()
  opened(regularly(rooms, watchHeapMs, async () => watchHeap(lanes.stats().turns, lanes.stats().running > 0)))
  opened(regularly(rooms, sweepIdleMs, () => scopes.sessions.sweepIdle(clock.now())))
  opened(regularly(rooms, sweepPeopleMs, () => people.sweep()))
  log('info', 'Steward is ready', { address: server.address, version, home: config.home })
  return { address: server.address, close, newCode: async () => (await people.newCode(people.owner.name)).code }
}

/** Where the hub can be reached, once it can: policy keeps agents away from it. */
type Here = { -readonly [K in keyof HubPlaces]: HubPlaces[K] }

type Rooms = {
  readonly here: Here
  readonly config: Config
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly store: SqliteStore
  readonly secrets: Secrets
  readonly journal: Journal
  readonly lanes: Lanes
  readonly people: People
  readonly limits: () => ChainLimits
}

async function openStore({ home, database }: Config, { clock, log }: { readonly clock: Clock; readonly log: Log }): Promise<SqliteStore> {
  if (database.kind === 'sqlite') return openSqliteStore({ file: database.path, now: clock.now, log, backups: join(home, 'backups') })
  throw new InvalidInput(onlySqlite, { path: 'STEWARD_DATABASE' })
}

type InnerOptions = Pick<Lifetime, 'opened'> & { readonly more: readonly Engine[] }

/** Scopes, agents, models, tools and the engines. Scopes ask agents who answers in a session, agents ask scopes for documents. */
async function openInner(rooms: Rooms, { opened, more }: InnerOptions): Promise<Omit<Inner, 'env'>> {
  const { config, clock, newId, log, store, secrets, journal, lanes, people, here } = rooms
  const engines: Engine[] = [...more]
  const users = async (name: string) => (await people.user(name)) !== null
  const scopes = await openScopes({
    ...{ journal, store: store.journal, lanes, clock, newId, log },
    views: { scopes: sqliteScopes(store), conversation: sqliteConversation(store), documents: sqliteDocuments(store) },
    users,
    engineOf: (agent, scope, profile) => agents.engineOf(agent, scope, profile),
    bundledRoot: join(packageRoot, 'bundled'),
    documentsRoot: join(config.home, 'documents'),
  })
  opened(() => scopes.close())
  const agents = openAgents({ documents: scopes.documents, engines: () => engines.map((engine) => engine.name), log })
  opened(() => agents.close())
  const inboxOver = { journal, store: store.journal, lanes, clock, newId, users, log }
  const attachments = await openAttaching(rooms)
  opened(regularly(rooms, sweepPeopleMs, attachments.sweep))
  const attention = await openAttention({ ...inboxOver, view: sqliteAttention(store) })
  opened(() => attention.close())
  const policy = await openPolicy({
    ...{ journal, store: store.journal, view: sqlitePolicy(store), clock, newId, log },
    ...{ projects: scopes.projects, documents: scopes.documents, settings: scopes.settings },
    own: () => groundOfHub(here),
    home: homedir(),
  })
  opened(() => policy.close())
  const { seal } = secrets
  const zoneOf = zonesOf(scopes.settings, machineZone)
  const budgets = await openMoney({ ...rooms, ...scopes, zoneOf })
  opened(() => budgets.close())
  const models = openModels(config, { clock, log, store: storeIn(scopes.settings), budgets, keyOf: secrets.value })
  await models.reload()
  opened(regularly(rooms, readLimitsMs, models.reload))
  const results = folderResults(join(config.home, 'blobs', 'results'))
  const programs = process.env['PATH'] ?? '/usr/bin:/bin'
  const sandbox = sandboxOf(programs)
  const places = { homedir: homedir(), closed: [config.home] }
  const shown = shownBy({ agents, attention, models, places }, async () => [...(await findings(rooms)), ...(await roomsFound())])
  const told = { taint: policy.taint, zoneOf, owner: people.owner.name, shown }
  const families = await openFamilies({ ...rooms, ...scopes, ...told, attachments, work: () => work })
  const exec = { sandbox, mode: sandboxModeOf(scopes.settings, people.owner.name), path: programs, temp: tmpdir(), reach: families.reach }
  const past = folderPast(join(config.home, 'blobs', 'past'), secrets)
  const tools = openTools({ clock, log, zoneOf, results, closed: [config.home], policy, past, exec, seal })
  for (const tool of families.tools) tools.register(tool)
  opened(regularly(rooms, readAskedMs, families.refresh))
  const routing = openRouting({ ...rooms, ...scopes, store: store.journal, agents })
  opened(() => routing.close())
  const minds = openMinds(policy.taint)
  const windowOf = (tier: Tier) => models.windowOf(models.modelOf(tier) ?? '')
  const context = openContext({ ...rooms, store: store.journal, models, windowOf, ...scopes, specs: tools.specs, zoneOf })
  opened(() => context.close())
  const work = await openWork({ ...rooms, store: sqliteWork(store), taintOf: policy.taint.ofProcess, ...workOver(scopes) })
  opened(() => work.close())
  const pipelines = { ...openPipelines({ ...rooms, ...scopes, store: store.journal, agents }), attachments: stepAttachments(attachments) }
  opened(() => pipelines.close())
  const speaking = { files: attachments, agents, routing, models, tools, minds, context, attention, work }
  const runs = await openRuns({ ...rooms, ...scopes, store: store.journal })
  opened(() => runs.close())
  const priceOf = (tier: Tier) => models.list().tiers.find((one) => one.tier === tier)?.chain[0]?.price ?? null
  const chains = { runs, events: store.journal, taint: policy.taint, priceOf }
  const outgoing = { policy, reach: families.reach, mcp: openMcp({ reach: families.reach, clock, version }), clock }
  opened(() => outgoing.mcp.close())
  const knowledge = await openKnowing({ ...rooms, ...scopes, ...pipelines, models, budgets, reach: families.reach })
  opened(() => knowledge.close())
  const piped = { ...pipelines, knowledge, tells: openTells(), outgoing, secrets, own: openOwnCalls(here) }
  engines.push(...builtInEngines({ ...scopes, ...speaking, clock, places, budgets, secrets, seal, chains, pipelines: piped }))
  for (const engine of engines) lanes.registerEngine(engine)
  const templatesRoot = join(packageRoot, 'bundled', 'pipelines', 'templates')
  const coming = openTransferOver({ ...pipelines, secrets, clock, reach: families.reach, templatesRoot })
  return {
    ...{ scopes, attachments, attention, policy, budgets },
    models,
    context,
    work,
    agents,
    routing,
    pipelines: { ...piped, ...coming },
    roomsFound,
  }
  async function roomsFound(): Promise<readonly Finding[]> {
    return [
      ...(await models.inspect()),
      await secretsFinding(secrets),
      sandboxFinding(await sandbox()),
      ...(await folderFindings((await scopes.projects.list({ limit: mostPlaces })).items, config.home)),
      await agentFinding(agents, await placesWithAgents(rooms, scopes)),
      await policyFinding(policy, await placesWithAgents(rooms, scopes)),
      await routingFinding(routing, await placesWithAgents(rooms, scopes)),
      await pipelines.finding({ user: people.owner.name }),
    ]
  }
}

type Inner = {
  readonly scopes: Scopes
  readonly attachments: Attachments
  readonly attention: Attention
  readonly policy: PolicyRoom
  readonly budgets: Budgets
  readonly models: Models
  readonly context: Context
  readonly work: Work
  readonly agents: Agents
  readonly routing: Routing
  readonly pipelines: PipelineDesk
  readonly roomsFound: () => Promise<readonly Finding[]>
  readonly env: NodeJS.ProcessEnv
}

/** What reports of workers need of the scopes: the lines that they quote, and sessions that are to hear of them. */
function workOver({ conversation, sessions }: Scopes): Pick<WorkRooms, 'line' | 'wake' | 'sessionOf'> {
  return {
    line: conversation.get,
    sessionOf: async (process) => (await sessions.process(process))?.session ?? null,
    async wake(session) {
      if ((await sessions.brief(session))?.life === 'SUSPENDED') await sessions.resume(session, 'system')
    },
  }
}

/** The owner's home and the projects, as the owner sees them. */
async function placesWithAgents({ people }: Rooms, { projects }: Scopes): Promise<readonly ScopeRef[]> {
  const user = people.owner.name
  const { items } = await projects.list({ limit: mostPlaces })
  return [{ user, project: homeOf(user) }, ...items.map(({ name, group }) => ({ user, project: name, group }))]
}

/** The server, and the note in the data folder by which the command line finds it. */
async function openDoor(
  rooms: Rooms,
  { scopes, attachments, attention, policy, budgets, models, context, work, agents, routing, pipelines, roomsFound, env }: Inner,
): Promise<OpenServer> {
  const { config, clock, newId, log, secrets, journal, lanes, people } = rooms
  const socketPath = makeSocketPath(config.home, placesOf(env))
  const server = await openServer({
    ...{ people, scopes, attachments, attention, policy, secrets, budgets, models, context, work, routing, pipelines },
    ...{ lanes, journal, log, clock, newId, version, socketPath },
    host: config.host,
    port: config.port,
    trustLoopback: config.trustLoopback,
    webRoot: join(packageRoot, 'web', 'dist'),
    agents: async (scope) => listedAgents(await agents.roster(scope)).items,
    agentFiles: { ...agents, imports: openImports({ documents: scopes.documents, agents }) },
    places: { homedir: homedir(), closed: [config.home] },
    doctor: async () => [...(await findings(rooms)), ...(await roomsFound())],
    config: async () => config.shown.map(configItem),
  }).catch((error: unknown) => {
    throw named(error)
  })
  Object.assign(rooms.here, { address: server.address, socket: socketPath })
  try {
    writeRuntime(config.home, { socket: socketPath, pid: process.pid, address: server.address, version })
  } catch (error) {
    await server.close()
    throw new InvalidInput(`the note of the running hub can't be written into ${config.home}: ${messageOf(error)}`, { cause: error })
  }
  return {
    address: server.address,
    async close() {
      removeRuntime(config.home)
      await server.close()
    },
  }
}

/** A port that is taken is named with the setting that changes it. */
function named(error: unknown): unknown {
  if (!(error instanceof Conflict) || error.code !== 'in_use' || !error.message.startsWith('port ')) return error
  const message = `${error.message}. Stop that program, or choose another port with STEWARD_PORT (0 takes a free one).`
  return new Conflict(message, { code: 'in_use', path: 'STEWARD_PORT', cause: error })
}

// ---- small pieces

function configItem({ name, value, from }: Config['shown'][number]): ConfigItem {
  return { key: name, value, source: from }
}

function machineZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

function loginOf(): string {
  try {
    return userInfo().username
  } catch {
    return 'owner'
  }
}

/** How deep and how long chains of causes may become (L10): set for all projects. */
async function limitsFrom(settings: Settings): Promise<ChainLimits> {
  const [depth, hops] = await Promise.all([settings.get('causes.maxDepth', {}), settings.get('causes.maxHops', {})])
  return { depth: Number(depth ?? defaultChainLimits.depth), hops: Number(hops ?? defaultChainLimits.hops) }
}
