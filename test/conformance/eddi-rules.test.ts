// EDDI's recorded facts about rules and output, and the rule and output sets of whole agents.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ABSENT } from '../../scripts/test-summary.ts'
import { isJsonObject, type Json } from '../../src/base/json.ts'
import type { Condition, OutputSet, Rule, RuleGroup, RuleSet } from '../../src/pipelines/configuration.ts'
import type { Step } from '../../src/pipelines/conversation.ts'
import { entriesFor, itemsOf, outputKeys, outputStep, textOfItems } from '../../src/pipelines/output/output.ts'
import { sizeOf } from '../../src/pipelines/paths/paths.ts'
import type { CompiledCondition, RulesRooms } from '../../src/pipelines/rules/condition.ts'
import { conditionTypes, leastOf } from '../../src/pipelines/rules/condition-types.ts'
import { readerOf } from '../../src/pipelines/rules/reader.ts'
import { readRules } from '../../src/pipelines/rules/rule-set.ts'
import { checkRules, compileRules, rulesStep } from '../../src/pipelines/rules/rules.ts'
import { startRun } from '../../src/pipelines/rules/run.ts'
import { type TestMemory, testMemory, testStep } from '../../src/pipelines/testing.ts'
import { describeShared, sharedFolder } from '../shared.ts'

// ---- the forms of the rows

const json: z.ZodType<Json> = z.json()
const texts = z.array(z.string())
const givenCondition: z.ZodType<Condition> = z.lazy(() =>
  z
    .object({
      type: z.string(),
      configs: z.record(z.string(), z.string()).nullish(),
      values: z.record(z.string(), z.string()).nullish(),
      conditions: z.array(givenCondition).nullish(),
      children: z.array(givenCondition).nullish(),
    })
    .transform(({ type, configs, values, conditions, children }) => ({
      type,
      configs: configs ?? values ?? {},
      conditions: conditions ?? children ?? [],
    })),
)
const givenStep = z.record(z.string(), json)
const givenMemory = z.object({
  currentStep: givenStep.optional(),
  previousSteps: z.array(givenStep).optional(),
  allSteps: z.array(givenStep).optional(),
  templateData: z.record(z.string(), json).optional(),
  rules: texts.optional(),
  registryReturns: texts.optional(),
  deploymentEnv: z.string().optional(),
})
const state = z.enum(['SUCCESS', 'FAIL', 'NOT_EXECUTED', 'ERROR'])
const stateRule = z.object({ name: z.string(), conditionState: state.nullish() })
const stateGroup = z.object({ strategy: z.string().nullish(), rules: z.array(stateRule) })

const ruleRow = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('condition'), condition: givenCondition, memory: givenMemory, expected: state }),
  z.object({ kind: z.literal('determineSize'), value: json, expected: z.number() }),
  z.object({
    kind: z.literal('combine'),
    type: z.string(),
    operator: z.string().nullish(),
    childStates: z.array(z.union([state, z.literal('-')])),
    expected: state,
    evaluated: z.number().optional(),
  }),
  z.object({ kind: z.literal('minCountNormalised'), input: z.string().nullable(), expected: z.string() }),
  stateGroup.extend({ kind: z.literal('evaluateGroup'), expectedSuccess: texts, expectedFail: texts.optional() }),
  z.object({ kind: z.literal('evaluateGroups'), groups: z.array(stateGroup), expectedSuccess: texts, expectedFail: texts.optional() }),
  z.object({
    kind: z.literal('validateRule'),
    ruleName: z.string(),
    conditions: z.array(givenCondition),
    valid: z.boolean(),
    messageContains: texts.optional(),
  }),
  z.object({
    kind: z.literal('actionsFromRules'),
    existingActions: texts.optional(),
    successRules: z.array(texts),
    appendActions: z.boolean().optional(),
    expressionsAsActions: z.boolean().optional(),
    expressionsParsed: z.string().nullish(),
    expectedActions: texts,
  }),
])
type RuleRow = z.infer<typeof ruleRow>
type Of<Kind extends RuleRow['kind']> = Extract<RuleRow, { kind: Kind }>

