import { afterEach, describe, expect, test } from 'vitest'
import type { SessionId } from '../../src/base/ids.ts'
import { type ScriptedModel, startScriptedModel } from '../../src/models/scripted.ts'
import { withSecretReferences } from '../../src/pipelines/references.ts'
import { type LlmStage, openLlm, type StageGiven } from './llm-stage.ts'
import { outputOf } from './talk.ts'

const vaultKey = `\${vault:my-key}`
const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function begin(given: StageGiven = {}): Promise<LlmStage> {
  const stage = await openLlm(given)
  open.push(stage)
  return stage
}
async function elsewhere(): Promise<ScriptedModel> {
  const model = await startScriptedModel()
  open.push(model)
  return model
}
async function infos({ talk }: LlmStage, session: SessionId): Promise<readonly string[]> {
  const { items } = await talk.bench.scopes.conversation.branch(session, { limit: 200 })
  return items.flatMap(({ role, info }) => (role === 'assistant' ? [info ?? ''] : []))
}
const secrets = (values: Record<string, string>) => ({
  seal: async (text: string) => Object.entries(values).reduce((left, [name, value]) => left.replaceAll(value, `{{secret:${name}}}`), text),
  set: async () => ({}) as never,
  resolve: async (text: string) =>
    withSecretReferences(text).replace(/\{\{secret:([a-z.-]+)\}\}/g, (_, name: string) => values[name] ?? ''),
})
/** Timers of the turn run by the clock of the test. */
async function whileTimePasses({ talk }: LlmStage, work: Promise<unknown>): Promise<void> {
  let isDone = false
  const ended = work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    await talk.bench.clock.advance(1_000)
    await new Promise((again) => setImmediate(again))
  }
  await ended
}

describe('which model a task asks', () => {
  test('[Y113] the model that it names, with its numbers; names as templates', async () => {
    const stage = await begin()
    const parameters = { modelName: '{userInfo.userId}-mini', temperature: '0.3', topP: '0.5', maxTokens: '77' }
    const { session } = await stage.talk.open(await stage.agent({ parameters }))
    await stage.talk.say(session, 'hello')
    expect(stage.model.requests[0]?.body).toMatchObject({ model: 'ada-mini', temperature: 0.3, top_p: 0.5 })
    expect(JSON.stringify(stage.model.requests[0]?.body)).toMatch(/"max_(?:completion_)?tokens":77/)
  })

  test('[Y114] one that is not set up is told once a conversation, and the tier answers', async () => {
    const stage = await begin()
    const { session, process } = await stage.talk.open(await stage.agent({ type: 'anthropic', parameters: { modelName: 'claude-x' } }))
    stage.model.script('One.', 'Two.')
    await stage.talk.say(session, 'hello')
    await stage.talk.say(session, 'again')
    expect(outputOf(await stage.talk.state(process))).toEqual(['Two.'])
    expect(await infos(stage, session)).toEqual([expect.stringContaining('anthropic/claude-x is not set up'), ''])
  })

  test('[Y114] without any model one sentence says so, and the conversation goes on', async () => {
    const stage = await begin({ noModel: true })
    const { session, process } = await stage.talk.open(await stage.agent({}))
    await stage.talk.say(session, 'hello')
    await stage.talk.say(session, 'again')
    expect((await stage.talk.lines(session)).at(-1)?.text).toMatch(/No model is configured/)
    expect((await stage.talk.state(process)).steps).toHaveLength(3)
    expect(stage.model.count).toBe(0)
  })

  test('[Y113] an own key and address: asked there alone, the key in that request and nowhere else', async () => {
    const own = await elsewhere()
    const stage = await begin({ exempt: [own.origin], secrets: secrets({ 'my-key': 'sk-own-0123456789' }) })
    const parameters = { modelName: 'gpt-own', apiKey: vaultKey, baseUrl: own.url }
    const { session, process } = await stage.talk.open(await stage.agent({ parameters }))
    own.script('From my own account.')
    await stage.talk.say(session, 'hello')
    expect(outputOf(await stage.talk.state(process))).toEqual(['From my own account.'])
    expect(own.requests[0]?.headers.authorization).toBe('Bearer sk-own-0123456789')
    expect(stage.model.count).toBe(0)
    const { events } = await stage.talk.bench.journal.read({ after: 0, limit: 1_000 })
    expect(JSON.stringify(events)).not.toContain('sk-own')
  })

  test('[Y113] an address inside is not reached, and the hub is not asked instead', async () => {
    const own = await elsewhere()
    const stage = await begin({ secrets: secrets({ 'my-key': 'sk-own-0123456789' }) })
    for (const baseUrl of [own.url, 'http://169.254.169.254/v1']) {
      const parameters = { modelName: 'gpt-own', apiKey: vaultKey, baseUrl }
      const { session } = await stage.talk.open(await stage.agent({ parameters }))
      await stage.talk.say(session, 'hello')
      expect((await stage.talk.lines(session)).at(-1)?.text).toMatch(
        /could not be finished: .*(?:https only|not allowed|blocked|private|reach)/s,
      )
    }
    expect([own.count, stage.model.count]).toEqual([0, 0])
  })

  test('[Y114] a key that is not there is told, and the hub answers', async () => {
    const { resolve: _, ...rest } = secrets({})
    const denied = async () => {
      throw Object.assign(new (await import('../../src/secrets/secrets.ts')).Denied('there is no secret my-key'), {})
    }
    const stage = await begin({ secrets: { ...rest, resolve: denied } })
    const { session } = await stage.talk.open(await stage.agent({ parameters: { modelName: 'gpt-x', apiKey: vaultKey } }))
    stage.model.script('Hub.')
    await stage.talk.say(session, 'hello')
    expect((await stage.talk.lines(session)).at(-1)?.text).toBe('Hub.')
    expect(await infos(stage, session)).toEqual([expect.stringContaining('there is no secret my-key')])
  })

  test('[Y110, Y113] a local-only project reaches no other machine, also not by an own address', async () => {
    const stage = await begin()
    const { projects, sessions } = stage.talk.bench.scopes
    await projects.create({ name: 'closed', policy: { localOnly: true } }, 'user:ada')
    const parameters = { modelName: 'gpt-x', baseUrl: 'https://api.example.org/v1' }
    const agent = await stage.agent({ parameters })
    const { value } = await sessions.create({ user: 'ada', project: 'closed', agent }, 'user:ada')
    await stage.talk.say(value.id as SessionId, 'hello')
    expect((await stage.talk.lines(value.id as SessionId)).at(-1)?.text).toMatch(/local-only/)
  })
})

