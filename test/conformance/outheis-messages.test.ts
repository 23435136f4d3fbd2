// What a reader of outheis' message log accepts, over the recorded facts about it.

import { describe, expect, test } from 'vitest'
import { type ExportedEvent, hasOneOrigin, readOutheis, snowflake, toOutheis } from '../../src/journal/export.ts'
import { describeShared } from '../shared.ts'

const session = 'ses_01KB8T2K3XAAAAAAAAAAAAAAAA'
const asked = 'msg_01KB8T2K3XAAAAAAAAAAAAAAAB'
const replied = 'msg_01KB8T2K3XAAAAAAAAAAAAAAAC'
const line = { session, parent: null, status: 'queued' }

const events: readonly ExportedEvent[] = [
  event('chat-message-appended', 'user:ada', {
    message: { ...line, id: asked, role: 'user', actor: 'user:ada', text: 'What is on today?' },
  }),
  event('turn-started', 'system', { turn: 'trn_1' }),
  event('chat-message-appended', 'process:prc_1', {
    message: {
      ...line,
      id: replied,
      parent: asked,
      role: 'assistant',
      actor: 'process:prc_1',
      agent: 'agenda',
      text: 'Nothing.',
      status: 'settled',
    },
  }),
  event('chat-message-appended', 'process:prc_1', {
    message: {
      ...line,
      id: replied,
      parent: asked,
      role: 'assistant',
      actor: 'process:prc_1',
      agent: 'scout',
      text: 'Found it.',
      status: 'settled',
    },
  }),
  event('chat-message-appended', 'system', { message: { ...line, id: asked, role: 'system', actor: 'system', text: 'Compacted.' } }),
  event('question-asked', 'process:prc_1', {
    ask: 'ask_01KB8T2K3XAAAAAAAAAAAAAAAD',
    text: 'Which one?',
    options: [{ label: 'This' }, { label: 'That' }],
  }),
  event('question-answered', 'user:ada', {
    answer: { kind: 'answer', ask: 'ask_01KB8T2K3XAAAAAAAAAAAAAAAD', outcome: 'answered', value: 'This', by: 'user:ada' },
  }),
  event('approval-requested', 'process:prc_1', {
    approval: 'apr_01KB8T2K3XAAAAAAAAAAAAAAAE',
    text: 'Send the mail?',
    due: 0,
    request: {
      plan: { tool: 'mail_send', capability: 'mail.send', target: 'bob@example.org', consequences: 'It is sent.' },
      decision: { risk: 'R3', reason: 'It leaves the machine.', scopes: ['once'] },
    },
  }),
  event('approval-decided', 'user:ada', {
    approval: 'apr_01KB8T2K3XAAAAAAAAAAAAAAAE',
    answer: { kind: 'answer', outcome: 'answered', value: { decision: 'allow', scope: 'once' }, by: 'user:ada' },
  }),
  event('approval-decided', 'system', {
    approval: 'apr_01KB8T2K3XAAAAAAAAAAAAAAAF',
    answer: { kind: 'answer', outcome: 'timeout', value: null, by: 'system' },
  }),
  event('chat-message-updated', 'system', { id: asked, status: 'failed', why: 'The model did not answer.' }),
]
const records = events.map(toOutheis).filter((record) => record !== null)

function event(type: string, actor: string, data: ExportedEvent['data']): ExportedEvent {
  return { type, at: '2026-11-30T12:00:00.500Z', actor, session, data }
}

type Facts = {
  readonly message: {
    readonly required: readonly string[]
    readonly type: readonly string[]
    readonly to: readonly string[]
    readonly channel: readonly string[]
    readonly id_pattern_beta: string
    readonly conversation_id_pattern: string
  }
  readonly snowflake: { readonly epoch_ms: number }
  readonly version_cases: readonly { readonly id: string; readonly in: object; readonly out?: string; readonly out_doc?: object }[]
}

