// The HTTP interface as one function from request to answer: guard, who, rate, body, key, call, problem. No port is needed to try it.

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { Hono } from 'hono'
import { Forbidden, NotFound } from '../base/errors.ts'
import { agentCalls } from './api/agents.ts'
import { approvalCalls } from './api/approvals.ts'
import { attachmentCalls } from './api/attachments.ts'
import { budgetCalls } from './api/budgets.ts'
import { contextCalls } from './api/context.ts'
import { controlCalls } from './api/control.ts'
import { cortexCalls } from './api/cortex.ts'
import { documentCalls } from './api/documents.ts'
import { eventCalls } from './api/events.ts'
import { grantCalls } from './api/grants.ts'
import { hubCalls } from './api/hub.ts'
import { inboxCalls } from './api/inbox.ts'
import { knowledgeCalls } from './api/knowledge.ts'
import { messageCalls } from './api/messages.ts'
import { modelCalls } from './api/models.ts'
import { peopleCalls } from './api/people.ts'
import { pipelineCalls } from './api/pipelines.ts'
import { processCalls } from './api/processes.ts'
import { projectCalls } from './api/projects.ts'
import { questionCalls } from './api/questions.ts'
import { routeCalls } from './api/route.ts'
import { secretCalls } from './api/secrets.ts'
import { sessionCalls } from './api/sessions.ts'
import { settingCalls } from './api/settings.ts'
import { readBody, readFile, readWords, streamOf } from './body.ts'
import { type Arrival, type Caller, identify, may } from './caller.ts'
import { eddiCalls } from './eddi/eddi.ts'
import type { Endpoint, RawCall, Reply } from './endpoint.ts'
import { guard } from './guard.ts'
import type { Hub } from './hub.ts'
import { keyOf, remember } from './idempotency.ts'
import type { Metrics } from './metrics.ts'
import { openApi } from './openapi.ts'
import { keepPace } from './pace.ts'
import { nothingPolicy, pageFile, securityHeaders } from './page.ts'
import { HttpProblem, tell } from './problem.ts'
import { writable } from './writable.ts'

export type AppOptions = { readonly hub: Hub; readonly metrics: Metrics; readonly webRoot: string | null }

/** `arrival` is given by whoever owns the listening socket. */
export type Handle = (request: Request, arrival: Arrival) => Promise<Response>

export const calls: readonly Endpoint[] = [
  ...hubCalls,
  ...peopleCalls,
  ...sessionCalls,
  ...messageCalls,
  ...attachmentCalls,
  ...eventCalls,
  ...controlCalls,
  ...questionCalls,
  ...approvalCalls,
  ...grantCalls,
  ...inboxCalls,
  ...modelCalls,
  ...contextCalls,
  ...secretCalls,
  ...budgetCalls,
  ...projectCalls,
  ...documentCalls,
  ...agentCalls,
  ...knowledgeCalls,
  ...pipelineCalls,
  ...settingCalls,
  ...processCalls,
  ...routeCalls,
  ...cortexCalls,
]

type Env = { Bindings: { readonly arrival: Arrival } }

export function buildApp(options: AppOptions): Handle {
  const { hub, metrics, webRoot } = options
  const endpoints = [...calls, ...documentsOfTheHub(metrics, hub.version), ...eddiCalls]
  const app = new Hono<Env>()
  const answer = answering(hub, metrics)
  for (const one of endpoints) app.on(one.method, one.path, (c) => answer(c, one))
  for (const path of new Set(endpoints.map((one) => one.path))) app.all(path, (c) => answer(c, wrongMethod(endpoints, path)))
  app.all('/api/*', (c) => answer(c, unknownPath))
  app.all('/eddi/*', (c) => answer(c, unknownPath))
  app.get('/*', async (c) => (await page(hub, webRoot, c)) ?? answer(c, unknownPath))
  app.notFound((c) => answer(c, unknownPath))
  const handle: Handle = async (request, arrival) => app.fetch(request, { arrival })
  hub.pipelines.own.attach(handle)
  return handle
}

