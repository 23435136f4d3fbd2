// Who does it, for each class that is asked for: the best of the class who doesn't refuse, and who works on this host.
import type { Seen } from './look.ts'
import { leftToOthers, refusedBy } from './refuse.ts'
import type { Dropped } from './route.ts'
import type { Member } from './table.ts'
import type { Weight } from './weigh.ts'

export type Refused = { readonly weight: Weight; readonly says: readonly string[] }

export type Seated = {
  /** By class. */
  readonly seats: ReadonlyMap<string, Seat>
  /** Who was asked and refuses, in the order of asking. */
  readonly refused: readonly Refused[]
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
  const refused = called.filter(({ refusals }) => refusals.length > 0).map((weight) => ({ weight, says: refusedBy(weight, []) }))
  const willing = contenders.filter((weight) => !refused.some((one) => one.weight === weight))
  const alone = called.length === 1 && refused.length === 0 ? called : null
  const dropped: Dropped[] = []
  if (alone !== null) {
    for (const { scored } of willing)
      if (scored.agent !== alone[0]?.scored.agent)
        dropped.push({ what: scored.agent, why: `${alone[0]?.scored.agent} is addressed by name` })
  }
  return seatClasses(seen, { willing: alone ?? willing, refused, dropped })
}

type Filling = { readonly willing: readonly Weight[]; readonly refused: readonly Refused[]; readonly dropped: Dropped[] }

function seatClasses(seen: Seen, { willing, refused, dropped }: Filling): Seated {
  const groups = Map.groupBy(willing, (weight) => weight.class)
  const firsts = [...groups.values()].flatMap((group) => ranked(seen, group).slice(0, 1))
  const seats = new Map<string, Seat>()
  const refusals = [...refused]
  for (const [kind, group] of groups) {
    const inOrder = ranked(seen, group)
    const seat = inOrder.find((weight) => refusedBy(weight, firsts).length === 0)
    for (const weight of inOrder.slice(0, seat === undefined ? 1 : inOrder.indexOf(seat)))
      refusals.push({ weight, says: refusedBy(weight, firsts) })
    if (seat === undefined) continue
    const hosted = hostedOf(seen, seat, inOrder)
    if (hosted.why !== null) dropped.push({ what: seat.scored.agent, why: hosted.why })
    for (const { scored } of inOrder)
      if (scored.agent !== hosted.member.name && scored.agent !== seat.scored.agent)
        dropped.push({ what: scored.agent, why: `${hosted.member.name} has the seat of the class ${kind}` })
    seats.set(kind, { member: hosted.member, weight: seat })
    for (const { says, to } of leftToOthers(seat, firsts))
      dropped.push({ what: `${seat.scored.agent}: "${says}"`, why: `it refuses that, and ${to} does it` })
  }
  return { seats, refused: refusals, dropped }
}

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
  const refuses = weighed.weights.some(({ scored, refusals }) => scored.agent === peer?.name && refusals.length > 0)
  if (peer !== undefined && !refuses) return { member: peer, why: `${why}; ${peer.name} takes over` }
  const next = group.find(({ member: other, scored }) => other !== seat.member && scored.score >= 0.99 * seat.scored.score)
  return next === undefined ? { member, why: null } : { member: memberOf(table.members, next.member), why: `${why}; the next is as good` }
}

function memberOf(members: readonly Member[], at: number): Member {
  const member = members[at]
  if (member === undefined) throw new RangeError(`There is no member ${at} in a table of ${members.length}.`)
  return member
}
