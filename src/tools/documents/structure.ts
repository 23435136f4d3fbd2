// Documents with a structure: a list, a tree or records, kept as YAML (or JSON, by the path's ending). Every item has an id, so that a
// change names what it means and not a position that somebody else's change has moved. Pure.
import { stringify } from 'yaml'
import { z } from 'zod'
import { InvalidInput, messageOf } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import { readYaml } from '../../base/yaml.ts'

export const longestText = 4_000
const mostItems = 5_000
/** Of the YAML of one: as long as a document may be. */
const mostCharacters = 1_048_576
export const deepest = 20

const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
const text = z.string().min(1).max(longestText)
const title = z.string().max(200).optional()

export const listSchema = z.strictObject({
  kind: z.literal('list'),
  title,
  items: z.array(z.strictObject({ id, text, done: z.boolean().optional() })).max(mostItems),
})
export type ListState = z.infer<typeof listSchema>
export type ListItem = ListState['items'][number]

/** Flat, each under its parent, in order: a tree as deep as it likes costs no recursion to check. On disk it is nested. */
export type TreeNode = { readonly id: string; readonly text: string; readonly parent: string | null }
export type TreeState = { readonly kind: 'tree'; readonly title?: string | undefined; readonly nodes: readonly TreeNode[] }

export const cell = z.union([z.string().max(longestText), z.number(), z.boolean(), z.null()])
export const fieldTypes = ['text', 'number', 'boolean', 'date'] as const
export const field = z.strictObject({
  // What every object has by itself, such as "constructor", would be found in rows that have no such value.
  name: z
    .string()
    .regex(/^[\p{L}][\p{L}\p{N} _-]{0,63}$/u)
    .refine((name) => !(name in {}), 'is a name that a field can not have; choose another'),
  type: z.enum(fieldTypes).default('text'),
  required: z.boolean().optional(),
})
export type Field = z.infer<typeof field>
export const recordsSchema = z.strictObject({
  kind: z.literal('records'),
  title,
  fields: z.array(field).max(60),
  rows: z.array(z.strictObject({ id, values: z.record(z.string(), cell) })).max(mostItems),
})
export type RecordsState = z.infer<typeof recordsSchema>
export type Row = RecordsState['rows'][number]

/** What a kind of structure is: how it is read from and written to a document's value. */
export type Structure<S> = {
  readonly kind: string
  empty(): S
  /** Throws InvalidInput. */
  read(value: unknown): S
  write(state: S): unknown
}

/** Throws InvalidInput for a text that is none of that kind. */
export function parseStructure<S>(structure: Structure<S>, path: string, source: string): S {
  return structure.read(path.endsWith('.json') ? jsonIn(path, source) : yamlIn(path, source))
}

function jsonIn(path: string, source: string): unknown {
  try {
    return JSON.parse(source)
  } catch (thrown) {
    throw new InvalidInput(`${path} can't be read as JSON: ${messageOf(thrown).slice(0, 200)}`)
  }
}

function yamlIn(path: string, source: string): unknown {
  const yaml = readYaml(source, { mostCharacters })
  if ('value' in yaml) return yaml.value
  throw new InvalidInput(`${path}, line ${yaml.line}: ${yaml.message}.`)
}

export function writeStructure<S>(structure: Structure<S>, path: string, state: S): string {
  const value = structure.write(state)
  return path.endsWith('.json') ? `${JSON.stringify(value, null, 2)}\n` : stringify(value, { lineWidth: 0 })
}

/** Throws InvalidInput that names the first fault and its place. */
export function checked<S extends { kind: string }>(schema: z.ZodType<S>, value: unknown): S {
  const found = schema.safeParse(value)
  if (found.success) return found.data
  const [first] = found.error.issues
  throw new InvalidInput(`That is no such document: ${first?.path.join('.') || 'it'}: ${first?.message ?? 'wrong'}`)
}

/** Throws InvalidInput when two have the same. */
export function checkIds(items: readonly { readonly id: string }[]): void {
  const seen = new Set<string>()
  for (const one of items) {
    if (seen.has(one.id)) throw new InvalidInput(`Two items have the id "${one.id}".`)
    seen.add(one.id)
  }
}

/** The same call makes the same ids, so that one that is done again adds nothing twice. */
export function newItemId(key: string, at: number): string {
  return `i${sha256(JSON.stringify([key, at])).slice(0, 9)}`
}

/** With `items` put behind the one of that id; null: at the start; undefined: at the end. Throws InvalidInput for an unknown id. */
export function placed<T extends { readonly id: string }>(
  all: readonly T[],
  items: readonly T[],
  after: string | null | undefined,
): readonly T[] {
  if (after === undefined) return [...all, ...items]
  if (after === null) return [...items, ...all]
  const at = all.findIndex((one) => one.id === after)
  if (at < 0) throw unknownItem(after)
  return [...all.slice(0, at + 1), ...items, ...all.slice(at + 1)]
}

export function itemOf<T extends { readonly id: string }>(all: readonly T[], wanted: string): T {
  const found = all.find((one) => one.id === wanted)
  if (!found) throw unknownItem(wanted)
  return found
}

export function unknownItem(wanted: string): InvalidInput {
  return new InvalidInput(`There is no item "${wanted.slice(0, 64)}" in it; ids stand before each item when it is read.`)
}
