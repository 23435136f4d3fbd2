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

/** Memory, switching sessions, notifications and plan mode come with later work; the schemas of todos and of all types with them. */
const laterTypes = ['LEARN', 'DISCOVER', 'MEDIATE', 'NOTIFY_USER', 'START_PLAN', 'PROPOSE_PLAN', 'START_EXECUTION', 'TODO_UPDATE']
function isLater({ op, payload, context = {} }: Case): boolean {
  if (op !== undefined) return op !== 'unstreamedTerminalMessage' && op !== 'schema.required'
  const { engine, mode = 'NORMAL' } = context
  // Plan mode lifts the hub's gate there; the assistant's has no such exception, so that case is run.
  return laterTypes.includes(String(fieldsOf(payload)['type'])) || (mode !== 'NORMAL' && engine !== 'arthur')
}
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {})
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

function report(process: ProcessId, at: number): Report {
  const worker = { process, session: 'ses_1', project: 'p', agent: 'assistant', title: 'P' }
  return { eventId: `evt_of_now_${at}`, type: 'reply', worker, text: 'y'.repeat(300), taint: 'none', mode: 'milestones', at: 1 }
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
  const { drainEvents } = context
  const isReport = (drainEvents === undefined ? one.id.startsWith('av-relay') : drainEvents !== 0) || context['userInputInDrain'] === false
  const process = await bench.process(session)
  if (isReport) {
    // Several come in at once, so that one turn takes them all.
    const many = Math.max(1, Number(context['drainEvents'] ?? 1))
    const reports = Array.from({ length: many }, (_, at) => ({ topic: 'worker-report', data: { ...report(process, at) } }))
    await Promise.all(reports.map((body) => bench.note(session, body, `process:${process}`)))
  } else await bench.say(session, context['userInputInDrain'] === 'blank text' ? '   ' : 'please do p')
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
  const { outcome = {}, context = {} } = one
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
  if (target !== undefined)
    expect((await bench.until('worker-linked', () => true, context['workingProjectId'] ? 2 : 1)).data['project']).toBe(target)
}

describeShared('actions', 'eddie/action-validation.json', ({ rows }) => {
  const cases = (rows as readonly Case[]).filter((one) => !isLater(one))
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

  // The gates of workflows come with their engine; what they read is the answer of an item, whose outcome is kept as it was given.
  const outcomes = (rows as readonly { readonly id: string; readonly op?: string; readonly input?: unknown; readonly expect?: unknown }[])
    .filter(({ op }) => op === 'gateOutcome')
    .map((one) => [one.id, one] as const)
  test.each(outcomes)('[I2] %s', async (id, one) => {
    const item = await bench.attention.add({ user: 'ada', type: 'APPROVAL', title: id, body: '', key: id }, 'system')
    const text = typeof one.input === 'string' ? one.input : JSON.stringify(one.input)
    const decided = /"approved":\s*(true|false)/.exec(text)?.[1]
    if (decided !== undefined) {
      const given = { outcome: 'DECIDED', value: { approved: decided === 'true' } } as const
      await bench.attention.answer('ada', item.id, given, 'user:ada')
      expect(one.expect).toBe(decided === 'true' ? 'approved' : 'rejected')
    } else {
      const outcome = text.includes('INSUFFICIENT_INFO') ? 'INSUFFICIENT_INFO' : 'UNDECIDABLE'
      const { answer } = await bench.attention.answer('ada', item.id, { outcome, value: null }, 'user:ada')
      expect(answer?.outcome.toLowerCase()).toBe(one.expect)
    }
    const undecided = await bench.attention.add({ user: 'ada', type: 'APPROVAL', title: id, body: '', key: `${id} 2` }, 'system')
    const given = { outcome: 'DECIDED', value: 'yes' } as const
    await expect(bench.attention.answer('ada', undecided.id, given, 'user:ada')).rejects.toMatchObject({ code: 'invalid' })
  })
})
