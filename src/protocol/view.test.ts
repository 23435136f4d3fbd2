import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { branch, leafBelow, waiting } from './branch.ts'
import { emptyView, fold, foldAll, type Incoming, type View } from './view.ts'
import { hasGap } from './writing.ts'

const session = 'ses_1'
const at = '2026-11-30T09:00:00.000Z'

let number = 0
function event(type: string, data: Record<string, unknown>, more: Partial<Incoming> = {}): Incoming {
  number += 1
  return { type, cursor: `1.${number}`, at, session, process: 'prc_1', data, ...more }
}

const typed = (id: string, text = id) =>
  event('chat-message-appended', {
    message: { id, clientId: `c-${id}`, session, parent: null, role: 'user', actor: 'user:ada', text, status: 'queued' },
  })
const said = (id: string, parent: string, turn: string, status = 'settled') =>
  event('chat-message-appended', {
    turn,
    step: 'model',
    name: 'say',
    message: { id, session, parent, role: 'assistant', actor: 'process:prc_1', agent: 'hub', text: `text of ${id}`, status },
  })
const started = (turn: string, message: string, parent: string | null) => [
  event('turn-started', { turn, taken: [{ entry: 'ent_1', message, parent }], leaf: message }),
  event('chat-message-updated', { id: message, status: 'accepted', parent, turn }),
]
const settled = (turn: string, message: string, more: Record<string, unknown> = {}) => [
  event('chat-message-updated', { id: message, status: 'settled', turn }),
  event('turn-settled', { turn, outcome: 'done', unknown: [], reply: null, steps: 1, ...more }),
]
const words = (text: string, offset: number, attempt = 1, step = 'model'): Incoming => ({
  type: 'chat-message-chunk',
  data: { session, process: 'prc_1', turn: 'trn_1', step, attempt, offset, text },
})
const created = () => event('process-created', { process: { id: 'prc_1', parent: null } })
const texts = (view: View) => branch(view).map((row) => row.line.id)

const oneTurn = (): Incoming[] => [
  created(),
  typed('msg_1'),
  ...started('trn_1', 'msg_1', null),
  said('msg_2', 'msg_1', 'trn_1'),
  ...settled('trn_1', 'msg_1'),
]

