// Items of the inbox: added once, answered once, and their answers' way back.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { NewItem } from '../../src/attention/attention.ts'
import { approvalOf, laneOf } from '../../src/base/ids.ts'
import { engine } from '../../src/lanes/testing.ts'
import { askToSend, type Desk, openDesk } from './desk.ts'

let desk: Desk
const asking = engine('asking', (turn) => askToSend(turn))
const curious = engine('curious', async (turn) => {
  await turn.ask('tea', { kind: 'question', text: 'tea or coffee?', options: [{ label: 'tea' }, { label: 'coffee' }] })
})
beforeEach(async () => {
  desk = await openDesk({ engines: [asking, curious] })
})
afterEach(() => desk.close())

const by = 'user:ada'
const item = (given: Partial<NewItem> = {}): NewItem => ({
  ...{ user: 'ada', type: 'DECISION', title: 'Which?', body: 'Tea or coffee', key: 'k' },
  ...given,
})
const add = (given: Partial<NewItem> = {}) => desk.attention.add(item(given), 'system')
const yes = (value: unknown) => ({ outcome: 'DECIDED', value: value as never }) as const

describe('items', () => {
  test('[I1] the same key makes one item, also after a restart; other persons have their own', async () => {
    const first = await add()
    expect(await add({ title: 'Another' })).toEqual(first)
    const { folder } = desk
    await desk.close({ keep: true })
    desk = await openDesk({ folder })
    expect((await add()).id).toBe(first.id)
    expect((await add({ user: 'bob' })).id).not.toBe(first.id)
    expect(await desk.attention.get('bob', first.id)).toBeNull()
    expect((await desk.attention.list({ user: 'ada', limit: 10 })).items).toHaveLength(1)
    expect(await desk.types()).toEqual(['inbox-item-added', 'inbox-item-added'])
  })

  test('[I1] a hundred at once under one key are one', async () => {
    const made = await Promise.all(Array.from({ length: 100 }, () => add()))
    expect(new Set(made.map((one) => one.id)).size).toBe(1)
    expect(await desk.types()).toEqual(['inbox-item-added'])
  })

  test('[I4] a LOW item with a default that fits is answered by itself; one that does not fit waits', async () => {
    const low = { criticality: 'LOW', payload: { options: ['yes', 'no'], default: 'yes' } } as const
    expect(await add(low)).toMatchObject({
      status: 'ANSWERED',
      resolvedBy: 'AUTO_DEFAULT',
      answer: { outcome: 'DECIDED', value: { chosen: 'yes' }, by: 'system:auto-default' },
    })
    expect(await add({ ...low, key: 'b', payload: { options: ['yes', 'no'], default: 'perhaps' } })).toMatchObject({ status: 'PENDING' })
    expect(await add({ ...low, key: 'c', requiresAction: false })).toMatchObject({ status: 'PENDING' })
    expect(await add({ ...low, key: 'd', criticality: 'NORMAL' })).toMatchObject({ status: 'PENDING' })
  })

  test('[I5] it is read, dismissed, archived and taken out again; doing it twice is nothing', async () => {
    const { id } = await add({ type: 'OUTPUT_TEXT' })
    await desk.attention.read('ada', id, by)
    await desk.attention.read('ada', id, by)
    await desk.attention.archive('ada', id, by)
    expect(await desk.attention.archive('ada', id, by)).toMatchObject({ status: 'ARCHIVED', read: true })
    await desk.attention.unarchive('ada', id, by)
    expect(await desk.attention.unarchive('ada', id, by)).toMatchObject({ status: 'PENDING' })
    await desk.attention.dismiss('ada', id, by)
    expect(await desk.attention.dismiss('ada', id, by)).toMatchObject({ status: 'DISMISSED' })
    expect(await desk.types()).toEqual(['inbox-item-added', ...Array(4).fill('inbox-item-updated')])
    await expect(desk.attention.answer('ada', id, yes('x'), by)).rejects.toThrow('asks nothing')
  })

  test('[I5] what is not in that inbox is not found; empty and huge ones are refused by name', async () => {
    await expect(desk.attention.read('ada', 'ntf_nothing', by)).rejects.toThrow('there is no item')
    const { id } = await add()
    await expect(desk.attention.archive('bob', id, 'user:bob')).rejects.toThrow('there is no item')
    await expect(add({ title: '  ' })).rejects.toMatchObject({ path: '/title' })
    await expect(add({ key: 'z', body: 'x'.repeat(65_537) })).rejects.toMatchObject({ path: '/body' })
    expect((await add({ key: 'y', title: 'x'.repeat(500) })).title).toHaveLength(200)
  })

  test('[I5] the list is newest first and pages without a gap; counts are over all of it', async () => {
    for (let i = 0; i < 7; i++) {
      desk.clock.advance(i % 2)
      await add({ key: `k${i}`, title: `t${i}`, type: i < 3 ? 'NOTICE' : 'DECISION' })
    }
    const all = (await desk.attention.list({ user: 'ada', limit: 50 })).items.map((one) => one.title)
    const walked: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<typeof desk.attention.list>> = await desk.attention.list({
        user: 'ada',
        limit: 2,
        ...(after && { after }),
      })
      walked.push(...page.items.map((one) => one.title))
      after = page.next
    }
    expect(walked).toEqual(all)
    expect(all.toSorted()).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 't6'])
    expect(await desk.attention.counts('ada')).toEqual({ pending: 7, requiresAction: 4 })
    await expect(desk.attention.list({ user: 'ada', limit: 2, after: 'nonsense' })).rejects.toMatchObject({ path: '/after' })
  })

  test('[I6] delegated it is in the other inbox and out of this one; to oneself it is nothing', async () => {
    const { id } = await add()
    expect(await desk.attention.delegate('ada', id, { to: 'ada' }, by)).toMatchObject({ status: 'PENDING' })
    await expect(desk.attention.delegate('ada', id, { to: 'eve' }, by)).rejects.toMatchObject({ path: '/to' })
    expect(await desk.attention.delegate('ada', id, { to: 'bob', note: 'you know it' }, by)).toMatchObject({ status: 'DISMISSED' })
    const [got] = (await desk.attention.list({ user: 'bob', limit: 10 })).items
    expect(got).toMatchObject({ title: 'Which?', body: 'ada: you know it\n\nTea or coffee', payload: { from: 'ada' }, status: 'PENDING' })
    expect(await desk.attention.counts('ada')).toEqual({ pending: 0, requiresAction: 0 })
  })
})

