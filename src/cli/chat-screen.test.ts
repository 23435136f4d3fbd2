import { describe, expect, test } from 'vitest'
import { emptyView, fold, type Incoming, type View } from '../protocol/view.ts'
import { draw, drawHistory, nothingShown, type Shown } from './chat-screen.ts'
import { oneLine, safeText, table } from './output.ts'

const session = 'ses_1'
let cursor = 0
const event = (type: string, data: Record<string, unknown>): Incoming => ({
  type,
  data,
  cursor: `1.${++cursor}`,
  at: '2026-11-30T12:00:00.000Z',
})
const user = (id: string, text: string, clientId: string) =>
  event('chat-message-appended', {
    message: { id, clientId, session, parent: null, role: 'user', actor: 'user:ada', text, status: 'queued' },
  })
const started = (turn: string, message: string) => event('turn-started', { turn, taken: [{ entry: 'e', message, parent: null }] })
const words = (text: string, offset: number, attempt = 1): Incoming => ({
  type: 'chat-message-chunk',
  data: { session, process: 'prc_1', turn: 'trn_1', step: 'model', attempt, offset, text },
})
const reply = (id: string, text: string, more: Record<string, unknown> = {}) =>
  event('chat-message-appended', {
    message: { id, session, parent: 'msg_1', role: 'assistant', actor: 'process:prc_1', agent: 'hub', text, status: 'settled', ...more },
    turn: 'trn_1',
    name: 'reply',
    step: 'model',
  })
const settled = (outcome = 'done', error?: string) =>
  event('turn-settled', { turn: 'trn_1', outcome, unknown: [], reply: null, steps: 1, ...(error ? { error } : {}) })

const riskAsked = (id: string, text: string) =>
  event('approval-requested', {
    ...{ approval: id, ask: id, turn: 'trn_1', text, due: 1 },
    request: {
      plan: { tool: 'file_delete', capability: 'fs.write', target: 'old.txt', consequences: 'The file is gone.' },
      decision: { risk: 'R5', reason: 'It deletes.', scopes: ['once'] },
    },
  })

/** What a terminal has shown after these events, one draw after each. */
function shownAfter(events: readonly Incoming[], own: readonly string[] = ['mine']): string {
  let view: View = emptyView(session)
  let shown: Shown = nothingShown
  let text = ''
  for (const one of events) {
    view = fold(view, one)
    const drawn = draw(shown, view, { own: new Set(own), now: 0, colours: false })
    shown = drawn.shown
    text += drawn.text
  }
  return text
}

test('what a worker asks is shown once: the line that only tells of it adds nothing while it waits', () => {
  const asking = riskAsked('apr_1', 'May assistant run file_delete on old.txt? The file is gone. It deletes.')
  const told = 'Assistant in Shop asks: May assistant run file_delete on old.txt? Answer in the card below or with `steward approvals`.'
  const shown = shownAfter([
    user('msg_1', 'hi', 'mine'),
    started('trn_1', 'msg_1'),
    asking,
    reply('msg_2', told),
    reply('msg_3', 'So it is.'),
  ])
  expect(shown.split('May assistant run file_delete on old.txt?')).toHaveLength(2)
  expect(shown).toContain('So it is.\n')
  expect(shownAfter([reply('msg_2', told)])).toBe(`${told}\n`)
})