describe('when a model does not answer', () => {
  test('[Y115] a passing failure is tried again, as steps and by the turn’s own timer; another is not', async () => {
    const stage = await begin()
    const retry = { maxAttempts: 3, backoffDelayMs: 2_000 }
    const { session, process } = await stage.talk.open(await stage.agent({ retry }))
    stage.model.script({ status: 500 }, { status: 500 }, 'At last.')
    await whileTimePasses(stage, stage.talk.say(session, 'hello'))
    expect(outputOf(await stage.talk.state(process))).toEqual(['At last.'])
    const steps = (await stage.events('step-started')).map(({ data }) => String(data['name']))
    expect(steps.filter((name) => name.includes('/chat'))).toEqual([
      expect.stringMatching(/chat$/),
      expect.stringMatching(/chat\/try-2$/),
      expect.stringMatching(/chat\/try-3$/),
    ])
    const before = stage.model.count
    stage.model.script({ status: 400 })
    await whileTimePasses(stage, stage.talk.say(session, 'hello'))
    expect(stage.model.count).toBe(before + 1)
  })

  test('[Y115, Y121] one that hangs ends in its time; the next say works', async () => {
    const stage = await begin()
    const { session, process } = await stage.talk.open(await stage.agent({ parameters: { timeout: '150' } }))
    stage.model.script({ silent: true }, 'Awake.')
    await stage.talk.say(session, 'hello')
    expect((await stage.talk.lines(session)).at(-1)?.text).toMatch(/No answer came within 0.15 seconds/)
    await stage.talk.say(session, 'hello')
    expect(outputOf(await stage.talk.state(process))).toEqual(['Awake.'])
  })

  test('[Y115] a budget that is used up is asked about: stop ends the task, raise goes on', async () => {
    let isRaised = false
    const budget = { id: 'b1', text: '1 EUR a day' }
    const paidBy = {
      reserve: async () => (isRaised ? { ok: true, id: 'r' } : { ok: false, budget, spent: 900_000, wanted: 200_000 }),
      settle: () => {},
    }
    const budgets = {
      list: async () => [{ ...budget, spent: 900_000 }],
      async set() {
        isRaised = true
      },
    }
    const stage = await begin({ paidBy: paidBy as never, budgets: budgets as never })
    const { session, process } = await stage.talk.open(await stage.agent({ parameters: { modelName: 'gpt-5-mini' } }))
    for (const [answer, said] of [
      ['Stop', /budget "1 EUR a day" is used up/],
      ['Raise', /^Paid\.$/],
    ] as const) {
      stage.model.script('Paid.')
      const saying = stage.talk.say(session, 'hello')
      await expect
        .poll(async () => (await stage.talk.bench.scopes.conversation.questions({ user: 'ada', session, status: 'open' })).length)
        .toBe(1)
      const [asked] = await stage.talk.bench.scopes.conversation.questions({ user: 'ada', session, status: 'open' })
      const lane = (await stage.events('question-asked')).at(-1)?.lane
      const body = { kind: 'answer', ask: asked?.id as never, value: answer } as const
      await stage.talk.bench.lanes.post({ lane: lane as never, id: stage.talk.bench.newId('ent'), from: 'user:ada', body })
      await saying
      expect((await stage.talk.lines(session)).at(-1)?.text).toMatch(said)
      if (answer === 'Stop') expect(stage.model.count).toBe(0)
    }
    expect(outputOf(await stage.talk.state(process))).toEqual(['Paid.'])
  })
})

