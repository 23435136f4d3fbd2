// [H11] Generated requests over the whole HTTP surface, made from its own OpenAPI document: right ones, nearly right ones, rubbish.
// STEWARD_FUZZ sets how many; a failure prints seed and request.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHub, type TestHub } from './http-hub.ts'

const runs = Number(process.env['STEWARD_FUZZ'] ?? 2_000)
const hangMs = 10_000

type Shape = { readonly [key: string]: unknown }
type Operation = { readonly method: string; readonly path: string; readonly query: readonly Parameter[]; readonly body: Shape | null }
type Parameter = { readonly name: string; readonly schema: Shape }
type Given = { readonly method: string; readonly path: string; readonly headers: Record<string, string>; readonly body: Uint8Array | null }

let hub: TestHub
let operations: readonly Operation[]
let known: readonly string[]
/** What fits after which part of a path. */
let fits: Readonly<Record<string, string>>
beforeAll(async () => {
  hub = await openHub({ limits: { strangerRate: 1_000_000, tokenRate: 1_000_000 } })
  operations = operationsOf((await hub.ask('GET', '/api/openapi.json')).json)
  known = await seedRows()
})
afterAll(() => hub.close())

/** Ids and names that exist, so that generated requests get past the first check. */
async function seedRows(): Promise<readonly string[]> {
  const session = await hub.session()
  const posted = (await hub.ask('POST', `/api/sessions/${session}/messages`, { id: 'a', text: 'question' }, { prefer: 'wait=10' })).json
  const { process } = (await hub.ask('GET', `/api/sessions/${session}`)).json
  await hub.ask('POST', '/api/projects', { name: 'garden' })
  const token = (await hub.ask('POST', '/api/tokens', { name: 't', scopes: ['read'] })).json.id
  const question = posted.question.id
  await hub.ask('POST', '/api/secrets', { name: 'mail', value: 'correct horse battery' })
  await hub.ask('POST', '/api/budgets', { text: '3 USD a day' })
  const grant = (await hub.ask('POST', '/api/grants', { capability: 'mail.send', scope: 'always' })).json?.id ?? 'grn_x'
  fits = {
    secrets: 'mail',
    budgets: 'day',
    grants: grant,
    settings: 'policy.approvalHours',
    sessions: session,
    questions: question,
    processes: process,
    projects: 'garden',
    tokens: token,
    documents: 'notes/a.md',
  }
  return [session, posted.id, question, process, 'garden', '_user_ada', token, posted.cursor, 'agents/x.md', 'mail', grant]
}

function operationsOf(document: { readonly paths: Record<string, Record<string, Shape>> }): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = (operation['parameters'] ?? []) as (Parameter & { in: string })[]
      const body = operation['requestBody'] as { content: { 'application/json'?: { schema: Shape } } } | undefined
      const query = parameters.filter((one) => one.in === 'query')
      return { method: method.toUpperCase(), path, query, body: body?.content['application/json']?.schema ?? null }
    }),
  )
}

const hostile = fc.constantFrom(
  '', ' ', '\u0000', '\ud800', 'a\u202eb', '../../etc/passwd', '%00', '%', '%ff', '__proto__', 'constructor', 'null', '-1', '1e309', '9'.repeat(400),
  'x'.repeat(5_000), "'; drop table events;--", '{{secret:x}}', '<script>', 'ses_00000000000000000000000000', 'NaN', '1.1', '1.999999', '999.1', '💥',
) // biome-ignore format: one line reads better

function word(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...known) },
    { weight: 2, arbitrary: hostile },
    fc.string({ unit: 'binary', maxLength: 30 }),
  )
}

/** A value that mostly fits the schema. */
function fitting(schema: Shape, depth = 0): fc.Arbitrary<unknown> {
  const any = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(any)) return fc.oneof(...any.map((one: Shape) => fitting(one, depth)))
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum'])
  if ('const' in schema) return fc.constant(schema['const'])
  if (schema['type'] === 'object' && schema['properties']) return fittingObject(schema, depth)
  if (schema['type'] === 'array')
    return fc.array(depth > 3 ? fc.constant(null) : fitting((schema['items'] as Shape) ?? {}, depth + 1), { maxLength: 4 })
  if (schema['type'] === 'string') return word()
  if (schema['type'] === 'boolean') return fc.boolean()
  if (schema['type'] === 'integer' || schema['type'] === 'number')
    return fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, 1, 50, 500))
  if (schema['type'] === 'null') return fc.constant(null)
  return fc.jsonValue()
}

function fittingObject(schema: Shape, depth: number): fc.Arbitrary<unknown> {
  const properties = schema['properties'] as Record<string, Shape>
  const required = (schema['required'] ?? []) as string[]
  const made = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, fitting(one, depth + 1)]))
  return fc.record(made, { requiredKeys: required.filter((name) => name in made) })
}

/** The value with one place of it replaced or added. */
function spoilt(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(value, fc.constantFrom('text', 'id', 'colour', '__proto__', 'constructor', 'leaf', 'name'), fc.jsonValue())
    .map(([base, key, other]) => (typeof base === 'object' && base !== null && !Array.isArray(base) ? { ...base, [key]: other } : other))
}

