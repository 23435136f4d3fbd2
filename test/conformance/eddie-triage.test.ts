// Eddie's recorded cases about what becomes of a worker's output, each as a real call. The second look of a small model has no
// counterpart: what is neither short nor structured nor long is given to the hub's own model (docs/compatibility.md).
import { expect, test } from 'vitest'
import { withoutFences } from '../../src/engines/action/action.ts'
import { clamped, looksStructural, type Triage, triage } from '../../src/work/triage.ts'
import { describeShared } from '../shared.ts'

type Fields = Readonly<Record<string, unknown>>
type Case = { readonly id: string; readonly op?: string; readonly input: unknown; readonly expect: unknown }

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** A text, or how one is made. */
function textOf(given: unknown): string {
  if (typeof given === 'string') return given
  const { repeat, times, prefix, padTo } = fields(given)
  if (typeof repeat === 'string') return repeat.repeat(Number(times))
  return String(prefix ?? '').padEnd(Number(padTo ?? 0), 'x')
}

function triaged(input: unknown): Triage {
  const { text, voiceMode, outputHint, workerEngine } = fields(input)
  return triage({
    text: textOf(text),
    voiceMode: voiceMode === true,
    hint: typeof outputHint === 'string' ? outputHint : null,
    ...(typeof workerEngine === 'string' ? { worker: workerEngine } : {}),
  })
}

function checkTriage(found: Triage, wanted: Fields): void {
  if (wanted['decision'] !== undefined) expect(found.decision).toBe(wanted['decision'])
  if (wanted['criticality'] !== undefined) expect(found.criticality).toBe(wanted['criticality'])
  if (wanted['spokenAnnouncement'] !== undefined || wanted['spoken'] !== undefined) expect(found.spoken).not.toBeNull()
  if (wanted['spokenContains'] !== undefined) expect(found.spoken).toContain(wanted['spokenContains'])
  if (wanted['memorySummaryStartsWith'] !== undefined)
    expect(found.summary).toMatch(new RegExp(`^${String(wanted['memorySummaryStartsWith'])}`))
  if (wanted['memorySummaryNotContains'] !== undefined) expect(found.summary).not.toContain(wanted['memorySummaryNotContains'])
  if (wanted['memorySummary'] === '120 chars + …') expect(found.summary).toMatch(/^.{120}…$/)
  else if (wanted['memorySummary'] !== undefined) expect(found.summary).toBe(wanted['memorySummary'])
}

function overridden({ input, expect: wanted }: Case): void {
  const { decision, criticality, spoken, summary } = fields(fields(input)['result'])
  const before: Triage = {
    decision: decision as Triage['decision'],
    criticality: criticality as Triage['criticality'],
    spoken: typeof spoken === 'string' ? spoken : null,
    summary: String(summary ?? ''),
  }
  if (wanted === 'unchanged') expect(clamped(before)).toEqual(before)
  else checkTriage(clamped(before), fields(wanted))
}

const runs: Readonly<Record<string, (one: Case) => void>> = {
  applyHardOverrides: overridden,
  looksStructural: (one) => expect(looksStructural(textOf(one.input))).toBe(one.expect),
  stripCodeFences: (one) =>
    typeof one.expect === 'string'
      ? expect(withoutFences(textOf(one.input))).toBe(one.expect)
      : expect(withoutFences(textOf(one.input))).toContain(fields(one.expect)['contains']),
  // Without the second look the first one stands.
  classifyWithContext(one) {
    const first = triaged(one.input)
    if (fields(one.input)['llm'] === null || fields(one.expect)['llmCalls'] === 0) checkTriage(first, fields(one.expect))
    else expect(first.decision).toBe('REFORMULATE')
  },
}

describeShared('[K4] triage', 'eddie/triage.json', ({ rows }) => {
  test.each((rows as readonly Case[]).map((one) => [one.id, one] as const))('[K4] %s', (_, one) => {
    if (one.op === undefined) return checkTriage(triaged(one.input), fields(one.expect))
    const run = runs[one.op]
    if (!run) throw new Error(`no call for ${one.op}`)
    run(one)
  })
})
