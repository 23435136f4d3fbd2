import { describe, expect, test } from 'vitest'
import { emptyView, type OpenApproval, type View } from '../protocol/view.ts'
import { approvalText } from './approval-text.ts'
import { askedNext, promptFor, readDecision } from './chat-answer.ts'
import { chosen } from './chosen.ts'
import { optionIn } from './option.ts'
import { money } from './turn.ts'
import { both, exactly, lasted, lengthOf, relative } from './when.ts'

const asked: OpenApproval = {
  ...{ id: 'apr_1', turn: 'trn_1', text: 'Send it?', risk: 'R3', tool: 'mail_send', capability: 'mail.send', target: 'bob' },
  ...{ why: 'He asked.', consequences: 'It is gone.', scopes: ['once', 'run'], expiresAt: '2026-11-30T13:00:00.000Z' },
}
const now = Date.parse('2026-11-30T12:00:00.000Z')
const view = (more: Partial<View>): View => ({ ...emptyView('ses_1'), ...more })

describe('what a line says at the prompt', () => {
  test.each([
    ['y', { decision: 'allow' }],
    ['YES', { decision: 'allow' }],
    ['allow', { decision: 'allow' }],
    ['run', { decision: 'allow', scope: 'run' }],
    ['y run', { decision: 'allow', scope: 'run' }],
    ['allow once', { decision: 'allow', scope: 'once' }],
    ['n', { decision: 'deny' }],
    ['No', { decision: 'deny' }],
    ['deny', { decision: 'deny' }],
    ['deny Not today', { decision: 'deny', reason: 'Not today' }],
  ])('%j decides', (line, decided) => {
    expect(readDecision(line, asked.scopes)).toEqual(decided)
  })

  test.each(['', 'yes please', 'always', 'allow always', 'y y', 'no, take the other one', 'allowed', 'why?', '1', 'ja'])(
    '%j is a message',
    (line) => {
      expect(readDecision(line, asked.scopes)).toBeNull()
    },
  )

  test('a question goes first, and the prompt says which of them is answered', () => {
    const question = { id: 'ask_1', turn: 'trn_1', text: 'Tea?', options: [], due: null }
    expect(askedNext(view({ approvals: [asked] }))).toBe(asked)
    expect(askedNext(view({ approvals: [asked], questions: [question] }))).toBeNull()
    expect(promptFor(asked, view({}))).toBe('allow? y, n, or for longer: run > ')
    expect(promptFor(asked, view({ approvals: [asked, { ...asked, id: 'apr_2' }] }))).toBe(
      'allow mail.send bob? y, n, or for longer: run > ',
    )
    expect(promptFor(null, view({ questions: [question] }))).toBe('answer > ')
    expect(promptFor(null, view({}))).toBe('> ')
  })
})

describe('an approval in a terminal', () => {
  test('says what, why, effect, scopes and until when; a long preview is cut and says so', () => {
    const preview = Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n')
    const text = approvalText({ ...asked, preview }, { now, colours: false, lines: 3 })
    expect(text.split('\n').slice(0, 4)).toEqual([
      '  what    mail.send bob (R3, by mail_send)',
      '  why     He asked.',
      '  effect  It is gone.',
      '  scopes  once (unless you say otherwise), run',
    ])
    expect(text).toContain('in 1 h (')
    expect(text).toContain('  | line 2\n  ... 47 more lines; see all with: steward approvals show apr_1')
  })

  test('colours a diff, and lets nothing of others steer the terminal', () => {
    const preview = '--- a\n+++ b\n@@ -1 +1 @@\n-old\u001b[2J\n+new\u202e\n'
    const text = approvalText({ ...asked, preview, why: 'x\u001b]0;owned\u0007\ny' }, { now, colours: true })
    expect(text).toContain('| \u001b[31m-old\\u{1b}[2J\u001b[39m\n')
    expect(text).toContain('| \u001b[32m+new\\u{202e}\u001b[39m')
    expect(text).toContain('| --- a\n')
    expect(text).toContain('why     x\\u{1b}]0;owned\\u{7}\n          y')
    expect(text).not.toContain('\u001b]')
  })
})

describe('small words', () => {
  test('times are near and exact', () => {
    expect(relative('2026-11-30T12:05:00.000Z', now)).toBe('in 5 min')
    expect(relative('2026-11-28T12:00:00.000Z', now)).toBe('2 d ago')
    expect(relative('2026-11-30T12:00:00.400Z', now)).toBe('now')
    expect([relative('', now), exactly('never'), both('', now)]).toEqual(['', '', ''])
    expect(exactly('2026-11-30T12:05:00.000Z')).toMatch(/^2026-1\d-\d\d \d\d:05$/)
    expect([lasted(820), lasted(6_400), lasted(134_000)]).toEqual(['820 ms', '6.4 s', '2 min 14 s'])
    expect([lengthOf('--for', '90s'), lengthOf('--for', '2h')]).toEqual([90_000, 7_200_000])
    for (const wrong of ['', '0h', '2', 'h', '-1h', '1w']) expect(() => lengthOf('--for', wrong)).toThrow('--for is')
  })

  test('money has the digits that it needs', () => {
    expect([money(0), money(1_500_000), money(1_234), money(250_000)]).toEqual(['0.00', '1.50', '0.001234', '0.25'])
  })

  test('a part of an id means one, or nothing is taken', () => {
    const items = [{ id: 'apr_01ABCDEFGH' }, { id: 'apr_01ABZZZZZZ' }, { id: 'apr_01ABCD' }]
    for (const part of ['apr_01ABZ', '01abz', 'ZZZZ']) expect(chosen(items, part, 'approval')).toBe(items[1])
    expect(chosen(items, 'apr_01ABCD', 'approval')).toBe(items[2])
    for (const part of ['apr_', '01AB']) expect(() => chosen(items, part, 'approval')).toThrow('means several')
    for (const part of ['', 'zzz', 'x']) expect(() => chosen(items, part, 'approval')).toThrow('There is no approval')
    expect(() => chosen([], 'a', 'approval')).toThrow('There is none now.')
  })

  test('an option is its number or its words', () => {
    const options = [{ label: 'Tea' }, { label: 'Coffee' }]
    expect([optionIn(options, ' 2 '), optionIn(options, 'tea')]).toEqual([options[1], options[0]])
    expect([optionIn(options, '3'), optionIn(options, '0'), optionIn(options, 'water')]).toEqual([undefined, undefined, undefined])
  })
})
