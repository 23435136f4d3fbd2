// The request that a configuration describes, with its templates filled in. Secrets stay references until it is sent.
//
// Y91  What a template fills in never leaves its place: no other host without being asked about, no way up the path, no further header,
//      no further member of a JSON body.
import { isObject, type Json, type JsonObject } from '../../../base/json.ts'
import type { HttpCall } from '../../../pipelines/configuration.ts'
import { withSecretReferences } from '../../../pipelines/references.ts'
import { parseUrl } from '../../../tools/web/web.ts'
import type { Scene } from '../scene.ts'
import { type Refusal, refusal } from './calls-judge.ts'
import { jsonIn } from './calls-response.ts'

export type HttpRequest = {
  readonly method: string
  /** Origin and path, with references to secrets. */
  readonly base: string
  readonly query: readonly (readonly [string, string])[]
  readonly headers: { readonly [name: string]: string }
  readonly body: string | null
  /** Its host stands in the configuration itself. */
  readonly isFixed: boolean
  /** As it is shown and recorded. */
  readonly shown: string
}

const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const mostHeaders = 40
const longestHeader = 8_192
const mostBody = 10_000_000
const reference = /\{\{secret:[a-z][a-z0-9_.-]{0,63}(?::[a-z0-9-]+)?\}\}/g
/** They belong to the connection. */
const closedHeaders =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept-encoding|forwarded|x-forwarded-.*|x-real-ip|proxy-.*)$/

export function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Throws TemplateFault. What can't be sent is a refusal that says why. */
export function requestOf(scene: Scene, server: string, { request }: Pick<HttpCall, 'request'>): HttpRequest | Refusal {
  const fill = (text: string) => scene.render(withSecretReferences(text))
  const method = fill(request.method).trim().toUpperCase() || 'GET'
  if (!methods.includes(method)) return refusal('invalid', `"${method.slice(0, 40)}" is no method; allowed are ${methods.join(', ')}.`)
  const [raw, path] = [request.path.trim(), fill(request.path).trim()]
  if (climbs(path) && !climbs(raw)) return refusal('invalid', 'A value that was filled into the path leads out of it with "..".')
  const base = escaped(isAbsolute(path) ? path : joined(fill(server).trim(), path))
  const query = Object.entries(request.queryParams).map(([name, value]): [string, string] => [fill(name), fill(value)])
  const url = parseUrl(urlText({ base, query }, () => 'secret'))
  if (!(url instanceof URL)) return refusal(url.code, url.why)
  const body = bodyOf(scene, request)
  if (body !== null && body.length > mostBody) return refusal('invalid', `The body is longer than ${mostBody} characters.`)
  const headers = headersOf(request, fill, body !== null)
  if (typeof headers === 'string') return refusal('invalid', headers)
  const isFixed = fixedOrigin(isAbsolute(raw) ? raw : joined(server.trim(), raw)) === url.origin
  return { method, base, query, headers, body, isFixed, shown: urlText({ base, query }, (text) => text) }
}

type Place = Pick<HttpRequest, 'base' | 'query'>

