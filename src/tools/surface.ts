// Which tools an agent is given, and which of them with their schemas (reference/eddie.md 2.4). Pure.
import { isPledged } from '../policy/capability.ts'
import { isNamed } from './selector.ts'
import { fitted } from './surface-budget.ts'
import type { Tool } from './tool.ts'

/** Selectors are names and `@label`; in `keep` and `dropFirst` also `prefix_*`. */
export type Selectors = {
  /** Lets in what lies outside of the base; what lies in it is given with its schema. */
  readonly add: readonly string[]
  /** Wins over `add`. */
  readonly remove: readonly string[]
  /** Named in the discovery block only, unless `add` names it too. */
  readonly defer: readonly string[]
  /** Families that lose their schemas last, and first, when there are too many. */
  readonly keep?: readonly string[]
  readonly dropFirst?: readonly string[]
}

/** Who asks: what an agent's file says, and what its engine adds. `pledge` null: the file said nothing. */
export type Asker = {
  readonly pledge: readonly string[] | null
  readonly tools: Selectors
  /** The engine's own choice of names and labels; absent or empty: every tool. */
  readonly base?: readonly string[]
  /** Of the engine: a tool that requires roles is given only to who has them all. */
  readonly roles?: readonly string[]
}

/** Where it asks from. */
export type AskedFrom = {
  readonly roots: readonly string[]
  /** Of the client through which the person speaks; absent or null: nothing is left out for it. */
  readonly profile?: string | null
  /** Deferred tools that were asked for; what is not deferred is passed over. The latest last. */
  readonly activated?: readonly string[]
  /** Schemas that the model's endpoint takes. Default 128. */
  readonly limit?: number
  /** Of these so many stay free for deferred tools that become live. Default 16, of a small limit an eighth. */
  readonly reserve?: number
}

export type Described = Pick<Tool, 'name' | 'labels' | 'capability' | 'needsRoots' | 'deferred' | 'profiles' | 'roles' | 'offered'>

/** Each list sorted. What is in none of them can't be called at all. */
export type Classified = {
  /** The model is given their schemas with every call. */
  readonly primary: readonly string[]
  /** Only named in the discovery block; may be called all the same. */
  readonly deferred: readonly string[]
  /** Those of the deferred whose schemas are given too, because they were asked for. */
  readonly activated: readonly string[]
}

/** Capabilities of an agent that pledges nothing. */
const defaultPledge: readonly string[] = ['fs.read']
/** Always given, with schemas, whatever is removed, deferred or not for this client. */
const floor: readonly string[] = ['tool_description', 'tool_list']
const mostSchemas = 128
const keptFree = 16

/** The capabilities that an agent has. */
export function pledgeOf({ pledge }: Pick<Asker, 'pledge'>): readonly string[] {
  return pledge ?? defaultPledge
}

/**
 * A tool needs its capability in the pledge, its roles in the engine and its client's profile; nothing in the selectors gives what
 * these do not. Then base, add, remove and defer decide, and at last the number of schemas: whole families are deferred until the
 * rest fits.
 */
export function classify(tools: readonly Described[], asker: Asker, place: AskedFrom): Classified {
  const { add, remove, defer } = asker.tools
  const base = asker.base ?? []
  const given = tools.filter((tool) => isFloor(tool) || (mayHave(tool, asker, place) && !isNamed(tool, remove)))
  const inBase = (tool: Described) => base.length === 0 || isNamed(tool, base)
  const admitted = given.filter((tool) => isFloor(tool) || inBase(tool) || isNamed(tool, add))
  const isPrimary = (tool: Described) => {
    if (isNamed(tool, add)) return inBase(tool) || !tool.deferred
    return !tool.deferred && !isNamed(tool, defer)
  }
  const limit = place.limit ?? mostSchemas
  const most = limit - (place.reserve ?? Math.min(keptFree, Math.floor(limit / 8)))
  const [always, rest] = [admitted.filter(isFloor), admitted.filter((tool) => isPrimary(tool) && !isFloor(tool))]
  const primary = [...always, ...fitted(rest, asker.tools, Math.max(0, most - always.length))]
  const kept = new Set(primary.map((tool) => tool.name))
  const deferred = admitted.map((tool) => tool.name).filter((name) => !kept.has(name))
  const room = Math.max(0, limit - kept.size)
  const asked = (place.activated ?? []).filter((name) => deferred.includes(name))
  return { primary: [...kept].sort(), deferred: deferred.sort(), activated: room === 0 ? [] : [...new Set(asked)].slice(-room).sort() }
}

/** Every name that may be called, sorted: the list that a call is checked against. */
export function callable({ primary, deferred }: Pick<Classified, 'primary' | 'deferred'>): readonly string[] {
  return [...primary, ...deferred].sort()
}

/**
 * One set of selectors out of several layers, the most particular first: for add, remove and defer the first layer that names any
 * decides alone; keep and dropFirst of all layers hold together.
 */
export function selectorsOf(layers: readonly Partial<Selectors>[]): Required<Selectors> {
  const first = (of: 'add' | 'remove' | 'defer') => layers.map((one) => one[of] ?? []).find((names) => names.length > 0) ?? []
  const all = (of: 'keep' | 'dropFirst') => [...new Set(layers.flatMap((one) => one[of] ?? []))]
  return { add: first('add'), remove: first('remove'), defer: first('defer'), keep: all('keep'), dropFirst: all('dropFirst') }
}

function isFloor({ name }: Described): boolean {
  return floor.includes(name)
}

function mayHave(tool: Described, asker: Asker, { roots, profile }: AskedFrom): boolean {
  const { capability, profiles = [], roles = [] } = tool
  if (capability !== null && !isPledged(pledgeOf(asker), capability)) return false
  if (tool.needsRoots && roots.length === 0) return false
  if (tool.offered?.() === false) return false
  if (!roles.every((role) => asker.roles?.includes(role))) return false
  return profiles.length === 0 || profile === undefined || profile === null || profiles.includes(profile)
}
