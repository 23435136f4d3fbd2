// The form of `routing.yaml`: mode, thresholds, keyword lists, signals, templates and learned rules, read so that each fault has its
// line. A document with a fault counts as if it were not there; the outer levels still hold (R22).
import { z } from 'zod'
import { sha256 } from '../base/hash.ts'
import { isId, type MessageId } from '../base/ids.ts'
import { canonical } from '../base/json.ts'
import { readYaml } from '../base/yaml.ts'
import type { Actor } from '../protocol/actor.ts'
import { type LearnedRule, type RoutingMode, routingModes } from './routing.ts'
import type { Signal, Thresholds, Tier } from './table.ts'

export const routingFile = 'routing.yaml'
/** Of one document. */
export const mostRules = 500
/** Of one document. */
export const mostCharacters = 128_000

export type PlaceThresholds = Thresholds & { readonly keywords: number }
/** `classes`: null where they follow from the steps. */
export type TemplateText = {
  readonly name: string
  readonly steps: readonly string[]
  readonly classes: readonly string[] | null
  readonly when: string
}
/** What one document says; what it does not say is null or empty. */
export type RoutingDocument = {
  readonly mode: RoutingMode | null
  readonly thresholds: Partial<PlaceThresholds>
  readonly deep: { readonly lead: Tier; readonly workers: Tier } | null
  readonly keywords: ReadonlyMap<string, readonly string[]>
  readonly signals: readonly Signal[]
  readonly templates: readonly TemplateText[]
  readonly rules: readonly LearnedRule[]
}
export type RoutingFault = { readonly place: string; readonly line: number; readonly message: string }
export type ParsedRouting = { readonly document: RoutingDocument | null; readonly faults: readonly RoutingFault[] }

/** A phrase as it is compared: lower case, one space between words. */
export function plainPhrase(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase()
}

/** Two rules that say the same have the same id. */
export function ruleIdOf(when: readonly string[], to: string): string {
  return `rule-${sha256(canonical([[...when].sort(), to])).slice(0, 12)}`
}

const agentName = /^[a-z][a-z0-9_-]{0,63}$/
const key = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'allowed are 1 to 64 lower case letters, digits, ".", "-" and "_"')
const seat = z.string().regex(/^(class:)?[a-z][a-z0-9_-]{0,63}$/, "allowed are an agent's name, or a class as in class:coder")
const phrase = z.string().min(1).max(200).transform(plainPhrase).pipe(z.string().min(1, 'an empty phrase is not allowed'))
const share = z.number().min(0).max(1)
const count = z.int().min(0).max(100_000)
const tier = z.enum(['light', 'standard', 'deep'])

const thresholdFields = {
  keywords: share.exactOptional(),
  tauStandard: share.exactOptional(),
  tauTrance: share.exactOptional(),
  chainFloor: share.exactOptional(),
  maxReroutes: count.exactOptional(),
  maxParallel: count.exactOptional(),
  surfaceFiles: count.exactOptional(),
  surfaceModules: count.exactOptional(),
}
const signalFields = {
  id: key,
  match: z.array(phrase).max(500).default([]),
  boost: z.record(seat, z.number().min(-2).max(2)).default({}),
  stakes: z.boolean().default(false),
  onlyQuestions: z.boolean().default(false),
  notWithPath: z.boolean().default(false),
  byContext: z.enum(['prior_failure']).nullable().default(null),
}
const templateFields = {
  name: key,
  steps: z.array(seat).max(20).default([]),
  classes: z.array(z.string().regex(agentName)).max(20).nullable().default(null),
  when: z.string().max(300).default(''),
}
const ruleFields = {
  id: key.exactOptional(),
  when: z.array(phrase).min(1, 'a rule needs at least one phrase').max(8),
  to: z.string().regex(agentName, "allowed is an agent's name"),
  from: z
    .custom<MessageId>((value) => isId('msg', value), 'allowed is the id of a message')
    .nullable()
    .default(null),
  at: z.iso.datetime({ offset: true }).exactOptional(),
  by: z.custom<Actor>(isActor, 'allowed are user:NAME, process:ID, schedule:ID, outside:NAME and system').default('system'),
}
const rule = z.strictObject(ruleFields).transform(({ id, at, when, ...rest }): LearnedRule => {
  const phrases = [...new Set(when)]
  return { id: id ?? ruleIdOf(phrases, rest.to), when: phrases, ...rest, at: at === undefined ? 0 : Date.parse(at) }
})
const documentFields = {
  routing: z.enum(routingModes).nullable().default(null),
  thresholds: z.strictObject(thresholdFields).default({}),
  deep: z.strictObject({ lead: tier, workers: tier }).nullable().default(null),
  keywords: z.record(z.string().regex(agentName, "allowed is an agent's name"), z.array(phrase).max(500)).default({}),
  signals: z.array(z.strictObject(signalFields)).max(200).default([]),
  templates: z.array(z.strictObject(templateFields)).max(200).default([]),
  rules: z.array(rule).max(mostRules).default([]),
}
const documentSchema = z.strictObject(documentFields)

