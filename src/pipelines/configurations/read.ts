// Reads a configuration: older names become canonical ones, missing parts their defaults, and what is wrong is named with its place.
//
// Y64  Strict at the edge: every unknown member, wrong type and wrong word is named, all at once. Lenient where it is stored already.
import { z } from 'zod'
import { InvalidInput } from '../../base/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Configurations, Kind } from '../configuration.ts'
import { refuseDeep } from './depth.ts'
import { canonicalOf } from './older.ts'
import { httpCalls, mcpCalls, toolCalls } from './schemas/calls.ts'
import { agent, llm, rag, workflow } from './schemas/models.ts'
import { propertySetter } from './schemas/properties.ts'
import { dictionary, output, parser, rules, snippet } from './schemas/speech.ts'

/** `path`: where it stands, in canonical names, as in `/behaviorGroups/0/rules/2/name`. */
export type ReadFault = { readonly path: string; readonly message: string }
export type Read<K extends Kind> = {
  readonly value: Configurations[K]
  /** Empty with `lenient`: what can't be read at all is thrown then. */
  readonly faults: readonly ReadFault[]
  /** Members that mean nothing here. */
  readonly unknown: readonly string[]
}

const schemas: { readonly [K in Kind]: z.ZodType<Configurations[K]> } = {
  ...{ agent, workflow, rules, httpcalls: httpCalls, llm, output, dictionary },
  ...{ property: propertySetter, mcpcalls: mcpCalls, rag, parser, snippet, toolcalls: toolCalls },
}

/** Never more than this many are told. */
const mostFaults = 100

/**
 * The canonical configuration. With `strict` all faults are in the answer (and `value` is what could be read: don't use it when there
 * are any). With `lenient` unknown members are passed over, and InvalidInput is thrown for what can't be read.
 */
export function readConfiguration<K extends Kind>(kind: K, given: unknown, mode: 'strict' | 'lenient'): Read<K> {
  refuseDeep(given)
  const plain = jsonOf(given)
  if (!isJsonObject(plain)) throw new InvalidInput(`a configuration is a JSON object; this is ${nameOf(plain)}`, { path: '/' })
  const form = canonicalOf(kind, plain)
  const read = schemas[kind].safeParse(form)
  if (!read.success) {
    const faults = faultsOf(read.error)
    if (mode === 'strict') return { value: emptyOf(kind), faults, unknown: [] }
    const [first] = faults
    throw new InvalidInput(`this ${kind} can't be read: ${first?.path ?? '/'}: ${first?.message ?? ''}`, { path: first?.path ?? '/' })
  }
  const unknown: string[] = []
  leftOut(form, jsonOf(read.data), '', unknown)
  const faults =
    mode === 'lenient' ? [] : unknown.map((path) => ({ path, message: 'it is not known here: check its spelling, or leave it out' }))
  return { value: read.data, faults, unknown }
}

/**
 * The same configuration in canonical names, without members that mean nothing here and without filled-in defaults: what an import keeps
 * and an export writes. Throws InvalidInput for what can't be read.
 */
export function canonicalRaw(kind: Kind, given: unknown): { readonly raw: JsonObject; readonly unknown: readonly string[] } {
  const { value, unknown } = readConfiguration(kind, given, 'lenient')
  const plain = jsonOf(given)
  const kept = isJsonObject(plain) ? onlyKnown(canonicalOf(kind, plain), jsonOf(value)) : {}
  return { raw: isJsonObject(kept) ? laidOut(kind, kept) : {}, unknown }
}

/** Members that reading passed over are left out; what became of another shape is kept as a whole. */
function onlyKnown(form: Json, read: Json | undefined): Json {
  if (Array.isArray(form) && Array.isArray(read)) return form.map((one, at) => onlyKnown(one, read[at]))
  if (!isJsonObject(form) || !isJsonObject(read)) return form
  return Object.fromEntries(
    Object.entries(form).flatMap(([name, one]) => (Object.hasOwn(read, name) ? [[name, onlyKnown(one, read[name])]] : [])),
  )
}

/** What reading gathers into one member stands beside the others again. */
function laidOut(kind: Kind, { kept, ...raw }: JsonObject): JsonObject {
  if (kind === 'agent') return { ...(isJsonObject(kept) ? kept : {}), ...raw }
  const whole = kept === undefined ? raw : { ...raw, kept }
  if (kind !== 'llm' || !Array.isArray(raw['tasks'])) return whole
  const tasks = raw['tasks'].map((task) => {
    if (!isJsonObject(task)) return task
    const { more, ...rest } = task
    return { ...rest, ...(isJsonObject(more) ? more : {}) }
  })
  return { ...whole, tasks }
}

/** The JSON Schema of a kind, in canonical names. */
export function jsonSchemaOf(kind: Kind): JsonObject {
  const schema = jsonOf(z.toJSONSchema(schemas[kind], { io: 'input', unrepresentable: 'any', target: 'draft-7' }))
  return isJsonObject(schema) ? schema : {}
}

function emptyOf<K extends Kind>(kind: K): Configurations[K] {
  return schemas[kind].parse(kind === 'snippet' ? { name: 'empty' } : {})
}

function faultsOf(error: z.ZodError): readonly ReadFault[] {
  return error.issues.slice(0, mostFaults).map(({ path, message }) => ({ path: `/${path.map(String).join('/')}`, message }))
}

/** Members of the form that the reading passed over. What became of another shape was read as a whole. */
function leftOut(form: Json | undefined, read: Json | undefined, path: string, found: string[]): void {
  if (found.length >= mostFaults) return
  if (Array.isArray(form) && Array.isArray(read)) return form.forEach((one, at) => void leftOut(one, read[at], `${path}/${at}`, found))
  if (!isJsonObject(form) || !isJsonObject(read)) return
  for (const [name, value] of Object.entries(form)) {
    const at = `${path}/${name}`
    if (Object.hasOwn(read, name)) leftOut(value, read[name], at, found)
    else found.push(at)
  }
}

function jsonOf(value: unknown): Json {
  const text = JSON.stringify(value)
  return text === undefined ? null : JSON.parse(text)
}

function nameOf(value: Json): string {
  if (value === null) return 'nothing'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}