// ---- rules

describeShared('rules of EDDI', 'eddi/behavior.json', ({ rows }) => {
  test.each(rows.map((row) => [z.object({ id: z.string() }).parse(row).id, row]))('[Y21, Y20] %s', (_id, row) => {
    check(ruleRow.parse(row))
  })
})

function check(row: RuleRow): void {
  switch (row.kind) {
    case 'condition':
      return expect(stateOf(row)).toBe(row.expected)
    case 'determineSize':
      return expect(sizeOf(row.value)).toBe(row.expected)
    case 'combine':
      return checkCombined(row)
    case 'minCountNormalised':
      return expect(String(leastOf(row.input ?? ''))).toBe(row.expected)
    case 'evaluateGroup':
      return checkGroups([row], row)
    case 'evaluateGroups':
      return checkGroups(row.groups, row)
    case 'validateRule':
      return checkValidation(row)
    case 'actionsFromRules':
      return checkActions(row)
  }
}

const rooms: RulesRooms = { data: () => ({}), capabilities: () => [], environment: 'development', tags: [], render: (text) => text }

function stateOf({ condition, memory }: Of<'condition'>): string {
  const { rules, step } = { rules: memory.rules ?? [], step: memory.currentStep ?? {} }
  const groups = [
    groupOf([{ name: 'R', actions: [], conditions: [condition] }, ...rules.map((name) => ({ name, actions: [], conditions: [] }))]),
  ]
  const set = readRules({ behaviorGroups: groups, appendActions: true, expressionsAsActions: false }).rules
  const run = startRun(set.byName, testMemory(memoryOf(memory)), {
    ...rooms,
    data: () => memory.templateData ?? {},
    capabilities: () => memory.registryReturns ?? [],
    environment: memory.deploymentEnv ?? rooms.environment,
    tags: Array.isArray(step['agent:tags']) ? step['agent:tags'].map(String) : [],
  })
  return asState(set.byName.get('R')?.[0]?.conditions[0], run)
}

function asState(condition: CompiledCondition | undefined, run: ReturnType<typeof startRun>): string {
  if (condition === undefined) return 'no condition'
  try {
    return run.stateOf(condition)
  } catch {
    return 'ERROR'
  }
}

/** The last of all steps is the current one. */
function memoryOf({ currentStep, previousSteps, allSteps }: z.infer<typeof givenMemory>): TestMemory {
  const current = currentStep ?? allSteps?.at(-1) ?? {}
  const past = previousSteps ?? allSteps?.slice(0, -1) ?? []
  const attachments = z.array(z.object({ mimeType: z.string() })).parse(current['attachments'] ?? [])
  return {
    past: past.map((step) => testStep(dataOf(step))),
    current: dataOf(current),
    attachments: attachments.map(({ mimeType }) => mimeType),
  }
}

function dataOf({ context, attachments: _, ...data }: z.infer<typeof givenStep>): { [key: string]: Json } {
  const contexts = isJsonObject(context) ? Object.entries(context).map(([key, value]) => [`context:${key}`, value] as const) : []
  return { ...data, ...Object.fromEntries(contexts) }
}

function checkCombined({ type, operator, childStates, expected, evaluated }: Of<'combine'>): void {
  const looked: number[] = []
  const children = childStates.map(
    (child, at): CompiledCondition => ({
      type: 'probe',
      evaluate() {
        looked.push(at)
        if (child === 'ERROR' || child === '-') throw new Error(child)
        return child
      },
    }),
  )
  const kind = conditionTypes[type]
  if (kind === undefined) throw new Error(`${type} is unknown`)
  const condition: Condition = { type, configs: operator ? { operator } : {}, conditions: [] }
  const fault = (sentence: string): void => expect(sentence).toBe('no fault')
  const compiled = { type, evaluate: kind.read(readerOf(condition, kind, { children, fault })) }
  expect(asState(compiled, startRun(new Map(), testMemory(), rooms))).toBe(expected)
  expect(looked.map((at) => childStates[at])).not.toContain('-')
  if (evaluated !== undefined) expect(looked).toHaveLength(evaluated)
}

