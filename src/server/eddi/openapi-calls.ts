// HTTP calls of the paths of an OpenAPI description: each operation is a tool of the model, its parameters the tool's. Pure.
import { InvalidInput } from '../../base/errors.ts'
import { isObject, type Json, type JsonObject } from '../../base/json.ts'
import { isJson } from './route.ts'

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const
const mostCalls = 200
const longest = 500

export type Asked = {
  /** Where the paths are; '': as the description says. */
  readonly baseUrl: string
  /** Names of operations, or `GET /path`, with commas between; '': all. */
  readonly only: string
  /** The Authorization header; a reference to a secret. '': none. */
  readonly auth: string
}

/** Throws InvalidInput for what is no description in JSON, or has no path that was asked for. */
export function callsIn(given: Json | undefined, { baseUrl, only, auth }: Asked): JsonObject {
  const spec = specIn(given)
  const server = baseUrl === '' ? serverOf(spec) : baseUrl
  if (!/^https?:\/\//.test(server)) throw new InvalidInput('/apiBaseUrl must be an http or https address: the description names none')
  const wanted = only.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim().toLowerCase()]))
  const paths = isJson(spec['paths']) ? spec['paths'] : {}
  const calls = Object.entries(paths).flatMap(([path, item]) => operationsOf(path, item, auth))
  const chosen = wanted.length === 0 ? calls : calls.filter(({ names }) => names.some((name) => wanted.includes(name)))
  if (chosen.length === 0) throw new InvalidInput('/openApiSpec has no operation that was asked for', { path: '/openApiSpec' })
  if (chosen.length > mostCalls)
    throw new InvalidInput(
      `/openApiSpec has ${chosen.length} operations; ${mostCalls} are allowed: name those that are wanted in /endpoints`,
    )
  return { targetServerUrl: server.replace(/\/+$/, ''), httpCalls: chosen.map(({ call }) => call) }
}

function specIn(given: Json | undefined): JsonObject {
  const wrong = new InvalidInput('/openApiSpec must be an OpenAPI 3 description in JSON', { path: '/openApiSpec' })
  if (isJson(given)) return given
  if (typeof given !== 'string') throw wrong
  try {
    const read: unknown = JSON.parse(given)
    if (isJson(read)) return read
  } catch {
    throw wrong
  }
  throw wrong
}

function serverOf({ servers }: JsonObject): string {
  const first = Array.isArray(servers) ? servers[0] : undefined
  return isObject(first) && typeof first['url'] === 'string' ? first['url'] : ''
}

type Operation = { readonly names: readonly string[]; readonly call: JsonObject }

function operationsOf(path: string, item: Json, auth: string): readonly Operation[] {
  if (!isJson(item)) return []
  return verbs.flatMap((verb) => {
    const operation = item[verb]
    if (!isJson(operation)) return []
    const shared = Array.isArray(item['parameters']) ? item['parameters'] : []
    const own = Array.isArray(operation['parameters']) ? operation['parameters'] : []
    const name = nameOf(operation, verb, path)
    return [
      {
        names: [name.toLowerCase(), `${verb} ${path}`.toLowerCase()],
        call: callOf({ name, verb, path, auth, operation, all: [...shared, ...own] }),
      },
    ]
  })
}

type Making = {
  readonly name: string
  readonly verb: string
  readonly path: string
  readonly auth: string
  readonly operation: JsonObject
  readonly all: readonly Json[]
}

function callOf({ name, verb, path, auth, operation, all }: Making): JsonObject {
  const given = all.flatMap((one) => (isJson(one) && typeof one['name'] === 'string' ? [{ ...one, name: one['name'] }] : []))
  const at = (place: string) => given.filter((one: JsonObject) => one['in'] === place)
  const hasBody = isObject(operation['requestBody'])
  const parameters = Object.fromEntries([
    ...[...at('path'), ...at('query')].map((one) => [one.name, wordsOf(one) || one.name]),
    ...(hasBody ? [['body', 'The body of the request, as JSON']] : []),
  ])
  return {
    name,
    description: wordsOf(operation) || `${verb.toUpperCase()} ${path}`,
    parameters,
    actions: [],
    saveResponse: true,
    responseObjectName: name,
    request: {
      path: path.replace(/\{([^{}/]+)\}/g, (_, word: string) => `{${word}}`),
      method: verb,
      queryParams: Object.fromEntries(at('query').map((one) => [one.name, `{${one.name}}`])),
      headers: auth === '' ? {} : { Authorization: auth },
      ...(hasBody ? { contentType: 'application/json', body: '{body}' } : {}),
    },
  }
}

function wordsOf({ summary, description }: JsonObject): string {
  const found = [summary, description].find((one) => typeof one === 'string' && one.trim() !== '')
  return typeof found === 'string' ? found.trim().slice(0, longest) : ''
}

/** As tools are called. */
function nameOf({ operationId }: JsonObject, verb: string, path: string): string {
  const given = typeof operationId === 'string' ? operationId : `${verb}_${path}`
  return given
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 64)
}
