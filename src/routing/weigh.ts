// The scores of members: the source's curve over distinct phrases, the bonus of a name, the boosts of signals. Whatever did not count is told.
import type { Called } from './address.ts'
import type { Hit, Scene } from './evidence.ts'
import type { Dropped, Scored } from './route.ts'
import { firedOf, type Signals } from './signals.ts'
import type { RouteContext } from './table.ts'

export type Weight = {
  readonly member: number
  readonly class: string
  readonly scored: Scored
  /** It has a phrase that asks for its work. */
  readonly asserted: boolean
  readonly addressed: boolean
  readonly named: boolean
  /** Where its own phrases stand. */
  readonly spans: readonly Span[]
  readonly refusals: readonly Refusal[]
}

export type Span = { readonly start: number; readonly end: number }
/** A phrase that somebody refuses, by its number, where it stands as an order. */
export type Refusal = Span & { readonly says: string; readonly phrase: number }

export type Weighed = {
  /** The best first; ties in the table's order. */
  readonly weights: readonly Weight[]
  readonly signals: Signals
  readonly dropped: readonly Dropped[]
  /** Only phrases that may mean something else were there, and were taken. */
  readonly byWeak: boolean
  /** German verbs for whose class nobody is there. */
  readonly lacking: ReadonlyMap<string, string>
  /** What of the text a member refuses, also one that nothing speaks for. */
  refusalsOf(member: number): readonly Refusal[]
}

/** 0, 1, 2, 3 and more distinct phrases. */
const curve = [0, 0.8, 0.9, 0.97]
export const nameBonus = 0.5

export function baseOf(raw: number): number {
  return curve[Math.min(raw, 3)] ?? 0
}

type Sum = { readonly asserted: Set<string>; readonly asked: Set<string>; readonly spans: Span[] }

export type Given = {
  readonly scene: Scene
  readonly hits: readonly Hit[]
  readonly called: Called
  readonly context: RouteContext
  /** A person has said that nothing is to be changed: classes that write are not asked. */
  readonly readOnly: boolean
  /** The text forbids changes: what may be an order to make one is none. */
  readonly banned: boolean
}

export function weigh(given: Given): Weighed {
  const { scene, hits, called, context } = given
  const signals = firedOf(scene, { hits, context })
  const spoken = (one: Gathered) => speaks(one, signals, scene) || called.addressed.size > 0
  const doubtful = { ...given, readOnly: given.readOnly || given.banned }
  let all = gather(given, new Set(['strong']))
  const certain = spoken(all)
  if (!certain) all = gather(doubtful, new Set(['strong', 'weak']))
  if (!certain && !spoken(all)) all = gather(doubtful, new Set(['strong', 'weak', 'faint']))
  const refusalsOf = (member: number) => all.refusals.filter(({ phrase }) => scene.prepared.refused[member]?.has(phrase) === true)
  const touched = new Set([...all.sums.keys(), ...called.named, ...called.addressed, ...signals.boosted])
  const weights = [...touched]
    .sort((a, b) => a - b)
    .map((member) => weightOf(given, { sum: all.sums.get(member), member, signals, refusals: refusalsOf(member) }))
  weights.sort((a, b) => b.scored.score - a.scored.score || a.member - b.member)
  return { weights, signals, dropped: all.dropped, byWeak: !certain && spoken(all), lacking: all.lacking, refusalsOf }
}

type Gathered = {
  readonly sums: ReadonlyMap<number, Sum>
  readonly dropped: readonly Dropped[]
  readonly lacking: ReadonlyMap<string, string>
  readonly refusals: readonly Refusal[]
}

function speaks({ sums, lacking }: Gathered, { boosted }: Signals, { prepared }: Scene): boolean {
  for (const { asserted } of sums.values()) if (asserted.size > 0) return true
  const floor = prepared.table.thresholds.chainFloor
  return lacking.size > 0 || [...boosted].some((member) => prepared.boosts.some((boosts) => (boosts.get(member) ?? 0) >= floor))
}

/** What each member has for itself, by the hits of these levels. */
function gather(given: Given, levels: ReadonlySet<string>): Gathered {
  const { scene, hits, called } = given
  const sums = new Map<number, Sum>()
  const dropped = new Map<string, Dropped>()
  const lacking = new Map<string, string>()
  const refusals: Refusal[] = []
  const cover = coversOf(scene, hits, called)
  const { members } = scene.prepared.table
  for (const hit of hits) {
    const phrase = scene.prepared.phrases[hit.phrase]
    if (!levels.has(hit.level)) {
      if ((phrase?.triggers.length ?? 1) > 0 && hit.why !== '') dropped.set(hit.says, { what: `"${hit.says}"`, why: hit.why })
      continue
    }
    for (const member of phrase?.triggers ?? membersOf(scene, hit.class, lacking, hit.says)) {
      const kind = members[member]?.class ?? ''
      const over = coveringOf(cover, hit, { member, kind, called, verb: phrase?.verb ?? true })
      if (over !== null)
        dropped.set(`${hit.says} ${kind}`, { what: `${members[member]?.name}: "${hit.says}"`, why: `it is part of "${over}"` })
      else if (given.readOnly && (kind === 'coder' || kind === 'executor'))
        dropped.set(hit.says, { what: `"${hit.says}"`, why: 'nothing is to be changed' })
      else add(sums, member, hit, hit.asked && scene.prepared.quiet[member] === true)
    }
    if (phrase?.lacks != null && !hit.asked) lacking.set(phrase.lacks, hit.says)
    if (!hit.asked && !given.readOnly && phrase !== undefined && phrase.refuses.length > 0) {
      refusals.push({ start: hit.start, end: hit.end, says: hit.says, phrase: hit.phrase })
    }
  }
  return { sums, dropped: [...dropped.values()], lacking, refusals }
}