/** `place`: for messages, as in `routing.yaml (project shop)`. Never throws. Pure. */
export function parseRouting(text: string, place: string): ParsedRouting {
  const yaml = readYaml(text, { mostCharacters })
  if ('message' in yaml) return { document: null, faults: [faultAt(place, yaml.line, yaml.message)] }
  return readDocument(yaml.value ?? {}, (path, message) => faultAt(place, yaml.lineOf(path), message))
}

type Faulty = (path: readonly PropertyKey[], message: string) => RoutingFault

function readDocument(value: unknown, fault: Faulty): ParsedRouting {
  const parsed = documentSchema.safeParse(value)
  if (!parsed.success) return { document: null, faults: parsed.error.issues.slice(0, 20).map((issue) => fault(pathOf(issue), said(issue))) }
  const twice = firstDouble(parsed.data)
  if (twice) return { document: null, faults: [fault(twice.path, `"${twice.name}" is there twice`)] }
  const { routing, keywords, ...rest } = parsed.data
  const lists = Object.entries(keywords).map(([agent, words]) => [agent, [...new Set(words)]] as const)
  return { document: { ...rest, mode: routing, keywords: new Map(lists) }, faults: [] }
}

type Read = z.infer<typeof documentSchema>

function firstDouble({ signals, templates, rules }: Read): { readonly path: readonly PropertyKey[]; readonly name: string } | null {
  const named = {
    signals: signals.map(({ id }) => id),
    templates: templates.map(({ name }) => name),
    rules: rules.map(({ id }) => id),
  }
  for (const [list, names] of Object.entries(named)) {
    const at = names.findIndex((name, index) => names.indexOf(name) !== index)
    if (at >= 0) return { path: [list, at], name: names[at] ?? '' }
  }
  return null
}

const fieldsAt: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(documentFields),
  thresholds: Object.keys(thresholdFields),
  deep: ['lead', 'workers'],
  signals: Object.keys(signalFields),
  templates: Object.keys(templateFields),
  rules: Object.keys(ruleFields),
}

function pathOf(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  return issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path
}

function said(issue: z.core.$ZodIssue): string {
  const field = issue.path.map(String).join('.').slice(0, 120)
  const at = field === '' ? 'the document' : field
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.map((name) => `"${name.slice(0, 60)}"`).slice(0, 5)
    return `${at} has the unknown ${unknown.join(', ')}; allowed are ${(fieldsAt[String(issue.path[0] ?? '')] ?? []).join(', ')}`
  }
  if (issue.code === 'invalid_value') return `${at} is one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'invalid_type') return `${at} is missing or of the wrong kind; a ${issue.expected} is needed`
  if (issue.code === 'invalid_key') return `${at}: ${issue.issues[0]?.message ?? issue.message}`
  return `${at}: ${issue.message}`
}

function faultAt(place: string, line: number, message: string): RoutingFault {
  return { place, line, message: `${place}, line ${line}: ${message.replace(/\.$/, '')}.` }
}

function isActor(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 200 && /^(system$|(user|process|schedule|outside):\S)/.test(value)
}