function documentsOfTheHub(metrics: Metrics, version: string): readonly Endpoint[] {
  // Made when somebody asks: it takes as long as a tenth of the hub's start.
  let document: ReturnType<typeof openApi> | null = null
  const openapi: Endpoint = {
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This description',
    access: 'person',
    answers: { 200: 'text' },
    async run() {
      document ??= openApi([...calls, openapi, prometheus], version)
      return { status: 200, body: document }
    },
  }
  const prometheus: Endpoint = {
    method: 'GET',
    path: '/metrics',
    summary: 'Figures for Prometheus',
    access: 'metrics',
    answers: { 200: 'text' },
    run: async () => ({ stream: new Response(await metrics.text(), { headers: { 'Content-Type': metrics.contentType } }) }),
  }
  return [openapi, prometheus]
}

function answering(hub: Hub, metrics: Metrics): (c: Context<Env>, one: Answering) => Promise<Response> {
  const keys = remember<Reply>({ most: 2_000, keep: isKept })
  return async (c, one) => {
    const begun = performance.now()
    const where = `${c.req.method} ${one.path}`
    let given: Given
    try {
      const caller = await admit(hub, c, one)
      given = givenBy(await replyTo(hub, keys, { c, one, caller }))
    } catch (thrown) {
      const { problem, headers } = tell(thrown, { log: hub.log, id: hub.newId('req'), where })
      const type = { 'Content-Type': 'application/problem+json; charset=utf-8' }
      given = { status: problem.status, text: JSON.stringify(problem), headers: { ...apiHeaders, ...type, ...headers } }
    }
    const { status } = 'stream' in given ? given.stream : given
    const response = await answered(c, given)
    metrics.request({ method: c.req.method, path: one.path, status, ms: performance.now() - begun })
    return response
  }
}

/** Written to the socket where there is one and the answer is whole; else a Response. */
async function answered(c: Context<Env>, given: Given): Promise<Response> {
  const isHead = c.req.raw.method === 'HEAD'
  if ('stream' in given) {
    // The answer to HEAD has no body: one that would go on for ever is ended here.
    if (isHead) await given.stream.body?.cancel()
    return given.stream
  }
  const { status, text, headers } = given
  const { answer } = c.env.arrival
  if (answer === undefined || isHead || answer.headersSent) return new Response(text, { status, headers })
  answer.writeHead(status, text === null ? headers : { ...headers, 'Content-Length': Buffer.byteLength(text) })
  answer.end(text)
  return RESPONSE_ALREADY_SENT
}

/** Streams can't be given again; large answers are not worth their memory (a message has its own key). */
function isKept(reply: Reply): boolean {
  return 'status' in reply && reply.status < 500 && JSON.stringify(reply.body ?? null).length < 65_536
}

type Answering = Pick<
  Endpoint,
  'path' | 'access' | 'run' | 'method' | 'takesSecrets' | 'takesBytes' | 'takesStream' | 'takesText' | 'mostBytes'
>

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Lets the request in, or throws why not. null: nobody known, where that is allowed. */
async function admit(hub: Hub, c: Context<Env>, one: Answering): Promise<Caller | null> {
  const { headers } = c.req.raw
  const { arrival } = c.env
  guard(hub.hosts, { headers, arrival, changes: !safe.has(c.req.method) })
  const caller = await identify(hub, headers, arrival)
  keepPace(hub, caller, arrival.remote)
  if (one.access === 'anyone') return caller
  if (!caller) throw notLoggedIn()
  if (one.access === 'owner' && caller.via !== 'socket') throw new Forbidden("this is only for the command line's own socket")
  if (one.access !== 'owner' && one.access !== 'person' && !may(caller, one.access)) {
    throw new Forbidden(`this token lacks the scope ${one.access}`)
  }
  return caller
}

