import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emptyInbox, foldInbox, inboxOf } from './inbox-view.ts'
import type { Incoming } from './view.ts'

const at = '2026-11-30T09:00:00.000Z'
const event = (type: string, data: Record<string, unknown>): Incoming => ({ type, at, session: 'ses_1', process: 'prc_1', data })
const item = (id: string, more = {}) => ({
  ...{ id, type: 'DECISION', criticality: 'NORMAL', title: id, body: '', tags: [], payload: {} },
  ...{ requiresAction: true, status: 'PENDING', read: false, at },
  ...more,
})
const plan = { tool: 'mail_send', capability: 'mail.send', target: 'bob', consequences: 'It is sent.' }
const requested = (approval: string, turn = 'trn_1') =>
  event('approval-requested', {
    turn,
    approval,
    text: 'Send?',
    due: 0,
    request: { plan, decision: { risk: 'R3', reason: 'out', scopes: [] } },
  })
const asked = (ask: string, turn = 'trn_1') => event('question-asked', { turn, ask, text: 'Tea?', options: [{ label: 'yes' }] })
const folded = (...events: Incoming[]) => events.reduce(foldInbox, emptyInbox)
const shown = (...events: Incoming[]) => {
  const view = folded(...events)
  return [view.items.map((one) => `${one.id} ${one.status}`), view.counts.pending, view.counts.requiresAction]
}

describe('the inbox', () => {
  test('[W12, I7] items, approvals and questions are added once, newest first, and counted', () => {
    const notice = event('inbox-item-added', { user: 'ada', item: item('ntf_1', { type: 'NOTICE', requiresAction: false }) })
    expect(shown(notice, notice, requested('apr_1'), asked('ask_1'))).toEqual([['ask_1 PENDING', 'apr_1 PENDING', 'ntf_1 PENDING'], 3, 2])
  })

  test('[W12, I7] decided, answered, dismissed and taken out again; what times out is archived', () => {
    const answer = { outcome: 'answered', by: 'user:ada', value: { decision: 'allow' } }
    const decided = event('approval-decided', { approval: 'apr_1', answer })
    const timeout = event('question-answered', { answer: { outcome: 'timeout', ask: 'ask_1' } })
    expect(shown(requested('apr_1'), asked('ask_1'), decided, timeout)).toEqual([['ask_1 ARCHIVED', 'apr_1 ANSWERED'], 0, 0])
    const update = (status: string) => event('inbox-item-updated', { user: 'ada', id: 'ntf_1', status })
    const added = event('inbox-item-added', { user: 'ada', item: item('ntf_1') })
    expect(shown(added, update('ARCHIVED'))).toEqual([['ntf_1 ARCHIVED'], 0, 0])
    expect(shown(added, update('ARCHIVED'), update('PENDING'))).toEqual([['ntf_1 PENDING'], 1, 1])
  })

  test('[W12] a turn that is over asks no more, and only what it asked', () => {
    const settled = event('turn-settled', { turn: 'trn_1', outcome: 'stopped' })
    expect(shown(requested('apr_1'), asked('ask_2', 'trn_2'), settled)).toEqual([['ask_2 PENDING', 'apr_1 ARCHIVED'], 1, 1])
  })

  test('[W12] it begins with an answer of the hub, whose counts are of more than its page', () => {
    const begun = inboxOf({ items: [item('ntf_9') as never], next: 'x', counts: { pending: 80, requiresAction: 70 } })
    expect(foldInbox(begun, event('inbox-item-updated', { id: 'ntf_9', status: 'DISMISSED' })).counts).toEqual({
      pending: 79,
      requiresAction: 69,
    })
  })

  test('[W3, W12] whatever comes changes nothing or something, and never throws', () => {
    const types = [
      'inbox-item-added',
      'inbox-item-updated',
      'approval-requested',
      'approval-decided',
      'question-asked',
      'question-answered',
      'turn-settled',
    ]
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...types), fc.jsonValue())), (given) => {
        const view = given.reduce((now, [type, data]) => foldInbox(now, { type, data: data as never }), emptyInbox)
        expect(view.counts.pending).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
