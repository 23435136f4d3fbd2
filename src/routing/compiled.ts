// A table with its names resolved to positions, so that deciding looks nothing up by name. Both modes of the cortex start from it.
import { type Lexicon, openLexicon } from './lexicon.ts'
import type { RoutingTable, Signal, Template } from './table.ts'

export type CompiledTemplate = {
  readonly template: Template
  /** Positions of members. */
  readonly steps: readonly number[]
}

export type CompiledSignal = {
  readonly signal: Signal
  /** By position of member, those of a class resolved. */
  readonly boosts: readonly (readonly [member: number, boost: number])[]
}

export type Compiled = {
  readonly table: RoutingTable
  /** Position by name. */
  readonly at: ReadonlyMap<string, number>
  /** Positions of the members of a class, its default seat first. */
  readonly seats: ReadonlyMap<string, readonly number[]>
  /** Those with most classes first, as the table has them among equals. Without those of which somebody is missing. */
  readonly templates: readonly CompiledTemplate[]
  /** Names of templates that are left out. */
  readonly incomplete: readonly string[]
  readonly signals: readonly CompiledSignal[]
  /** Phrases as they are, members by name only. */
  readonly lexicon: Lexicon
}

export function compileTable(table: RoutingTable): Compiled {
  const at = new Map(table.members.map(({ name }, position) => [name, position] as const))
  const seats = seatsOf(table)
  const found = table.templates.map((template) => ({ template, steps: stepsOf(template, at, seats) }))
  const templates = found.flatMap(({ template, steps }) => (steps === null ? [] : [{ template, steps }]))
  return {
    table,
    at,
    seats,
    templates: templates.sort((a, b) => b.template.classes.length - a.template.classes.length),
    incomplete: found.filter(({ steps }) => steps === null).map(({ template }) => template.name),
    signals: table.signals.map((signal) => ({ signal, boosts: boostsOf(signal, at, seats) })),
    lexicon: openLexicon(table),
  }
}

const ofClass = 'class:'

function seatsOf({ members }: RoutingTable): ReadonlyMap<string, readonly number[]> {
  const seats = new Map<string, number[]>()
  for (const [position, { class: own, isDefault }] of members.entries()) {
    const already = seats.get(own)
    if (already === undefined) seats.set(own, [position])
    else if (isDefault && members[already[0] ?? 0]?.isDefault === false) already.unshift(position)
    else already.push(position)
  }
  return seats
}

function stepsOf(
  { steps }: Template,
  at: ReadonlyMap<string, number>,
  seats: ReadonlyMap<string, readonly number[]>,
): readonly number[] | null {
  const positions = steps.map((step) => (step.startsWith(ofClass) ? seats.get(step.slice(ofClass.length))?.[0] : at.get(step)))
  const there = positions.filter((position) => position !== undefined)
  return there.length === steps.length && steps.length > 0 ? there : null
}

function boostsOf(
  { boost }: Signal,
  at: ReadonlyMap<string, number>,
  seats: ReadonlyMap<string, readonly number[]>,
): readonly (readonly [number, number])[] {
  return Object.entries(boost).flatMap(([key, value]) => {
    const member = at.get(key)
    const positions = key.startsWith(ofClass) ? (seats.get(key.slice(ofClass.length)) ?? []) : member === undefined ? [] : [member]
    return positions.map((position) => [position, value] as const)
  })
}
