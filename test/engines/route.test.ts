// Routing inside conversations: real lanes, SQLite, roster and routing.yaml; only the models are scripts.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ProcessId, SessionId } from '../../src/base/ids.ts'
import type { Engine } from '../../src/lanes/engine.ts'
import { type ScriptedModel, type ScriptedReply, type ScriptedRequest, startScriptedModel } from '../../src/models/scripted.ts'
import type { Event } from '../../src/protocol/event.ts'
import { openRouting, type RoutingRooms } from '../../src/routing/open-routing.ts'
import type { Route } from '../../src/routing/route.ts'
import type { Routing } from '../../src/routing/routing.ts'
import { type Bench, newWorld, openBench, type World } from './bench.ts'

let model: ScriptedModel
let world: World
let bench: Bench
/** What each agent's model answers, by what it was asked. */
let script: (agent: string, asked: string) => ScriptedReply

const acting = (input: Record<string, unknown>): ScriptedReply => ({ calls: [{ name: 'act', input: { reason: 'r', ...input } }] })
const systemOf = ({ body }: ScriptedRequest) => JSON.stringify(body.messages?.[0] ?? '')
const agentOf = (request: ScriptedRequest) => /You are called [^(]*\(@(\w+)\)/.exec(systemOf(request))?.[1] ?? 'nobody'
/** The newest line, without the notices of the hub. */
const lastOf = ({ body }: ScriptedRequest) => {
  const texts =
    body.messages?.map(({ content }) =>
      String(content ?? '')
        .replace(/<(hub-\w+)[^>]*>[\s\S]*?<\/\1>/g, '')
        .trim(),
    ) ?? []
  return texts.findLast((text) => text !== '') ?? ''
}
/** What the cortex says, where no address, mention, question or rule decides. */
let cortex: Partial<Route> | null
const routing = (rooms: RoutingRooms): Routing => {
  const real = openRouting(rooms)
  const route: Routing['route'] = async (asked) => {
    const found = await real.route(asked)
    return found.by === null || found.by === 'cortex' ? { ...found, by: 'cortex', ...(cortex ?? { decision: 'leave', by: null }) } : found
  }
  return { ...real, route }
}
const askedOf = (agent: string) => model.requests.filter((request) => agentOf(request) === agent)

beforeEach(async () => {
  cortex = null
  script = (agent, asked) =>
    agent === 'hub' || agent === 'assistant'
      ? acting({ type: 'ANSWER', message: `${agent} here` })
      : { text: `${agent}: ${asked.slice(0, 60)}` }
  model = await startScriptedModel({ keep: 5_000, otherwise: (request) => script(agentOf(request), lastOf(request)) })
  world = newWorld()
  bench = await openBench({ url: model.url, world, routing })
})
afterEach(async () => {
  await bench.close()
  await model.close()
})

async function reopen(options: { readonly url?: string | null; readonly more?: readonly Engine[] } = {}): Promise<void> {
  await bench.close({ keep: true })
  bench = await openBench({ url: model.url, world, routing, ...options })
}
const settled = (session: SessionId, nth = 1) => bench.until('turn-settled', (event) => event.session === session, nth)
const routes = async (session: SessionId) =>
  (await bench.events('route-decided')).filter((event) => event.session === session).map(({ data }) => data)
async function project(): Promise<void> {
  await bench.scopes.projects.create({ name: 'shop', roots: [world.person] }, 'user:ada')
}
async function agent(name: string, front: string, text = `You are ${name}.`): Promise<void> {
  const path = `agents/${name}.md`
  await bench.scopes.documents.write(
    { path, level: 'tenant', scope: '_tenant', text: `---\nname: ${name}\n${front}\n---\n${text}` },
    'user:ada',
  )
}

describe('what is recorded', () => {
  test('[E40, E41] each message of a person has one route as a fact, a report and a worker have none', async () => {
    const session = await bench.session()
    const said = await bench.say(session, 'hello there')
    await settled(session)
    await bench.say(session, '@scout where is the parser?')
    await settled(session, 3)
    const facts = await routes(session)
    expect(facts).toHaveLength(2)
    expect(facts[0]).toMatchObject({ message: said, agent: 'hub', as: 'decided', route: { decision: 'leave', by: null } })
    expect(facts[1]).toMatchObject({ agent: 'scout', as: 'decided', route: { decision: 'dispatch', by: 'mention', selected: ['scout'] } })
    expect(facts[1]?.['route']).toHaveProperty('rosterVersion')
    expect(await bench.events('route-decided')).toHaveLength(2)
  })
})

describe('who is meant', () => {
  test('[E43] a mention reaches that agent, its answer comes back with its name, and no leader puts it in other words', async () => {
    const long = `Found it. ${'The parser stands in src/parse.ts and is called from three places. '.repeat(8)}`
    script = (who) => (who === 'scout' ? { text: long } : acting({ type: 'ANSWER', message: 'leader' }))
    await project()
    for (const where of [{}, { project: 'shop' }, { project: 'shop', agent: 'quick' }]) {
      const session = await bench.session(where)
      await bench.say(session, 'Please @scout find the parser')
      await settled(session, 2)
      expect(await bench.lines(session)).toEqual([
        'user: Please @scout find the parser',
        'assistant: Scout has it.',
        `assistant: **[Worker scout → reply]**\n\n${long}`,
      ])
      const { items } = await bench.scopes.conversation.branch(session, { limit: 10 })
      expect(items.at(-1)?.agent).toBe('scout')
    }
    expect(new Set(model.requests.map(agentOf))).toEqual(new Set(['scout']))
  })

  test('[E44] follow-ups reach the same worker, also after a restart and after it slept; a closed one is followed by a new one', async () => {
    const session = await bench.session()
    await bench.say(session, '@scout where is the parser?')
    await settled(session, 2)
    await reopen()
    await bench.say(session, '@atlas and the tests?')
    await settled(session, 4)
    const links = await bench.events('worker-linked')
    expect(new Set(links.map(({ data }) => data['session'])).size).toBe(1)
    const worker = links[0]?.data['session'] as SessionId
    expect(await bench.lines(worker)).toEqual([
      'user: @scout where is the parser?',
      'assistant: scout: @scout where is the parser?',
      'user: @atlas and the tests?',
      'assistant: scout: @atlas and the tests?',
    ])
    await bench.scopes.sessions.suspend(worker, 'IDLE')
    await bench.say(session, '@scout once more')
    await settled(session, 6)
    expect((await bench.lines(worker)).at(-1)).toBe('assistant: scout: @scout once more')
    await bench.scopes.sessions.close(worker, 'user:ada')
    await bench.say(session, '@scout anew')
    const next = (await bench.until('worker-linked', () => true, 4)).data['session'] as SessionId
    expect(next).not.toBe(worker)
    await settled(next)
    expect(await bench.lines(next)).toEqual(['user: @scout anew', 'assistant: scout: @scout anew'])
  })

  test('[E43] `to` is a mention without a word; the own agent is just answered, in any of its names', async () => {
    const session = await bench.session()
    await bench.say(session, 'where is it?', { to: 'scout' })
    await settled(session, 2)
    expect((await bench.lines(session)).slice(1)).toEqual([
      'assistant: Scout has it.',
      'assistant: **[Worker scout → reply]**\n\nscout: where is it?',
    ])
    await bench.say(session, '@eddie hello')
    await settled(session, 3)
    expect((await bench.lines(session)).at(-1)).toBe('assistant: hub here')
    expect((await bench.events('worker-linked')).length).toBe(1)
  })

  test('[E43] an e-mail address mentions nobody, and a name that nobody has is plain text', async () => {
    const session = await bench.session()
    await bench.say(session, 'write to bob@scout.org and ann@scout, or @nobody')
    await settled(session)
    expect(await bench.lines(session)).toEqual(['user: write to bob@scout.org and ann@scout, or @nobody', 'assistant: hub here'])
    expect(await routes(session)).toMatchObject([{ agent: 'hub', route: { by: null } }])
  })

  test('[E43] who may not work there is said, with who may', async () => {
    await project()
    const session = await bench.session({ project: 'shop' })
    await bench.say(session, '@hub please do it')
    await settled(session)
    expect((await bench.lines(session))[1]).toMatch(/^assistant: hub leads conversations and works for nobody. There is .*scout/)
    await bench.say(session, 'x', { to: 'gone' })
    await settled(session, 2)
    expect((await bench.lines(session))[3]).toMatch(/^assistant: There is no agent "gone" here. There is .*scout/)
    expect(model.count).toBe(0)
    const tree: Engine = { name: 'tree', version: 1, accepts: [1], run: async () => {} }
    await reopen({ more: [tree] })
    await agent('marvin', 'engine: tree')
    const home = await bench.session()
    await bench.say(home, '@marvin take it apart')
    await settled(home)
    expect((await bench.lines(home))[1]).toMatch(/^assistant: marvin works only in a project, not in a home. There is /)
  })

  test('[E43] what such a worker asks is answered where it is asked, in plain words or by its options', async () => {
    await agent('deep', 'engine: chat')
    script = (who, asked) => {
      if (who !== 'deep') return acting({ type: 'ANSWER', message: 'leader' })
      if (asked.includes('PAINT'))
        return acting({ type: 'ASK_USER', message: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] })
      return acting({ type: 'ANSWER', message: `Painted: ${asked}` })
    }
    const session = await bench.session()
    await bench.say(session, '@deep PAINT')
    await bench.until('question-asked')
    await settled(session, 2)
    await bench.say(session, 'a dark red')
    await settled(session, 4)
    expect((await bench.lines(session)).slice(2)).toEqual([
      'assistant: **[Worker deep → question]**\n\nWhich colour? (deep waits for your answer: what you write next goes there.)',
      'user: a dark red',
      'assistant: deep has it.',
      'assistant: **[Worker deep → reply]**\n\nPainted: a dark red',
    ])
    expect((await routes(session)).at(-1)).toMatchObject({ agent: 'deep', route: { by: 'question' } })
  })

  test('[E40, E43] while the leader works a mention goes there at the next safe point, and the rest is for the running turn', async () => {
    let release = () => {}
    const gate = new Promise<void>((done) => {
      release = done
    })
    await model.close()
    model = await startScriptedModel({
      keep: 100,
      otherwise: async (request) => {
        if (agentOf(request) === 'hub') await gate
        return script(agentOf(request), lastOf(request))
      },
    })
    await reopen()
    const session = await bench.session()
    await bench.say(session, 'hello')
    await bench.until('step-started', ({ data }) => data['name'] === 'model-1')
    await bench.say(session, '@scout look')
    cortex = hint
    await bench.say(session, 'and map the code')
    release()
    await settled(session, 2)
    expect(await bench.lines(session)).toEqual([
      'user: hello',
      'assistant: hub here',
      'user: @scout look',
      'user: and map the code',
      'assistant: Scout has it.',
      'assistant: hub here',
      'assistant: **[Worker scout → reply]**\n\nscout: @scout look',
    ])
    const [, second] = askedOf('hub').map(({ body }) => JSON.stringify(body.messages?.slice(1)))
    expect(second).toContain('and map the code')
    expect(second).not.toContain('@scout look')
    expect(await routes(session)).toMatchObject([
      { agent: 'hub', as: 'decided' },
      { agent: 'scout', as: 'decided' },
      { agent: 'hub', as: 'hint', route: { by: 'cortex' } },
    ])
  })
})

