import { describe, expect, test } from 'vitest'
import { isResourceId, refIn, taskOf, uriOf, wholeRefIn } from './uri.ts'

const id = '6740832a2b0f614abcaee7ab'
const uuid = 'f3be2bcd-aff3-41f0-9a1a-cf4eb513dd81'

describe('references', () => {
  test.each([
    [`eddi://ai.labs.rules/rulestore/rulesets/${id}?version=1`, 'rules', 1],
    [`eddi://ai.labs.behavior/behaviorstore/behaviorsets/${id}?version=12`, 'rules', 12],
    [`eddi://ai.labs.bot/botstore/bots/${id}?version=2`, 'agent', 2],
    [`eddi://ai.labs.package/packagestore/packages/${id}?version=2`, 'workflow', 2],
    [`eddi://ai.labs.regulardictionary/regulardictionarystore/regulardictionaries/${id}?version=3`, 'dictionary', 3],
    [`eddi://ai.labs.dictionary/dictionarystore/dictionaries/${id}?version=3`, 'dictionary', 3],
    [`eddi://ai.labs.httpcalls/httpcallsstore/httpcalls/${id}?version=1`, 'httpcalls', 1],
    [`eddi://ai.labs.apicalls/apicallstore/apicalls/${id}?version=1`, 'httpcalls', 1],
    [`eddi://ai.labs.langchain/langchainstore/langchains/${id}?version=1`, 'llm', 1],
    [`http://localhost:7070/llmstore/llms/${id}?version=5`, 'llm', 5],
    [`https://hub.example/eddi/v6/outputstore/outputsets/${id}?version=5&format=json`, 'output', 5],
    [`/agentstore/agents/${id}`, 'agent', null],
    [`eddi://ai.labs.agent/agentstore/agents/${id}?version=0`, 'agent', null],
    [`eddi://ai.labs.agent/agentstore/agents/${id}?version=1.5`, 'agent', null],
  ])('%s', (uri, kind, version) => {
    expect(refIn(uri)).toEqual({ kind, id, version })
  })

  test('ids of databases, and names of bundled ones', () => {
    expect(refIn(`eddi://ai.labs.output/outputstore/outputsets/${uuid}?version=1`)?.id).toBe(uuid)
    expect(refIn('eddi://ai.labs.agent/agentstore/agents/concierge?version=1')?.id).toBe('concierge')
    for (const good of [id, uuid, 'concierge', 'faq-2']) expect([good, isResourceId(good)]).toEqual([good, true])
    for (const bad of ['', '../x', 'a b', '-x', `${id}0`.repeat(4), 'a/b', 'ä']) expect([bad, isResourceId(bad)]).toEqual([bad, false])
  })

  test('what names no configuration is null, however long it is', () => {
    for (const uri of [
      '',
      'eddi://',
      'eddi://x/y/z',
      `eddi://ai.labs.rules/rulestore/rulesets/../${id}?version=1`,
      'http://a/b',
      'a/'.repeat(100_000),
    ])
      expect(refIn(uri)).toBeNull()
    expect(() => wholeRefIn(`eddi://ai.labs.rules/rulestore/rulesets/${id}`, '/workflows/0')).toThrow(/names no version.*eddi:\/\/ai\.labs/)
  })

  test('are written in the third generation of names', () => {
    const old = `eddi://ai.labs.behavior/behaviorstore/behaviorsets/${id}?version=4`
    expect(uriOf(wholeRefIn(old, ''))).toBe(`eddi://ai.labs.rules/rulestore/rulesets/${id}?version=4`)
  })
})

test('tasks of all generations have one name', () => {
  expect(
    ['eddi://ai.labs.behavior', 'ai.labs.rules', 'eddi://ai.labs.apicalls', 'eddi://ai.labs.langchain', 'EDDI://ai.labs.Output'].map(
      taskOf,
    ),
  ).toEqual(['ai.labs.rules', 'ai.labs.rules', 'ai.labs.httpcalls', 'ai.labs.llm', 'ai.labs.output'])
  expect(taskOf('eddi://ai.labs.mystery')).toBe('ai.labs.mystery')
})
