// A place: who is there and what holds there, made ready for deciding. Its roster becomes the table that the cortex computes with.
//
// Who takes part in what: everybody in mentions, keywords and rules; in the cortex whoever has one of its classes. An agent of the class
// generalist (what a file without a class is) is one of the cortex only when it says something to it: triggers, refusals or hand-offs.
// Order, which settles ties: the classes as below; within a class inner levels first, then whose file says that it is the default, then
// agents with triggers, then the one that is called like its class, then by name. The first of a class is its default seat.
import type { Agent } from '../agents/agent.ts'
import type { Roster } from '../agents/roster.ts'
import { sha256 } from '../base/hash.ts'
import { canonical } from '../base/json.ts'
import { documentLevels } from '../scopes/scopes.ts'
import type { RoutingRules } from './cascade.ts'
import { compileCortex } from './compile.ts'
import type { Cortex } from './cortex.ts'
import { asWritten, type Keywords, openKeywords } from './keywords.ts'
import { openRules, type Rules } from './learned.ts'
import { beginningOf, openPhrases, type Phrases } from './phrases.ts'
import { plainPhrase, type TemplateText } from './rules.ts'
import type { Member, RoutingTable, Signal, Template, Tier } from './table.ts'

/** Of the cortex, in the order in which its members stand. */
export const cortexClasses: readonly string[] = ['scout', 'planner', 'coder', 'scriber', 'reasoner', 'debugger', 'executor', 'generalist']

export type Place = {
  /** Whoever is called so, by name or alias. */
  find(called: string): string | null
  readonly names: readonly string[]
  /** Phrases of its refusals that occur in the text. */
  refused(name: string, text: string): readonly string[]
  readonly cortex: Cortex
  readonly keywords: Keywords
  readonly keywordThreshold: number | null
  readonly rules: Rules
  readonly rosterVersion: string
  readonly rulesVersion: string
}

/** Of the agents' names and texts: 16 hexadecimal digits. */
export function rosterVersionOf(roster: Roster): string {
  return shortHash(roster.agents.map(({ name, source }) => [name, source.level, source.hash]))
}

export function placeOf(roster: Roster, rules: RoutingRules, rosterVersion: string = rosterVersionOf(roster)): Place {
  const table = tableOf(roster, rules)
  const refusals = openRefusals(new Map(roster.agents.map(({ name, refuses }) => [name, refuses])))
  const find = (called: string) => roster.find(called)?.name ?? null
  const lists = [...rules.keywords].flatMap(([called, words]) => {
    const name = find(called)
    return name === null ? [] : [[name, words] as const]
  })
  return {
    find,
    names: roster.agents.map(({ name }) => name),
    refused: refusals,
    cortex: compileCortex(table),
    keywords: openKeywords(new Map(lists)),
    keywordThreshold: rules.thresholds.keywords,
    rules: openRules(rules.rules),
    rosterVersion,
    rulesVersion: rules.version,
  }
}

/** A place that only a table from elsewhere speaks for: no keywords and no rules. */
export function placeOfTable(table: RoutingTable): Place {
  const called = new Map<string, string>()
  for (const { name, aliases } of table.members) {
    for (const one of [name, ...aliases]) if (!called.has(one.toLowerCase())) called.set(one.toLowerCase(), name)
  }
  return {
    find: (name) => called.get(name.trim().replace(/^@/, '').toLowerCase()) ?? null,
    names: table.members.map(({ name }) => name),
    refused: openRefusals(new Map(table.members.map(({ name, refuses }) => [name, refuses]))),
    cortex: compileCortex(table),
    keywords: openKeywords(new Map()),
    keywordThreshold: null,
    rules: openRules([]),
    rosterVersion: shortHash(table.members),
    rulesVersion: shortHash([table.signals, table.templates, table.thresholds, table.trance, table.classTiers]),
  }
}

