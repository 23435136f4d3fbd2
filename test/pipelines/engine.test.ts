import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { openTalk, outputOf, type StepOf, type Talk } from './talk.ts'

let talk: Talk
afterEach(() => talk?.close())

const parser: StepOf = {
  task: 'ai.labs.parser',
  extensions: { dictionaries: [{ type: 'eddi://ai.labs.parser.dictionaries.integer' }] },
}
const words = (...pairs: readonly (readonly [string, string])[]): JsonObject => ({
  words: pairs.map(([word, expressions]) => ({ word, expressions })),
})

async function parserWith(...pairs: readonly (readonly [string, string])[]): Promise<StepOf> {
  const [ref] = await talk.pipelines.configurations.create([{ kind: 'dictionary', value: words(...pairs) }], {
    user: 'ada',
    by: 'user:ada',
  })
  const uri = `eddi://ai.labs.dictionary/dictionarystore/dictionaries/${ref?.id}?version=1`
  return { ...parser, extensions: { dictionaries: [{ type: 'eddi://ai.labs.parser.dictionaries.regular', config: { uri } }] } }
}

function rules(...all: readonly { readonly when: JsonObject; readonly does: readonly string[] }[]): StepOf {
  const each = all.map(({ when, does }, at) => ({ name: `rule ${at + 1}`, actions: [...does], conditions: [when] }))
  return { task: 'ai.labs.rules', kind: 'rules', value: { behaviorGroups: [{ executionStrategy: 'executeAll', rules: each }] } }
}
const said = (expressions: string): JsonObject => ({ type: 'inputmatcher', configs: { expressions } })
const started: JsonObject = { type: 'actionmatcher', configs: { actions: 'CONVERSATION_START' } }

function output(...all: readonly (readonly [string, string | readonly string[], (readonly string[])?])[]): StepOf {
  const outputSet = all.map(([action, texts, replies = []]) => ({
    action,
    outputs: [{ valueAlternatives: [texts].flat().map((text) => ({ type: 'text', text })) }],
    quickReplies: replies.map((one) => ({ value: one.split(' ')[0] ?? '', expressions: one.split(' ')[1] ?? '' })),
  }))
  return { task: 'ai.labs.output', kind: 'output', value: { outputSet } }
}
const templating: StepOf = { task: 'ai.labs.templating' }

async function greeter() {
  talk = await openTalk()
  return talk.agent('Greeter', [
    await parserWith(['hello', 'greeting(hello)'], ['bye', 'goodbye(bye)'], ['stop', 'halt(now)'], ['property', 'property(colour(red))']),
    rules(
      { when: started, does: ['welcome'] },
      { when: said('greeting(*)'), does: ['greet'] },
      { when: said('goodbye(*)'), does: ['farewell', 'CONVERSATION_END'] },
      { when: said('halt(*)'), does: ['farewell', 'STOP_CONVERSATION'] },
    ),
    output(
      ['welcome', 'Welcome!', ['hello greeting(hello)', 'bye goodbye(bye)']],
      ['greet', 'Hello {properties.colour}!'],
      ['farewell', 'See you.'],
    ),
    templating,
    { task: 'ai.labs.property' },
  ])
}