describe('the conversation', () => {
  test('[W4] a line waits, is taken up, is answered; each step shows', () => {
    let view = foldAll(emptyView(session), [created(), typed('msg_1')])
    expect([waiting(view).map((line) => line.clientId), texts(view), view.turn]).toEqual([['c-msg_1'], [], null])
    view = foldAll(view, started('trn_1', 'msg_1', null))
    expect([waiting(view), texts(view), view.turn?.id, view.messages.get('msg_1')?.seenAt]).toEqual([[], ['msg_1'], 'trn_1', at])
    view = foldAll(view, [said('msg_2', 'msg_1', 'trn_1'), ...settled('trn_1', 'msg_1')])
    expect([texts(view), view.turn, view.leaf]).toEqual([['msg_1', 'msg_2'], null, 'msg_2'])
  })

  test('[W4] lines that come in during a turn stand in line in their order, also when one is taken back', () => {
    let view = foldAll(emptyView(session), [
      typed('msg_1'),
      ...started('trn_1', 'msg_1', null),
      typed('msg_2'),
      typed('msg_3'),
      typed('msg_4'),
    ])
    expect(view.queue).toEqual(['msg_2', 'msg_3', 'msg_4'])
    view = fold(view, event('chat-message-updated', { id: 'msg_3', status: 'stopped', why: 'taken back' }))
    expect([view.queue, view.notices, texts(view)]).toEqual([['msg_2', 'msg_4'], [], ['msg_1']])
    view = fold(view, event('chat-message-updated', { id: 'msg_2', status: 'accepted', parent: 'msg_1', turn: 'trn_1' }))
    expect([view.queue, texts(view)]).toEqual([['msg_4'], ['msg_1', 'msg_2']])
  })

  test('[W4] a line that was refused says why and has no place in the tree', () => {
    const view = foldAll(emptyView(session), [
      typed('msg_1'),
      event('chat-message-updated', { id: 'msg_1', status: 'failed', why: 'the process was closed' }),
    ])
    expect(view.notices).toMatchObject([{ kind: 'refused', text: 'msg_1', detail: 'the process was closed' }])
    expect([view.queue, texts(view)]).toEqual([[], []])
  })

  test('[W11] an edit is a branch: both versions are siblings, and one is chosen', () => {
    let view = foldAll(emptyView(session), [
      ...oneTurn(),
      typed('msg_3'),
      ...started('trn_2', 'msg_3', null),
      said('msg_4', 'msg_3', 'trn_2'),
      ...settled('trn_2', 'msg_3'),
    ])
    expect(branch(view).map((row) => [row.line.id, row.siblings])).toEqual([
      ['msg_3', ['msg_1', 'msg_3']],
      ['msg_4', ['msg_4']],
    ])
    expect(leafBelow(view, 'msg_1')).toBe('msg_2')
    view = fold(view, event('branch-selected', { leaf: 'msg_2', by: 'user:ada' }))
    expect(texts(view)).toEqual(['msg_1', 'msg_2'])
  })

  test('[W11] a turn that goes on does not pull the person back to its branch', () => {
    const view = foldAll(emptyView(session), [
      ...oneTurn(),
      typed('msg_3'),
      ...started('trn_2', 'msg_3', null),
      event('branch-selected', { leaf: 'msg_2', by: 'user:ada' }),
      said('msg_4', 'msg_3', 'trn_2'),
    ])
    expect(texts(view)).toEqual(['msg_1', 'msg_2'])
  })

  test('a loop of parents ends', () => {
    const a = event('chat-message-appended', { message: { id: 'a', parent: 'b', role: 'system', text: '', status: 'settled' } })
    const b = event('chat-message-appended', { message: { id: 'b', parent: 'a', role: 'system', text: '', status: 'settled' } })
    const view = foldAll(emptyView(session), [a, b, event('branch-selected', { leaf: 'a' })])
    expect(texts(view)).toHaveLength(2)
    expect(['a', 'b']).toContain(leafBelow(view, 'a'))
  })
})

describe('the turn', () => {
  test('[W8] the running turn is known by its id until it settles, also from its words alone', () => {
    const view = fold(emptyView(session), words('Hello', 0))
    expect(view.turn?.id).toBe('trn_1')
    expect(foldAll(view, settled('trn_1', 'msg_1')).turn).toBeNull()
  })

  test('[W8] stopping, pausing and going on show on the turn that they were meant for', () => {
    let view = foldAll(emptyView(session), started('trn_1', 'msg_1', null))
    view = foldAll(view, [event('turn-paused', { turn: 'trn_1' }), event('turn-stopping', { turn: 'trn_0' })])
    expect(view.turn).toMatchObject({ paused: true, stopping: false })
    view = foldAll(view, [event('turn-continued', { turn: 'trn_1' }), event('turn-stopping', { turn: 'trn_1' })])
    expect(view.turn).toMatchObject({ paused: false, stopping: true })
  })

  test('[W8] a failed turn, and a step whose outcome nobody knows, are said', () => {
    const view = foldAll(emptyView(session), [
      ...started('trn_1', 'msg_1', null),
      ...settled('trn_1', 'msg_1', { outcome: 'failed', error: 'no answer', unknown: ['mail'] }),
    ])
    expect(view.notices.map(({ kind, text }) => [kind, text])).toEqual([
      ['failed', 'no answer'],
      ['unknown', 'mail'],
    ])
  })

  test("a worker's turn in the same session is not this conversation's turn", () => {
    const worker = event('turn-started', { turn: 'trn_9', taken: [] }, { process: 'prc_2' })
    expect(foldAll(emptyView(session), [created(), worker]).turn).toBeNull()
  })

  test('a question is open until it is answered or its turn ends', () => {
    const ask = () =>
      event('question-asked', {
        turn: 'trn_1',
        name: 'q',
        ask: 'ask_1',
        text: 'Where?',
        options: [{ label: 'Here' }, { label: 3 }],
        due: 1796029200000,
      })
    let view = foldAll(emptyView(session), [...started('trn_1', 'msg_1', null), ask()])
    expect(view.questions).toEqual([
      { id: 'ask_1', turn: 'trn_1', text: 'Where?', options: [{ label: 'Here' }], due: '2026-11-30T09:00:00.000Z' },
    ])
    const answer = { kind: 'answer', ask: 'ask_1', outcome: 'answered', value: { option: 'Here' }, by: 'user:ada' }
    view = fold(view, event('question-answered', { turn: 'trn_1', answer }))
    expect([view.questions, view.notices[0]]).toMatchObject([[], { kind: 'answered', text: 'Where?', detail: 'Here' }])
    expect(foldAll(view, [ask(), ...settled('trn_1', 'msg_1')]).questions).toEqual([])
  })
})

