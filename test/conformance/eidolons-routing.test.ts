// The cortex in strict mode against what Eidolons' own program answered, row by row, and its five signs.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileTable } from '../../src/routing/compiled.ts'
import { parseRoutingTable, readRoutingTable } from '../../src/routing/foreign.ts'
import { signsOf } from '../../src/routing/predicate.ts'
import { strict } from '../../src/routing/strict.ts'
import type { RouteContext } from '../../src/routing/table.ts'
import { describeShared, sharedFolder } from '../shared.ts'

const observed = z.object({
  decision: z.string(),
  selected: z.array(z.string()),
  tier: z.string(),
  template: z.string().nullable(),
  confidence: z.number(),
  model_tier_per_step: z.array(z.string()),
  refusal_rerouting: z.boolean(),
  fallthrough_reason: z.string().nullable(),
  clarification: z.boolean(),
  raw_scores: z.record(z.string(), z.number()),
})
const row = z.object({
  id: z.string(),
  prompt: z.string(),
  scored: z.boolean(),
  context: z.object({
    surface_files: z.number().default(0),
    surface_modules: z.number().default(0),
    trance: z.boolean().default(false),
    prior_failure: z.boolean().default(false),
    host_tier: z.string().nullable().default(null),
  }),
  roster_override: z.unknown(),
  expect: z.record(z.string(), z.unknown()),
  kernel_observed: observed,
})
type Row = z.infer<typeof row>

const routingYaml = (): string => readFileSync(join(sharedFolder, 'data/eidolons/routing.yaml'), 'utf8')

describeShared('routes of eidolons', 'eidolons/routing.json', ({ rows }) => {
  const live = compileTable(parseRoutingTable(routingYaml()))
  const all = rows.map((one) => row.parse(one))
  const answer = ({ prompt, context, roster_override: roster }: Row) =>
    strict(roster === null ? live : compileTable(parseRoutingTable(roster)), prompt, {
      context: contextOf(context),
      options: { explain: true },
    })

  test('[R5] every row is there', () => {
    expect(all.length).toBeGreaterThanOrEqual(126)
    expect(all.filter(({ scored }) => scored).length).toBeGreaterThanOrEqual(80)
  })

  test.each(all)('[R3, R4, R5] $id is what the program answers: $prompt', (one) => {
    const given = answer(one)
    expect({
      decision: given.decision,
      selected: given.selected,
      tier: given.tier,
      template: given.chain[0]?.template ?? null,
      confidence: given.confidence,
      model_tier_per_step: given.model_tier_per_step,
      refusal_rerouting: given.refusal_rerouting,
      fallthrough_reason: given.fallthrough_reason,
      clarification: given.clarification_request !== null,
      raw_scores: Object.fromEntries((given._scores ?? []).filter(({ score }) => score > 0).map(({ name, score }) => [name, score])),
    }).toEqual(one.kernel_observed)
  })

  test.each(all.filter(({ scored }) => scored))('[R5] $id fulfils its label', (one) => {
    const given = answer(one)
    const template = given.chain[0]?.template
    const head = given.chain[0]?.role
    const { selected_first, selected_prefix, selected_excludes, head_class, template: wanted, ...same } = one.expect
    expect(given).toMatchObject(same)
    if (selected_first !== undefined) expect(given.selected[0]).toBe(selected_first)
    if (Array.isArray(selected_prefix)) expect(given.selected.slice(0, selected_prefix.length)).toEqual(selected_prefix)
    if (Array.isArray(selected_excludes)) expect(selected_excludes.filter((name) => given.selected.includes(String(name)))).toEqual([])
    if (head_class !== undefined) expect(head).toBe(head_class)
    if (wanted !== undefined) expect(template).toBe(wanted)
  })

  test('[R8] its routing table is read without a fault, and nothing in it is odd', () => {
    const { table, warnings } = readRoutingTable(routingYaml())
    expect(warnings).toEqual([])
    expect(table.members.map(({ name }) => name).join(' ')).toBe('atlas ramza spectra vivi apivr idg forge vigil kupo gilgamesh')
    expect([table.templates.length, table.signals.length]).toEqual([11, 9])
  })
})

const signs = z.object({ id: z.string(), prompt: z.string(), S: z.array(z.number()) })

describeShared('the five signs of eidolons', 'eidolons/predicate.json', ({ rows }) => {
  describe('each row', () => {
    test.each(rows.map((one) => signs.parse(one)))('[R6] $id: $prompt', ({ prompt, S }) => {
      const { verb, deliverable, target, acceptance, bounded } = signsOf(prompt)
      expect([verb, deliverable, target, acceptance, bounded].map(Number)).toEqual(S)
    })
  })
})

function contextOf(given: Row['context']): RouteContext {
  return {
    surfaceFiles: given.surface_files,
    surfaceModules: given.surface_modules,
    tranceToken: given.trance,
    priorFailure: given.prior_failure,
    hostTier: given.host_tier,
  }
}
