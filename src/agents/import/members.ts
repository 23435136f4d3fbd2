// The members of a roster from elsewhere: what its routing table and its index say of each (reference of the formats: eidolons 1.13).
import { z } from 'zod'
import { isObject } from '../../base/json.ts'
import type { ReadFile, RosterFiles, Skipped } from './files.ts'

export const foreignTiers = ['light', 'standard', 'deep'] as const
export type ForeignTier = (typeof foreignTiers)[number]
/** Those that can be an agent here. */
export const memberClasses = ['scout', 'planner', 'coder', 'scriber', 'reasoner', 'debugger', 'executor', 'generalist'] as const
export type MemberClass = (typeof memberClasses)[number]

export type ForeignMember = {
  readonly name: string
  readonly file: string
  readonly line: number
  readonly class: MemberClass
  readonly title: string | null
  readonly aliases: readonly string[]
  readonly triggers: readonly string[]
  readonly refuses: readonly string[]
  readonly handsOff: readonly string[]
  readonly tier: ForeignTier
  readonly isDefault: boolean
  readonly fallback: string | null
  readonly requiresHostTier: string | null
  readonly degradedMode: 'fanout' | 'sample-select' | null
  readonly escalation: { readonly onFail: 'reroute' | 'escalate-tier'; readonly to: string | null; readonly most: number } | null
  readonly method: { readonly name: string; readonly cycle: string; readonly summary: string } | null
  /** null: the index says nothing about it. */
  readonly security: { readonly reads: boolean; readonly writes: boolean; readonly network: boolean } | null
  /** What is taken otherwise than it stands there, as whole sentences. */
  readonly notes: readonly string[]
}

const phrases = z.array(z.string().max(200)).max(500).default([])
const tier = z.enum(foreignTiers)
const routed = z.looseObject({
  capability_class: z.string().max(64),
  suggested_tier: tier.nullish(),
  trigger_verbs: phrases,
  refuse_verbs: phrases,
  downstream: z.array(z.string().max(64)).max(100).nullish(),
  default_for_class: z.string().max(64).nullish(),
  fallback: z.string().max(64).nullish(),
  requires_host_tier: z.string().max(64).nullish(),
  degraded_mode: z.enum(['fanout', 'sample-select']).nullish(),
  escalation: z
    .looseObject({
      on_fail: z.enum(['reroute', 'escalate-tier']),
      reroute_to: z.string().max(64).nullish(),
      max_escalations: z.int().min(0).max(10).nullish(),
    })
    .nullish(),
})
type Routed = z.infer<typeof routed>

const entry = z.looseObject({
  name: z.string().max(64),
  display_name: z.string().max(200).nullish(),
  capability_class: z.string().max(64).nullish(),
  status: z.string().max(64).nullish(),
  aliases: z.array(z.string().max(64)).max(50).nullish(),
  methodology: z
    .looseObject({
      name: z.string().max(200).nullish(),
      cycle: z.string().max(200).nullish(),
      summary: z.string().max(4_000).nullish(),
    })
    .nullish(),
  handoffs: z.looseObject({ downstream: z.array(z.string().max(64)).max(100).nullish() }).nullish(),
  security: z
    .looseObject({ reads_repo: z.boolean().nullish(), writes_repo: z.boolean().nullish(), reads_network: z.boolean().nullish() })
    .nullish(),
})
type Entry = z.infer<typeof entry>

const routedKeys: readonly string[] = [...Object.keys(routed.shape), 'loop_native']

export type Members = { readonly members: readonly ForeignMember[]; readonly skipped: readonly Skipped[] }

/** Who is in both; the index says who belongs to the roster, and without one the routing table does. Pure. */
export function readMembers({ routing, index }: Pick<RosterFiles, 'routing' | 'index'>): Members {
  const table = objectAt(routing.yaml.value, 'eidolons')
  const entries = index === null ? null : entriesOf(index)
  const fallbackTier = tierOfClass(routing.yaml.value)
  const found = Object.entries(table ?? {}).map(([name, value]) =>
    memberOf({ name, value, file: routing, entry: entries?.by.get(name), hasIndex: entries !== null, fallbackTier }),
  )
  const unrouted = [...(entries?.by.values() ?? [])].filter(({ entry: { name } }) => table === null || !Object.hasOwn(table, name))
  return {
    members: found.flatMap((one) => ('member' in one ? [one.member] : [])),
    skipped: [
      ...found.flatMap((one) => ('skipped' in one ? [one.skipped] : [])),
      ...unrouted.map(withoutRouting),
      ...(entries?.skipped ?? []),
    ],
  }
}

type Placed = { readonly entry: Entry; readonly file: string; readonly line: number }

function entriesOf(index: ReadFile): { readonly by: ReadonlyMap<string, Placed>; readonly skipped: readonly Skipped[] } {
  const given = isObject(index.yaml.value) ? index.yaml.value['eidolons'] : null
  const by = new Map<string, Placed>()
  const skipped: Skipped[] = []
  for (const [at, value] of (Array.isArray(given) ? given : []).entries()) {
    const line = index.yaml.lineOf(['eidolons', at])
    const parsed = entry.safeParse(value)
    if (!parsed.success) skipped.push(notTaken(`entry ${at + 1}`, { file: index.path, line }, said(parsed.error)))
    else if (by.has(parsed.data.name)) skipped.push(notTaken(parsed.data.name, { file: index.path, line }, 'it stands there twice'))
    else by.set(parsed.data.name, { entry: parsed.data, file: index.path, line })
  }
  return { by, skipped }
}

