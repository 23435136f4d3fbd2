// Capabilities: words with dots, as in a pledge. They are only ever narrowed.
import { Forbidden } from '../base/errors.ts'

/** Of tools that everybody may call: they touch nothing outside the conversation. */
export const harmless = 'none'

/**
 * What is a part of another capability. A dot alone says nothing: `exec.network` is more than `exec`. `exec.read`: commands that the
 * sandbox keeps from changing anything.
 */
const parts: Readonly<Record<string, string>> = { 'vault.write.import': 'vault.write', 'exec.read': 'exec' }

/** `fs.*` covers `fs.read`, `*` everything; any other itself and its parts. */
export function coversCapability(pledged: string, capability: string): boolean {
  if (pledged === capability || pledged === '*') return true
  if (Object.hasOwn(parts, capability) && pledged === parts[capability]) return true
  return pledged.endsWith('.*') && capability.startsWith(pledged.slice(0, -1))
}

export function isPledged(pledge: readonly string[], capability: string): boolean {
  return capability === harmless || pledge.some((one) => coversCapability(one, capability))
}

/** What both hold. */
export function intersect(one: readonly string[], other: readonly string[]): readonly string[] {
  const both = one.flatMap((a) => other.flatMap((b) => (coversCapability(a, b) ? [b] : coversCapability(b, a) ? [a] : [])))
  return [...new Set(both)].sort()
}

/**
 * What an agent may do in the end: its own pledge, within its parent's, within its session's. null among the outer ones: nothing is
 * said there.
 */
export function effectivePledge(own: readonly string[], ...outer: readonly (readonly string[] | null)[]): readonly string[] {
  return outer.reduce<readonly string[]>((held, bound) => (bound === null ? held : intersect(held, bound)), [...new Set(own)].sort())
}

/** A process gives up capabilities of its own accord; it never gains any. Throws Forbidden, naming what is too much. */
export function narrowPledge(held: readonly string[], wanted: readonly string[]): readonly string[] {
  const over = wanted.filter((one) => !held.some((has) => coversCapability(has, one)))
  if (over.length === 0) return [...new Set(wanted)].sort()
  const has = held.join(', ') || 'nothing'
  throw new Forbidden(`A pledge is only ever narrowed: ${over.join(', ')} is not among what is held (${has}).`, { path: '/pledge' })
}

/**
 * What an agent of a class may do when its file says nothing. The first five are the narrow table of the vault's agents; `vault`,
 * `insights` and `rules` are what they keep there, `network` any request to elsewhere.
 */
const classPledges: Readonly<Record<string, readonly string[]>> = {
  hub: [],
  relay: [],
  agenda: ['vault.read', 'insights.read', 'rules.read'],
  data: ['vault.read', 'vault.write', 'insights.read'],
  action: ['vault.write.import', 'insights.read', 'network', 'web.read', 'web.send', 'exec', 'exec.network'],
  pattern: ['vault.read', 'insights.read', 'insights.write'],
  scout: ['fs.read'],
  planner: ['fs.read', 'web.read'],
  coder: ['fs.read', 'fs.write', 'exec'],
  scriber: ['fs.read', 'fs.write'],
  reasoner: ['fs.read'],
  reviewer: ['fs.read'],
  debugger: ['fs.read', 'fs.write', 'exec'],
  executor: ['fs.read', 'fs.write', 'exec'],
  generalist: ['fs.read'],
}

/** Never null: a class that nobody knows may look at files, and no more. */
export function classPledge(kind: string): readonly string[] {
  return (Object.hasOwn(classPledges, kind) ? classPledges[kind] : undefined) ?? ['fs.read']
}
