// The text of a foreign table, and what is said about its faults: the path, the line, what is there and what is allowed.
import { InvalidInput } from '../base/errors.ts'
import { readYaml } from '../base/yaml.ts'

export type Given = {
  readonly value: unknown
  /** Line (from 1) of what is at that path, or of the nearest thing above it; null: it was no text. */
  lineOf(path: readonly PropertyKey[]): number | null
}

/** What zod says, or one of our own. */
export type Issue = {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly code?: string | undefined
  readonly keys?: readonly string[]
  readonly values?: readonly unknown[]
  readonly expected?: string
  readonly issues?: readonly { readonly message: string }[]
}

const mostCharacters = 256_000
const mostAliases = 100
const mostTold = 10

/** Reads the text, or takes what was read already. Throws InvalidInput. */
export function givenOf(given: unknown): Given {
  if (typeof given !== 'string') return { value: given, lineOf: () => null }
  const yaml = readYaml(given, { mostCharacters, aliases: mostAliases })
  if (!('message' in yaml)) return yaml
  throw new InvalidInput(`The routing table can't be read: line ${yaml.line}: ${yaml.message}.`)
}

/** All that is wrong in one error; its path is that of the first. */
export function refusalOf(
  source: Given,
  issues: readonly Issue[],
  fields: readonly (readonly [RegExp, readonly string[]])[],
): InvalidInput {
  const told = issues.slice(0, mostTold).map((issue) => sentence(source, issue, fields))
  const more = issues.length > mostTold ? ` And ${issues.length - mostTold} more faults.` : ''
  const path = issues[0]?.path ?? []
  return new InvalidInput(`The routing table is not right: ${told.join(' ')}${more}`, {
    path: path.map((part) => `/${pointer(part)}`).join(''),
  })
}

function sentence(source: Given, issue: Issue, fields: readonly (readonly [RegExp, readonly string[]])[]): string {
  const line = source.lineOf(issue.path)
  const place = issue.path.map(String).join('.')
  return `${line === null ? '' : `line ${line}: `}${place === '' ? 'the table' : place} ${said(issue, valueAt(source.value, issue.path), allowedAt(place, fields))}.`
}

function said(issue: Issue, given: unknown, allowed: readonly string[]): string {
  if (issue.code === 'unrecognized_keys') {
    return `has the unknown ${(issue.keys ?? []).slice(0, 10).map(quoted).join(', ')}; allowed are ${allowed.join(', ')}`
  }
  if (issue.code === undefined) return issue.message.startsWith('has ') ? issue.message : `is wrong: ${issue.message}`
  if (given === undefined) return 'is missing'
  if (issue.code === 'invalid_key') return `is no allowed name: ${issue.issues?.[0]?.message ?? issue.message}`
  if (issue.code === 'invalid_value') return `is ${shown(given)}; allowed are ${(issue.values ?? []).map(String).join(', ')}`
  if (issue.code === 'invalid_type') return `is ${shown(given)}; allowed is ${kinds[issue.expected ?? ''] ?? issue.expected}`
  return `is ${shown(given)}: ${issue.message}`
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list, as in [a, b]',
  object: 'a group of "key: value"',
  record: 'a group of "key: value"',
}

function allowedAt(place: string, fields: readonly (readonly [RegExp, readonly string[]])[]): readonly string[] {
  return fields.find(([pattern]) => pattern.test(place))?.[1] ?? []
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = Reflect.get(value, part)
  }
  return value
}

function shown(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? typeof value).slice(0, 80)
  } catch {
    return typeof value
  }
}

function quoted(text: string): string {
  return `"${text.slice(0, 60)}"`
}

function pointer(part: PropertyKey): string {
  return String(part).replaceAll('~', '~0').replaceAll('/', '~1')
}
