// Contracts as documents: `contracts/<from>-to-<to>.yaml`. One with a fault is none, and the fault is named with its line.
import { z } from 'zod'
import { isObject } from '../../base/json.ts'
import * as yaml from '../../base/yaml.ts'
import { type Contract, edgeOrigins, performatives, slug, trustLevels } from './envelope.ts'
import { firstOf } from './schema.ts'

export const contractFolder = 'contracts/'
const largestContract = 64_000

/** Where the contract of that edge lies. */
export function contractPath(from: string, to: string): string {
  return `${contractFolder}${from}-to-${to}.yaml`
}

export type ContractText = { readonly path: string; readonly text: string }
export type ContractFault = { readonly path: string; readonly line: number; readonly message: string }
export type Contracts = {
  /** null: the edge is not declared. */
  of(from: string, to: string): Contract | null
  readonly all: readonly Contract[]
  readonly faults: readonly ContractFault[]
}

/** Never throws. Of two contracts for one edge the first by path counts, and the other is a fault. */
export function contractsOf(texts: readonly ContractText[]): Contracts {
  const found = new Map<string, Contract>()
  const faults: ContractFault[] = []
  for (const { path, text } of texts.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const read = parseContract(text)
    const why = read.ok ? faultOfPlace(read.contract, path, found) : null
    if (!read.ok) faults.push({ path, line: read.line, message: `${path}, line ${read.line}: ${read.why}.` })
    else if (why !== null) faults.push({ path, line: 1, message: `${path}: ${why}.` })
    else found.set(edgeName(read.contract.from, read.contract.to), read.contract)
  }
  return { of: (from, to) => found.get(edgeName(from, to)) ?? null, all: [...found.values()], faults }
}

function faultOfPlace({ from, to }: Contract, path: string, found: ReadonlyMap<string, Contract>): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (/-to-/.test(name) && !/^.+-to-.+\.ya?ml$/.test(name)) return 'the name of a contract is <from>-to-<to>.yaml'
  if (/-to-/.test(name) && name.replace(/\.ya?ml$/, '') !== `${from}-to-${to}`)
    return `its name says another edge than it does: ${from} to ${to}`
  return found.has(edgeName(from, to)) ? `another contract declares the edge from ${from} to ${to} already` : null
}

function edgeName(from: string, to: string): string {
  return `${from}\n${to}`
}

export type ReadContract =
  | { readonly ok: true; readonly contract: Contract }
  | { readonly ok: false; readonly line: number; readonly why: string }

/** Never throws. */
export function parseContract(text: string): ReadContract {
  const read = readYaml(text)
  if (!read.ok) return read
  const parsed = schema.safeParse(read.value)
  if (!parsed.success) return { ok: false, line: read.lineOf(parsed.error.issues[0]?.path ?? []), why: firstOf(parsed.error) }
  const { from, to, edge_origin, performatives_allowed, artifacts, context_delta, trust_level } = parsed.data
  const contract: Contract = {
    ...{ from, to, edgeOrigin: edge_origin, performatives: performatives_allowed },
    artifacts: artifacts.map((one) => ({
      kind: one.kind,
      requiredSections: one.required_sections ?? [],
      evidence: one.evidence_anchor_required ?? false,
    })),
    tokenBudgetMax: context_delta?.token_budget_max ?? null,
    requiredHandles: context_delta?.required_handles ?? [],
    trustLevel: trust_level ?? null,
  }
  return { ok: true, contract }
}

const name = z.string().max(128).regex(slug, 'allowed are lower case letters, digits and "-", the first a letter')
const texts = z.array(z.string().min(1).max(200)).max(100)
const schema = z
  .strictObject({
    contract_version: z.string().regex(/^1\.0(\.\d{1,9})?$/, 'allowed is 1.0, as a text'),
    from: name,
    to: name,
    edge_origin: z.enum(edgeOrigins),
    performatives_allowed: z.array(z.enum(performatives)).min(1).max(performatives.length),
    artifacts: z
      .array(
        z.strictObject({
          kind: name,
          schema_ref: z.string(),
          required_sections: texts.optional(),
          evidence_anchor_required: z.boolean().optional(),
        }),
      )
      .min(1)
      .max(100),
    context_delta: z.strictObject({ token_budget_max: z.int().min(0).optional(), required_handles: texts.optional() }).optional(),
    trust_level: z.enum(trustLevels).optional(),
    notes: z.string().optional(),
  })
  .refine((one) => new Set(one.performatives_allowed).size === one.performatives_allowed.length, {
    path: ['performatives_allowed'],
    error: 'a performative stands there twice',
  })
  .refine((one) => one.edge_origin !== 'implicit' || one.notes !== undefined, { path: ['notes'], error: 'an implicit edge says why there' })

export type ReadYaml =
  | { readonly ok: true; readonly value: unknown; readonly lineOf: (path: readonly PropertyKey[]) => number }
  | { readonly ok: false; readonly line: number; readonly why: string }

/** Never throws. A document of hand-offs is a map, and needs no references. */
export function readYaml(text: string): ReadYaml {
  const read = yaml.readYaml(text, { mostCharacters: largestContract })
  if ('message' in read) return { ok: false, line: read.line, why: read.message }
  return isObject(read.value)
    ? { ok: true, value: read.value, lineOf: read.lineOf }
    : { ok: false, line: 1, why: 'it is no map of members' }
}