describe('live words', () => {
  const shown = (...events: Incoming[]) => foldAll(emptyView(session), events).writing.map((one) => [one.text, one.attempt])

  test('[W2] words go on where they ended; words that were heard before change nothing', () => {
    expect(shown(words('Hel', 0), words('lo', 3), words('lo', 3), words('Hel', 0))).toEqual([['Hello', 1]])
  })

  test('[W2] the text so far, given anew, heals what overlaps', () => {
    expect(shown(words('Hel', 0), words('Hello wor', 0), words('world', 6))).toEqual([['Hello world', 1]])
  })

  test('[W2] a hole is marked, never shown, and closed by the text so far', () => {
    let view = foldAll(emptyView(session), [words('Hel', 0), words('world', 6)])
    expect([view.writing[0]?.text, hasGap(view.writing)]).toEqual(['Hel', true])
    view = foldAll(view, [words('Hello world', 0), words('!', 11)])
    expect([view.writing[0]?.text, hasGap(view.writing)]).toEqual(['Hello world!', false])
  })

  test('[W2] who comes in the middle of an answer shows nothing of it before its start came', () => {
    const view = fold(emptyView(session), words('middle', 40))
    expect([view.writing[0]?.text, hasGap(view.writing)]).toEqual(['', true])
  })

  test('[W2] a new attempt replaces the words of the old one, whose late words are not heard', () => {
    expect(shown(words('Old words', 0), words('New', 0, 2), words(' late', 9, 1))).toEqual([['New', 2]])
    expect(shown(words('Old words', 0), words('', 0, 2))).toEqual([['', 2]])
  })

  test('[W2] the settled line takes the place of its words, and late words bring nothing back', () => {
    const view = foldAll(emptyView(session), [
      typed('msg_1'),
      ...started('trn_1', 'msg_1', null),
      words('text', 0),
      said('msg_2', 'msg_1', 'trn_1'),
      words(' of msg_2', 4),
    ])
    expect([view.writing, texts(view)]).toEqual([[], ['msg_1', 'msg_2']])
    const after = foldAll(view, [...settled('trn_1', 'msg_1'), words('more', 0, 1, 'model-2')])
    expect([after.writing, after.turn]).toEqual([[], null])
  })

  test('[W2] two steps write side by side', () => {
    expect(shown(words('one', 0), words('two', 0, 1, 'other'))).toEqual([
      ['one', 1],
      ['two', 1],
    ])
  })
})

