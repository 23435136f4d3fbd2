// The order of a chain: the template that holds just the classes that are asked for, else one step for each class in the order of work.
import type { Prepared, PreparedTemplate } from './prepared.ts'
import type { RouteStep } from './route.ts'
import type { Member } from './table.ts'

/** Look first, then find the cause, decide, plan, build, do the small things, write it down. */
export const classOrder: readonly string[] = ['scout', 'debugger', 'reasoner', 'planner', 'coder', 'executor', 'scriber']

export type Chain = {
  readonly steps: readonly RouteStep[]
  readonly template: string | null
  /** Steps of the template that nobody can take; they are left out. */
  readonly missing: readonly string[]
}

/** By class, who does it; `extra` says whether somebody may do a step that nobody asked for. Each class of `seats` has one step. */
export function chainOf(prepared: Prepared, seats: ReadonlyMap<string, Member>, extra: (member: Member) => boolean): Chain {
  const found = templateFor(prepared, new Set(seats.keys()))
  if (found === null) return { steps: linked([...seats.values()].sort(byOrder), null), template: null, missing: [] }
  const missing: string[] = []
  const { template, kinds } = found
  const members = template.steps.flatMap((step, at) => {
    const seat = seats.get(kinds[at] ?? '')
    const member = seat ?? memberOf(prepared, step)
    if (member !== null && (seat !== undefined || extra(member))) return [member]
    missing.push(step)
    return []
  })
  return { steps: linked(members, template.name), template: template.name, missing }
}

export function byOrder(a: Member, b: Member): number {
  return placeOf(a.class) - placeOf(b.class)
}

/** Classes of one's own come after the seven, and before whoever writes it down. */
function placeOf(kind: string): number {
  const at = classOrder.indexOf(kind)
  return at < 0 ? classOrder.length - 1.5 : at
}

/** Its steps are just these classes; else its classes are, and its steps hold each of them once. The first in the table of each kind. */
function templateFor(prepared: Prepared, asked: ReadonlySet<string>): PreparedTemplate | null {
  const whole = prepared.templates.filter(({ kinds }) => holdsOnce(kinds, asked))
  return whole.find(({ kinds }) => kinds.length === asked.size) ?? whole.find(({ template }) => isSame(template.classes, asked)) ?? null
}

function holdsOnce(kinds: readonly string[], asked: ReadonlySet<string>): boolean {
  for (const kind of asked) if (!kinds.includes(kind) || kinds.indexOf(kind) !== kinds.lastIndexOf(kind)) return false
  return true
}

function isSame(classes: readonly string[], asked: ReadonlySet<string>): boolean {
  return new Set(classes).size === asked.size && classes.every((kind) => asked.has(kind))
}

function memberOf({ table, indexOf, byClass }: Prepared, step: string): Member | null {
  if (!step.startsWith('class:')) return table.members[indexOf.get(step) ?? -1] ?? null
  const seats = (byClass.get(step.slice(6)) ?? []).map((index) => table.members[index])
  return seats.find((seat) => seat?.isDefault) ?? seats[0] ?? null
}

function linked(members: readonly Member[], template: string | null): readonly RouteStep[] {
  return members.map((member, at) => {
    const before = members[at - 1]
    const declared = before?.handsOff.includes(member.name) === true
    const edgeOrigin = declared ? 'roster' : template === null ? 'implicit' : 'composition'
    return { agent: member.name, class: member.class, tier: member.tier, edgeOrigin, template }
  })
}
