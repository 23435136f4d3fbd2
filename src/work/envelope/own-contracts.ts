// Contracts of the hub's own agents, by class: one document (`handoffs.yaml`) says which class hands what to which, so that a new
// agent needs no contract of its own.
import { z } from 'zod'
import { readYaml } from './contract.ts'
import { type Contract, edgeOrigins, performatives, slug, trustLevels } from './envelope.ts'
import { firstOf } from './schema.ts'

export const handoffsFile = 'handoffs.yaml'

export type Seat = { readonly name: string; readonly class: string }

/** Parties that are no agents: their name is their class. */
export const orchestrator: Seat = { name: 'orchestrator', class: 'orchestrator' }
export const human: Seat = { name: 'human', class: 'human' }

export type Handoffs = {
  /** null: nothing may be handed from the one to the other. Names that are no slugs have no contracts. */
  contract(from: Seat, to: Seat): Contract | null
  /** Headings that an artifact of that kind must have; [] also for an unknown kind. */
  sections(kind: string): readonly string[]
  /** The kind of artifact that a step of that class ends with; null for an unknown class. */
  result(of: string): string | null
}
export type ReadHandoffs =
  | { readonly ok: true; readonly handoffs: Handoffs }
  | { readonly ok: false; readonly line: number; readonly why: string }

/** Never throws. */
export function parseHandoffs(text: string): ReadHandoffs {
  const read = readYaml(text)
  if (!read.ok) return read
  const parsed = schema.safeParse(read.value)
  if (!parsed.success) return { ok: false, line: read.lineOf(parsed.error.issues[0]?.path ?? []), why: firstOf(parsed.error) }
  const fault = faultOf(parsed.data)
  if (fault !== null) return { ok: false, line: read.lineOf(fault.path), why: fault.why }
  return { ok: true, handoffs: handoffsOf(parsed.data) }
}

const word = z.string().max(64).regex(slug, 'allowed are lower case letters, digits and "-", the first a letter')
const words = z.array(word).min(1).max(50)
const schema = z.strictObject({
  artifacts: z.record(
    word,
    z.strictObject({ sections: z.array(z.string().min(1).max(200)).max(50).default([]), evidence: z.boolean().default(false) }),
  ),
  results: z.record(word, word),
  edges: z
    .array(
      z.strictObject({
        ...{ from: words, to: words, also: z.array(word).max(50).default([]) },
        performatives: z.array(z.enum(performatives)).min(1),
        budget: z.int().min(0),
        origin: z.enum(edgeOrigins).default('composition'),
        trust: z.enum(trustLevels).default('standard'),
      }),
    )
    .max(500),
})
type Data = z.infer<typeof schema>

/** Each kind that is named must be described, and each sender must have a result. */
function faultOf({ artifacts, results, edges }: Data): { readonly why: string; readonly path: readonly PropertyKey[] } | null {
  const isKnown = (kind: string) => Object.hasOwn(artifacts, kind)
  for (const [of, kind] of Object.entries(results))
    if (!isKnown(kind)) return { why: `no artifact is called ${kind}`, path: ['results', of] }
  for (const [at, { from, also }] of edges.entries()) {
    const kind = also.find((one) => !isKnown(one))
    if (kind !== undefined) return { why: `no artifact is called ${kind}`, path: ['edges', at, 'also'] }
    const sender = from.find((one) => !Object.hasOwn(results, one))
    if (sender !== undefined) return { why: `results does not say what ${sender} makes`, path: ['edges', at, 'from'] }
  }
  return null
}

function handoffsOf({ artifacts, results, edges }: Data): Handoffs {
  const edgeOf = (from: string, to: string) => edges.find((edge) => edge.from.includes(from) && edge.to.includes(to))
  const ruleOf = (kind: string) => (Object.hasOwn(artifacts, kind) ? artifacts[kind] : undefined)
  const result = (of: string) => (Object.hasOwn(results, of) ? (results[of] ?? null) : null)
  return {
    contract(from, to) {
      const edge = edgeOf(from.class, to.class)
      if (edge === undefined || !slug.test(from.name) || !slug.test(to.name)) return null
      const kinds = [result(from.class), ...edge.also].filter((kind) => kind !== null)
      return {
        ...{ from: from.name, to: to.name, edgeOrigin: edge.origin, performatives: edge.performatives },
        artifacts: kinds.map((kind) => ({
          kind,
          requiredSections: ruleOf(kind)?.sections ?? [],
          evidence: ruleOf(kind)?.evidence ?? false,
        })),
        ...{ tokenBudgetMax: edge.budget, trustLevel: edge.trust, requiredHandles: [] },
      }
    },
    sections: (kind) => ruleOf(kind)?.sections ?? [],
    result,
  }
}