describe('words', () => {
  test('stream as they come and are not shown again when they settle', () => {
    const events = [
      user('msg_1', 'hi', 'mine'),
      started('trn_1', 'msg_1'),
      words('Hel', 0),
      words('lo', 3),
      reply('msg_2', 'Hello there'),
      settled(),
    ]
    expect(shownAfter(events)).toBe('Hello there\n')
  })

  test('of a new attempt begin anew, visibly', () => {
    const events = [
      user('msg_1', 'hi', 'mine'),
      started('trn_1', 'msg_1'),
      words('Hel', 0),
      words('Good', 0, 2),
      reply('msg_2', 'Good day'),
      settled(),
    ]
    expect(shownAfter(events)).toBe('Hel\n(it begins anew)\nGood day\n')
  })

  test('that settled as something else are followed by what counts', () => {
    const events = [user('msg_1', 'hi', 'mine'), started('trn_1', 'msg_1'), words('Hel', 0), reply('msg_2', 'Bye'), settled()]
    expect(shownAfter(events)).toBe('Hel\nBye\n')
  })

  test('that were stopped are marked', () => {
    const events = [
      user('msg_1', 'hi', 'mine'),
      started('trn_1', 'msg_1'),
      words('Hel', 0),
      reply('msg_2', 'Hel', { status: 'stopped' }),
      settled('stopped'),
    ]
    expect(shownAfter(events)).toBe('Hel (stopped)\n')
  })

  test('that never settle are closed with the turn', () => {
    const events = [user('msg_1', 'hi', 'mine'), started('trn_1', 'msg_1'), words('Hel', 0), settled('failed', 'no model')]
    expect(shownAfter(events)).toBe('Hel\n! It failed: no model\n')
  })

  test('cannot steer the terminal', () => {
    const events = [
      user('msg_1', 'hi', 'mine'),
      started('trn_1', 'msg_1'),
      words('a\u001b[2Jb\u009b1m', 0),
      reply('msg_2', 'a\u001b[2Jb\u009b1m\u202ec'),
      settled(),
    ]
    expect(shownAfter(events)).toBe('a[2Jb1mc\n')
  })
})

describe('lines', () => {
  test('of another device are shown with their name, own ones are not', () => {
    expect(shownAfter([user('msg_1', 'hi', 'mine'), user('msg_3', 'me too', 'theirs')])).toBe('ada: me too\n')
  })

  test('are shown once, however often the view changes', () => {
    expect(shownAfter([reply('msg_2', 'Hello'), event('session-updated', { title: 'x' }), settled()])).toBe('Hello\n')
  })

  test('bring their options', () => {
    expect(shownAfter([reply('msg_2', 'Which?', { options: [{ label: 'This' }, { label: 'That' }] })])).toBe(
      'Which?\n  1. This\n  2. That\n',
    )
  })

  test('of before are shown as history and not again', () => {
    const view = [user('msg_1', 'hi', 'old'), started('trn_1', 'msg_1'), reply('msg_2', 'Hello'), settled()].reduce(
      fold,
      emptyView(session),
    )
    const history = drawHistory(view, 20)
    expect(history.text).toBe('> hi\nHello\n')
    expect(draw(history.shown, view, { own: new Set(), now: 0, colours: false }).text).toBe('')
    expect(drawHistory(view, 0).text).toBe('')
  })
})

test('a question is asked once, with numbers to choose by', () => {
  const options = [{ label: 'Yes', description: 'do it' }, { label: 'No' }]
  const events = [
    user('msg_1', 'hi', 'mine'),
    started('trn_1', 'msg_1'),
    event('question-asked', { turn: 'trn_1', name: 'q', ask: 'ask_1', text: 'Sure?', options }),
    words('x', 0),
  ]
  expect(shownAfter(events)).toBe('? Sure?\n  1. Yes: do it\n  2. No\nx')
})

describe('text', () => {
  test('a table has columns of the widest cell and says when it is empty', () => {
    expect(table(['id', 'title'], [['a', 'one'], ['bbb', 'two\nlines']], 'None.')).toBe('ID   TITLE\na    one\nbbb  two lines') // biome-ignore format: one line reads better
    expect(table(['id'], [], 'None.')).toBe('None.')
  })

  test('one line is cut, and what steers a terminal is taken out', () => {
    expect(oneLine('a  b\n c', 4)).toBe('a b…')
    expect(safeText('a\r\nb\tc\u0007')).toBe('a\nb\tc')
  })
})
