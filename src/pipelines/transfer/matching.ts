// What of a bundle stands for what is here already, by the strategy of the import.
import { InvalidInput } from '../../base/errors.ts'
import type { Kind, ResourceRef } from '../configuration.ts'
import { keyOf, referencesIn } from '../configurations/graph.ts'
import type { ConfigurationStore, Place, Stored } from '../configurations/store.ts'
import { refIn } from '../configurations/uri.ts'
import type { Bundle, Part } from './bundle.ts'

export const strategies = ['create', 'merge', 'upgrade'] as const
export type Strategy = (typeof strategies)[number]

export type Choice = {
  /** create: all of it new. merge: over what was imported from the same before. upgrade: over an agent, by structure. */
  readonly strategy: Strategy
  /** What the agent is called here; absent: as in the source. */
  readonly name?: string
  /** Which agent of the source; needed when it has more than one. */
  readonly agentId?: string
  /** For upgrade: the agent that is changed. */
  readonly targetAgentId?: string
  /** For upgrade: ids of the source's workflows, in the order in which they take the places of the target's. */
  readonly workflowOrder?: readonly string[]
  /** Ids of the source; absent: all of it. The agent itself is always looked at. */
  readonly selectedResources?: readonly string[]
}

/** By the key of the part. */
export type Targets = ReadonlyMap<string, Stored>

type Reading = Pick<ConfigurationStore, 'read' | 'descriptors'>

/** Throws InvalidInput and NotFound for a target that is not there. */
export async function targetsOf(
  bundle: Bundle,
  choice: Choice,
  over: { readonly store: Reading; readonly place: Place },
): Promise<Targets> {
  const targets = new Map<string, Stored>()
  if (choice.strategy === 'merge') await byOrigin(bundle, over, targets)
  if (choice.strategy === 'upgrade') await byStructure(bundle, choice, { ...over, targets })
  await snippetsByName(bundle, choice, { ...over, targets })
  return targets
}

type Over = { readonly store: Reading; readonly place: Place }

async function byOrigin(bundle: Bundle, { store, place }: Over, targets: Map<string, Stored>): Promise<void> {
  for (const kind of new Set([...bundle.parts, bundle.agent].map(({ ref }) => ref.kind))) {
    const known = new Map<string, ResourceRef>()
    for (const { originId, resource } of await store.descriptors(kind, place, { limit: 0 })) {
      const ref = refIn(resource)
      if (ref === null || ref.version === null) continue
      // The newest stands first and counts; what has that id itself counts less than what came from it.
      if (originId !== undefined && !known.has(originId)) known.set(originId, { ...ref, version: ref.version })
    }
    for (const { ref } of [...bundle.parts, bundle.agent].filter((one) => one.ref.kind === kind)) {
      const found = await read({ store, place }, known.get(ref.id) ?? ref)
      if (found && !found.isBundled) targets.set(keyOf(ref), found)
    }
  }
}

function read({ store, place }: Over, { kind, id }: Pick<ResourceRef, 'kind' | 'id'>): Promise<Stored | null> {
  return store.read({ kind, id }, place)
}

type Filling = Over & { readonly targets: Map<string, Stored> }

async function byStructure(bundle: Bundle, { targetAgentId, workflowOrder = [] }: Choice, over: Filling): Promise<void> {
  if (targetAgentId === undefined)
    throw new InvalidInput('the strategy upgrade needs the agent that is changed: targetAgentId', { path: 'targetAgentId' })
  const target = await read(over, { kind: 'agent', id: targetAgentId })
  if (target === null) throw new InvalidInput(`there is no agent ${JSON.stringify(targetAgentId.slice(0, 64))}`, { path: 'targetAgentId' })
  if (target.isBundled)
    throw new InvalidInput('that agent comes with the program and is not changed: duplicate it', { path: 'targetAgentId' })
  const parts = new Map([...bundle.parts, bundle.agent].map((one) => [keyOf(one.ref), one]))
  checkOrder(bundle, workflowOrder)
  await pair(inOrder(bundle.agent, workflowOrder), target, { ...over, parts })
}

function checkOrder({ agent }: Bundle, order: readonly string[]): void {
  const known = referencesIn(agent.raw).flatMap(({ kind, id }) => (kind === 'workflow' ? [id.toLowerCase()] : []))
  const stray = order.find((id) => !known.includes(id.toLowerCase()))
  if (stray === undefined) return
  throw new InvalidInput(`workflowOrder names ${JSON.stringify(stray.slice(0, 64))}; the source has ${known.join(', ')}`, {
    path: 'workflowOrder',
  })
}

/** The agent with its workflows in that order; those that it does not name come behind, as they stood. */
export function inOrder(agent: Part, order: readonly string[]): Part {
  const { workflows } = agent.raw
  if (order.length === 0 || !Array.isArray(workflows)) return agent
  const rank = (uri: unknown) => {
    const at = typeof uri === 'string' ? order.findIndex((id) => refIn(uri)?.id.toLowerCase() === id.toLowerCase()) : -1
    return at < 0 ? order.length : at
  }
  return { ...agent, raw: { ...agent.raw, workflows: [...workflows].sort((a, b) => rank(a) - rank(b)) } }
}

type Pairing = Filling & { readonly parts: ReadonlyMap<string, Part> }

/** The nth of a kind that the one names stands for the nth of that kind that the other names. */
async function pair(part: Part, target: Stored, over: Pairing): Promise<void> {
  if (over.targets.has(keyOf(part.ref)) || target.isBundled) return
  over.targets.set(keyOf(part.ref), target)
  const theirs = ofKinds(referencesIn(target.raw))
  for (const [kind, own] of ofKinds(referencesIn(part.raw))) {
    for (const [at, ref] of own.entries()) {
      const child = over.parts.get(keyOf(ref))
      const other = theirs.get(kind)?.[at]
      const found = child && other ? await read(over, other) : null
      if (child && found) await pair(child, found, over)
    }
  }
}

type Named = { readonly kind: Kind; readonly id: string }

function ofKinds(refs: readonly Named[]): ReadonlyMap<Kind, readonly Named[]> {
  const all = new Map<Kind, Named[]>()
  for (const ref of refs) {
    const known = all.get(ref.kind)
    if (known === undefined) all.set(ref.kind, [ref])
    else if (!known.some((one) => keyOf(one) === keyOf(ref))) known.push(ref)
  }
  return all
}

/** Templates find a snippet by its name, so there can be only one of a name. */
async function snippetsByName(bundle: Bundle, { strategy }: Choice, over: Filling): Promise<void> {
  const snippets = bundle.parts.filter(({ ref }) => ref.kind === 'snippet')
  if (snippets.length === 0) return
  const known = new Map<string, Stored>()
  for (const { resource } of await over.store.descriptors('snippet', over.place, { limit: 0 })) {
    const ref = refIn(resource)
    const found = ref && (await read(over, ref))
    if (found && typeof found.raw['name'] === 'string' && !known.has(found.raw['name'])) known.set(found.raw['name'], found)
  }
  for (const part of snippets) {
    const { name } = part.raw
    const found = typeof name === 'string' ? known.get(name) : undefined
    if (found && (strategy !== 'merge' || !over.targets.has(keyOf(part.ref)))) over.targets.set(keyOf(part.ref), found)
  }
}
