import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import type { Kind } from '../configuration.ts'
import { canonicalRaw, jsonSchemaOf, readConfiguration } from './read.ts'
import { allKinds } from './uri.ts'

const lenient = <K extends Kind>(kind: K, given: unknown) => readConfiguration(kind, given, 'lenient').value
const faults = (kind: Kind, given: unknown) => readConfiguration(kind, given, 'strict').faults.map(({ path }) => path)

describe('defaults', () => {
  test('of calls', () => {
    const { httpCalls } = lenient('httpcalls', {
      httpCalls: [{ name: 'weather', preRequest: { batchRequests: {} }, postResponse: { retryApiCallInstruction: {} } }],
    })
    expect(httpCalls[0]).toMatchObject({
      saveResponse: false,
      fireAndForget: false,
      isBatchCalls: false,
      maxResponseSizeInBytes: 2_000_000,
      request: { method: 'GET', path: '', headers: {} },
      preRequest: { delayBeforeExecutingInMillis: 0, batchRequests: { iterationObjectName: 'obj', executeCallsSequentially: false } },
      postResponse: { retryApiCallInstruction: { maxRetries: 3, exponentialBackoffDelayInMillis: 1_000, retryOnHttpCodes: [502, 503] } },
    })
  })

  test('of codes, instructions, rules, outputs, dictionaries', () => {
    const { setOnActions } = lenient('property', {
      setOnActions: [{ actions: ['*'], setProperties: [{ name: 'n', httpCodeValidator: {} }] }],
    })
    expect(setOnActions[0]?.setProperties[0]).toMatchObject({
      ...{ scope: 'conversation', override: true, convertToObject: false, runOnValidationError: false },
      httpCodeValidator: { runOnHttpCode: [200, 201], skipOnHttpCode: [0, 400, 401, 402, 403, 404, 409, 410, 500, 501, 502] },
    })
    expect(lenient('rules', {})).toEqual({ behaviorGroups: [], appendActions: true, expressionsAsActions: false })
    expect(lenient('rules', { behaviorGroups: [{ executionStrategy: '' }] }).behaviorGroups[0]?.executionStrategy).toBe(
      'executeUntilFirstSuccess',
    )
    expect(lenient('dictionary', { words: [{ word: 'x' }] })).toEqual({
      lang: 'en',
      words: [{ word: 'x', expressions: '', frequency: 0 }],
      phrases: [],
      regExs: [],
    })
    expect(lenient('output', { outputSet: [{ action: 'a', outputs: [{ valueAlternatives: ['Hi'] }] }] }).outputSet[0]).toEqual({
      action: 'a',
      timesOccurred: 0,
      outputs: [{ valueAlternatives: [{ type: 'text', text: 'Hi' }] }],
      quickReplies: [],
    })
  })
})

describe('older names', () => {
  test('of agents, workflows and rules', () => {
    expect(lenient('agent', { packages: ['eddi://x'], channels: [{ type: 'slack' }] })).toMatchObject({
      workflows: ['eddi://x'],
      kept: { channels: [{ type: 'slack' }] },
    })
    for (const name of ['packageExtensions', 'workflowExtensions', 'workflowSteps'])
      expect(lenient('workflow', { [name]: [{ type: 'eddi://ai.labs.behavior' }] }).workflowSteps).toEqual([
        { type: 'eddi://ai.labs.rules', config: {}, extensions: {} },
      ])
    const older = {
      behaviorGroups: [
        {
          behaviorRules: [{ name: 'R', children: [{ type: 'negation', children: [{ type: 'actionmatcher', values: { actions: 'a' } }] }] }],
        },
      ],
    }
    expect(lenient('rules', older).behaviorGroups[0]?.rules[0]?.conditions).toEqual([
      { type: 'negation', configs: {}, conditions: [{ type: 'actionmatcher', configs: { actions: 'a' }, conditions: [] }] },
    ])
    expect(lenient('rules', { ruleGroups: [{ name: 'G' }] }).behaviorGroups[0]?.name).toBe('G')
  })

  test('of calls and outputs; a canonical name wins over an older one', () => {
    const retry = { maxRetries: 7 }
    const call = (post: object) =>
      lenient('httpcalls', { httpCalls: [{ name: 'c', postResponse: post }] }).httpCalls[0]?.postResponse?.retryApiCallInstruction
        ?.maxRetries
    expect(call({ retryHttpCallInstruction: retry })).toBe(7)
    expect(call({ retryHttpCallInstruction: retry, retryApiCallInstruction: { maxRetries: 1 } })).toBe(1)
    expect(lenient('httpcalls', { apiCalls: [{ name: 'x' }] }).httpCalls[0]?.name).toBe('x')
    expect(
      lenient('output', { outputSet: [{ key: 'greet', outputs: [{ type: 'text', valueAlternatives: ['Hi'] }] }] }).outputSet[0],
    ).toMatchObject({
      action: 'greet',
      outputs: [{ valueAlternatives: [{ type: 'text', text: 'Hi' }] }],
    })
  })

  test('numbers and truths as texts, words in any case, nulls as if they were not there', () => {
    expect(lenient('rag', { chunkSize: '100', minScore: '0.5' })).toMatchObject({ chunkSize: 100, minScore: 0.5 })
    expect(
      lenient('property', {
        setOnActions: [{ actions: ['a'], setProperties: [{ name: 'n', scope: 'longTerm', override: 'false', valueString: null }] }],
      }),
    ).toMatchObject({
      setOnActions: [{ setProperties: [{ scope: 'longTerm', override: false }] }],
    })
    expect(lenient('agent', { hitlConfig: { timeoutPolicy: 'auto_reject' }, capabilities: null }).hitlConfig?.timeoutPolicy).toBe(
      'AUTO_REJECT',
    )
  })
})

