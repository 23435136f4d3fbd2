/**
 * A whole hub under its server: real SQLite file, journal, lanes, scopes and people, with an engine that does what the message
 * says. `ask` goes through the HTTP interface without a port; `listen` opens real ones.
 *
 *     hello            says "echo: hello"
 *     stream N         streams N words "w0 w1 ...", one each time `hub.gate.open()` is called (or all at once when it stands open)
 *     question         asks "tea or coffee?" with two options, then says what was answered
 *     link PRC SES     says in the journal that this process ordered the work of that one
 *     order PRC        gives that process work, and does not wait for it
 *     risk N           asks whether a mail may be sent, N times side by side, then says what was decided
 *     fail             throws
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAgents } from '../src/agents/agents.ts'
import { openImports } from '../src/agents/import/import.ts'
import { openAttaching } from '../src/attaching.ts'
import { openAttention } from '../src/attention/open-attention.ts'
import { systemClock } from '../src/base/clock.ts'
import { isId, laneOf, ulids } from '../src/base/ids.ts'
import type { Log, LogFields } from '../src/base/log.ts'
import { openContext } from '../src/context/context.ts'
import { openTells } from '../src/engines/pipeline/tells.ts'
import { openJournal } from '../src/journal/journal.ts'
import { openKnowing } from '../src/knowing.ts'
import type { Answer, Engine, Turn } from '../src/lanes/engine.ts'
import { defaultChainLimits, openLanes } from '../src/lanes/lanes.ts'
import { openModels, storeIn } from '../src/models/models.ts'
import { openPeople } from '../src/people/people.ts'
import { openPipelines } from '../src/pipelines/open-pipelines.ts'
import { openTransferOver } from '../src/pipelines/transfer/open-transfer.ts'
import { openBudgets } from '../src/policy/budgets.ts'
import { openPolicy } from '../src/policy/open-policy.ts'
import { openRouting } from '../src/routing/open-routing.ts'
import { openScopes } from '../src/scopes/open-scopes.ts'
import { openSecrets } from '../src/secrets/open-secrets.ts'
import { openOwnCalls } from '../src/server/eddi/own-calls.ts'
import { type Limits, openInside, openServer, type ServerOptions } from '../src/server/server.ts'
import { faulty } from '../src/store/faulty.ts'
import { sqliteAttention } from '../src/store/sqlite/attention.ts'
import { sqliteBudgets } from '../src/store/sqlite/budgets.ts'
import { sqliteConversation } from '../src/store/sqlite/conversation.ts'
import { sqliteDocuments } from '../src/store/sqlite/documents.ts'
import { sqlitePeople } from '../src/store/sqlite/people.ts'
import { sqlitePolicy } from '../src/store/sqlite/policy.ts'
import { sqliteScopes } from '../src/store/sqlite/scopes-tree.ts'
import { sqliteSecrets } from '../src/store/sqlite/secrets.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite.ts'
import { sqliteWork } from '../src/store/sqlite/work.ts'
import { reachOf } from '../src/tools/web/web.ts'
import { openWork } from '../src/work/work.ts'

export type Line = { readonly level: string; readonly what: string; readonly fields: LogFields }
export type Gate = { open(): void; readonly passed: () => Promise<void>; always: boolean }
export type Asked = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: Found }
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Found = any

export type HubOptions = {
  readonly home?: string
  readonly trustLoopback?: boolean
  readonly limits?: Partial<Limits>
  readonly webRoot?: string | null
  /** Addresses and keys of models, by their settings. */
  readonly providers?: Record<string, string>
}

