// One agent file: who someone is (DESIGN section 6). Front matter is checked here; the text below it is the persona.
import { z } from 'zod'
import { sha256 } from '../base/hash.ts'
import type { JsonObject } from '../base/json.ts'
import { onDisconnect, onIdle, onSuspend } from '../protocol/shapes.ts'
import type { DocumentLevel } from '../scopes/scopes.ts'
import { readFrontMatter } from './front-matter.ts'

/** How an agent is called: lower case, so that @Scout and @scout are one. */
const callable = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'allowed is a letter, then letters, digits, - and _, at most 64 characters in all'))
const words = z.array(z.string().trim().min(1, 'an empty text is not allowed').max(200)).max(500)
const names = z.array(callable).max(100)
const object = z.record(z.string(), z.json()).transform((value): JsonObject => value)

const ms = z.int().min(1_000, 'allowed is a whole number of milliseconds, 1000 at least').max(31_536_000_000, 'allowed is a year at most')
/** What becomes of a session that such a client leaves alone; what is absent has its default (scopes/session-state.ts). */
const sessionPolicies = z.strictObject({
  onDisconnect: z.enum(onDisconnect).exactOptional(),
  onIdle: z.enum(onIdle).exactOptional(),
  onSuspend: z.enum(onSuspend).exactOptional(),
  idleTimeoutMs: ms.exactOptional(),
  suspendKeepDurationMs: ms.exactOptional(),
})
export type SessionPolicies = z.infer<typeof sessionPolicies>
/** Names and `@labels`; keep and dropFirst also `prefix_*`: families that lose their schemas last and first when there are too many. */
const preference = { keep: words.exactOptional(), dropFirst: words.exactOptional() }
const profileTools = z.strictObject({
  ...{ add: words.exactOptional(), remove: words.exactOptional(), defer: words.exactOptional() },
  ...preference,
})
const profile = z.looseObject({ session: sessionPolicies.exactOptional(), tools: profileTools.exactOptional() })

/** How routing may use it, beside its triggers. All of it can be left out. */
const seat = z.strictObject({
  /** It wins a tie within its class. */
  default: z.boolean().exactOptional(),
  /** Who takes over when it can't be had. */
  fallback: callable.exactOptional(),
  /** A word for what the host must offer; where it doesn't, `fallback` takes over. */
  requiresHostTier: z.string().trim().min(1).max(64).exactOptional(),
  degradedMode: z.enum(['fanout', 'sample-select']).exactOptional(),
  /** Who gets a piece of work that it failed at, and how often at most. */
  escalation: z
    .strictObject({
      onFail: z.enum(['reroute', 'escalate-tier']),
      to: callable.exactOptional(),
      most: z.int().min(0).max(10).default(1),
    })
    .exactOptional(),
})

const shape = {
  name: callable,
  aliases: z.array(callable).max(50).default([]),
  title: z.string().trim().min(1).max(200).optional(),
  class: z.string().trim().min(1).max(64).default('generalist'),
  engine: z.string().trim().min(1).default('quick'),
  triggers: words.default([]),
  refuses: words.default([]),
  handsOff: names.default([]),
  routing: seat.default({}),
  tier: z.enum(['light', 'standard', 'deep']).default('standard'),
  /** Absent: what its engine gives to every agent. Empty: no capability at all. */
  pledge: z
    .array(z.string().regex(/^[a-z]+(\.[a-z*]+)*$/, 'allowed are capabilities such as fs.read, web.read, fs.*'))
    .max(100)
    .optional(),
  unveil: z.array(z.string().min(1).max(4096)).max(100).default(['./']),
  tools: z
    .strictObject({ add: words.default([]), remove: words.default([]), defer: words.default([]), ...preference })
    .default({ add: [], remove: [], defer: [] }),
  params: object.default({}),
  schedule: words.default([]),
  /** By a client's profile, as in `profiles: {mobile: {session: {onDisconnect: SUSPEND}, tools: {remove: ["@write"]}}}`. */
  profiles: z.record(z.string(), profile).default({}),
}
const schema = z.object(shape)
const agentFields: readonly string[] = Object.keys(shape)

/** Where it was found, and which text it is: enough to find the same text again. */
export type AgentSource = {
  readonly path: string
  readonly level: DocumentLevel
  readonly scope: string
  readonly version: number
  /** SHA-256 of the file's text, hexadecimal. */
  readonly hash: string
}

export type Agent = Omit<z.infer<typeof schema>, 'title' | 'pledge'> & {
  readonly title: string
  readonly pledge: readonly string[] | null
  readonly persona: string
  readonly source: AgentSource
}

/** Line (from 1) of the value at a path of the front matter, as in `['triggers', 2]`. */
export type LineOf = (path: readonly PropertyKey[]) => number

/** `error`: the agent can't be used. `warning`: it can, but not all of the file means what its writer thought. */
export type Fault = {
  readonly severity: 'error' | 'warning'
  readonly path: string
  readonly level: DocumentLevel
  readonly scope: string
  readonly line: number
  /** The wrong field, as in `tools.add.0`; empty for the file as a whole. */
  readonly field: string
  /** A whole sentence: file, line, what is wrong, what is allowed. */
  readonly message: string
}