describe('approvals', () => {
  const request = {
    plan: { tool: 'mail_send', capability: 'mail.send', target: 'bob', why: 'He asked.', consequences: 'It is sent.', preview: 'Dear Bob' },
    decision: { risk: 'R3', reason: 'out', scopes: ['once', 'run'] },
  }
  const asked = (approval: string, turn = 'trn_1', more: Partial<Incoming> = {}) =>
    event('approval-requested', { turn, approval, text: `Send ${approval}?`, due: Date.parse(at), request }, more)
  const decided = (approval: string, outcome: string, value: unknown = null) =>
    event('approval-decided', { turn: 'trn_1', approval, answer: { kind: 'answer', outcome, value, by: 'user:ada' } })
  const begun = () => [created(), typed('msg_1'), ...started('trn_1', 'msg_1', null)]

  test('[W12] what is asked stands open with everything that one decides by, until it is decided', () => {
    let view = foldAll(emptyView(session), [...begun(), asked('apr_1'), asked('apr_2')])
    expect(view.approvals).toHaveLength(2)
    expect(view.approvals[0]).toEqual({
      ...{ id: 'apr_1', turn: 'trn_1', text: 'Send apr_1?', risk: 'R3', tool: 'mail_send', capability: 'mail.send', target: 'bob' },
      ...{ why: 'He asked.', consequences: 'It is sent.', preview: 'Dear Bob', scopes: ['once', 'run'], expiresAt: at },
    })
    view = foldAll(view, [
      decided('apr_1', 'answered', { decision: 'allow', scope: 'run' }),
      decided('apr_2', 'answered', { decision: 'deny' }),
    ])
    expect(view.approvals).toEqual([])
    expect(view.notices.map(({ kind, text, detail }) => [kind, text, detail])).toEqual([
      ['allowed', 'Send apr_1?', 'run'],
      ['denied', 'Send apr_2?', ''],
    ])
  })

  test("[W12] silence is shown as no answer and never as a yes; a turn that is over asks no more, also a worker's", () => {
    const timeout = foldAll(emptyView(session), [...begun(), asked('apr_1'), decided('apr_1', 'timeout')])
    expect([timeout.approvals, timeout.notices.at(-1)?.kind]).toEqual([[], 'withdrawn'])
    const over = foldAll(emptyView(session), [...begun(), asked('apr_1'), ...settled('trn_1', 'msg_1')])
    expect(over.approvals).toEqual([])
    const worker = { process: 'prc_2' }
    const theirs = foldAll(emptyView(session), [...begun(), asked('apr_9', 'trn_9', worker)])
    expect(theirs.approvals.map((one) => one.id)).toEqual(['apr_9'])
    expect(fold(theirs, event('turn-settled', { turn: 'trn_9', outcome: 'done' }, worker)).approvals).toEqual([])
    expect(fold(theirs, event('turn-settled', { turn: 'trn_9', outcome: 'done' }, worker)).turn?.id).toBe('trn_1')
  })

  test('[W12] what each step is doing stands in a small line until the step is over', () => {
    const doing = (step: string, text: string): Incoming => ({
      type: 'process-progress',
      data: { process: 'prc_1', turn: 'trn_1', step, text },
    })
    let view = foldAll(emptyView(session), [
      ...begun(),
      doing('tool-1', 'file_read a'),
      doing('tool-2', 'file_read b'),
      doing('tool-1', 'file_read c'),
    ])
    expect(view.turn?.doing).toEqual([
      { step: 'tool-2', text: 'file_read b' },
      { step: 'tool-1', text: 'file_read c' },
    ])
    view = fold(view, event('step-done', { turn: 'trn_1', name: 'tool-2' }))
    expect(view.turn?.doing).toEqual([{ step: 'tool-1', text: 'file_read c' }])
  })
})