const hint = { decision: 'dispatch', selected: ['scout'], confidence: 0.82, reasons: ['scout: "map" occurs.'] } as const
const direct = (value: 'direct' | 'hint') =>
  bench.scopes.settings.set({ key: 'routing', level: 'tenant', scope: '_tenant', value }, 'user:ada')

describe('what only advises', () => {
  test('[E42, E45] keywords and cortex are a short hint for who leads, and decide nothing', async () => {
    await project()
    cortex = { ...hint, reasons: ['because '.repeat(200)], scores: scored({ scout: 0.8, coder: 0.4, planner: 0.1234 }) }
    for (const where of [{}, { project: 'shop' }]) {
      const session = await bench.session(where)
      await bench.say(session, 'map the code')
      await settled(session)
      expect((await bench.lines(session)).at(-1)).toMatch(/here$/)
      expect(await routes(session)).toMatchObject([{ as: 'hint', route: { by: 'cortex' } }])
    }
    const told = model.requests.map((request) => /route:\\n([^"]*?)\\n/.exec(JSON.stringify(request.body.messages))?.[1] ?? '')
    expect(told).toHaveLength(2)
    for (const text of told) {
      expect(text).toMatch(/^scout fits \(confidence 0.82\). because .*… Others: coder 0.4, planner 0.12. /)
      expect(text.length).toBeLessThanOrEqual(400)
    }
    expect(told.join()).toContain('DELEGATE to it')
    for (const decision of ['leave', 'clarify'] as const) {
      cortex = { decision, selected: [] }
      const session = await bench.session()
      await bench.say(session, 'map the code')
      await settled(session)
      expect(JSON.stringify(model.requests.at(-1)?.body.messages)).not.toContain('route:')
    }
  })

  test('[E45] who runs chains is given the chain of the hint when the leader chooses it', async () => {
    await project()
    cortex = { decision: 'chain', selected: ['scout', 'coder'], chain: [step('scout'), step('coder')] }
    script = (_, asked) => (asked === 'map and fix' ? acting({ type: 'DELEGATE', agent: 'chain', prompt: 'p' }) : acting({ type: 'WAIT' }))
    const session = await bench.session({ project: 'shop' })
    await bench.say(session, 'map and fix')
    const { params } = await workerOf(await bench.until('worker-linked'))
    expect(params['route']).toMatchObject({ decision: 'chain', text: 'map and fix', chain: [{ agent: 'scout' }, { agent: 'coder' }] })
    expect(JSON.stringify(model.requests.map(({ body }) => body.messages))).toContain('chain of scout > coder fits')
  })
})

describe('where nobody else decides', () => {
  test('[E46] with `routing: direct` the agent gets it with the reason; leave and clarify are what they are', async () => {
    await direct('direct')
    cortex = hint
    const session = await bench.session()
    await bench.say(session, 'map the code')
    await settled(session, 2)
    expect(await bench.lines(session)).toEqual([
      'user: map the code',
      'assistant: Scout has it (scout: "map" occurs).',
      'assistant: **[Worker scout → reply]**\n\nscout: map the code',
    ])
    cortex = null
    await bench.say(session, 'hello')
    await settled(session, 3)
    expect((await bench.lines(session)).at(-1)).toBe('assistant: hub here')
    await direct('hint')
    cortex = hint
    await bench.say(session, 'map the code')
    await settled(session, 4)
    expect((await bench.lines(session)).at(-1)).toBe('assistant: hub here')
  })

  test('[E46] an answer to what the leader asked is no new work', async () => {
    await direct('direct')
    script = (_, asked) =>
      asked === 'hi'
        ? acting({ type: 'ASK_USER', message: 'Tea?', options: [{ label: 'Yes' }, { label: 'No' }] })
        : acting({ type: 'ANSWER', message: 'ok' })
    const session = await bench.session()
    await bench.say(session, 'hi')
    await settled(session)
    cortex = hint
    await bench.say(session, 'Yes')
    await settled(session, 2)
    expect((await bench.lines(session)).at(-1)).toBe('assistant: ok')
    expect((await routes(session)).at(-1)).toMatchObject({ agent: 'hub', route: { by: 'question' } })
  })

  test('[E46] clarify asks once; the answer joins the text and that is routed again', async () => {
    await direct('direct')
    const question = { text: 'What shall be done with it?', options: ['find out', 'change'] }
    cortex = { decision: 'clarify', selected: [], clarification: { questions: [question] } }
    for (const [at, how] of (['option', 'words'] as const).entries()) {
      const session = await bench.session()
      await bench.say(session, 'the parser')
      const asked = await bench.until('question-asked', (event) => event.session === session)
      expect(asked.data).toMatchObject({ text: question.text, options: [{ label: 'find out' }, { label: 'change' }] })
      cortex = at === 0 ? hint : { decision: 'clarify', selected: [], clarification: { questions: [question] } }
      if (how === 'option') await bench.answer(asked, { option: 'find out' })
      else await bench.say(session, 'find out')
      await settled(session, how === 'option' ? 2 : 1)
      const lines = await bench.lines(session)
      if (how === 'option')
        expect(lines.slice(1)).toEqual([
          'assistant: Scout has it (scout: "map" occurs).',
          'assistant: **[Worker scout → reply]**\n\nscout: the parser\n\nfind out',
        ])
      else expect(lines).toEqual(['user: the parser', 'user: find out', 'assistant: hub here'])
      expect(await routes(session)).toHaveLength(2)
      cortex = { decision: 'clarify', selected: [], clarification: { questions: [question] } }
    }
    expect(await bench.events('question-asked')).toHaveLength(2)
  })

  test('[E46] without any model the plain sentence stands, with who would have got it', async () => {
    await reopen({ url: null })
    const session = await bench.session()
    await bench.say(session, 'hello')
    await settled(session)
    const plain = (await bench.lines(session))[1] ?? ''
    cortex = hint
    await bench.say(session, 'map the code')
    await settled(session, 2)
    await bench.say(session, '@scout map the code')
    await settled(session, 3)
    const lines = await bench.lines(session)
    expect(lines[3]).toBe(`${plain} (Scout would have got this: scout: "map" occurs.)`)
    expect(lines[5]).toBe(`${plain} (Scout would have got this: The text mentions @scout.)`)
    expect(await bench.events('worker-linked')).toEqual([])
  })

  test('[E46] without any model an agent that needs none gets its work', async () => {
    const rules: Engine = { name: 'rules', version: 1, accepts: [1], run: async (turn) => void turn.say('x', { text: 'by rules' }) }
    await reopen({ url: null, more: [rules] })
    await agent('clerk', 'engine: rules')
    cortex = { ...hint, selected: ['clerk'], reasons: ['clerk: "file" occurs.'] }
    const session = await bench.session()
    await bench.say(session, 'file this')
    await settled(session, 2)
    expect((await bench.lines(session)).slice(1)).toEqual([
      'assistant: clerk has it (clerk: "file" occurs).',
      'assistant: **[Worker clerk → reply]**\n\nby rules',
    ])
  })

  test('[E46] a chain goes to the agent chain, each with a worker of its own', async () => {
    await direct('direct')
    await project()
    cortex = { decision: 'chain', selected: ['scout', 'coder'], chain: [step('scout'), step('coder')], reasons: ['two classes'] }
    const session = await bench.session({ project: 'shop' })
    const own = (event: Event) => event.session === session
    for (const nth of [1, 2]) {
      await bench.say(session, `map and fix ${nth}`)
      const { params, agent: who } = await workerOf(await bench.until('worker-linked', own, nth))
      expect({ who, route: params['route'] }).toMatchObject({ who: 'chain', route: { decision: 'chain', text: `map and fix ${nth}` } })
    }
    const links = (await bench.events('worker-linked')).filter(own)
    expect(new Set(links.map(({ data }) => data['session'])).size).toBe(2)
    expect((await bench.lines(session))[1]).toBe('assistant: Chain has it (two classes).')
  })
})

async function workerOf({ data }: Event) {
  const info = (await bench.scopes.sessions.process(data['worker'] as ProcessId))?.info
  if (info === undefined) throw new Error('no such worker')
  return info
}

function step(agent: string) {
  return { agent, class: agent, tier: 'standard', edgeOrigin: 'roster', template: null } as const
}

function scored(scores: Readonly<Record<string, number>>): Route['scores'] {
  return Object.entries(scores).map(([name, score]) => ({
    agent: name,
    class: name,
    matched: [],
    named: false,
    base: score,
    signals: [],
    score,
    refused: [],
  }))
}

const corrected = {
  en: {
    asked:
      /^From now on, what says “.*frobnicator.*” would go to Scout\. Of your last \d+ messages here, this would have changed 1:\n\n- “any frobnicator news\?”[^\n]*\n\nKeep this rule\?$/,
    kept: /^assistant: Kept: what says “.*frobnicator.*” goes to Scout. \(Undo: steward route undo /,
    has: 'assistant: Scout has it.',
  },
  de: {
    asked:
      /^Von jetzt an ginge an Scout, was “.*frobnicator.*” enthält\. Von deinen letzten \d+ Nachrichten hier hätte das 1 geändert:\n\n- “any frobnicator news\?”[^\n]*\n\nSoll die Regel gelten\?$/,
    kept: /^assistant: Behalten: Was “.*frobnicator.*” enthält, geht an Scout. \(Zurücknehmen: steward route undo /,
    has: 'assistant: Scout hat es.',
  },
} as const

describe('corrections in conversation', () => {
  for (const [words, yes, of] of [
    ['that should have gone to scout', 'Yes', 'en'],
    ['Nein, das hätte @scout machen sollen!', 'ja', 'de'],
    ['Das hätte an scout gehen sollen', 'Ja', 'de'],
    ['@atlas should have done that', 'yes', 'en'],
  ] as const) {
    test(`[E47, E48] "${words}" shows a rule, and a yes keeps it and gives the message on`, async () => {
      const session = await bench.session()
      await bench.say(session, 'any frobnicator news?')
      await settled(session)
      await bench.say(session, words)
      const asked = await bench.until('question-asked')
      expect(String(asked.data['text'])).toMatch(corrected[of].asked)
      if (yes === 'Yes' || yes === 'Ja') await bench.answer(asked, { option: yes })
      else await bench.say(session, yes)
      await settled(session, 3)
      const lines = await bench.lines(session)
      expect(lines.at(-3)).toMatch(corrected[of].kept)
      expect(lines.slice(-2)).toEqual([corrected[of].has, 'assistant: **[Worker scout → reply]**\n\nscout: any frobnicator news?'])
      await bench.say(session, 'other frobnicator news?')
      await settled(session, 5)
      expect((await bench.lines(session)).at(-2)).toBe('assistant: Scout has it (by a rule of yours).')
      expect(askedOf('hub')).toHaveLength(1)
    })
  }

  test('[E47] no, silence and other words change nothing', async () => {
    const session = await bench.session()
    await bench.say(session, 'any frobnicator news?')
    await settled(session)
    await bench.say(session, 'that should have gone to scout')
    await bench.answer(await bench.until('question-asked'), { option: 'No' })
    await settled(session, 2)
    expect((await bench.lines(session)).at(-1)).toBe('assistant: I leave it as it is: no rule was made.')
    await bench.say(session, 'that should have gone to scout')
    await bench.until('question-asked', () => true, 2)
    await bench.say(session, 'what is a frobnicator?')
    await settled(session, 3)
    expect((await bench.lines(session)).slice(-3)).toEqual([
      'user: what is a frobnicator?',
      'assistant: I leave it as it is: no rule was made.',
      'assistant: hub here',
    ])
    expect(await bench.routing?.corrections.list({ user: 'ada', project: '_user_ada' })).toEqual([])
  })

  test('[E47] nothing to correct, or nobody of that name: it is a message like any other', async () => {
    const session = await bench.session()
    await bench.say(session, 'that should have gone to scout')
    await settled(session)
    await bench.say(session, 'that should have gone to nobody')
    await settled(session, 2)
    expect((await bench.lines(session)).filter((line) => line === 'assistant: hub here')).toHaveLength(2)
  })

  test('[E47] an agent that refuses such a text gets no rule, and the reason is said', async () => {
    const session = await bench.session()
    await bench.say(session, 'implement the frobnicator')
    await settled(session)
    await bench.say(session, 'that should have gone to scout')
    await settled(session, 2)
    expect((await bench.lines(session)).at(-1)).toMatch(/^assistant: No rule was made: scout refuses such a text, because of "implement"/)
  })
})

test('[E8, E40, E44, E47] a mention, a follow-up and a correction, killed after every few events: each thing is done once', async () => {
  const session = await bench.session()
  await bench.say(session, '@scout one')
  let life = 0
  /** Ends the hub again and again until that holds. */
  const killedUntil = async (is: (lines: readonly string[]) => boolean) => {
    while (!is(await bench.lines(session))) {
      let left = 2 + (life++ % 3)
      for await (const batch of bench.journal.follow(bench.journal.head())) {
        left -= batch.length
        if (left <= 0) break
      }
      await reopen()
    }
  }
  await killedUntil((lines) => lines.some((line) => line.endsWith('scout: @scout one')))
  await bench.say(session, '@scout two')
  await killedUntil((lines) => lines.some((line) => line.endsWith('scout: @scout two')))
  await bench.say(session, 'frobnicator news?')
  await settled(session, 5)
  await bench.say(session, 'that should have gone to scout')
  const asked = await bench.until('question-asked')
  await reopen()
  await bench.answer(asked, { option: 'Yes' })
  await killedUntil((lines) => lines.some((line) => line.endsWith('scout: frobnicator news?')))
  const lines = await bench.lines(session)
  expect(lines.map((line) => line.replace(/ \(Undo.*\)$/, '').replace(/\s+/g, ' '))).toEqual([
    'user: @scout one',
    'assistant: Scout has it.',
    'assistant: **[Worker scout → reply]** scout: @scout one',
    'user: @scout two',
    'assistant: Scout has it.',
    'assistant: **[Worker scout → reply]** scout: @scout two',
    'user: frobnicator news?',
    'assistant: hub here',
    'user: that should have gone to scout',
    'assistant: Kept: what says “frobnicator” and “news” goes to Scout.',
    'assistant: Scout has it.',
    'assistant: **[Worker scout → reply]** scout: frobnicator news?',
  ])
  expect((await bench.scopes.sessions.list({ user: 'ada', limit: 10 })).items).toHaveLength(2)
  expect(await routes(session)).toHaveLength(4)
  expect(await bench.routing?.corrections.list({ user: 'ada', project: '_user_ada' })).toHaveLength(1)
})