/** Only what is required, and nothing that could be wrong about it. */
function plain(schema: Shape): fc.Arbitrary<unknown> {
  const any = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(any)) return fc.oneof(...any.map((one: Shape) => plain(one)))
  if (schema['type'] === 'string' && !schema['enum'] && !schema['pattern'])
    return fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 9 })
  if (schema['type'] === 'array') return fc.array(plain((schema['items'] as Shape) ?? {}), { minLength: 1, maxLength: 2 })
  if (schema['type'] !== 'object' || !schema['properties']) return fitting(schema)
  const properties = schema['properties'] as Record<string, Shape>
  const required = (schema['required'] ?? []) as string[]
  return fc.record(Object.fromEntries(required.map((name) => [name, plain(properties[name] ?? {})])))
}

function bodyOf(operation: Operation): fc.Arbitrary<Uint8Array | null> {
  const schema = operation.body ?? { type: 'object', properties: {} }
  const right = fitting(schema)
  const text = (value: fc.Arbitrary<unknown>) => value.map((one) => new TextEncoder().encode(JSON.stringify(one) ?? ''))
  return fc.oneof(
    { weight: 8, arbitrary: text(plain(schema)) },
    { weight: 4, arbitrary: text(right) },
    { weight: 3, arbitrary: text(spoilt(right)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
    { weight: 1, arbitrary: fc.constant(new TextEncoder().encode('{"a":'.repeat(3_000))) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
}

/** Each header is mostly left out or right. */
function headersOf(): fc.Arbitrary<Record<string, string>> {
  const header = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 300)
  const now = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
  return fc
    .record({
      prefer: now(fc.constantFrom('wait=0', 'wait=1', 'wait=-1', 'wait=abc', 'wait=99999999', 'respond-async')),
      'idempotency-key': now(word().map(header)),
      'content-type': now(fc.constantFrom('application/json; charset=utf-8', 'text/plain', 'application/json; charset=utf-16', ';;;')),
      'last-event-id': now(word().map(header)),
      authorization: now(fc.constantFrom('Bearer x', 'Basic YTpi', 'Bearer', '')),
      origin: now(fc.constantFrom('http://localhost', 'http://evil.test', 'null')),
      cookie: now(fc.constantFrom('steward=', 'steward=x; steward=y', '=;=;')),
    })
    .map((all) => Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))))
}

function pathWord(operation: Operation): fc.Arbitrary<string> {
  const right = fits[operation.path.split('/')[2] ?? ''] ?? ''
  return fc.oneof({ weight: 3, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: word() })
}

function requestOf(operation: Operation): fc.Arbitrary<Given> {
  const names = operation.path.match(/\{\w+\}/g) ?? []
  const query = fc.record(Object.fromEntries(operation.query.map((one) => [one.name, fc.oneof(fitting(one.schema), word())])), {
    requiredKeys: [],
  })
  return fc
    .record({
      words: fc.tuple(...names.map(() => pathWord(operation))),
      query,
      extra: fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: word() }),
      body: bodyOf(operation),
      headers: headersOf(),
      isOwner: fc.nat(9),
    })
    .map(({ words, query, extra, body, headers, isOwner }) => {
      const path = names.reduce((text, name, i) => text.replace(name, encode(words[i] ?? '')), operation.path)
      const pairs = Object.entries(query).map(([name, value]) => `${name}=${encode(String(value))}`)
      const all = extra === null ? pairs : [...pairs, `${encode(extra)}=1`]
      const { authorization, cookie, ...rest } = headers
      const isOwn = isOwner > 0 && !operation.path.endsWith('/logout')
      const who = isOwn ? { cookie: hub.cookie } : { ...(authorization ? { authorization } : {}), cookie: cookie ?? '' }
      return { method: operation.method, path: path + (all.length ? `?${all.join('&')}` : ''), headers: { ...rest, ...who }, body }
    })
}

function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}

async function answer({ method, path, headers, body }: Given): Promise<{ readonly status: number; readonly text: string }> {
  const isBare = method === 'GET' || body === null
  const given = { host: 'localhost', ...(isBare ? {} : { 'content-type': 'application/json' }), ...headers }
  const request = new Request(new URL(path, 'http://localhost'), { method, headers: given, ...(isBare ? {} : { body }) })
  const response = await hub.inside.handle(request, { unix: false, remote: '127.0.0.1' })
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status: response.status, text: '' }
  }
  return { status: response.status, text: await response.text() }
}

test(`[H11] ${runs} generated requests: no 5xx, no hang, every refusal is a problem that says what is wrong`, {
  timeout: 60_000 + runs * 10,
}, async () => {
  const requests = fc.constantFrom(...operations).chain(requestOf)
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(requests, async (given) => {
      const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('it hangs')), hangMs).unref())
      const { status, text } = await Promise.race([answer(given), late])
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      expect(status).toBeLessThan(500)
      if (status >= 400) expect(JSON.parse(text)).toMatchObject({ status, code: expect.any(String), detail: expect.any(String) })
      else if (text !== '' && !text.startsWith('#')) JSON.parse(text)
    }),
    { numRuns: runs, endOnFailure: true },
  )
  expect(statuses.get(200) ?? 0).toBeGreaterThan(runs / 20)
  expect(hub.lines.filter((line) => line.level === 'error')).toEqual([])
  process.stderr.write(
    `fuzz: ${[...statuses]
      .sort()
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ')}\n`,
  )
})
