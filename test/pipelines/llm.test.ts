import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { llmTask } from '../../src/engines/pipeline/tasks/llm-task.ts'
import { openModels } from '../../src/models/models.ts'
import { type ScriptedModel, startScriptedModel } from '../../src/models/scripted.ts'
import { openTalk, outputOf, type Talk } from './talk.ts'

let talk: Talk
let model: ScriptedModel
beforeEach(async () => {
  model = await startScriptedModel()
})
afterEach(async () => {
  await talk?.close()
  await model.close()
})

async function begin(): Promise<void> {
  const name = 'openai-compatible/scripted'
  const models = openModels(
    { models: { light: name, standard: name, deep: name }, providers: { OPENAI_BASE_URL: model.url } },
    { clock: systemClock, retries: 0 },
  )
  const none = async () => {}
  talk = await openTalk({
    effects: {
      ...{ 'ai.labs.httpcalls': none, 'ai.labs.mcpcalls': none, 'steward.toolcalls': none, 'ai.labs.rag': none },
      'ai.labs.llm': llmTask({ models, tools: {} } as never),
    },
  })
}

async function agent(task: JsonObject, then: JsonObject = {}) {
  return talk.agent('Thinker', [
    { task: 'ai.labs.parser' },
    {
      task: 'ai.labs.rules',
      kind: 'rules',
      value: {
        behaviorGroups: [
          {
            rules: [
              {
                name: 'ask',
                actions: ['think'],
                conditions: [{ type: 'negation', conditions: [{ type: 'actionmatcher', configs: { actions: 'CONVERSATION_START' } }] }],
              },
            ],
          },
        ],
      },
    },
    { task: 'ai.labs.llm', kind: 'llm', value: { tasks: [{ actions: ['think'], id: 'chat', type: 'openai', ...task }] } },
    { task: 'ai.labs.output', kind: 'output', value: { outputSet: [], ...then } },
    { task: 'ai.labs.templating' },
  ])
}
const messages = (at: number) => model.requests[at]?.body.messages?.map(({ role, content }) => `${role}: ${content}`)

describe('the model task', () => {
  test('[Y110] a model is asked with the system message, the history and what was said; its cost is a fact', async () => {
    await begin()
    const { name } = await agent({
      parameters: { systemMessage: 'You help {userInfo.userId}.', addToOutput: 'true' },
      conversationHistoryLimit: 1,
    })
    const { session, process } = await talk.open(name)
    model.script('First answer.', 'Second answer.', 'Third answer.')
    for (const words of ['one', 'two', 'three']) await talk.say(session, words)
    expect(outputOf(await talk.state(process))).toEqual(['Third answer.'])
    expect(messages(0)).toEqual(['system: You help ada.', 'user: one'])
    expect(messages(2)).toEqual(['system: You help ada.', 'user: two', 'assistant: Second answer.', 'user: three'])
    expect((await talk.lines(session)).map(({ text }) => text)).toEqual(['First answer.', 'Second answer.', 'Third answer.'])
    const { events } = await talk.bench.journal.read({ after: 0, limit: 500 })
    expect(events.filter(({ type }) => type === 'model-spent')).toHaveLength(3)
  })

  test('[Y111] words of a model are shown as they are', async () => {
    await begin()
    const { name } = await agent({ parameters: { addToOutput: 'true' } })
    const { session, process } = await talk.open(name)
    model.script('Your id is {userInfo.userId}, {#for x in y}.')
    await talk.say(session, 'hello')
    expect(outputOf(await talk.state(process))).toEqual(['Your id is {userInfo.userId}, {#for x in y}.'])
  })

  test('an answer as an object serves what comes after it', async () => {
    await begin()
    const set = { propertyInstructions: [{ name: 'mood', fromObjectPath: 'answer.mood', scope: 'conversation' }] }
    const { name } = await agent({ jsonResponseFormat: true, responseObjectName: 'answer', postResponse: set })
    const { session, process } = await talk.open(name)
    model.script('```json\n{"mood": "good"}\n```')
    await talk.say(session, 'hello')
    expect((await talk.state(process)).properties.get('mood')?.value).toBe('good')
    expect(messages(0)?.[0]).toContain('Answer with one JSON value')
  })

  test('masking stands before the system message, the counterweight behind it', async () => {
    await begin()
    const { name } = await agent({
      parameters: { systemMessage: 'Be brief.', addToOutput: 'true' },
      identityMasking: { enabled: true, displayName: 'Shoppy', rules: ['Speak of the shop only.'] },
      counterweight: { enabled: true, level: 'strict' },
    })
    const { session } = await talk.open(name)
    await talk.say(session, 'hello')
    const system = messages(0)?.[0] ?? ''
    const at = ['Shoppy', 'Speak of the shop only', 'Be brief', 'Never claim to have done'].map((part) => system.indexOf(part))
    expect(at.every((one) => one > 0)).toBe(true)
    expect([...at].sort((a, b) => a - b)).toEqual(at)
  })

  test('[Y110, Y130] a provider that fails is one sentence, and the conversation goes on', async () => {
    await begin()
    const { name } = await agent({ parameters: { addToOutput: 'true' } })
    const { session, process } = await talk.open(name)
    model.script({ status: 401 })
    await talk.say(session, 'hello')
    expect((await talk.state(process)).state).toBe('ERROR')
    expect((await talk.lines(session)).at(-1)?.text).toMatch(/could not be finished/)
    model.script('Here again.')
    await talk.say(session, 'hello')
    expect(outputOf(await talk.state(process))).toEqual(['Here again.'])
  })

  test('[Y112] what cannot be had is refused by name at deployment', async () => {
    await begin()
    const wanted = { type: 'skynet', modelCascade: { enabled: true } }
    await expect(agent(wanted)).rejects.toThrow(/cascade of models has no steps[\s\S]*provider "skynet" is not supported/)
  })
})
