import { describe, expect, test } from 'vitest'
import type { Approval } from './api-approvals.ts'
import { fromElsewhere, headline, linkedSession, withWaiting } from './asks-elsewhere.ts'
import { emptyView, fold, type Incoming } from './view.ts'

const here = 'ses_here'
const request = {
  plan: { tool: 'mail_send', capability: 'mail.send', target: 'bob', why: 'He asked.', consequences: 'It is gone.' },
  decision: { risk: 'R3', reason: 'It leaves the machine.', scopes: ['once', 'run'] },
}
const asked = (id: string, session: string): Incoming => ({
  type: 'approval-requested',
  session,
  cursor: '1.9',
  data: { approval: id, ask: `ask_${id}`, turn: `trn_${id}`, text: 'Send it?', request, due: 1_800_000_000_000 },
})
const listed = (id: string, session: string): Approval => ({
  ...{
    id,
    session,
    process: 'prc_1',
    turn: `trn_${id}`,
    run: 'run_1',
    text: 'Send it to bob?',
    risk: 'R3',
    tool: 'mail_send',
    capability: 'mail.send',
    target: 'bob',
  },
  ...{ why: 'He asked.', consequences: 'It is gone.', scopes: ['once'], status: 'requested', requestedAt: '', expiresAt: '' },
})
const nowhere = { isHome: false, workers: new Set<string>() }
const view = emptyView(here)

describe('frames of other sessions', () => {
  test('are taken by the home, by who ordered the work, and where they are passed on', () => {
    const frame = asked('apr_1', 'ses_work')
    expect(fromElsewhere(frame, here, nowhere)).toBeNull()
    expect(fromElsewhere({ ...frame, forwardedBy: { viaSession: 'ses_other' } }, here, nowhere)).toBeNull()
    const ways = [
      fromElsewhere(frame, here, { ...nowhere, isHome: true }),
      fromElsewhere(frame, here, { ...nowhere, workers: new Set(['ses_work']) }),
      fromElsewhere({ ...frame, forwardedBy: { viaSession: here } }, here, nowhere),
    ]
    for (const taken of ways) {
      const next = fold(view, taken ?? frame)
      expect(next.approvals.map((one) => one.id)).toEqual(['apr_1'])
      expect(next.cursor).toBeNull()
    }
  })

  test('are closed by the decision and by the end of their turn; lines and words of others are none of it', () => {
    const isHome = { ...nowhere, isHome: true }
    const open = fold(view, fromElsewhere(asked('apr_1', 'ses_work'), here, isHome) ?? asked('apr_1', here))
    const answer = { outcome: 'answered', value: { decision: 'allow', scope: 'once' } }
    for (const [type, data] of [
      ['approval-decided', { approval: 'apr_1', answer }],
      ['turn-settled', { turn: 'trn_apr_1', outcome: 'done' }],
    ] as const) {
      const over = fromElsewhere({ type, session: 'ses_work', data }, here, isHome)
      expect(over && fold(open, over).approvals).toEqual([])
    }
    for (const type of ['chat-message-appended', 'question-asked', 'step-started', 'process-progress'])
      expect(fromElsewhere({ type, session: 'ses_work', data: {} }, here, isHome)).toBeNull()
    expect(fromElsewhere(asked('apr_1', here), here, isHome)).toBeNull()
  })

  test('a link names the session of a worker', () => {
    expect(linkedSession({ type: 'worker-linked', data: { session: 'ses_work' } })).toBe('ses_work')
    expect(linkedSession({ type: 'worker-linked', data: { session: 7 } })).toBeNull()
    expect(linkedSession({ type: 'turn-started', data: { session: 'ses_work' } })).toBeNull()
  })
})

test('the asking is shown without what stands beside it', () => {
  const why = 'It deletes. It $& stays gone.'
  const consequences = 'It may change files.'
  expect(headline({ text: `May Arthur run rm on a? ${consequences} ${why}`, why, consequences })).toBe('May Arthur run rm on a?')
  expect(headline({ text: 'Send it?', why: '', consequences: '' })).toBe('Send it?')
  expect(headline({ text: why, why, consequences })).toBe(why)
})

describe('the list of what waits', () => {
  test('adds what is missing, takes away what is over, keeps what came in meanwhile', () => {
    const isHome = { ...nowhere, isHome: true }
    const before = [asked('apr_old', here), asked('apr_kept', here)].reduce(fold, view)
    const now = fold(before, { ...asked('apr_new', here), cursor: '1.10' })
    const both = fold(view, asked('apr_kept', here))
    const next = withWaiting(now, [listed('apr_kept', here), listed('apr_work', 'ses_work')], { ...isHome, before })
    expect(next.approvals.map((one) => one.id)).not.toContain('apr_old')
    expect(next.approvals.map((one) => one.id)).toContain('apr_work')
    expect(withWaiting(both, [listed('apr_kept', here)], { ...isHome, before: both })).toBe(both)
  })

  test('of other sessions only what this conversation has to do with', () => {
    const waiting = [listed('apr_a', 'ses_a'), listed('apr_b', 'ses_b')]
    const workers = new Set(['ses_b'])
    expect(withWaiting(view, waiting, { isHome: false, workers, before: view }).approvals.map((one) => one.id)).toEqual(['apr_b'])
    expect(withWaiting(view, waiting, { ...nowhere, before: view })).toBe(view)
  })
})