const stateConditions: { readonly [State in z.infer<typeof state>]: Condition } = {
  SUCCESS: { type: 'dynamicvaluematcher', configs: { valuePath: 'yes' }, conditions: [] },
  FAIL: { type: 'dynamicvaluematcher', configs: { valuePath: 'no' }, conditions: [] },
  NOT_EXECUTED: { type: 'sizematcher', configs: {}, conditions: [] },
  ERROR: { type: 'capabilityMatch', configs: { skill: 'x' }, conditions: [] },
}

type Expected = { readonly expectedSuccess: readonly string[]; readonly expectedFail?: readonly string[] | undefined }

function checkGroups(given: readonly z.infer<typeof stateGroup>[], { expectedSuccess, expectedFail }: Expected): void {
  const behaviorGroups = given.map(({ strategy, rules }) =>
    groupOf(
      rules.map(({ name, conditionState }) => ({ name, actions: [], conditions: conditionState ? [stateConditions[conditionState]] : [] })),
      strategy,
    ),
  )
  const memory = testMemory()
  const { rules } = readRules({ behaviorGroups, appendActions: true, expressionsAsActions: false })
  rulesStep(rules, memory, { ...rooms, data: () => ({ yes: true }) })
  expect(memory.current.get('behavior_rules:success') ?? []).toEqual(expectedSuccess)
  if (expectedFail) expect(memory.current.get('behavior_rules:fail') ?? []).toEqual(expectedFail)
}

function groupOf(rules: readonly Rule[], strategy?: string | null): RuleGroup {
  return { name: 'G', executionStrategy: strategy === 'executeAll' ? 'executeAll' : 'executeUntilFirstSuccess', rules }
}

function checkValidation({ ruleName, conditions, valid, messageContains }: Of<'validateRule'>): void {
  const behaviorGroups = [groupOf([{ name: ruleName, actions: ['a'], conditions }])]
  const faults = checkRules({ behaviorGroups, appendActions: true, expressionsAsActions: false })
  expect(faults.length === 0).toBe(valid)
  for (const part of valid ? [] : [ruleName, ...(messageContains ?? [])]) expect(faults.join('\n')).toContain(part)
}

function checkActions(row: Of<'actionsFromRules'>): void {
  const rules = row.successRules.map((actions, at): Rule => ({ name: `r${at}`, actions, conditions: [] }))
  const { appendActions = true, expressionsAsActions = false, existingActions = [], expressionsParsed } = row
  const memory = testMemory({ current: { actions: existingActions, 'expressions:parsed': expressionsParsed ?? null } })
  rulesStep(compileRules({ behaviorGroups: [groupOf(rules, 'executeAll')], appendActions, expressionsAsActions }), memory, rooms)
  expect(memory.current.get('actions')).toEqual(row.expectedActions)
}

// ---- output

const outputRow = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('selectByOccurrence'),
    configuredTimesOccurred: z.array(z.number()),
    countInPreviousSteps: z.number(),
    expectedSelectedTimesOccurred: z.array(z.number()),
  }),
  z.object({ kind: z.literal('outputKey'), action: z.string(), types: texts, expected: texts }),
])

describeShared('output of EDDI', 'eddi/output.json', ({ rows }) => {
  test.each(rows.map((row) => [z.object({ id: z.string() }).parse(row).id, row]))('[Y31] %s', (_id, given) => {
    const row = outputRow.parse(given)
    if (row.kind === 'outputKey') return expect(outputKeys(row.action, row.types)).toEqual(row.expected)
    const entries = row.configuredTimesOccurred.map((timesOccurred) => ({ timesOccurred }))
    const chosen = entriesFor(entries, row.countInPreviousSteps).map(({ timesOccurred }) => timesOccurred)
    return expect(chosen).toEqual(row.expectedSelectedTimesOccurred)
  })
})