describe('strict', () => {
  test('all that is wrong is named at once, with what is allowed', () => {
    const given = { httpCalls: [{ name: 'a', request: { method: 'FETCH' }, timeoutInMillis: -1 }, { name: 7 }], colour: 1 }
    const { faults: found } = readConfiguration('httpcalls', given, 'strict')
    expect(found.map(({ path }) => path).sort()).toEqual([
      '/httpCalls/0/request/method',
      '/httpCalls/0/timeoutInMillis',
      '/httpCalls/1/name',
    ])
    expect(found.map(({ message }) => message).join('\n')).toMatch(/GET.*POST/)
  })

  test('unknown members are named, wherever they stand; free objects hold any', () => {
    expect(faults('rules', { behaviorGroups: [{ rules: [{ name: 'r', action: [] }] }], more: 1 })).toEqual([
      '/behaviorGroups/0/rules/0/action',
      '/more',
    ])
    expect(faults('workflow', { workflowSteps: [{ type: 'eddi://ai.labs.parser', config: { anything: { goes: 1 } } }] })).toEqual([])
    expect(faults('output', { outputSet: [{ action: 'a', outputs: [{ valueAlternatives: [{ type: 'other', mood: 'glad' }] }] }] })).toEqual(
      [],
    )
    expect(faults('agent', { workflows: [], a2aEnabled: true, capabilities: [{ skill: 'x' }], security: {} })).toEqual([])
    expect(faults('llm', { tasks: [{ actions: ['*'], type: 'openai', enableCostTracking: true, retry: { maxAttempts: 2 } }] })).toEqual([])
  })

  test('names of an object’s own making are ordinary members', () => {
    const given = JSON.parse('{"tasks": [{"parameters": {"__proto__": "x", "constructor": "y"}}], "__proto__": {"a": 1}, "toString": 1}')
    expect(faults('llm', given)).toContain('/toString')
    expect(Object.getPrototypeOf(lenient('llm', given))).toBe(Object.prototype)
  })

  test('nesting that is very deep is refused in words', () => {
    let deep: JsonObject = { type: 'negation' }
    for (let at = 0; at < 20_000; at++) deep = { type: 'negation', conditions: [deep] }
    expect(() => readConfiguration('rules', { behaviorGroups: [{ rules: [{ name: 'r', conditions: [deep] }] }] }, 'strict')).toThrow(/deep/)
  })
})

describe('lenient', () => {
  test('unknown members are told and passed over; what can’t be read is thrown, with its place', () => {
    expect(readConfiguration('snippet', { name: 'x', colour: 1 }, 'lenient').unknown).toEqual(['/colour'])
    expect(() => readConfiguration('snippet', { name: 'X Y' }, 'lenient')).toThrow(/\/name: allowed are a-z/)
    expect(() => readConfiguration('rules', [], 'lenient')).toThrow(/JSON object.*a list/)
    expect(() => readConfiguration('rules', null, 'lenient')).toThrow(/JSON object.*nothing/)
  })

  test('the canonical text of an older file has no older name, no unknown member and no default', () => {
    expect(canonicalRaw('agent', { packages: ['eddi://x'], channels: [], colour: 1 })).toEqual({
      raw: { workflows: ['eddi://x'], channels: [] },
      unknown: ['/colour'],
    })
  })
})

test.each(allKinds)('the JSON Schema of %s is one object with its members', (kind) => {
  const schema = jsonSchemaOf(kind)
  expect(schema).toMatchObject({ type: 'object', properties: expect.any(Object) })
  expect(JSON.stringify(schema).length).toBeLessThan(60_000)
})