export async function openHub(options: HubOptions = {}) {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'steward-http-'))
  const lines: Line[] = []
  const log: Log = (level, what, fields = {}) => void lines.push({ level, what, fields })
  const clock = systemClock
  const newId = ulids(clock.now)
  const store = await openSqliteStore({ file: join(home, 'steward.db'), now: clock.now, log })
  const faults = faulty(store.journal)
  const journal = await openJournal({ store: faults.store, clock, log })
  const node = newId('nod')
  const lanes = openLanes({ journal, store: faults.store, clock, newId, node, log })
  const people = await openPeople({ store: sqlitePeople(store), clock, newId, random: randomBytes, ownerName: 'ada' })
  const gate = openGate()
  lanes.registerEngine(scriptEngine(gate))
  const scopes = await openScopes({
    journal,
    store: store.journal,
    lanes,
    clock,
    newId,
    views: { scopes: sqliteScopes(store), conversation: sqliteConversation(store), documents: sqliteDocuments(store) },
    users: async (name) => (await people.user(name)) !== null,
    engineOf: async (agent) => (agent === undefined || agent === 'quick' ? { agent: 'quick', engine: 'script', params: {} } : null),
    log,
    bundledRoot: join(home, 'bundled'),
    documentsRoot: null,
  })
  const agentFiles = openAgents({ documents: scopes.documents, engines: () => ['script', 'quick'], log })
  const policy = await openPolicy({
    ...{ journal, store: store.journal, clock, newId, log, home, view: sqlitePolicy(store) },
    ...{ projects: scopes.projects, documents: scopes.documents, settings: scopes.settings },
    own: () => ({ closed: [home], addresses: [], sockets: [] }),
  })
  const chosen = { models: { light: null, standard: null, deep: null }, providers: options.providers ?? {} }
  const models = openModels(chosen, { clock, log, retries: 0, store: storeIn(scopes.settings) })
  const over = { journal, store: store.journal, clock, newId, log, models, ...scopes }
  const context = openContext({ ...over, specs: () => [] })
  const attachments = await openAttaching({ config: { home }, journal, store, clock, newId })
  const attention = await openAttention({
    ...{ journal, store: store.journal, lanes, clock, newId, log, view: sqliteAttention(store) },
    users: async (name) => (await people.user(name)) !== null,
  })
  const secrets = await openSecrets({
    ...{ store: sqliteSecrets(store), passphrase: null, keyFolder: join(home, 'keys'), random: randomBytes, now: clock.now, log },
    keyring: async () => ({ why: 'there is none in tests' }),
  })
  const budgets = await openBudgets({
    ...{ journal, store: store.journal, view: sqliteBudgets(store), now: clock.now, newId, log },
    ...{ zone: async () => 'UTC', rates: async () => ({ EUR: 1.1 }), exists: async () => true },
  })
  const work = await openWork({
    ...{ journal, lanes, clock, log, store: sqliteWork(store), taintOf: policy.taint.ofProcess },
    line: scopes.conversation.get,
    wake: async () => {},
    sessionOf: async (process) => (await scopes.sessions.process(process))?.session ?? null,
    limits: () => defaultChainLimits,
  })
  const routing = openRouting({ ...scopes, journal, store: store.journal, clock, newId, log, agents: agentFiles })
  const pipelines = openPipelines({ journal, store: store.journal, ...scopes, agents: agentFiles, secrets, clock, newId })
  const reach = reachOf({ exempt: () => [], ownPorts: () => [] })
  const knowledge = await openKnowing({ ...scopes, ...pipelines, store, models, budgets, secrets, reach, clock, log })
  const templatesRoot = join(home, 'bundled', 'pipelines', 'templates')
  await lanes.start()
  const rooms: Omit<ServerOptions, 'host' | 'port' | 'socketPath'> = {
    people,
    scopes,
    attachments,
    attention,
    policy,
    models,
    context,
    work,
    routing,
    pipelines: {
      ...pipelines,
      knowledge,
      tells: openTells(),
      own: openOwnCalls({ address: null }),
      ...openTransferOver({ ...pipelines, secrets, clock, reach, templatesRoot }),
    },
    secrets,
    budgets,
    lanes,
    journal,
    agents: async () => [{ name: 'quick', engine: 'script' }],
    agentFiles: { ...agentFiles, imports: openImports({ documents: scopes.documents, agents: agentFiles }) },
    places: { homedir: join(home, 'person'), closed: [join(home, 'data')] },
    doctor: async () => [],
    config: async () => [{ key: 'STEWARD_PORT', value: 4180, source: 'default' }],
    log,
    clock,
    newId,
    version: '0.0.0-test',
    webRoot: options.webRoot ?? null,
    trustLoopback: options.trustLoopback ?? false,
    limits: { ownerRate: 1_000_000, ...options.limits },
  }
  const inside = openInside(rooms)
  const { code } = await people.newCode('ada')
  const redeemed = await people.redeem(code)
  const cookie = redeemed.ok ? `steward=${redeemed.secret}` : ''
  const servers: { close(): Promise<void> }[] = []

  /** As the owner with the cookie, unless `headers` say otherwise (an empty cookie: nobody). */
  async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Asked> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const given = { host: 'localhost', cookie, ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers }
    const request = new Request(`http://localhost${path}`, { method, headers: given, ...(text === undefined ? {} : { body: text }) })
    const response = await inside.handle(request, { unix: false, remote: '127.0.0.1' })
    const answer = await response.text()
    return { status: response.status, headers: response.headers, text: answer, json: parse(answer) }
  }

  return {
    home,
    lines,
    cookie,
    people,
    scopes,
    attachments,
    attention,
    policy,
    secrets,
    budgets,
    lanes,
    journal,
    gate,
    pipelines,
    inside,
    /** With a reason nothing can be stored from now on; with null it can again. */
    refuse: faults.refuse,
    ask,
    async session(): Promise<string> {
      return (await ask('POST', '/api/sessions', {})).json.id
    },
    async listen(more: Partial<ServerOptions> = {}) {
      const server = await openServer({ ...rooms, host: '127.0.0.1', port: 0, socketPath: null, ...more })
      servers.push(server)
      return server
    },
    /** Ends the hub; the folder stays when `keep` says so. */
    async close(given: { readonly keep?: boolean } = {}): Promise<void> {
      for (const server of servers) await server.close()
      await inside.close()
      await lanes.stop()
      await knowledge.close()
      await pipelines.close()
      await work.close()
      await context.close()
      await budgets.close()
      await secrets.close()
      await scopes.close()
      await journal.close()
      await store.close()
      if (!given.keep) rmSync(home, { recursive: true, force: true })
    },
  }
}