export function notLoggedIn(): HttpProblem {
  const message = 'log in with the one-time code that `steward start` prints, or send Authorization: Bearer with a token'
  return new HttpProblem(401, 'not_logged_in', message, { headers: { 'WWW-Authenticate': 'Bearer realm="steward"' } })
}

type Asked = { readonly c: Context<Env>; readonly one: Answering; readonly caller: Caller | null }

async function replyTo(hub: Hub, keys: ReturnType<typeof remember<Reply>>, { c, one, caller }: Asked): Promise<Reply> {
  const { req } = c
  const isSafe = safe.has(req.method)
  const isRaw = one.takesBytes !== undefined || one.takesStream !== undefined
  const read = one.takesText ? readWords : readBody
  const given = isSafe || isRaw ? undefined : await read(req.raw, one.mostBytes ?? hub.limits.bodyBytes)
  const sealed = one.takesSecrets ? given : await hub.secrets.sealJson(given)
  const body = isRaw ? await rawBody(req.raw, one) : sealed
  if (!isSafe && caller) writable(hub)
  const key = isSafe || isRaw ? null : keyOf(req.header('idempotency-key') ?? null)
  const raw: RawCall = { hub, caller, params: req.param(), query: req.query(), body, headers: req.raw.headers, signal: req.raw.signal, key }
  if (key === null) return one.run(raw)
  const name = JSON.stringify([caller?.user.name ?? '', caller?.via ?? '', key])
  return keys.once(name, JSON.stringify([req.method, req.url, body ?? null, req.header('prefer') ?? '']), () => one.run(raw))
}

async function rawBody(request: Request, { takesBytes, takesStream }: Answering): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  return takesStream === undefined ? readFile(request, takesBytes ?? 0) : streamOf(request, takesStream)
}

const apiHeaders = { ...securityHeaders, 'Cache-Control': 'no-store', 'Content-Security-Policy': nothingPolicy }

type Given =
  | { readonly status: number; readonly text: string | null; readonly headers: Readonly<Record<string, string>> }
  | { readonly stream: Response }

function givenBy(reply: Reply): Given {
  if ('stream' in reply) {
    const own = reply.stream.headers.get('Content-Security-Policy')
    for (const [name, value] of Object.entries(apiHeaders)) reply.stream.headers.set(name, value)
    // Of a file it is narrower.
    if (own !== null) reply.stream.headers.set('Content-Security-Policy', own)
    return reply
  }
  const { status, body, headers } = reply
  if (status === 204) return { status, text: null, headers: { ...apiHeaders, ...headers } }
  const type = { 'Content-Type': 'application/json; charset=utf-8' }
  return { status, text: JSON.stringify(body), headers: { ...apiHeaders, ...type, ...headers } }
}

const unknownPath: Answering = {
  method: 'GET',
  path: '(unknown)',
  access: 'anyone',
  async run() {
    throw new NotFound('there is nothing at this address; GET /api/openapi.json says what there is')
  },
}

function wrongMethod(endpoints: readonly Endpoint[], path: string): Answering {
  const allowed = endpoints.filter((one) => one.path === path).map((one) => one.method)
  const Allow = [...new Set(allowed)].join(', ')
  return {
    ...unknownPath,
    path,
    async run() {
      throw new HttpProblem(405, 'method_not_allowed', `allowed here: ${Allow}`, { headers: { Allow } })
    },
  }
}

async function page(hub: Hub, webRoot: string | null, c: Context<Env>): Promise<Response | null> {
  const { headers } = c.req.raw
  try {
    guard(hub.hosts, { headers, arrival: c.env.arrival, changes: false })
  } catch {
    return null
  }
  const file = await pageFile(webRoot, c.req.path, headers.get('if-none-match'))
  if (file) for (const [name, value] of Object.entries(securityHeaders)) file.headers.set(name, value)
  return file
}