describe('answers', () => {
  test('[I2] the first answer counts, also of two at once; the second changes nothing', async () => {
    const { id } = await add({ payload: { options: ['tea', { label: 'coffee' }] } })
    await expect(desk.attention.answer('ada', id, yes('milk'), by)).rejects.toThrow('tea, coffee')
    const both = await Promise.all([desk.attention.answer('ada', id, yes('Tea'), by), desk.attention.answer('ada', id, yes('coffee'), by)])
    expect(both[0].answer).toEqual(both[1].answer)
    expect(both[0]).toMatchObject({ status: 'ANSWERED', resolvedBy: 'USER', answer: { value: { chosen: 'tea' }, by } })
    expect(await desk.types()).toEqual(['inbox-item-added', 'inbox-item-updated'])
  })

  test('[I2] each type says what it can be answered with', async () => {
    const cases = [
      ['APPROVAL', {}, true, { approved: true }, 'yes, but check first'],
      ['FEEDBACK', {}, '  shorter ', { text: 'shorter' }, '  '],
      ['ORDERING', { items: [{ id: 'a' }, { id: 'b' }] }, ['b', 'a'], { order: ['b', 'a'] }, ['b', 'b']],
      ['STRUCTURE_EDIT', {}, { accepted: false }, { accepted: false }, { accepted: 'no' }],
      ['DECISION', {}, { chosen: 'anything' }, { chosen: 'anything' }, 7],
    ] as const
    for (const [type, payload, good, kept, bad] of cases) {
      const { id } = await add({ type, payload, key: type })
      await expect(desk.attention.answer('ada', id, yes(bad), by)).rejects.toMatchObject({ code: 'invalid' })
      expect((await desk.attention.answer('ada', id, yes(good), by)).answer?.value).toEqual(kept)
    }
    const { id } = await add({ key: 'open' })
    const open = { outcome: 'INSUFFICIENT_INFO', value: null, reason: 'which tea?' } as const
    expect((await desk.attention.answer('ada', id, open, by)).answer).toEqual({ ...open, by })
  })

  test('[I3] an answer is one note in the mailbox of the process that asked, and of no other', async () => {
    const process = await desk.heart.process('quiet')
    const { id } = await add({ process: process.id, payload: { options: ['tea'] } })
    await desk.attention.answer('ada', id, yes('tea'), by)
    await desk.attention.answer('ada', id, yes('tea'), by)
    await desk.heart.until((event) => event.type === 'turn-settled')
    expect(await desk.notes()).toEqual([
      {
        kind: 'note',
        topic: 'inbox-answer',
        data: { item: id, user: 'ada', type: 'DECISION', title: 'Which?', answer: { outcome: 'DECIDED', value: { chosen: 'tea' }, by } },
      },
    ])
  })

  test('[I3] an answer that the machine died on before its note is posted at the next start, once', async () => {
    const process = await desk.heart.process('quiet')
    const { folder } = desk
    await desk.close({ keep: true })
    desk = await openDesk({ folder, deaf: true })
    const { id } = await add({ process: process.id, payload: { options: ['tea'] } })
    await desk.attention.answer('ada', id, yes('tea'), by)
    expect(await desk.notes()).toHaveLength(0)
    for (let start = 0; start < 2; start++) {
      await desk.close({ keep: true })
      desk = await openDesk({ folder })
      expect(await desk.notes()).toHaveLength(1)
    }
  })

  test('[I3] an answer to a process that is closed is kept, and not sent again and again', async () => {
    const process = await desk.heart.process('quiet')
    await desk.heart.control(process, { kind: 'close', reason: 'DONE' })
    await desk.heart.until((event) => event.type === 'process-closed')
    const { id } = await add({ process: process.id })
    expect(await desk.attention.answer('ada', id, yes('tea'), by)).toMatchObject({ status: 'ANSWERED' })
    expect(await desk.types()).toContain('inbox-answer-undelivered')
    const { folder } = desk
    await desk.close({ keep: true })
    desk = await openDesk({ folder })
    expect((await desk.types()).filter((type) => type === 'inbox-answer-undelivered')).toHaveLength(1)
  })
})

