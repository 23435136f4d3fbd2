// What an import would do, part by part: which are made, which are changed, which stay, with references to where they will stand.
//
// Y180  Only what differs in content makes a version; names of members, their order and what is a default anyway make none.
// Y181  A reference leads to what the import makes or finds, wherever it stands in a text; others stay as they are.
import { createHash } from 'node:crypto'
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Kind, ResourceRef } from '../configuration.ts'
import { keyOf, referencesIn } from '../configurations/graph.ts'
import { readConfiguration } from '../configurations/read.ts'
import type { Stored } from '../configurations/store.ts'
import { refIn, uriOf } from '../configurations/uri.ts'
import type { Bundle, Part } from './bundle.ts'
import { type Choice, inOrder, type Targets } from './matching.ts'
import { mapObject, sortedText } from './walk.ts'

export const actions = ['CREATE', 'UPDATE', 'SKIP'] as const
export type Action = (typeof actions)[number]

export type Planned = {
  readonly part: Part
  readonly action: Action
  /** What it stands for here; null: nothing. */
  readonly target: Stored | null
  /** Where it stands afterwards; null: it is left out. */
  readonly to: ResourceRef | null
  /** As it will be. */
  readonly raw: JsonObject
  /** Members that become other, as pointers. */
  readonly differs: readonly string[]
  readonly notes: readonly string[]
}

export type Planning = {
  readonly bundle: Bundle
  readonly targets: Targets
  readonly choice: Choice
  readonly newId: () => string
  /** The last word on a part's texts: what is a secret is none any more. */
  readonly closed: (part: Part) => JsonObject
}

/** What texts name can stand behind them, so where all things go is found again until it stays. */
const mostRounds = 10

/** In the order in which they are written: what others name first, the agent last. */
export function planned(planning: Planning): readonly Planned[] {
  const ids = new Map<string, string>()
  const newId = (key: string) => {
    const id = ids.get(key) ?? planning.newId()
    ids.set(key, id)
    return id
  }
  let moved: Moved = new Map()
  for (let round = 1; ; round++) {
    const { plan, moved: next } = oneRound({ ...planning, newId }, moved)
    if (round === mostRounds || sameMoves(moved, next)) return plan
    moved = next
  }
}

type Moved = ReadonlyMap<string, ResourceRef>
type Round = Omit<Planning, 'newId'> & { readonly newId: (key: string) => string }

function oneRound(
  { bundle, targets, choice, newId, closed }: Round,
  before: Moved,
): { readonly plan: readonly Planned[]; readonly moved: Moved } {
  const moved = new Map(before)
  const taken = new Set<string>()
  const one = (part: Part): Planned => {
    const target = targets.get(keyOf(part.ref)) ?? null
    const free = target !== null && !taken.has(keyOf(target.ref)) ? target : null
    const made = plannedOne({ part, target: free, moved, choice, newId, closed })
    if (made.to) moved.set(keyOf(part.ref), made.to)
    if (free && made.to && keyOf(made.to) === keyOf(free.ref)) {
      taken.add(keyOf(free.ref))
      moved.set(keyOf(free.ref), made.to)
    }
    return made
  }
  return { plan: [...bundle.parts, inOrder(bundle.agent, choice.workflowOrder ?? [])].map(one), moved }
}

function sameMoves(a: Moved, b: Moved): boolean {
  return a.size === b.size && [...b].every(([key, ref]) => a.get(key)?.id === ref.id && a.get(key)?.version === ref.version)
}

type One = Pick<Round, 'choice' | 'newId' | 'closed'> & {
  readonly part: Part
  readonly target: Stored | null
  readonly moved: Moved
}

