// A routing table from elsewhere (`routing.yaml` of Eidolons, or the same as JSON) as our own. Strict at the edge: what is wrong is named
// with its place, and nothing else than InvalidInput is thrown. What is only odd, and has no effect there either, is a warning.
import type { InvalidInput } from '../base/errors.ts'
import { type ForeignChain, type ForeignForm, type ForeignMember, type ForeignSignal, fields, most, schema, tier } from './foreign-form.ts'
import { oddities } from './foreign-oddities.ts'
import { type Given, givenOf, refusalOf } from './foreign-text.ts'
import type { Escalation, Member, RoutingTable, Signal, Template, Tier } from './table.ts'

export type ForeignTable = {
  readonly table: RoutingTable
  /** A sentence each: names that lead nowhere, hand-offs in a circle, phrases that are there twice, who refuses their own trigger. */
  readonly warnings: readonly string[]
}

/** The same as `readRoutingTable`, for whom warnings are of no use. */
export function parseRoutingTable(given: unknown): RoutingTable {
  return readRoutingTable(given).table
}

/**
 * Reads YAML or JSON text, or what was read from such. Throws InvalidInput for a key that is not known, a value of the wrong kind, a step
 * that nobody does, a name or phrase list that is too long or there twice; it names each with its path, and its line where it is text.
 * What the source's program also ignores (a hand-off, a fallback, a boost for somebody who isn't there) is a warning.
 */
export function readRoutingTable(given: unknown): ForeignTable {
  const source = givenOf(given)
  const read = schema.safeParse(source.value)
  if (!read.success) throw refusalOf(source, read.error.issues, fields)
  checkWhole(source, read.data)
  return { table: tableOf(read.data), warnings: oddities(read.data) }
}

function checkWhole(source: Given, form: ForeignForm): void {
  const members = Object.entries(form.eidolons)
  const fault = (path: readonly PropertyKey[], message: string): InvalidInput => refusalOf(source, [{ path, message }], fields)
  if (members.length === 0) throw fault(['eidolons'], 'at least one member is needed')
  if (members.length > most.members) throw fault(['eidolons'], `has ${members.length} members; at most ${most.members} are allowed`)
  const all = members.reduce(
    (sum, [, { trigger_verbs: triggers, refuse_verbs: refuses }]) => sum + triggers.length + (refuses ?? []).length,
    0,
  )
  if (all > most.allPhrases) throw fault(['eidolons'], `has ${all} phrases; at most ${most.allPhrases} are allowed`)
  const twice = doubles(form)
  if (twice.length > 0) throw refusalOf(source, twice, fields)
  const known = new Set(members.map(([key]) => key))
  const missing = (form.chains ?? []).flatMap(({ steps }, at) =>
    steps.flatMap((step, index) =>
      known.has(step) ? [] : [{ path: ['chains', at, 'steps', index], message: `nobody is called "${step}"; ${listed([...known])}` }],
    ),
  )
  if (missing.length > 0) throw refusalOf(source, missing, fields)
}

type Wrong = { readonly path: readonly PropertyKey[]; readonly message: string }

function doubles(form: ForeignForm): readonly Wrong[] {
  const found: Wrong[] = []
  const look = (key: 'signals' | 'chains', field: 'id' | 'name', values: readonly string[]): void => {
    const seen = new Set<string>()
    for (const [at, value] of values.entries()) {
      if (seen.has(value)) found.push({ path: [key, at, field], message: `"${value}" is there twice` })
      seen.add(value)
    }
  }
  look(
    'signals',
    'id',
    (form.signals ?? []).map(({ id }) => id),
  )
  look(
    'chains',
    'name',
    (form.chains ?? []).map(({ name: title }) => title),
  )
  return found
}

function listed(known: readonly string[]): string {
  const shown = known.slice(0, 20).join(', ')
  return `there are ${shown}${known.length > 20 ? ` and ${known.length - 20} more` : ''}`
}

function tableOf(form: ForeignForm): RoutingTable {
  const at = form.thresholds
  return {
    version: String(form.routing_version),
    members: Object.entries(form.eidolons).map(([key, fields]) => memberOf(key, fields)),
    signals: (form.signals ?? []).map(signalOf),
    templates: (form.chains ?? []).map(templateOf),
    thresholds: {
      tauStandard: at.tau_standard,
      tauTrance: at.tau_trance,
      chainFloor: at.chain_floor,
      maxReroutes: at.max_reroutes,
      maxParallel: at.max_parallel,
      surfaceFiles: at.surface_files,
      surfaceModules: at.surface_modules,
    },
    trance: form.trance ? { lead: form.trance.lead_tier, workers: form.trance.workers_tier } : null,
    classTiers: Object.fromEntries(Object.entries(form.classes ?? {}).map(([key, { suggested_tier: suggested }]) => [key, suggested])),
  }
}

function memberOf(key: string, given: ForeignMember): Member {
  return {
    name: key,
    aliases: [],
    class: given.capability_class,
    ...tierOf(given),
    triggers: given.trigger_verbs,
    refuses: given.refuse_verbs ?? [],
    handsOff: given.downstream ?? [],
    isDefault: given.default_for_class === given.capability_class,
    fallback: given.fallback ?? null,
    requiresHostTier: given.requires_host_tier ?? null,
    degradedMode: given.degraded_mode ?? null,
    escalation: escalationOf(given.escalation),
  }
}

function tierOf({ suggested_tier: suggested, model_tier: old }: ForeignMember): { tier: Tier; statedTier?: string } {
  if (suggested) return { tier: suggested }
  const known = tier.safeParse(old)
  if (known.success) return { tier: known.data }
  return old ? { tier: 'standard', statedTier: old } : { tier: 'standard' }
}

function escalationOf(given: ForeignMember['escalation']): Escalation | null {
  return given ? { onFail: given.on_fail, to: given.reroute_to ?? null, most: given.max_escalations ?? 1 } : null
}

function signalOf(given: ForeignSignal): Signal {
  return {
    id: given.id,
    match: given.match,
    boost: given.boost,
    stakes: given.stakes ?? false,
    onlyQuestions: given.requires_question_form ?? false,
    notWithPath: given.skip_if_path ?? false,
    byContext: given.id === 'prior_apivr_failure' ? 'prior_failure' : null,
  }
}

function templateOf(given: ForeignChain): Template {
  return { name: given.name, steps: given.steps, classes: given.requires_classes, when: given.when ?? '' }
}