describe('approvals and questions stand in the inbox', () => {
  async function waiting(engineName: string) {
    const process = await desk.heart.process(engineName)
    // A session of its own would say whose it is.
    await desk.heart.journal.append({
      ...{ lane: process.session as never, epoch: 0, after: 0, creates: { session: process.session, mailbox: false } },
      events: [
        {
          ...{ id: desk.heart.newId('evt'), type: 'session-created', at: 0, actor: 'system', visibility: 'internal' },
          ...{ data: { session: { id: process.session, user: 'ada' } }, cause: null, correlation: null, session: process.session, v: 1 },
        },
      ],
    })
    await desk.heart.say(process, 'go')
    const asked = await desk.heart.until((event) => event.type === 'approval-requested' || event.type === 'question-asked')
    return { process, asked }
  }

  test('[I7] an approval is an item under its own id until it is decided, with what is asked', async () => {
    const { process, asked } = await waiting('asking')
    const id = approvalOf(asked.data['ask'] as never)
    const [shown] = (await desk.attention.list({ user: 'ada', limit: 10 })).items
    expect(shown).toMatchObject({
      ...{ id, type: 'APPROVAL', title: 'Send the mail?', body: 'Bob asked for it.\nThe mail can not be taken back.' },
      ...{ status: 'PENDING', requiresAction: true, session: process.session, process: process.id },
      payload: { risk: 'R3', capability: 'mail.send', target: 'bob@example.org', preview: 'Dear Bob', scopes: ['once', 'run'] },
    })
    await expect(desk.attention.answer('ada', id, yes(true), by)).rejects.toThrow('decide it')
    await expect(desk.attention.dismiss('ada', id, by)).rejects.toThrow('decide it')
    await expect(desk.attention.archive('ada', id, by)).rejects.toThrow('still waits')
    expect(await desk.attention.read('ada', id, by)).toMatchObject({ read: true, status: 'PENDING' })
    const value = { decision: 'allow', scope: 'once' }
    await desk.heart.control(process, { kind: 'answer', ask: asked.data['ask'] as never, value })
    await desk.heart.until((event) => event.type === 'approval-decided')
    expect(await desk.attention.get('ada', id)).toMatchObject({
      status: 'ANSWERED',
      answer: { value: { approved: true, scope: 'once' }, by },
    })
    expect(await desk.attention.archive('ada', id, by)).toMatchObject({ status: 'ARCHIVED' })
    expect(await desk.attention.unarchive('ada', id, by)).toMatchObject({ status: 'ANSWERED' })
  })

  test('[I7] one whose turn was stopped, and one that nobody answered in its time, wait no more and are no yes', async () => {
    const first = await waiting('asking')
    await desk.heart.control(first.process, { kind: 'stop', turn: first.asked.data['turn'] as never })
    await desk.heart.until((event) => event.type === 'turn-settled')
    const id = approvalOf(first.asked.data['ask'] as never)
    expect(await desk.attention.get('ada', id)).toMatchObject({ status: 'ARCHIVED', resolvedBy: 'AUTO_ARCHIVE' })
    await expect(desk.attention.unarchive('ada', id, by)).rejects.toThrow('nothing waits')
    const second = await desk.heart.process('asking', { session: first.process.session })
    await desk.heart.say(second, 'go')
    const asked = await desk.heart.until((event) => event.type === 'approval-requested' && event.lane === laneOf(second.id))
    desk.clock.advance(86_400_001)
    await desk.heart.until((event) => event.type === 'approval-decided')
    const late = await desk.attention.get('ada', approvalOf(asked.data['ask'] as never))
    expect(late).toMatchObject({ status: 'ARCHIVED', resolvedBy: 'AUTO_ARCHIVE' })
    expect(late?.answer).toBeUndefined()
  })

  test('[I7] a question is an item with its options, answered where it is asked', async () => {
    const { process, asked } = await waiting('curious')
    const id = String(asked.data['ask'])
    expect(await desk.attention.get('ada', id)).toMatchObject({
      ...{ type: 'DECISION', title: 'tea or coffee?', payload: { options: [{ label: 'tea' }, { label: 'coffee' }] } },
    })
    await desk.heart.control(process, { kind: 'answer', ask: asked.data['ask'] as never, value: 'tea' })
    await desk.heart.until((event) => event.type === 'question-answered')
    expect(await desk.attention.get('ada', id)).toMatchObject({ status: 'ANSWERED', answer: { value: { chosen: 'tea' } } })
  })

  test('[I7, J4] the table built anew from the journal is the same', async () => {
    await waiting('asking')
    const { id } = await add()
    await desk.attention.answer('ada', id, yes('x'), by)
    const before = await desk.attention.list({ user: 'ada', limit: 50 })
    await desk.heart.journal.rebuild('inbox')
    expect(await desk.attention.list({ user: 'ada', limit: 50 })).toEqual(before)
    expect(before.items).toHaveLength(2)
  })
})
