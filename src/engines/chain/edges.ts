// What may go from one agent of a chain to the next: contracts in the project's documents, the hub's own by class otherwise.
import type { Turn } from '../../lanes/engine.ts'
import type { Documents, ScopeRef } from '../../scopes/scopes.ts'
import { contractPath, parseContract } from '../../work/envelope/contract.ts'
import type { Contract } from '../../work/envelope/envelope.ts'
import { handoffsFile, parseHandoffs, type Seat } from '../../work/envelope/own-contracts.ts'
import type { Member } from './cast.ts'
import type { Artifact } from './charter.ts'

export type EdgeRooms = { readonly documents: Pick<Documents, 'find'> }

/** `why`: a sentence that says what is missing and where it could be said. */
export type Edge = { readonly ok: true; readonly contract: Contract } | { readonly ok: false; readonly why: string }

export async function edgeBetween(
  { documents }: EdgeRooms,
  scope: ScopeRef,
  { from, to }: { readonly from: Seat; readonly to: Seat },
): Promise<Edge> {
  const own = contractPath(from.name, to.name)
  const special = isName(from.name) && isName(to.name) ? await documents.find(own, scope) : null
  if (special !== null) {
    const read = parseContract(special.text)
    if (!read.ok) return { ok: false, why: `The contract ${own} can't be used (line ${read.line}): ${read.why}.` }
    const { contract } = read
    if (contract.from === from.name && contract.to === to.name) return { ok: true, contract }
    return { ok: false, why: `The contract ${own} is of another edge: ${contract.from} to ${contract.to}.` }
  }
  const usual = await documents.find(handoffsFile, scope)
  const read = usual === null ? null : parseHandoffs(usual.text)
  if (read !== null && !read.ok) return { ok: false, why: `${handoffsFile} can't be used (line ${read.line}): ${read.why}.` }
  const contract = read?.handoffs.contract(from, to) ?? null
  if (contract !== null) return { ok: true, contract }
  const edge = `${from.name} (${from.class}) to ${to.name} (${to.class})`
  return { ok: false, why: `No contract declares a hand-off from ${edge}. The document ${own} or an edge in ${handoffsFile} can.` }
}

export function edgeOf(
  rooms: EdgeRooms,
  turn: Turn,
  given: { readonly name: string; readonly scope: ScopeRef; readonly from: Seat; readonly to: Seat },
) {
  return turn.read<Edge>(given.name, () => edgeBetween(rooms, given.scope, given))
}

export function seatOf({ agent, class: kind }: Pick<Member, 'agent' | 'class'>): Seat {
  return { name: agent, class: kind }
}

/** A failed part hands over why, where the contract has a word for that. */
export function failureFor(member: Member, contract: Contract): Artifact {
  return artifactFor({ ...member, artifact: { kind: 'failure-report', sections: [] } }, contract)
}

/** What is to be handed over: the agent's usual artifact where the contract takes it, the contract's first otherwise. */
export function artifactFor({ artifact }: Member, { artifacts }: Contract): Artifact {
  const usual = artifacts.find(({ kind }) => kind === artifact.kind)
  const rule = usual ?? artifacts[0]
  if (rule === undefined) return artifact
  const lacking = rule.requiredSections.filter((one) => !artifact.sections.some((own) => own.toLowerCase() === one.toLowerCase()))
  return { kind: rule.kind, sections: usual ? [...artifact.sections, ...lacking.map(titled)] : rule.requiredSections.map(titled) }
}

function titled(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

function isName(name: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(name)
}