function membersOf({ prepared }: Scene, kind: string | null, lacking: Map<string, string>, says: string): readonly number[] {
  if (kind === null) return []
  const seats = prepared.byClass.get(kind) ?? []
  if (seats.length === 0) lacking.set(kind, says)
  const speaking = seats.filter((seat) => (prepared.table.members[seat]?.triggers.length ?? 0) > 0)
  return speaking.length > 0 ? speaking : seats
}

function add(sums: Map<number, Sum>, member: number, hit: Hit, asked: boolean): void {
  const sum = sumOf(sums, member)
  if (asked) sum.asked.add(hit.says)
  else {
    sum.asserted.add(hit.says)
    if (sum.spans.length < mostSpans) sum.spans.push({ start: hit.start, end: hit.end })
  }
}

const mostSpans = 64

function sumOf(sums: Map<number, Sum>, member: number): Sum {
  const known = sums.get(member)
  if (known !== undefined) return known
  const made: Sum = { asserted: new Set(), asked: new Set(), spans: [] }
  sums.set(member, made)
  return made
}

/** `work`: it is somebody's trigger, not only a signal's phrase, which covers a lone verb in it and no more ("trace" in "stack trace"). */
type Cover = { readonly hit: Hit; readonly classes: ReadonlySet<string>; readonly owned: boolean; readonly work: boolean }

/** For each word the longest strong hit over it; one of a member who is called goes before all others. */
function coversOf({ prepared, words }: Scene, hits: readonly Hit[], { addressed }: Called): readonly (Cover | undefined)[] {
  const out: (Cover | undefined)[] = new Array(words.count)
  for (const hit of hits) {
    if (hit.level !== 'strong') continue
    const phrase = prepared.phrases[hit.phrase]
    const classes = phrase?.speaksFor ?? new Set(hit.class === null ? [] : [hit.class])
    if (classes.size === 0) continue
    const owned = addressed.size > 0 && (phrase?.triggers.some((member) => addressed.has(member)) ?? false)
    const work = phrase === undefined || phrase.triggers.length > 0
    for (let at = hit.start; at < hit.end; at += 1) {
      const old = out[at]
      if (old === undefined || (owned === old.owned ? hit.size > old.hit.size : owned)) out[at] = { hit, classes, owned, work }
    }
  }
  return out
}

type Whose = { readonly member: number; readonly kind: string; readonly called: Called; readonly verb: boolean }

/** The phrase of another class that it is only a part of; null: none. */
function coveringOf(cover: readonly (Cover | undefined)[], hit: Hit, { member, kind, called, verb }: Whose): string | null {
  for (let at = hit.start; at < hit.end; at += 1) {
    const over = cover[at]
    if (over === undefined || over.hit === hit || over.classes.has(kind) || !(over.work || verb)) continue
    if (over.owned && !called.addressed.has(member)) return over.hit.says
    if (over.hit.size > hit.size && over.hit.start <= hit.start && over.hit.end >= hit.end && !called.addressed.has(member))
      return over.hit.says
  }
  return null
}

type Weighing = { readonly sum: Sum | undefined; readonly member: number; readonly signals: Signals; readonly refusals: readonly Refusal[] }

function weightOf({ scene, called }: Given, { sum, member, signals, refusals }: Weighing): Weight {
  const { table } = scene.prepared
  const one = table.members[member]
  const addressed = called.addressed.has(member)
  const named = called.named.has(member)
  const asserted = sum?.asserted ?? new Set<string>()
  const onlyAsked = asserted.size === 0 && !addressed
  const fired = signals.of(member, onlyAsked)
  const held = fired.some(({ boost, questions }) => questions && boost < 0)
  const matched = onlyAsked && held ? [...(sum?.asked ?? [])] : [...asserted]
  const base = baseOf(matched.length + (addressed ? 1 : 0))
  const score = fired.reduce((total, { boost }) => total + boost, base + (named ? nameBonus : 0))
  return {
    member,
    class: one?.class ?? '',
    asserted: asserted.size > 0,
    addressed,
    named,
    spans: sum?.spans ?? [],
    refusals,
    scored: {
      agent: one?.name ?? '',
      class: one?.class ?? '',
      matched: matched.length > 0 ? matched : [...(sum?.asked ?? [])],
      named,
      base,
      signals: fired.map(({ id, boost }) => ({ id, boost })),
      score: Math.round(score * 1e6) / 1e6,
      refused: [...new Set(refusals.map(({ says }) => says))],
    },
  }
}