export type TestHub = Awaited<ReturnType<typeof openHub>>

function parse(text: string): Found {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count))
}

function openGate(): Gate {
  let open = Promise.withResolvers<void>()
  return {
    always: true,
    open() {
      open.resolve()
      open = Promise.withResolvers()
    },
    passed: () => open.promise,
  }
}

function scriptEngine(gate: Gate): Engine {
  return {
    name: 'script',
    version: 1,
    accepts: [1],
    async run(turn) {
      const entry = turn.entries.at(-1)
      const text = entry?.body.kind === 'message' ? entry.body.text : ''
      const [verb, count] = text.split(' ')
      if (verb === 'fail') throw new Error('as asked')
      if (verb === 'stream') return streamWords(turn, gate, Number(count))
      if (verb === 'question') return askTea(turn)
      if (verb === 'link') return linkTo(turn, String(count))
      if (verb === 'order') return orderFrom(turn, String(count))
      if (verb === 'risk') return askToSend(turn, Number(count) || 1)
      turn.say('reply', { text: `echo: ${turn.entries.map((one) => (one.body.kind === 'message' ? one.body.text : '')).join(' | ')}` })
    },
  }
}

async function streamWords(turn: Turn, gate: Gate, count: number): Promise<void> {
  const text = await turn.step('words', 'replayable', async (act) => {
    let said = ''
    for (let i = 0; i < count; i++) {
      const stopped = new Promise<void>((_, reject) => act.signal.addEventListener('abort', () => reject(new Error('stopped'))))
      if (!gate.always) await Promise.race([gate.passed(), stopped])
      stopped.catch(() => {})
      act.stream(`w${i} `)
      said += `w${i} `
    }
    return said
  })
  turn.say('reply', { text, streamed: 'words' })
}

async function askTea(turn: Turn): Promise<void> {
  const answer = await turn.ask('tea', { kind: 'question', text: 'tea or coffee?', options: [{ label: 'tea' }, { label: 'coffee' }] })
  turn.say('reply', { text: `you said ${answer.kind === 'answer' ? JSON.stringify(answer.value) : 'nothing'}` })
}

async function askToSend(turn: Turn, count: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: count }, (_, at) => decisionOf(turn, at + 1)))
  turn.say('reply', { text: answers.map((answer) => `${answer.outcome} ${JSON.stringify(answer.value)}`).join('; ') })
}

/** Words that come in meanwhile are taken, and it waits on. */
async function decisionOf(turn: Turn, n: number): Promise<Answer> {
  const ask = turn.open(`send-${n}`, { kind: 'approval', text: `Send mail ${n}?`, request: mailRequest(turn, n), timeoutMs: 86_400_000 })
  for (let at = 1; ; at++) {
    const answer = await turn.wait(`sent-${n}-${at}`, [ask])
    if (answer.kind === 'answer') return answer
  }
}

function mailRequest({ process, id, chain }: Turn, n: number) {
  const rule = { id: 'system.R3', level: 'system', text: 'what leaves the machine is asked' }
  const target = `bob${n}@example.org`
  const plan = {
    ...{ tool: 'mail_send', capability: 'mail.send', target, risk: 'R3', outward: true, destructive: false },
    ...{ why: 'Bob asked for it.', consequences: 'The mail can not be taken back.', preview: 'Dear Bob' },
  }
  const scopes = ['once', 'step', 'run', 'project']
  const where = { user: process.user, project: process.project, session: process.session, process: process.id, turn: id }
  return {
    ...{ hash: `h${n}`, plan, input: { to: target } },
    decision: { effect: 'ask', rule, risk: 'R3', reason: 'It leaves the machine.', scopes, considered: [] },
    where: { ...where, run: chain.root, agent: { name: process.agent, pledge: ['mail.send'] }, taint: 'none' },
  }
}

function linkTo(turn: Turn, worker: string): void {
  const text = turn.entries.map((one) => (one.body.kind === 'message' ? one.body.text : '')).join('')
  const link = { owner: turn.process.id, worker, session: text.split(' ')[2] ?? '', project: 'p', agent: 'quick' }
  turn.note('link', { type: 'worker-linked', data: { ...link, title: 'work', mode: 'milestones' } })
  turn.say('reply', { text: 'linked' })
}

function orderFrom(turn: Turn, worker: string): void {
  if (isId('prc', worker)) turn.post('order', laneOf(worker), { kind: 'note', topic: 'order', data: {} })
  turn.say('reply', { text: 'ordered' })
}