// ---- whole agents

const agents = join(sharedFolder, 'data', 'eddi-agents')

const givenRule = z
  .object({
    name: z.string(),
    actions: texts.nullish(),
    conditions: z.array(givenCondition).nullish(),
    children: z.array(givenCondition).nullish(),
  })
  .transform(
    ({ name, actions, conditions, children }): Rule => ({ name, actions: actions ?? [], conditions: conditions ?? children ?? [] }),
  )
const givenRules = z.object({
  behaviorGroups: z.array(
    z.object({ name: z.string().nullish(), executionStrategy: z.string().nullish(), behaviorRules: z.array(givenRule) }),
  ),
  appendActions: z.boolean().nullish(),
  expressionsAsActions: z.boolean().nullish(),
})
const givenReply = z.object({ value: z.string(), expressions: z.string().nullish(), default: z.boolean().nullish() })
const givenItem = z.union([z.string().transform((text) => ({ type: 'text', text })), z.object({ type: z.string() }).catchall(json)])
const givenOutputs = z.object({
  lang: z.string().nullish(),
  outputSet: z.array(
    z.object({
      action: z.string(),
      timesOccurred: z.number().nullish(),
      outputs: z.array(z.object({ valueAlternatives: z.array(givenItem) })),
      quickReplies: z.array(givenReply).nullish(),
    }),
  ),
})

describe('agents of EDDI', () => {
  if (!existsSync(agents)) {
    test(`${ABSENT} shared agents are not beside this clone`, () => {})
    return
  }
  const files = readdirSync(agents, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'))
  const read = (path: string): unknown => JSON.parse(readFileSync(join(agents, path), 'utf8'))
  const having = (key: string) => files.filter((path) => Object.hasOwn(z.object({}).loose().catch({}).parse(read(path)), key))

  test.each(having('behaviorGroups'))('[Y20] %s: its rules can run', (path) => {
    const set = ruleSetOf(read(path))
    expect(checkRules(set)).toEqual([])
    expect(() => rulesStep(compileRules(set), testMemory(), rooms)).not.toThrow()
  })

  test.each(having('outputSet'))('[Y31] %s: every action is answered, the first time and later', (path) => {
    const set = outputSetOf(read(path))
    const past: Step[] = []
    for (let time = 0; time < 3; time++) {
      for (const action of new Set(set.outputSet.map((entry) => entry.action))) {
        const memory = testMemory({ past, current: { actions: [action] } })
        outputStep(set, memory, { random: () => 0.5 })
        const wanted = entriesFor(
          set.outputSet.filter((entry) => entry.action === action),
          time,
        )
        expect(itemsOf(memory.current)).toHaveLength(wanted.flatMap(({ outputs }) => outputs).filter((one) => one.valueAlternatives.length > 0).length) // biome-ignore format: one row
        expect(typeof textOfItems(itemsOf(memory.current))).toBe('string')
      }
      past.push(testStep({ actions: set.outputSet.map(({ action }) => action).filter((action, at, all) => all.indexOf(action) === at) }))
    }
  })
})

function ruleSetOf(given: unknown): RuleSet {
  const { behaviorGroups, appendActions, expressionsAsActions } = givenRules.parse(given)
  return {
    behaviorGroups: behaviorGroups.map(({ behaviorRules, executionStrategy }) => groupOf(behaviorRules, executionStrategy)),
    appendActions: appendActions ?? true,
    expressionsAsActions: expressionsAsActions ?? false,
  }
}

function outputSetOf(given: unknown): OutputSet {
  const { lang, outputSet } = givenOutputs.parse(given)
  return {
    lang: lang ?? '',
    outputSet: outputSet.map(({ timesOccurred, quickReplies, ...entry }) => ({
      ...entry,
      timesOccurred: timesOccurred ?? 0,
      quickReplies: (quickReplies ?? []).map((reply) => ({ value: reply.value, expressions: reply.expressions ?? '', isDefault: reply.default === true })), // biome-ignore format: one row
    })),
  }
}
