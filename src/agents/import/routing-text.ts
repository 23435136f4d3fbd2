// What a roster's routing table says beside its members, as `routing.yaml` of a place: signals, templates, thresholds, tiers of deep runs.
// What the place's document says already stays, its rules and comments too; what has the same name is replaced.
import { Document, isMap, isSeq } from 'yaml'
import { z } from 'zod'
import { InvalidInput } from '../../base/errors.ts'
import { canonical, isObject } from '../../base/json.ts'
import { editYaml } from '../../base/yaml.ts'
import type { ReadFile, Skipped } from './files.ts'
import { foreignTiers, objectAt, said } from './members.ts'

export const routingPath = 'routing.yaml'
/** Of the place's own document, as routing takes it. */
const mostCharacters = 128_000

export type RoutingText = { readonly text: string; readonly parts: RoutingParts; readonly skipped: readonly Skipped[] }
/** What is said of each, by names. */
export type RoutingParts = {
  readonly signals: readonly string[]
  readonly templates: readonly string[]
  readonly thresholds: readonly string[]
}

const thresholdNames: Readonly<Record<string, string>> = {
  tau_standard: 'tauStandard',
  tau_trance: 'tauTrance',
  chain_floor: 'chainFloor',
  max_reroutes: 'maxReroutes',
  max_parallel: 'maxParallel',
  surface_files: 'surfaceFiles',
  surface_modules: 'surfaceModules',
}
const key = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'allowed are lower case letters, digits, ".", "-" and "_"')
const phrase = z.string().trim().min(1).max(200)
const signal = z.looseObject({
  id: key,
  match: z.array(phrase).max(500).default([]),
  boost: z.record(z.string(), z.number().min(-2).max(2)).default({}),
  stakes: z.boolean().nullish(),
  requires_question_form: z.boolean().nullish(),
  skip_if_path: z.boolean().nullish(),
})
const template = z.looseObject({
  name: key,
  steps: z.array(z.string().max(64)).min(1).max(20),
  requires_classes: z.array(z.string().max(64)).max(20).default([]),
  when: z.string().max(300).default(''),
})
const deep = z.looseObject({ lead_tier: z.enum(foreignTiers), workers_tier: z.enum(foreignTiers) })

/** This one also speaks when the context tells of a failed try. */
const byFailure = /^prior_\w*failure$/

type Read = {
  readonly thresholds: ReadonlyMap<string, unknown>
  readonly deep: { readonly lead: string; readonly workers: string } | null
  readonly signals: readonly Named[]
  readonly templates: readonly Named[]
  readonly skipped: readonly Skipped[]
}
type Named = Readonly<Record<string, unknown>>

/**
 * null: there is nothing to say. `present`: the place's document. `isThere`: who can be asked, and classes.
 * Throws InvalidInput when the place's own document can't be read: what it says would be lost.
 */
export function routingText(file: ReadFile, present: string | null, isThere: (name: string) => boolean): RoutingText | null {
  const read = readRouting(file, isThere)
  const { thresholds, signals, templates, skipped } = read
  if (thresholds.size + signals.length + templates.length === 0 && read.deep === null) return null
  const document = present === null ? new Document({}) : ownDocument(present)
  const before = canonical(document.toJS() ?? {})
  for (const [name, value] of thresholds) document.setIn(['thresholds', name], value)
  if (read.deep !== null) document.set('deep', document.createNode(read.deep, { flow: true }))
  join(document, { list: 'signals', by: 'id', news: signals })
  join(document, { list: 'templates', by: 'name', news: templates })
  // What says the same already keeps its text to the letter.
  const text =
    present !== null && canonical(document.toJS()) === before
      ? present
      : document.toString({ lineWidth: 140, flowCollectionPadding: false })
  const parts = { signals: namesOf(signals, 'id'), templates: namesOf(templates, 'name'), thresholds: [...thresholds.keys()] }
  return { text, parts, skipped }
}

/** What stands there already is kept, so it has to be understood. */
function ownDocument(present: string): Document {
  const document = editYaml(present, { mostCharacters })
  const isBroken = 'message' in document
  if (!isBroken && (isMap(document.contents) || document.contents === null)) return document
  const why = isBroken ? `line ${document.line}: ${document.message}` : 'it is not a list of "key: value"'
  throw new InvalidInput(`The ${routingPath} of this place can't be read, and an import would lose what it says. Mend it first: ${why}.`, {
    path: '/files',
  })
}

type Joining = { readonly list: string; readonly by: string; readonly news: readonly Named[] }