export type AgentFile = Omit<AgentSource, 'hash'> & { readonly text: string }
export type ParsedAgent = { readonly agent: Agent | null; readonly faults: readonly Fault[]; readonly lineOf: LineOf }

/** Reads one file. Never throws; with an error among the faults the agent is null. Pure. */
export function parseAgent(file: AgentFile): ParsedAgent {
  const front = readFrontMatter(file.text)
  if (!('value' in front)) return { agent: null, faults: [faultIn(file, front)], lineOf: () => front.line }
  const { lineOf } = front
  if (typeof front.value !== 'object' || front.value === null || Array.isArray(front.value)) {
    return { agent: null, faults: [faultIn(file, { line: 1, message: 'the front matter is not a list of "key: value"' })], lineOf }
  }
  const unknown = Object.keys(front.value)
    .filter((key) => !agentFields.includes(key))
    .map((key) => unknownKey(file, key, front.lineOfKey(key)))
  const parsed = schema.safeParse(front.value)
  if (parsed.success) return { agent: agentOf(parsed.data, front.body, file), faults: unknown, lineOf: linesOf(file.text) }
  const wrong = parsed.error.issues.map((issue) => {
    const field = issue.path.map(String).join('.')
    return faultIn(file, { line: lineOf(issue.path), message: `${field || 'front matter'}: ${saying(issue, front.value)}`, field })
  })
  return { agent: null, faults: [...wrong, ...unknown], lineOf }
}

/** Reads the text once more when somebody asks: a parsed file takes much memory, and lines are asked for where something is odd. */
function linesOf(text: string): LineOf {
  let front: ReturnType<typeof readFrontMatter> | null = null
  return (path) => {
    front ??= readFrontMatter(text)
    return 'value' in front ? front.lineOf(path) : front.line
  }
}

/** A fault of a file as one sentence that starts with its place. */
export function faultIn(
  file: Pick<AgentFile, 'path' | 'level' | 'scope'>,
  what: { readonly line: number; readonly message: string; readonly field?: string; readonly severity?: 'error' | 'warning' },
): Fault {
  const { path, level, scope } = file
  const place = `${path}:${what.line} (${level === 'bundled' ? level : `${level} ${scope}`})`
  const message = `${place}: ${what.message}.`
  return { severity: what.severity ?? 'error', path, level, scope, line: what.line, field: what.field ?? '', message }
}

function agentOf(fields: z.infer<typeof schema>, persona: string, file: AgentFile): Agent {
  const { path, level, scope, version } = file
  return {
    ...fields,
    title: fields.title ?? fields.name,
    pledge: fields.pledge ?? null,
    persona,
    source: { path, level, scope, version, hash: sha256(file.text) },
  }
}

/** The policies of sessions that a client of that profile makes with the agent. `foot` is another word for `terminal`. */
export function policiesOf(agent: Agent, client: string): SessionPolicies {
  return profileOf(agent, client)?.session ?? {}
}

/** What it says about its tools for a client of that profile, then for every client. null: no client is known. */
export function toolLayersOf(agent: Agent, client: string | null): readonly z.infer<typeof profileTools>[] {
  const own = client === null ? undefined : profileOf(agent, client)?.tools
  return own === undefined ? [agent.tools] : [own, agent.tools]
}

function profileOf({ profiles }: Agent, client: string): z.infer<typeof profile> | undefined {
  const names = client === 'terminal' ? ['terminal', 'foot'] : [client]
  const name = names.find((one) => Object.hasOwn(profiles, one))
  return name === undefined ? undefined : profiles[name]
}

function unknownKey(file: AgentFile, key: string, line: number): Fault {
  const message = `"${key.slice(0, 60)}" is no field of an agent and is not used; allowed are ${agentFields.join(', ')}`
  return faultIn(file, { severity: 'warning', line, field: key, message })
}

function saying(issue: z.core.$ZodIssue, root: unknown): string {
  const given = valueAt(root, issue.path)
  if (given === undefined) return 'is missing'
  const shown = JSON.stringify(given)?.slice(0, 80) ?? typeof given
  if (issue.code === 'invalid_value') return `is ${shown}; allowed: ${issue.values.map(String).join(', ')}`
  if (issue.code === 'invalid_type') return `is ${shown}; allowed is ${typeNames[issue.expected] ?? issue.expected}`
  if (issue.code === 'too_big' && (typeof given === 'string' || Array.isArray(given))) {
    return `has ${given.length} ${typeof given === 'string' ? 'characters' : 'entries'}; allowed are at most ${issue.maximum}`
  }
  if (issue.code === 'unrecognized_keys') {
    const allowed = closed[String(issue.path.at(-1))] ?? sessionPolicies.shape
    return `has the unknown ${issue.keys.map((key) => `"${key}"`).join(', ')}; allowed: ${Object.keys(allowed).join(', ')}`
  }
  return `is ${shown}; ${issue.message}`
}

/** Maps that take no other keys, by name. */
const closed: Readonly<Record<string, object>> = {
  tools: shape.tools.unwrap().shape,
  routing: seat.shape,
  escalation: seat.shape.escalation.unwrap().shape,
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list, as in [a, b]',
  object: 'a map, as in {key: value}',
  record: 'a map, as in {key: value}',
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = root
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}
