// Who does it, for each class that is asked for: the best of the class who doesn't refuse, and who works on this host.
import type { Seen } from './look.ts'
import { type Around, besideOwn, leftToOthers, refusedBy } from './refuse.ts'
import type { Dropped } from './route.ts'
import type { Member } from './table.ts'
import type { Weight } from './weigh.ts'

export type Refused = { readonly weight: Weight; readonly says: readonly string[] }

export type Seated = {
  /** By class. */
  readonly seats: ReadonlyMap<string, Seat>
  /** Who was asked and refuses, in the order of asking. */
  readonly refused: readonly Refused[]
  /** What a member with a seat refuses and nobody takes. */
  readonly unclaimed: readonly Refused[]
  readonly dropped: readonly Dropped[]
}

export type Seat = {
  readonly member: Member
  readonly weight: Weight
}

/** Each class has one seat at most. */
export function seatsOf(seen: Seen): Seated {
  const { chainFloor } = seen.prepared.table.thresholds
  const contenders = seen.weighed.weights.filter(({ scored }) => scored.score >= chainFloor)
  const called = contenders.filter(({ addressed, asserted }) => addressed && !asserted)
  const refused = called
    .filter(({ refusals }) => refusals.length > 0)
    .map((weight) => ({ weight, says: refusedBy(weight, { takers: [], clauseOf: seen.scene.clauseOf }) }))
  const willing = contenders.filter((weight) => !refused.some((one) => one.weight === weight))
  const alone = called.length === 1 && refused.length === 0 ? called : null
  const dropped: Dropped[] = []
  const [first] = alone ?? []
  for (const { scored, member } of first === undefined ? [] : willing.slice(0, mostTried)) {
    if (member !== first?.member) dropped.push({ what: scored.agent, why: `${first?.scored.agent} is addressed by name` })
  }
  return seatClasses(seen, { willing: alone ?? willing, refused, dropped })
}

type Filling = { readonly willing: readonly Weight[]; readonly refused: readonly Refused[]; readonly dropped: Dropped[] }

function seatClasses(seen: Seen, { willing, refused, dropped }: Filling): Seated {
  const groups = [...Map.groupBy(willing, (weight) => weight.class)].map(([kind, group]) => ({ kind, group: ranked(seen, group) }))
  const firsts = groups.flatMap(({ group }) => group.slice(0, 1))
  const seats = new Map<string, Seat>()
  const refusals = [...refused]
  const unclaimed: Refused[] = []
  for (const { kind, group } of groups) {
    const judged = group.slice(0, mostTried).map((weight) => ({ weight, ...judge(seen, weight, firsts) }))
    const at = judged.findIndex(({ says }) => says.length === 0)
    const found = judged[at]
    for (const { weight, says } of judged.slice(0, found === undefined ? 1 : at)) refusals.push({ weight, says })
    if (found === undefined) continue
    const hosted = hostedOf(seen, found.weight, group)
    if (hosted.why !== null) dropped.push({ what: found.weight.scored.agent, why: hosted.why })
    seats.set(kind, { member: hosted.member, weight: found.weight })
    dropped.push(
      ...passedOver(group, found.weight, hosted.member),
      ...leftOver(found.weight, { takers: firsts, clauseOf: seen.scene.clauseOf }),
    )
    if (found.beside.length > 0) unclaimed.push({ weight: found.weight, says: found.beside })
  }
  return { seats, refused: refusals, unclaimed, dropped }
}

/** So many of a class are asked, and so many are told as passed over. */
const mostTried = 8

type JudgedSeat = { readonly says: readonly string[]; readonly beside: readonly string[] }

/** What keeps it from its seat; where several classes are asked for, what stands beside its own work does not. */
function judge({ scene }: Seen, weight: Weight, firsts: readonly Weight[]): JudgedSeat {
  const says = refusedBy(weight, { takers: firsts, clauseOf: scene.clauseOf })
  if (says.length === 0 || firsts.length < 2 || weight.addressed) return { says, beside: [] }
  const beside = besideOwn(weight, says, scene.clauseOf)
  return { says: says.filter((phrase) => !beside.includes(phrase)), beside }
}

function passedOver(group: readonly Weight[], seat: Weight, member: Member): readonly Dropped[] {
  const others = group.slice(0, mostTried).filter(({ scored }) => scored.agent !== member.name && scored.agent !== seat.scored.agent)
  return others.map(({ scored }) => ({ what: scored.agent, why: `${member.name} has the seat of the class ${seat.class}` }))
}

function leftOver(seat: Weight, around: Around): readonly Dropped[] {
  return leftToOthers(seat, around).map(({ says, to }) => ({
    what: `${seat.scored.agent}: "${says}"`,
    why: `${refusesThat}, and ${to} does it`,
  }))
}

/** How a refusal is told whose work somebody else of the route does. */
export const refusesThat = 'it refuses that'

/** By score; ties go to the seat of the class, then to the table's order. */
function ranked({ prepared }: Seen, group: readonly Weight[]): readonly Weight[] {
  const isDefault = ({ member }: Weight) => (prepared.table.members[member]?.isDefault === true ? 0 : 1)
  return [...group].sort((a, b) => b.scored.score - a.scored.score || isDefault(a) - isDefault(b) || a.member - b.member)
}

type Hosted = { readonly member: Member; readonly why: string | null }

/** Whoever needs another host than this one, and is not named, leaves its seat to its fallback, else to the next who is as good. */
function hostedOf({ prepared, context, weighed }: Seen, seat: Weight, group: readonly Weight[]): Hosted {
  const { table, indexOf } = prepared
  const member = memberOf(table.members, seat.member)
  const { requiresHostTier: needs, fallback } = member
  if (needs === null || needs === (context.hostTier ?? null) || seat.named) return { member, why: null }
  const why = `it needs a host of the tier ${needs}`
  const peer = fallback === null ? undefined : table.members[indexOf.get(fallback) ?? -1]
  const refuses = weighed.refusalsOf(indexOf.get(fallback ?? '') ?? -1).length > 0
  if (peer !== undefined && !refuses) return { member: peer, why: `${why}; ${peer.name} takes over` }
  const next = group.find(({ member: other, scored }) => other !== seat.member && scored.score >= 0.99 * seat.scored.score)
  return next === undefined ? { member, why: null } : { member: memberOf(table.members, next.member), why: `${why}; the next is as good` }
}

function memberOf(members: readonly Member[], at: number): Member {
  const member = members[at]
  if (member === undefined) throw new RangeError(`There is no member ${at} in a table of ${members.length}.`)
  return member
}
