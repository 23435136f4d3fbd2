// What holds at a place: `routing.yaml` of every level of the cascade, joined. An inner one overrides mode and deep tiers, thresholds one
// by one, a keyword list as a whole, a signal or template of the same name (an empty one takes it away); rules of all levels stand.
import { sha256 } from '../base/hash.ts'
import { canonical } from '../base/json.ts'
import { type Document, type DocumentLevel, type Documents, documentLevels, type Projects, type ScopeRef } from '../scopes/scopes.ts'
import type { LearnedRule, RoutingMode } from './routing.ts'
import { type PlaceThresholds, parseRouting, type RoutingDocument, type RoutingFault, routingFile, type TemplateText } from './rules.ts'
import type { Signal, Tier } from './table.ts'

export type PlacedRule = LearnedRule & { readonly level: DocumentLevel; readonly scope: string }
export type RoutingRules = {
  readonly mode: RoutingMode
  readonly thresholds: PlaceThresholds
  readonly deep: { readonly lead: Tier; readonly workers: Tier } | null
  /** In the order in which ties are settled: as the outermost document has them, then what inner ones add. */
  readonly keywords: ReadonlyMap<string, readonly string[]>
  readonly signals: readonly Signal[]
  readonly templates: readonly TemplateText[]
  /** In the order in which they are asked: inner levels first, then those of more phrases, then the newest. */
  readonly rules: readonly PlacedRule[]
  readonly faults: readonly RoutingFault[]
  /** Of all but the faults: 16 hexadecimal digits. */
  readonly version: string
}

/** What holds where no document says it; the bundled document says the same. Figures: reference of the ancestors' own tables. */
export const firstThresholds: PlaceThresholds = {
  keywords: 0.3,
  tauStandard: 0.6,
  tauTrance: 0.8,
  chainFloor: 0.6,
  maxReroutes: 2,
  maxParallel: 5,
  surfaceFiles: 25,
  surfaceModules: 5,
}

export type RoutingCascade = {
  /** From memory until a routing document changes. Never throws for a wrong document: its faults are among the answer. */
  at(scope: ScopeRef): Promise<RoutingRules>
  close(): void
}

const mostPlaces = 500
type Rooms = { readonly documents: Pick<Documents, 'find' | 'versions' | 'onChange'>; readonly projects: Pick<Projects, 'get'> }

export function openRoutingCascade({ documents, projects }: Rooms): RoutingCascade {
  const kept = new Map<string, Promise<RoutingRules>>()
  const forget = documents.onChange(routingFile, () => kept.clear())

  async function read(scopes: readonly ScopeRef[]): Promise<RoutingRules> {
    const found = new Map<string, Document>()
    const bundled = (await documents.versions(routingFile, 'bundled', 'bundled')).at(-1)
    for (const document of [...(await Promise.all(scopes.map((scope) => documents.find(routingFile, scope)))), bundled ?? null]) {
      if (document !== null) found.set(`${document.level} ${document.scope}`, document)
    }
    return joinRouting([...found.values()])
  }

  return {
    async at(scope) {
      const group = scope.group ?? (scope.project === undefined ? undefined : (await projects.get(scope.project))?.group)
      const key = JSON.stringify([scope.process, scope.user, scope.project, group])
      const present = kept.get(key)
      if (present) return present
      if (kept.size >= mostPlaces) kept.clear()
      const { process, user, project } = scope
      const reading = read([
        ...(process === undefined ? [] : [{ process }]),
        ...(user === undefined ? [] : [{ user }]),
        ...(project === undefined ? [] : [{ project }]),
        ...(group === undefined ? [] : [{ group }]),
        {},
      ])
      kept.set(key, reading)
      // A failure is not kept: the next call reads again.
      reading.catch(() => kept.get(key) === reading && kept.delete(key))
      return reading
    },
    close: forget,
  }
}

type RoutingText = Pick<Document, 'level' | 'scope' | 'text'>

/** Joins documents of different levels, in any order. Pure. */
export function joinRouting(documents: readonly RoutingText[]): RoutingRules {
  const inner = [...documents].sort((a, b) => documentLevels.indexOf(a.level) - documentLevels.indexOf(b.level))
  const parsed = inner.map((document) => ({ ...document, ...parseRouting(document.text, placeName(document)) }))
  const whole = parsed.flatMap(({ document, level, scope }) => (document === null ? [] : [{ document, level, scope }]))
  const outer = whole.map(({ document }) => document).reverse()
  const rules = whole.flatMap(({ document, level, scope }) => document.rules.map((rule) => ({ ...rule, level, scope })))
  const joined = {
    mode: last(outer, ({ mode }) => mode) ?? 'hint',
    thresholds: thresholdsOf(outer),
    deep: last(outer, ({ deep }) => deep),
    keywords: new Map(outer.flatMap(({ keywords }) => [...keywords])),
    signals: named(outer, ({ signals }) => signals.map((one) => [one.id, one])).filter(
      ({ match, byContext }) => match.length > 0 || byContext,
    ),
    templates: named(outer, ({ templates }) => templates.map((one) => [one.name, one])).filter(({ steps }) => steps.length > 0),
    rules: inOrder(rules),
  }
  const version = sha256(canonical({ ...joined, keywords: [...joined.keywords] })).slice(0, 16)
  return { ...joined, faults: parsed.flatMap(({ faults }) => faults), version }
}

/** As in `routing.yaml (project shop)`. */
export function placeName({ level, scope }: Pick<Document, 'level' | 'scope'>): string {
  return level === 'bundled' ? `${routingFile} (bundled)` : `${routingFile} (${level} ${scope})`
}

function thresholdsOf(outer: readonly RoutingDocument[]): PlaceThresholds {
  let all = firstThresholds
  for (const { thresholds } of outer) all = { ...all, ...thresholds }
  return all
}

function last<T>(outer: readonly RoutingDocument[], of: (document: RoutingDocument) => T | null): T | null {
  return outer.map(of).findLast((value) => value !== null) ?? null
}

/** A later one of the same name takes the earlier one's place. */
function named<T>(outer: readonly RoutingDocument[], of: (document: RoutingDocument) => readonly (readonly [string, T])[]): readonly T[] {
  return [...new Map(outer.flatMap(of)).values()]
}

/** The order in which rules are asked: inner levels first, then those of more phrases, then the newest. */
export function inOrder(rules: readonly PlacedRule[]): readonly PlacedRule[] {
  return [...rules].sort(byPrecedence)
}

function byPrecedence(a: PlacedRule, b: PlacedRule): number {
  const level = documentLevels.indexOf(a.level) - documentLevels.indexOf(b.level)
  return level || b.when.length - a.when.length || b.at - a.at || (a.id < b.id ? -1 : 1)
}