/** `secret`: what stands for a reference. */
export function urlText({ base, query }: Place, secret: (reference: string) => string): string {
  const parts = query.map(([name, value]) => `${encodeURIComponent(name)}=${encoded(value, secret)}`)
  const path = base.replace(reference, (one) => secret(one))
  if (parts.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${parts.join('&')}`
}

/** All but the references, which are what `secret` says. */
function encoded(text: string, secret: (reference: string) => string): string {
  const known = text.match(reference) ?? []
  return text
    .split(reference)
    .map((part, at) => encodeURIComponent(part.toWellFormed()) + (at < known.length ? secret(known[at] ?? '') : ''))
    .join('')
}

export function referencesOf({ base, query }: Place): readonly string[] {
  return [...new Set([base, ...query.flat()].flatMap((text) => text.match(reference) ?? []))]
}

function isAbsolute(path: string): boolean {
  return /^https?:\/\//i.test(path)
}

function joined(server: string, path: string): string {
  if (path === '') return server
  if (/^[?#]/.test(path)) return server + path
  return `${server.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
}

/** The origin that a text names before any template begins; null: a template decides it. */
function fixedOrigin(raw: string): string | null {
  const found = /^https?:\/\/[^/?#{}$[\]\s]+(?=[/?#]|$)/i.exec(raw)?.[0]
  return found !== undefined && URL.canParse(found) ? new URL(found).origin : null
}

function climbs(path: string): boolean {
  const plain = (path.split(/[?#]/)[0] ?? '').replace(/%2e/gi, '.').replace(/%2f|\\/gi, '/')
  return /(^|\/)\.\.?(\/|$)/.test(plain)
}

/** Spaces and signs that no path holds, as browsers would write them; the host is left as it is, and judged so. */
function escaped(base: string): string {
  const [, start = '', rest = ''] = /^(https?:\/\/[^/?#]*)?([\s\S]*)$/i.exec(base.toWellFormed()) ?? []
  const known = rest.match(reference) ?? []
  const parts = rest.split(reference).map((part) => part.replace(/[^\u0021-\u007e]|["<>\\^`{|}]/gu, encodeURIComponent))
  return start + parts.map((part, at) => part + (known[at] ?? '')).join('')
}

// ---- headers

type Fill = (text: string) => string

/** A text says what is wrong. */
function headersOf(request: HttpCall['request'], fill: Fill, hasBody: boolean): Readonly<Record<string, string>> | string {
  const given = Object.entries(request.headers).map(([name, value]) => [fill(name).trim().toLowerCase(), fill(value).trim()] as const)
  const type = fill(request.contentType).trim()
  const all = hasBody && type !== '' ? [['content-type', type] as const, ...given] : given
  if (all.length > mostHeaders) return `A request takes at most ${mostHeaders} headers.`
  for (const [name, value] of all) {
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name)) return `${JSON.stringify(name.slice(0, 80))} is no name of a header.`
    if (closedHeaders.test(name)) return `The header ${name} belongs to the connection and can't be set.`
    if (value.length > longestHeader || !/^[\t\u0020-\u007e\u00a0-\u00ff]*$/.test(value))
      return `The value of the header ${name} must be one line of at most ${longestHeader} characters of Latin letters.`
  }
  return Object.fromEntries(all)
}

// ---- body

function bodyOf(scene: Scene, { body, contentType }: HttpCall['request']): string | null {
  const raw = withSecretReferences(body)
  if (raw.trim() === '') return null
  const text = scene.render(raw)
  if (!/json/i.test(contentType) && contentType.trim() !== '') return text
  // Where the configuration's own text is JSON, values are filled in as values: quotes in them end nothing.
  const shape = jsonIn(raw)
  if (shape === null) return text
  const safe = filled(scene, shape.value)
  const plain = jsonIn(text)
  return plain !== null && hasShape(plain.value, safe) ? text : JSON.stringify(safe)
}

function filled(scene: Scene, value: Json): Json {
  if (typeof value === 'string') return scene.render(value)
  if (Array.isArray(value)) return value.map((one) => filled(scene, one))
  if (!isObject(value)) return value
  const members: JsonObject = value
  return Object.fromEntries(Object.entries(members).map(([name, one]) => [scene.render(name), filled(scene, one)]))
}

/** The same members of the same types; texts may differ, since some values come escaped already. */
function hasShape(one: Json, other: Json): boolean {
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((each, at) => hasShape(each, other[at] ?? null))
  if (!isMembers(one)) return typeof one === typeof other && (one === null) === (other === null) && !isMembers(other)
  if (!isMembers(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && hasShape(one[name] ?? null, other[name] ?? null))
  )
}

/** A JSON object. */
export function isMembers(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