describe('positions', () => {
  test('[W1] repeated and late events change nothing: the same object', () => {
    const events = oneTurn()
    const view = foldAll(emptyView(session), events)
    expect(foldAll(view, events)).toBe(view)
    for (const one of events) expect(fold(view, one)).toBe(view)
  })

  test('[W1] one by one, in batches and with repeats of what was seen, the view is the same', () => {
    const events = [...oneTurn(), typed('msg_5'), ...started('trn_2', 'msg_5', 'msg_2'), said('msg_6', 'msg_5', 'trn_2', 'stopped')]
    const whole = foldAll(emptyView(session), events)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(events.length), fc.nat(events.length)), { maxLength: 20 }), (cuts) => {
        let view = emptyView(session)
        for (const [from, to] of cuts) {
          const known = events.findIndex((one) => one.cursor === view.cursor) + 1
          view = foldAll(view, events.slice(Math.min(from, known), Math.max(to, known)))
        }
        const known = events.findIndex((one) => one.cursor === view.cursor) + 1
        expect(foldAll(view, events.slice(known))).toEqual(whole)
      }),
    )
  })

  test('[W1] an event of another generation marks the view and changes nothing else', () => {
    const view = foldAll(emptyView(session), oneTurn())
    const other = fold(view, { ...typed('msg_9'), cursor: '2.5' })
    expect(other).toEqual({ ...view, foreign: true })
  })

  test('[W1] events of another session are not folded', () => {
    const view = foldAll(emptyView(session), oneTurn())
    expect(fold(view, { ...typed('msg_9'), session: 'ses_2' })).toBe(view)
  })

  test('a fold leaves the view before it as it was', () => {
    const before = foldAll(emptyView(session), oneTurn())
    const copy = structuredClone(before)
    foldAll(before, [typed('msg_7'), ...started('trn_7', 'msg_7', 'msg_2'), words('x', 0)])
    expect(before).toEqual(copy)
  })

  test('20,000 lines are folded in one go', () => {
    const turn = (index: number) => {
      const [id, before] = [`msg_${index}`, index === 0 ? null : `msg_${index - 1}`]
      return [typed(id), ...started(`trn_${index}`, id, before), ...settled(`trn_${index}`, id)]
    }
    const view = foldAll(emptyView(session), Array.from({ length: 20_000 }, (_, index) => turn(index)).flat())
    expect([view.messages.size, branch(view).length, view.queue]).toEqual([20_000, 20_000, []])
  })
})

describe('hostile input', () => {
  const types = [
    'chat-message-appended', 'chat-message-updated', 'chat-message-chunk', 'process-progress', 'process-created', 'process-status-changed', 'process-closed',
    'session-updated', 'branch-selected', 'turn-started', 'turn-resumed', 'turn-paused', 'turn-settled', 'step-started', 'question-asked', 'question-answered',
    'entry-held', 'lane-quarantined', 'constructor', '__proto__', 'toString', 'never-heard-of',
  ] // biome-ignore format: a list of words

  test('[W3] an unknown type moves the cursor and nothing else', () => {
    const view = foldAll(emptyView(session), oneTurn())
    const next = fold(view, event('todo-shown', { a: 1 }))
    expect(next).toEqual({ ...view, cursor: `1.${number}` })
  })

  test('[W3] data of any shape never throws, and no line without a known role and status appears', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...types),
        fc.dictionary(
          fc.constantFrom(
            'message',
            'id',
            'turn',
            'taken',
            'text',
            'offset',
            'attempt',
            'step',
            'status',
            'answer',
            'ask',
            'options',
            'due',
            'leaf',
          ),
          fc.anything(),
        ),
        (type, data) => {
          const view = foldAll(emptyView(session), [...oneTurn(), event(type, data)])
          for (const line of view.messages.values()) expect(['user', 'assistant', 'system']).toContain(line.role)
          branch(view)
        },
      ),
      { numRuns: 500 },
    )
  })

  test.each([[null], [7], ['text'], [[]]])('[W3] data that is no object (%j) is left alone', (data) => {
    const view = fold(emptyView(session), { type: 'turn-started', cursor: '1.1', data: data as never })
    expect(view).toEqual({ ...emptyView(session), cursor: '1.1' })
  })

  test.each(['constructor', 'toString', '__proto__'])('[W3] a role called %s is no role', (role) => {
    const view = fold(emptyView(session), event('chat-message-appended', { message: { id: 'm', text: 'x', role, status: 'settled' } }))
    expect(view.messages.size).toBe(0)
  })

  test.each(['', 'x', '1', '1.', '-1.2', '1.2.3'])('[W3] a cursor that is none (%j) brings nothing in', (cursor) => {
    expect(fold(emptyView(session), { ...typed('msg_1'), cursor })).toEqual(emptyView(session))
  })
})