describe('what a model is told', () => {
  test('[Y116] with a limit of tokens: the first steps, the newest that fit, and always the question', async () => {
    const stage = await begin()
    const task = { maxContextTokens: 60, anchorFirstSteps: 2, conversationHistoryLimit: 1, parameters: { systemMessage: 'Be brief.' } }
    const { session } = await stage.talk.open(await stage.agent(task))
    const words = (at: number) => `${at} ${'word '.repeat(8)}`.trim()
    for (let at = 1; at <= 7; at++) {
      stage.model.script(`answer ${at}`)
      await stage.talk.say(session, words(at))
    }
    // The first of all steps is the conversation's beginning, which says nothing here.
    const said = stage
      .lines(6)
      .filter((line) => line.startsWith('user:'))
      .map((line) => line.slice(6, 7))
    expect(said).toEqual(['1', '5', '6', '7'])
    expect(stage.lines(6)[0]).toBe('system: Be brief.')
  })

  test('[Y111] a snippet that is a template is rendered in the prompt that names it; others, and words of people, are not', async () => {
    const stage = await begin()
    const snippets = [
      { name: 'tone', content: 'Be kind to {userInfo.userId}, {snippets.plain}.' },
      { name: 'plain', content: 'say {this}', templateEnabled: false },
    ]
    await stage.talk.pipelines.configurations.create(
      snippets.map((value) => ({ kind: 'snippet' as const, value })),
      { user: 'ada', by: 'user:ada' },
    )
    const parameters = { systemMessage: '{snippets.tone} {snippets.plain} {{snippets.tone}}' }
    const { session } = await stage.talk.open(await stage.agent({ parameters }))
    await stage.talk.say(session, '{snippets.tone}')
    expect(stage.lines(0)).toEqual(['system: Be kind to ada, say {this}. say {this} {{snippets.tone}}', 'user: {snippets.tone}'])
  })

  test('the older name of the limit counts where it stands', async () => {
    const stage = await begin()
    const { session } = await stage.talk.open(await stage.agent({ parameters: { logSizeLimit: '0' } }))
    for (const one of ['a', 'b']) await stage.talk.say(session, one)
    expect(stage.lines(1)).toEqual(['user: b'])
  })

  test('[Y123] what it took is there for what follows', async () => {
    const stage = await begin()
    const set = {
      propertyInstructions: [{ name: 'took', valueString: '{took.model} {took.finish} {took.usage.input}', scope: 'conversation' }],
    }
    const { session, process } = await stage.talk.open(await stage.agent({ responseMetadataObjectName: 'took', postResponse: set }))
    stage.model.script({ text: 'Hi.', usage: { prompt_tokens: 12, completion_tokens: 3 } })
    await stage.talk.say(session, 'hello')
    expect((await stage.talk.state(process)).properties.get('took')?.value).toBe('openai-compatible/scripted stop 12')
  })
})