function join(document: Document, { list, by, news }: Joining): void {
  if (news.length === 0) return
  if (!isSeq(document.get(list))) document.set(list, document.createNode([]))
  const present = document.get(list)
  if (!isSeq(present)) return
  for (const one of news) {
    const node = document.createNode(one)
    if (isMap(node)) for (const { value } of node.items) if (isMap(value) || isSeq(value)) value.flow = true
    const at = present.items.findIndex((item) => isMap(item) && item.get(by) === one[by])
    if (at < 0) present.add(node)
    else present.set(at, node)
  }
}

function readRouting({ path, yaml }: ReadFile, isThere: (name: string) => boolean): Read {
  const skipped: Skipped[] = []
  const skip = (what: string, at: readonly PropertyKey[], why: string) =>
    void skipped.push({ what: what.slice(0, 100), file: path, why: `${path}, line ${yaml.lineOf(at)}: ${why}.` })
  const list = (name: string): readonly unknown[] => {
    const value = isObject(yaml.value) ? yaml.value[name] : undefined
    if (value === undefined || value === null || Array.isArray(value)) return value ?? []
    skip(name, [name], 'it is no list')
    return []
  }
  const trance = objectAt(yaml.value, 'trance')
  const tiers = trance === null ? null : deep.safeParse(trance)
  if (tiers?.success === false) skip('trance', ['trance'], said(tiers.error))
  return {
    thresholds: thresholdsIn(objectAt(yaml.value, 'thresholds') ?? {}, (name, why) => skip(name, ['thresholds', name], why)),
    deep: tiers?.success ? { lead: tiers.data.lead_tier, workers: tiers.data.workers_tier } : null,
    signals: list('signals').flatMap((value, at) => signalOf(value, isThere, (what, why) => skip(what, ['signals', at], why))),
    templates: list('chains').flatMap((value, at) => templateOf(value, isThere, (what, why) => skip(what, ['chains', at], why))),
    skipped,
  }
}

type Skip = (what: string, why: string) => void

function thresholdsIn(given: Readonly<Record<string, unknown>>, skip: Skip): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  for (const [name, value] of Object.entries(given)) {
    const own = Object.hasOwn(thresholdNames, name) ? thresholdNames[name] : undefined
    const isShare = name.startsWith('tau_') || name === 'chain_floor'
    const fits = typeof value === 'number' && value >= 0 && (isShare ? value <= 1 : Number.isInteger(value) && value <= 100_000)
    if (own === undefined) skip(`threshold ${name}`, `it is unknown; allowed are ${Object.keys(thresholdNames).join(', ')}`)
    else if (fits) found.set(own, value)
    else skip(`threshold ${name}`, `allowed is ${isShare ? 'a number from 0 to 1' : 'a whole number'}`)
  }
  return found
}

function signalOf(value: unknown, isThere: (name: string) => boolean, skip: Skip): readonly Named[] {
  const parsed = signal.safeParse(value)
  if (!parsed.success) return none(skip, `signal ${nameIn(value, 'id')}`, said(parsed.error))
  const { id, match, boost, stakes, requires_question_form: question, skip_if_path: path } = parsed.data
  const gone = Object.keys(boost).filter((name) => !isThere(name))
  if (gone.length > 0) skip(`signal ${id}`, `of its boosts those of ${gone.join(', ')} are left out: nobody here is called so`)
  const kept = Object.entries(boost).filter(([name]) => isThere(name))
  return [
    {
      id,
      match: [...new Set(match.map((one) => one.toLowerCase().replace(/\s+/g, ' ')))],
      boost: Object.fromEntries(kept),
      ...(stakes === true ? { stakes } : {}),
      ...(question === true ? { onlyQuestions: true } : {}),
      ...(path === true ? { notWithPath: true } : {}),
      ...(byFailure.test(id) ? { byContext: 'prior_failure' } : {}),
    },
  ]
}

function templateOf(value: unknown, isThere: (name: string) => boolean, skip: Skip): readonly Named[] {
  const parsed = template.safeParse(value)
  if (!parsed.success) return none(skip, `template ${nameIn(value, 'name')}`, said(parsed.error))
  const { name, steps, requires_classes: classes, when } = parsed.data
  const gone = steps.filter((step) => !isThere(step))
  if (gone.length > 0) return none(skip, `template ${name}`, `it needs ${gone.join(', ')}, and nobody here is called so`)
  return [{ name, steps, classes, ...(when === '' ? {} : { when }) }]
}

function none(skip: Skip, what: string, why: string): readonly Named[] {
  skip(what, why)
  return []
}

function nameIn(value: unknown, field: string): string {
  const name = isObject(value) ? value[field] : undefined
  return typeof name === 'string' ? name.slice(0, 64) : 'without a name'
}

function namesOf(all: readonly Named[], field: string): readonly string[] {
  return all.map((one) => String(one[field]))
}