type Asked = {
  readonly name: string
  readonly value: unknown
  readonly file: ReadFile
  readonly entry: Placed | undefined
  readonly hasIndex: boolean
  readonly fallbackTier: (kind: string) => ForeignTier
}

function memberOf(asked: Asked): { readonly member: ForeignMember } | { readonly skipped: Skipped } {
  const { name, value, file, entry: placed, hasIndex } = asked
  const place = { file: file.path, line: file.yaml.lineOf(['eidolons', name]) }
  const no = (why: string) => ({ skipped: notTaken(name, place, why) })
  const parsed = routed.safeParse(value)
  if (!parsed.success) return no(said(parsed.error))
  if (hasIndex && placed === undefined) return no("it isn't in the roster's index, which says who belongs to it")
  const kind = parsed.data.capability_class
  const known = memberClasses.find((one) => one === kind)
  if (known === undefined) return no(unknownClass(kind))
  if (placed?.entry.status === 'in_construction') return no('its status is in_construction, so it is not finished')
  return {
    member: { ...fieldsOf(parsed.data, placed?.entry), name, file: place.file, line: place.line, ...tiered(asked, parsed.data, known) },
  }
}

function tiered({ fallbackTier, entry: placed }: Asked, given: Routed, kind: MemberClass) {
  return { class: kind, tier: given.suggested_tier ?? fallbackTier(kind), notes: notesOn(given, placed?.entry) }
}

function fieldsOf(given: Routed, index: Entry | undefined) {
  const { methodology: method, security } = index ?? {}
  const { escalation } = given
  return {
    title: index?.display_name ?? null,
    aliases: index?.aliases ?? [],
    triggers: given.trigger_verbs,
    refuses: given.refuse_verbs,
    handsOff: given.downstream ?? index?.handoffs?.downstream ?? [],
    isDefault: given.default_for_class === given.capability_class,
    fallback: given.fallback ?? null,
    requiresHostTier: given.requires_host_tier ?? null,
    degradedMode: given.degraded_mode ?? null,
    escalation: escalation
      ? { onFail: escalation.on_fail, to: escalation.reroute_to ?? null, most: escalation.max_escalations ?? 1 }
      : null,
    method: method?.summary ? { name: method.name ?? '', cycle: method.cycle ?? '', summary: method.summary } : null,
    security: security
      ? { reads: security.reads_repo === true, writes: security.writes_repo === true, network: security.reads_network === true }
      : null,
  }
}

function notesOn(given: Routed, index: Entry | undefined): readonly string[] {
  const unknown = Object.keys(given).filter((key) => !routedKeys.includes(key))
  const other = index?.capability_class
  const differing = given.downstream && index?.handoffs?.downstream ? differ(given.downstream, index.handoffs.downstream) : false
  return [
    ...(other && other !== given.capability_class
      ? [`The index gives it the class ${other}; that of the routing table is taken, ${given.capability_class}.`]
      : []),
    ...(differing
      ? [`The index hands off to ${index?.handoffs?.downstream?.join(', ') || 'nobody'}; what the routing table says is taken.`]
      : []),
    ...(given.default_for_class && given.default_for_class !== given.capability_class
      ? [`It is named default of ${given.default_for_class}, which is not its class; that is left out.`]
      : []),
    ...(index?.status && index.status !== 'shipped' ? [`Its status is ${index.status}.`] : []),
    ...(unknown.length > 0 ? [`Not used here: ${unknown.slice(0, 10).join(', ')}.`] : []),
  ]
}

function differ(one: readonly string[], other: readonly string[]): boolean {
  return [...one].sort().join(' ') !== [...other].sort().join(' ')
}

function withoutRouting({ entry: { name, capability_class: kind }, file, line }: Placed): Skipped {
  const isMemory = kind === 'memory'
  return notTaken(name, { file, line }, isMemory ? unknownClass('memory') : 'it has no routing: routing.yaml does not name it')
}

function unknownClass(kind: string): string {
  const allowed = `allowed are ${memberClasses.join(', ')}`
  if (kind === 'memory') return `its class is memory, which is a store and not somebody who can be asked; ${allowed}`
  return `its class "${kind.slice(0, 64)}" is unknown; ${allowed}`
}

function tierOfClass(routing: unknown): (kind: string) => ForeignTier {
  const classes = objectAt(routing, 'classes')
  const of = (kind: string) => tier.safeParse(objectAt(classes, kind)?.['suggested_tier']).data
  return (kind) => of(kind) ?? of('default') ?? 'standard'
}

/** The map under that key; null when there is none. */
export function objectAt(value: unknown, key: string): Readonly<Record<string, unknown>> | null {
  const inner = isObject(value) && Object.hasOwn(value, key) ? value[key] : null
  return isObject(inner) ? inner : null
}

function notTaken(what: string, { file, line }: { readonly file: string; readonly line: number }, why: string): Skipped {
  return { what: what.slice(0, 64), file, why: `${file}, line ${line}: ${why.replace(/\.$/, '')}.` }
}

/** The first thing that is wrong, in one sentence. */
export function said({ issues }: z.ZodError): string {
  const [issue] = issues
  if (issue === undefined) return 'it is not as it should be'
  const field = issue.path.map(String).join('.') || 'it'
  if (issue.code === 'invalid_value') {
    const hint = /tier/.test(field) ? ", and never a vendor's model" : ''
    return `${field} is not allowed; allowed are ${issue.values.map(String).join(', ')}${hint}`
  }
  if (issue.code === 'invalid_type') return `${field} is missing or of the wrong kind; ${issue.expected} is needed`
  return `${field}: ${issue.message}`
}
