// Eddie's recorded cases about actions and answers at a gate: each through the real engine over a scripted model, or as a pure call.
// Actions that Steward's hub does not have yet, and plan mode, are named here.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ProcessId, SessionId } from '../../src/base/ids.ts'
import { readAction, unstreamed } from '../../src/engines/action/action.ts'
import { type GateType, gateAnswer } from '../../src/engines/action/answer.ts'
import { type ScriptedModel, type ScriptedReply, type ScriptedRequest, startScriptedModel } from '../../src/models/scripted.ts'
import type { Report } from '../../src/work/report.ts'
import { type Bench, newWorld, openBench } from '../engines/bench.ts'
import { describeShared } from '../shared.ts'

type Fields = Readonly<Record<string, unknown>>
type Case = {
  readonly id: string
  readonly op?: string
  readonly payload?: unknown
  readonly input?: Fields
  readonly context?: Fields
  readonly valid?: boolean
  readonly expect?: unknown
  readonly outcome?: Fields
}

/** LEARN, MEDIATE, NOTIFY_USER and plan mode come with later work; the schema of todos with them. */
const later = /^av-(learn|mediate|notify|discover|plan|todo|schema-todo|schema-status|schema-eddie-types|gate-plan)/
const hubTypes = ['ANSWER', 'ASK_USER', 'RELAY', 'WAIT', 'REJECT', 'DELEGATE_PROJECT', 'STEER_PROJECT', 'RELAY_INBOX']

let model: ScriptedModel
let bench: Bench
let replies: ScriptedReply[]

beforeEach(async () => {
  replies = []
  const isFirst = ({ body }: ScriptedRequest) => /You are (Eddie|Arthur)/.test(JSON.stringify(body.messages?.[0] ?? ''))
  model = await startScriptedModel({ otherwise: (request) => (isFirst(request) ? replies.shift() : undefined) ?? wait() })
  const world = newWorld()
  mkdirSync(join(world.person, 'p'))
  bench = await openBench({ url: model.url, world })
})
afterEach(async () => {
  await bench.close()
  await model.close()
})

const act = (input: unknown, more: object = {}): ScriptedReply => ({ calls: [{ name: 'act', input, id: `a${Math.random()}` }], ...more })
const wait = () => act({ type: 'WAIT', reason: 'r' })
const stop = { text: 'corrected' }

function report(process: ProcessId): Report {
  const worker = { process, session: 'ses_1', project: 'p', agent: 'assistant', title: 'P' }
  return { eventId: 'evt_of_now', type: 'reply', worker, text: 'y'.repeat(300), taint: 'none', mode: 'milestones', at: 1 }
}

/** The turn that the case is about: with the person's words, with blank ones, or of a report alone. */
async function turn(one: Case): Promise<{ readonly lines: readonly string[]; readonly session: SessionId }> {
  const { context = {} } = one
  if (context['engine'] === 'arthur' || context['workingProjectId']) await bench.scopes.projects.create({ name: 'p' }, 'user:ada')
  const session = await bench.session(context['engine'] === 'arthur' ? { project: 'p' } : {})
  if (context['workingProjectId']) {
    replies.push(act({ type: 'STEER_PROJECT', reason: 'r', project: 'p', content: 'first' }))
    await bench.say(session, 'begin')
    await bench.until('turn-settled', (event) => event.session === session)
  }
  const before = (await bench.lines(session)).length
  const settledBefore = (await bench.events('turn-settled')).filter((event) => event.session === session).length
  replies.push(...repliesFor(one))
  const isReport = context['drainEvents'] !== undefined || context['userInputInDrain'] === false || one.id.startsWith('av-relay')
  const process = await bench.process(session)
  if (isReport) await bench.note(session, { topic: 'worker-report', data: { ...report(process) } }, `process:${process}`)
  else await bench.say(session, context['userInputInDrain'] === 'blank text' ? '   ' : 'please do p')
  await bench.until('turn-settled', (event) => event.session === session, settledBefore + 1)
  return { lines: (await bench.lines(session)).slice(before).filter((line) => line.startsWith('assistant: ')), session }
}

function repliesFor({ payload, context = {} }: Case): readonly ScriptedReply[] {
  if (typeof payload === 'string' && payload !== '') return [{ text: payload }, stop]
  const given = payload === '' ? {} : payload
  if (!context['sameReplyToolFailed']) return [act(given), stop]
  return [
    {
      calls: [
        { name: 'tool_description', input: { names: ['none'] } },
        { name: 'act', input: given },
      ],
    },
    stop,
  ]
}

async function checkTurn(one: Case): Promise<void> {
  const { lines, session } = await turn(one)
  if (one.valid === false) {
    expect(lines.at(-1)).toBe('assistant: corrected')
    return
  }
  const { outcome = {} } = one
  const { chat, header, inbox, target } = outcome
  expect(lines).not.toContain('assistant: corrected')
  if (typeof chat === 'string') expect(lines.at(-1)).toBe(`assistant: ${chat}`)
  if (header !== undefined) expect(lines.at(-1)).toMatch(/^assistant: \*\*\[Worker assistant → reply\]\*\*/)
  if (outcome['meta.askUserOptions'] !== undefined) {
    const { items } = await bench.scopes.conversation.branch(session, { limit: 10 })
    expect(items.at(-1)?.options).toEqual(outcome['meta.askUserOptions'])
  }
  if (inbox !== undefined) {
    const { type, title } = { ...(inbox as { type: string; title: string }) }
    expect((await bench.attention.list({ user: 'ada', limit: 10 })).items).toMatchObject([{ type, title }])
  }
  if (target !== undefined) expect((await bench.until('worker-linked', () => true, 2)).data['project']).toBe(target)
}

describeShared('actions', 'eddie/action-validation.json', ({ rows }) => {
  const cases = (rows as readonly Case[]).filter(({ id }) => !later.test(id))
  test.each(cases.map((one) => [one.id, one] as const))('[E4, E6] %s', async (_, one) => {
    if (one.op === 'unstreamedTerminalMessage') {
      const { streamedProse, message } = { ...(one.input as { streamedProse: string | null; message: string | null }) }
      expect(unstreamed(streamedProse, message)).toBe(one.expect)
    } else if (one.op === 'schema.required') {
      await turn({ id: 'x', payload: { type: 'WAIT', reason: 'r' } })
      const tool = model.requests[0]?.body.tools?.find((each) => each.function.name === 'act')
      expect(tool?.function.parameters).toMatchObject({ required: one.expect })
    } else if (one.op === undefined) await checkTurn(one)
    else throw new Error(`no call for ${one.op}`)
  })

  test('[E4] what is no action is told apart without a model', () => {
    for (const one of cases.filter(({ payload, context, valid }) => payload !== undefined && context === undefined && valid === false)) {
      const read = readAction(one.payload, hubTypes)
      // What an action lacks for its own type is found by its engine.
      if (!read.ok) expect(read.why).not.toBe('')
    }
  })
})

describeShared('answers at a gate', 'eddie/gate-chat-answers.json', ({ rows }) => {
  test.each((rows as readonly Case[]).filter(({ op }) => op === undefined).map((one) => [one.id, one] as const))('[E7] %s', (_, one) => {
    const { type, text, options } = { ...(one.input as { type: GateType; text: string; options?: readonly string[] }) }
    expect(gateAnswer({ type, text, ...(options ? { options } : {}) })).toEqual(one.expect)
  })
})