function plannedOne({ part, target, moved, choice, newId, closed }: One): Planned {
  const { selectedResources: chosen } = choice
  const isChosen = part.ref.kind === 'agent' || chosen === undefined || chosen.some((id) => id.toLowerCase() === part.ref.id)
  if (!isChosen && target === null) {
    return { part, action: 'SKIP', target, to: null, raw: part.raw, differs: [], notes: [...part.notes, 'it was not selected'] }
  }
  const own = isChosen ? closed(part) : (target?.raw ?? part.raw)
  const raw = withMoved(own, moved)
  const notes = isChosen ? [...part.notes] : ['it was not selected: only its references change']
  const fresh = (): Planned => ({
    ...{ part, action: 'CREATE', target: null, raw, differs: [], notes },
    to: { kind: part.ref.kind, id: newId(keyOf(part.ref)), version: 1 },
  })
  if (target === null) return fresh()
  const differs = differencesOf(part.ref.kind, target.raw, raw)
  if (differs.length === 0) return { part, action: 'SKIP', target, to: target.ref, raw, differs, notes }
  if (choice.strategy === 'create') {
    notes.push('a snippet of that name is here already, with other words: templates get the one that was changed last')
    return fresh()
  }
  return { part, action: 'UPDATE', target, to: { ...target.ref, version: target.newest + 1 }, raw, differs, notes }
}

const uris = /eddi:\/\/[a-z.]+\/[a-z]+\/[a-z]+\/[a-z0-9-]{1,64}(?:\?version=\d{1,15})?/gi

/** Also within texts: bodies of calls name configurations too. */
export function withMoved(raw: JsonObject, moved: Moved): JsonObject {
  if (moved.size === 0) return raw
  return mapObject(raw, (text) => {
    if (!text.includes('eddi://')) return text
    return text.replace(uris, (uri) => {
      const ref = refIn(uri)
      const to = ref && moved.get(keyOf(ref))
      return to ? uriOf(to) : uri
    })
  })
}

const mostDifferences = 30
const deepest = 8

/** Pointers into the canonical form; empty: they are the same. */
export function differencesOf(kind: Kind, before: JsonObject, after: JsonObject): readonly string[] {
  const [a, b] = [canonicalValue(kind, before), canonicalValue(kind, after)]
  if (sortedText(a) === sortedText(b)) return []
  const found: string[] = []
  compare(a, b, [], found)
  return found
}

function canonicalValue(kind: Kind, raw: JsonObject): Json {
  const value: Json = JSON.parse(JSON.stringify(readConfiguration(kind, raw, 'lenient').value))
  return value
}

function compare(a: Json | undefined, b: Json | undefined, path: readonly string[], found: string[]): void {
  if (found.length >= mostDifferences || sortedText(a ?? null) === sortedText(b ?? null)) return
  const deeper = path.length < deepest
  if (deeper && isJsonObject(a) && isJsonObject(b)) {
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) compare(a[name], b[name], [...path, name], found)
  } else if (deeper && Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    for (const [at, one] of a.entries()) compare(one, b[at], [...path, String(at)], found)
  } else found.push(`/${path.join('/')}`)
}

/** What a preview was made of: another one means that the source or what is here has changed. */
export function markOf(choice: Choice, plan: readonly Planned[]): string {
  const seen = plan.map(({ part, action, target, differs }) => [
    keyOf(part.ref),
    part.raw,
    action,
    target ? uriOf(target.ref) : '',
    differs,
  ])
  return createHash('sha256')
    .update(sortedText(JSON.parse(JSON.stringify([choice, seen]))))
    .digest('hex')
    .slice(0, 32)
}

/** Parts that were left out though something that is taken names them. */
export function leftOutOf(plan: readonly Planned[]): readonly { readonly what: Planned; readonly by: Planned }[] {
  const out = new Map(plan.filter(({ to }) => to === null).map((one) => [keyOf(one.part.ref), one]))
  return plan.flatMap((by) =>
    by.to === null
      ? []
      : referencesIn(by.raw).flatMap((ref) => {
          const what = out.get(keyOf(ref))
          return what ? [{ what, by }] : []
        }),
  )
}
