import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../base/json.ts'
import { judgeLoop, type LoopCall, type LoopState, noLoops, seenLoop } from './loop-guard.ts'

type Try = readonly [tool: string, input: JsonObject, result: string, changes?: boolean]

/** The verdicts of one call after the other, until the run ends. */
function play(tries: readonly Try[]): readonly string[] {
  const verdicts: string[] = []
  let state: LoopState = noLoops
  for (const [tool, input, result, changes = false] of tries) {
    const call: LoopCall = { tool, input, changes }
    const { effect } = judgeLoop(state, call)
    verdicts.push(effect)
    if (effect === 'end') break
    state = seenLoop(state, call, effect === 'block' ? null : result)
  }
  return verdicts
}
const times = (count: number, make: (at: number) => Try) => Array.from({ length: count }, (_, at) => make(at))
const ladder = ['go', 'go', 'warn', 'warn', 'block', 'block', 'block', 'end']

describe('loop guard', () => {
  test('[D12] the same call with the same result: warned at 3, blocked at 5, ended at 8 with a summary', () => {
    expect(play(times(9, () => ['file_read', { path: 'a' }, 'same']))).toEqual(ladder)
    let state = noLoops
    for (let i = 0; i < 7; i++) state = seenLoop(state, { tool: 'file_read', input: { path: 'a' } }, i < 4 ? 'same' : null)
    expect(judgeLoop(state, { tool: 'file_read', input: { path: 'a' } })).toMatchObject({
      effect: 'end',
      text: expect.stringContaining('file_read was asked for 8 times'),
    })
  })

  test.each<[string, (at: number) => Try]>([
    ['order of keys', (at) => ['t', at % 2 ? { a: '1', b: '2' } : { b: '2', a: '1' }, 'r']],
    ['white space', (at) => ['t', { q: `find  it${' '.repeat(at)}` }, 'r']],
    ['letter case and form of a path', (at) => ['t', { path: ['src/A.ts', './src/a.ts', 'SRC//a.ts', 'src\\a.ts'][at % 4] ?? '' }, 'r']],
    ['a counter in the arguments', (at) => ['t', { q: 'x', attempt: at, requestId: `r${at}` }, 'r']],
    ['a time in the arguments', (at) => ['t', { q: `x at 2026-11-30T12:00:0${at}Z` }, 'r']],
    ['a time and a counter in the result', (at) => ['t', { q: 'x' }, `attempt ${at} at 12:00:0${at}, took ${at} ms: nothing found`]],
    [
      'trailing words',
      (at) => ['t', { q: `list all files${[' again', ' please', ' now', ' (try 4)', ' once more', '', '!', ' 3'][at % 8]}` }, 'r'],
    ],
    [
      'a trailing word of its own',
      (at) => ['t', { q: `find the place where users log in ${['quickly', 'today', 'there', 'soon'][at % 4]}` }, 'r'],
    ],
    ['empty arguments', (at) => ['t', at % 2 ? { q: 'x', from: '' } : { q: 'x', to: null }, 'r']],
  ])('[D12] is not fooled by %s', (_what, make) => {
    expect(play(times(8, make))).toEqual(ladder)
  })

  test('[D12] nor by going to and fro', () => {
    const verdicts = play(times(16, (at) => (at % 2 ? ['b', { x: 1 }, 'B'] : ['a', { x: 1 }, 'A'])))
    expect(verdicts).toEqual([
      'go',
      'go',
      'go',
      'go',
      'warn',
      'warn',
      'warn',
      'warn',
      'block',
      'block',
      'block',
      'block',
      'block',
      'block',
      'end',
    ])
  })

  test('[D12] writing the same to and fro is a loop too', () => {
    const verdicts = play(times(18, (at) => ['file_write', { path: 'a', text: at % 2 ? 'one' : 'two' }, 'written', true]))
    expect(verdicts.at(-1)).toBe('end')
  })

  test.each<[string, (at: number) => Try]>([
    ['waiting for what changes', (at) => ['process_status', { id: 'p' }, `running, ${at * 10} %`]],
    ['reading on', (at) => ['file_read', { path: 'a', from: at * 100 }, `lines of part ${at}`]],
    ['other files with the same result', (at) => ['exec', { argv: ['grep', '-n', 'foo', `src/${'abcdefghij'[at]}.ts`] }, '']],
    [
      'other words with the same result',
      (at) => ['search', { q: `user ${['login', 'logout', 'session', 'token', 'name', 'mail', 'role', 'group'][at]}` }, 'nothing'],
    ],
    ['pages with the same result', (at) => ['search', { q: `open issues page ${at}` }, 'nothing']],
  ])('[D12] %s is no loop', (_what, make) => {
    expect(new Set(play(times(8, make)))).toEqual(new Set(['go']))
  })

  test('[D12] a test that fails again after another edit is no loop', () => {
    const verdicts = play(
      times(24, (at) =>
        at % 2
          ? ['exec', { argv: ['npm', 'test'] }, '1 failed']
          : ['file_edit', { path: 'a', new: `edit ${'abcdefghijkl'[at / 2]}x` }, 'ok', true],
      ),
    )
    expect(new Set(verdicts)).toEqual(new Set(['go']))
  })

  test('what is remembered is bounded', () => {
    let state = noLoops
    for (let i = 0; i < 500; i++) state = seenLoop(state, { tool: 't', input: { text: `${i} ${'x'.repeat(1000)}` } }, 'r')
    expect(JSON.stringify(state).length).toBeLessThan(60_000)
  })
})

test.each(['again ', '. ', '..a', 'call      ', '1 '])('[D12] long texts of %j are judged at once', (word) => {
  const call = { tool: 'file_write', input: { text: word.repeat(30_000) }, changes: true }
  const began = performance.now()
  judgeLoop(seenLoop(noLoops, call, word.repeat(5_000)), call)
  expect(performance.now() - began).toBeLessThan(1_000)
})
