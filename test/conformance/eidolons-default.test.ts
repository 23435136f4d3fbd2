// The recorded rows of Eidolons' routing in the default mode: where it differs from strict, docs/compatibility.md says how and why.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { packageRoot } from '../../src/base/root.ts'
import { compileCortex } from '../../src/routing/compile.ts'
import type { Cortex } from '../../src/routing/cortex.ts'
import { parseRoutingTable } from '../../src/routing/foreign.ts'
import type { RouteContext } from '../../src/routing/table.ts'
import { foreignTable } from '../routing/tables.ts'
import { describeShared } from '../shared.ts'

const row = z.object({
  id: z.string(),
  prompt: z.string(),
  context: z.object({
    surface_files: z.number().optional(),
    surface_modules: z.number().optional(),
    trance: z.boolean().optional(),
    prior_failure: z.boolean().optional(),
    host_tier: z.string().nullable().optional(),
  }),
  roster_override: z.unknown(),
})
type Row = z.infer<typeof row>

function contextOf({ context }: Row): RouteContext {
  return {
    surfaceFiles: context.surface_files ?? 0,
    surfaceModules: context.surface_modules ?? 0,
    tranceToken: context.trance ?? false,
    priorFailure: context.prior_failure ?? false,
    hostTier: context.host_tier ?? null,
  }
}

function said(answer: { readonly decision: string; readonly selected: readonly string[]; readonly confidence: number }): string {
  const names = answer.selected.length > 0 ? ` ${answer.selected.join(', ')}` : ''
  return `${answer.decision}${names} ${Math.round(answer.confidence * 1e6) / 1e6}`
}

/** Rows of the table in the document: id, strict, default. */
function documented(): readonly string[] {
  const text = readFileSync(join(packageRoot, 'docs', 'compatibility.md'), 'utf8')
  const section = text.slice(text.indexOf('## Where the default mode'))
  return section.split('\n').flatMap((line) => {
    const [, id, , strict, other, why] = line.split(' | ').length >= 5 ? line.split('|').map((cell) => cell.trim()) : []
    return id === undefined || id === 'row' || why === '' ? [] : [`${id}: ${strict} -> ${other}`]
  })
}

describeShared('Eidolons: the default mode', 'eidolons/routing.json', ({ rows }) => {
  const cases = rows.map((one) => row.parse(one))
  const foreign = foreignTable()
  const cortexOf = ({ roster_override: override }: Row): Cortex | null => {
    if (override !== null && override !== undefined) return compileCortex(parseRoutingTable(override))
    return foreign === null ? null : compileCortex(foreign)
  }

  test('[R19] every row that differs from strict stands in docs/compatibility.md with its reason, and no other', () => {
    const found = cases.flatMap((one) => {
      const cortex = cortexOf(one)
      if (cortex === null) return []
      const strict = cortex.strict(one.prompt, contextOf(one))
      const other = cortex.decide(one.prompt, contextOf(one))
      return said(strict) === said(other) && strict.tier === other.tier ? [] : [`${one.id}: ${said(strict)} -> ${said(other)}`]
    })
    expect([...documented()].sort()).toEqual([...found].sort())
  })

  test('[R19] every row names each member once, and nobody where nobody is sure', () => {
    for (const one of cases) {
      const cortex = cortexOf(one)
      if (cortex === null) continue
      const { selected, decision } = cortex.decide(one.prompt, contextOf(one))
      expect(new Set(selected).size, one.id).toBe(selected.length)
      if (decision === 'clarify' || decision === 'leave') expect(selected).toEqual([])
      else expect(selected.length, one.id).toBeGreaterThan(0)
    }
  })
})