describeShared('the message schema of outheis', 'outheis/message-schema.json', ({ file }) => {
  const facts = file as Facts

  test('[C12] every exported record fits the schema', () => {
    expect(records).toHaveLength(9)
    for (const record of records) {
      expect(Object.keys(record)).toEqual(expect.arrayContaining([...facts.message.required]))
      expect(facts.message.type).toContain(record.type)
      expect(facts.message.to).toContain(record.to)
      expect(record.id).toMatch(new RegExp(facts.message.id_pattern_beta))
      expect(record.conversation_id).toMatch(new RegExp(facts.message.conversation_id_pattern))
      expect(hasOneOrigin(record.from)).toBe(true)
      if ('user' in record.from) expect(facts.message.channel).toContain(record.from.user.channel)
    }
  })

  test('[C12] an id holds the time since the epoch of the format', () => {
    const ms = Number(BigInt(snowflake('no id of ours', '2024-01-01T00:00:01.234Z')) >> 22n)
    expect(ms + facts.snowflake.epoch_ms).toBe(Date.UTC(2024, 0, 1, 0, 0, 1, 234))
  })

  test.each(facts.version_cases)('[C13] $id', (row) => {
    const read = readOutheis(row.in)
    if (row.out === 'UnsupportedVersion') return expect(read).toMatchObject({ ok: false, reason: 'unsupported_version' })
    if (row.out === 'unchanged') return expect(read).toEqual({ ok: true, record: row.in })
    expect(read).toEqual({ ok: true, record: { ...row.in, ...row.out_doc, v: 1 } })
  })
})

describe('records', () => {
  test('[C12] a question and its reply, literally', () => {
    expect(records.slice(0, 2)).toEqual([
      {
        v: 1,
        id: '0253278920666065227',
        conversation_id: 'conv_506d1179d6ef',
        from: { user: { channel: 'api', identity: 'ada' } },
        to: 'dispatcher',
        type: 'request',
        payload: { text: 'What is on today?' },
        timestamp: 1796040000.5,
      },
      {
        v: 1,
        id: '0253278920666065228',
        conversation_id: 'conv_506d1179d6ef',
        from: { agent: 'agenda' },
        to: 'transport',
        type: 'response',
        payload: { text: 'Nothing.' },
        reply_to: '0253278920666065227',
        timestamp: 1796040000.5,
      },
    ])
  })

  test('[C12] an agent that they do not know speaks through the relay and is named in the payload', () => {
    expect(records[2]).toMatchObject({ from: { agent: 'relay' }, payload: { text: 'Found it.', agent: 'scout' } })
  })

  test('[C12] an approval is a question and its decision the reply; silence is no message', () => {
    const [question, decision] = records.slice(6, 8)
    expect(question).toMatchObject({
      ...{ from: { agent: 'relay' }, to: 'transport', type: 'response', intent: 'interim' },
      payload: { text: 'Send the mail?', approval: { risk: 'R3', capability: 'mail.send', target: 'bob@example.org', scopes: ['once'] } },
    })
    expect(decision).toMatchObject({
      ...{ from: { user: { channel: 'api', identity: 'ada' } }, to: 'dispatcher', type: 'request', reply_to: question?.id },
      payload: { text: 'allow', scope: 'once' },
    })
  })

  test('[C12] a failed message is answered by an error', () => {
    expect(records.at(-1)).toMatchObject({
      to: 'transport',
      type: 'response',
      payload: { text: 'The model did not answer.', error: true },
      reply_to: records[0]?.id,
    })
  })

  test('[C13] a record that is no object, or of no possible version, is refused and never thrown', () => {
    for (const wrong of [null, [], 'text', 7, { v: -1 }, { v: 1.5 }, { v: '1' }, { v: Number.NaN }]) {
      expect(readOutheis(wrong)).toMatchObject({ ok: false, reason: 'invalid' })
    }
  })

  test('[C13] both origins or none is no origin', () => {
    expect([{ agent: 'relay' }, { user: {} }, { agent: 'relay', user: {} }, {}, 'relay', null].map(hasOneOrigin)).toEqual([
      true, true, false, false, false, false,
    ]) // biome-ignore format: one line reads better
    expect([{ agent: 'relay', user: null }, { agent: null, user: {} }, { agent: null, user: null }].map(hasOneOrigin)).toEqual([
      true, true, false,
    ]) // biome-ignore format: one line reads better
  })
})