/** The roster of a place as data for the cortex. Pure. */
export function tableOf(roster: Roster, { thresholds, deep, signals, templates, version }: RoutingRules): RoutingTable {
  const agents = roster.agents.filter(isOfCortex).sort(bySeat)
  const names = new Set(agents.map(({ name }) => name))
  const seats = new Map<string, Agent>()
  for (const agent of agents) if (!seats.has(agent.class)) seats.set(agent.class, agent)
  const nameOf = (step: string): string | null => {
    const name = step.startsWith('class:') ? seats.get(step.slice(6))?.name : roster.find(step)?.name
    return name !== undefined && names.has(name) ? name : null
  }
  const classTiers: Record<string, Tier> = { default: 'standard' }
  for (const [kind, { tier }] of seats) classTiers[kind] = tier
  const { keywords: _, ...ofCortex } = thresholds
  return {
    version,
    members: agents.map((agent) => memberOf(agent, { isDefault: seats.get(agent.class) === agent, nameOf })),
    signals: signals.map((signal) => spread(signal, agents)),
    templates: templates.flatMap((template) => templateOf(template, { nameOf, agents })),
    thresholds: ofCortex,
    trance: deep,
    classTiers,
  }
}

function isOfCortex({ class: kind, triggers, refuses, handsOff }: Agent): boolean {
  if (kind === 'generalist') return triggers.length + refuses.length + handsOff.length > 0
  return cortexClasses.includes(kind)
}

function bySeat(a: Agent, b: Agent): number {
  const order = ({ class: kind, source, routing, triggers, name }: Agent) => [
    cortexClasses.indexOf(kind),
    documentLevels.indexOf(source.level),
    routing.default === true ? 0 : 1,
    triggers.length > 0 ? 0 : 1,
    name === kind ? 0 : 1,
  ]
  const [first, second] = [order(a), order(b)]
  const at = first.findIndex((value, index) => value !== second[index])
  return at >= 0 ? (first[at] ?? 0) - (second[at] ?? 0) : a.name < b.name ? -1 : 1
}

type NameOf = (step: string) => string | null

function memberOf(agent: Agent, { isDefault, nameOf }: { readonly isDefault: boolean; readonly nameOf: NameOf }): Member {
  const { name, aliases, class: kind, tier, triggers, refuses, handsOff, routing } = agent
  const { fallback, requiresHostTier = null, degradedMode = null, escalation } = routing
  const known = (called: string | undefined) => (called === undefined ? null : nameOf(called))
  return {
    ...{ name, aliases, class: kind, tier, isDefault },
    triggers: plain(triggers),
    refuses: plain(refuses),
    handsOff: [...new Set(handsOff.flatMap((to) => nameOf(to) ?? []))],
    ...{ fallback: known(fallback), requiresHostTier, degradedMode },
    escalation: escalation === undefined ? null : { onFail: escalation.onFail, to: known(escalation.to), most: escalation.most },
  }
}

function plain(phrases: readonly string[]): readonly string[] {
  return [...new Set(phrases.map(plainPhrase))].filter((phrase) => phrase !== '')
}

/** What is said of a class is said of each of its members; what is said of a member by name wins. */
function spread(signal: Signal, agents: readonly Agent[]): Signal {
  const boost: Record<string, number> = {}
  for (const { name, aliases, class: kind } of agents) {
    const key = [name, ...aliases, `class:${kind}`].find((one) => Object.hasOwn(signal.boost, one))
    const value = key === undefined ? undefined : signal.boost[key]
    if (value !== undefined) boost[name] = value
  }
  return { ...signal, boost }
}

/** Left out where a seat of it is empty: an order with a hole is composed anew by whoever needs one. */
function templateOf(
  { name, steps, classes, when }: TemplateText,
  { nameOf, agents }: { readonly nameOf: NameOf; readonly agents: readonly Agent[] },
): readonly Template[] {
  const found = steps.map(nameOf)
  const seated = found.filter((step) => step !== null)
  if (seated.length < found.length) return []
  const kinds = classes ?? seated.map((step) => agents.find((agent) => agent.name === step)?.class ?? '')
  return [{ name, steps: seated, classes: [...new Set(kinds)], when }]
}

/** Each list is compiled when it is first asked for. */
function openRefusals(lists: ReadonlyMap<string, readonly string[]>): Place['refused'] {
  const compiled = new Map<string, Phrases>()
  return (name, text) => {
    const list = lists.get(name) ?? []
    if (list.length === 0) return []
    const phrases = compiled.get(name) ?? openPhrases(list, asWritten)
    compiled.set(name, phrases)
    return [...phrases.in(beginningOf(text).text)].flatMap((index) => list[index] ?? [])
  }
}

function shortHash(value: unknown): string {
  return sha256(canonical(value)).slice(0, 16)
}