describe('the pipeline engine', () => {
  test('[Y127, Y128] the first message begins the conversation: the welcome is said, then the answer; each is one fact', async () => {
    const { name } = await greeter()
    expect(name).toBe('greeter')
    const { session, process } = await talk.open(name)
    expect((await talk.say(session, 'hello')).data['outcome']).toBe('done')
    expect(await talk.lines(session)).toEqual([
      { text: 'Welcome!', options: ['hello', 'bye'] },
      { text: 'Hello !', options: [] },
    ])
    const state = await talk.state(process)
    expect([state.state, state.steps.length, outputOf(state)]).toEqual(['READY', 2, ['Hello !']])
    const before = talk.bench.journal.head()
    await talk.say(session, 'property')
    const { events } = await talk.bench.journal.read({ after: before, limit: 100 })
    expect(events.map(({ type }) => type)).toEqual([
      'chat-message-appended',
      'turn-started',
      'pipeline-step',
      'chat-message-appended',
      'turn-settled',
      'chat-message-updated',
    ])
    await talk.say(session, 'hello')
    expect(outputOf(await talk.state(process))).toEqual(['Hello red!'])
  })

  test('[Y125, Y132] undo, redo and rerun, also after a restart', async () => {
    const { name } = await greeter()
    const { session, process } = await talk.open(name)
    await talk.say(session, 'property')
    await talk.say(session, 'hello')
    await talk.control(session, { do: 'undo' })
    await talk.control(session, { do: 'undo' })
    expect([(await talk.state(process)).steps.length, (await talk.state(process)).properties.has('colour')]).toEqual([1, false])
    await talk.control(session, { do: 'undo' })
    expect((await talk.state(process)).steps.length).toBe(1)
    await talk.reopen()
    await talk.control(session, { do: 'redo' })
    await talk.control(session, { do: 'redo' })
    expect(outputOf(await talk.state(process))).toEqual(['Hello red!'])
    await talk.control(session, { do: 'rerun' })
    expect([(await talk.state(process)).steps.length, outputOf(await talk.state(process))]).toEqual([3, ['Hello red!']])
    await talk.say(session, 'hello')
    expect((await talk.state(process)).redo).toEqual([])
  })

  test('[Y131, Y133] an end lets the rest run, a stop does not, and afterwards one sentence is said', async () => {
    const { name } = await greeter()
    const first = await talk.open(name)
    await talk.say(first.session, 'bye')
    expect([(await talk.state(first.process)).state, outputOf(await talk.state(first.process))]).toEqual(['ENDED', ['See you.']])
    await talk.say(first.session, 'hello')
    expect((await talk.lines(first.session)).at(-1)?.text).toMatch(/has ended/)
    expect((await talk.state(first.process)).steps.length).toBe(2)
    const second = await talk.open(name)
    await talk.say(second.session, 'stop')
    expect([(await talk.state(second.process)).state, outputOf(await talk.state(second.process))]).toEqual(['ENDED', []])
  })

  test('[Y134] a pause waits for a decision; after a no only what answers it runs', async () => {
    talk = await openTalk()
    const { name } = await talk.agent(
      'Keeper',
      [
        await parserWith(['delete', 'delete(all)']),
        rules({ when: said('delete(*)'), does: ['gone', 'PAUSE_CONVERSATION'] }),
        output(['gone', 'It is gone.'], ['APPROVAL_REJECTED', 'It stays.']),
      ],
      { hitlConfig: { pauseReason: 'May all be deleted?' } },
    )
    for (const [answer, line, action] of [
      ['Approve', 'It is gone.', 'APPROVED'],
      ['Reject', 'It stays.', 'REJECTED'],
    ] as const) {
      const { session, process } = await talk.open(name)
      const done = talk.say(session, 'delete')
      const asked = await talk.question(session)
      expect([asked.text, asked.options]).toEqual(['May all be deleted?', ['Approve', 'Reject']])
      expect((await talk.state(process)).state).toBe('AWAITING_HUMAN')
      await asked.answer(answer)
      expect((await done).data['outcome']).toBe('done')
      const state = await talk.state(process)
      expect([state.state, state.steps.length, outputOf(state)]).toEqual(['READY', 2, [line]])
      expect(state.steps.at(-1)?.output['hitl']).toEqual({ verdict: action })
    }
  })

  test('[Y130] a task that fails is told, and the conversation goes on', async () => {
    talk = await openTalk({
      effects: {
        'ai.labs.httpcalls': async ({ memory }) => {
          memory.current.set('half', true)
          if (memory.current.get('input:initial') === 'break') throw new Error('internal secret detail')
        },
        'ai.labs.mcpcalls': async () => {},
        'steward.toolcalls': async () => {},
        'ai.labs.llm': async () => {},
        'ai.labs.rag': async () => {},
      },
    })
    const { name } = await talk.agent(
      'Caller',
      [
        parser,
        rules({ when: said('integer(*)'), does: ['number'] }),
        { task: 'ai.labs.httpcalls', kind: 'httpcalls', value: { targetServerUrl: 'https://example.org', httpCalls: [] } },
        output(['number', 'A number.']),
      ],
      { memoryPolicy: { strictWriteDiscipline: { enabled: true } } },
    )
    const { session, process } = await talk.open(name)
    expect((await talk.say(session, 'break')).data['outcome']).toBe('done')
    const failed = await talk.state(process)
    const last = failed.steps.at(-1)
    expect([failed.state, last?.data.some(({ key }) => key === 'half'), Array.isArray(last?.output['errors'])]).toEqual([
      'ERROR',
      false,
      true,
    ])
    const line = (await talk.lines(session)).at(-1)?.text ?? ''
    expect(line).toMatch(/workflow 1\/step 3/)
    expect(line).not.toMatch(/secret detail/)
    await talk.say(session, '42')
    expect([(await talk.state(process)).state, outputOf(await talk.state(process))]).toEqual(['READY', ['A number.']])
  })

  test('[Y136] an alternative is chosen by the turn, and the same again on a rerun', async () => {
    talk = await openTalk()
    const many = Array.from({ length: 40 }, (_, at) => `answer ${at}`)
    const { name } = await talk.agent('Chooser', [parser, rules({ when: said('integer(*)'), does: ['any'] }), output(['any', many])])
    const { session, process } = await talk.open(name)
    const chosen = new Set<string>()
    for (let at = 1; at <= 12; at++) {
      await talk.say(session, String(at))
      const [first] = outputOf(await talk.state(process))
      await talk.control(session, { do: 'rerun' })
      expect(outputOf(await talk.state(process))).toEqual([first])
      chosen.add(first ?? '')
    }
    expect(chosen.size).toBeGreaterThan(3)
  })

  test('[Y135] a long-term property is there in the next conversation', async () => {
    talk = await openTalk()
    const set = {
      setOnActions: [{ actions: ['keep'], setProperties: [{ name: 'lucky', valueString: '{memory.current.input}', scope: 'longTerm' }] }],
    }
    const { name } = await talk.agent('Rememberer', [
      parser,
      rules({ when: said('integer(*)'), does: ['keep', 'say'] }, { when: started, does: ['say'] }),
      { task: 'ai.labs.property', kind: 'property', value: set },
      output(['say', 'Lucky: {properties.lucky}']),
      templating,
    ])
    const one = await talk.open(name)
    await talk.say(one.session, '7')
    expect((await talk.lines(one.session)).map(({ text }) => text)).toEqual(['Lucky:', 'Lucky: 7'])
    await talk.reopen()
    const two = await talk.open(name)
    await talk.control(two.session, { do: 'start' })
    expect((await talk.lines(two.session)).map(({ text }) => text)).toEqual(['Lucky: 7'])
  })

  test('[Y129] a new version is for new conversations', async () => {
    const { name, ref } = await greeter()
    const { session } = await talk.open(name)
    await talk.say(session, 'hello')
    const { configurations, deployments } = talk.pipelines
    const [found] = await configurations.descriptors('output', { user: 'ada' })
    const output = await configurations.read(
      { kind: 'output', id: found?.resource.match(/outputsets\/([0-9a-f]+)/)?.[1] ?? '' },
      { user: 'ada' },
    )
    if (!output) throw new Error('no output')
    const value = JSON.parse(JSON.stringify(output.raw).replace('Hello ', 'Good day '))
    const applied = await configurations.apply(ref, [{ ref: output.ref, value }], { user: 'ada', by: 'user:ada' })
    expect(applied.agent.version).toBe(2)
    expect((await deployments.current(ref.id, 'production', { user: 'ada' }))?.agentVersion).toBe(2)
    await talk.say(session, 'hello')
    expect((await talk.lines(session)).at(-1)?.text).toBe('Hello !')
    const next = await talk.open(name)
    await talk.say(next.session, 'hello')
    expect((await talk.lines(next.session)).at(-1)?.text).toBe('Good day !')
  })
})
