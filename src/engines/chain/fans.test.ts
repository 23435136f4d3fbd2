import { describe, expect, test } from 'vitest'
import { voteOf, voteText } from './fans.ts'

describe('votes', () => {
  const names = ['durable queue', 'queue', 'cron', 'C++']
  test.each([
    [['durable queue', 'DURABLE-QUEUE.', 'cron'], 'durable queue'],
    [['the durable queue', 'durable queue, because it holds', 'cron'], 'durable queue'],
    [['queue', 'Queue', 'durable queue'], 'queue'],
    [['cron', 'cron', null, null, 'queue'], null],
    [['queue or cron', 'queue or cron', 'queue or cron'], null],
    [['', 'nothing of it', null], null],
    [['cron', 'cron', 'cron', 'queue', 'queue'], 'cron'],
  ])('%j decide for %j', (ballots, chosen) => {
    const vote = voteOf(names, ballots)
    expect([vote.chosen, vote.of]).toEqual([chosen, ballots.length])
  })

  test('those who could not decide are counted, and said', () => {
    expect(voteText(voteOf(names, ['cron', 'cron', null]))).toBe('Consensus: "cron" with 2 of 3 traces (67 %): "cron" 2, none of them 1.')
    expect(voteText(voteOf(names, [null, null, null]))).toBe('No consensus of 3 traces, for which 60 % are needed: none of them 3.')
  })
})
