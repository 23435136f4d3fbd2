import { expect, test } from 'vitest'
import type { Message } from '../protocol/message.ts'
import { extract, isFull, stretches, toCover } from './compaction.ts'
import { emptyState, presentOf, type Summary, standsOn, summariesOn } from './summary.ts'

const line = (at: number, text: string): Message => ({
  ...{
    id: `m${at}`,
    session: 's',
    parent: null,
    role: at % 2 ? 'assistant' : 'user',
    actor: 'a',
    text,
    status: 'settled',
    at: '',
    cursor: '',
  },
})
const talk = (count: number, text = 'x'.repeat(100)) => Array.from({ length: count }, (_, at) => line(at, text))

test('[X6] a conversation is shortened when it fills its room or has too many lines; where a summary was undone, only when it must', () => {
  expect(isFull(talk(10), { characters: 10_000 }, false)).toBe(false)
  expect(isFull(talk(70), { characters: 10_000 }, false)).toBe(true)
  expect(isFull(talk(70), { characters: 10_000 }, true)).toBe(false)
  expect(isFull(talk(100), { characters: 10_000 }, true)).toBe(true)
  expect(isFull(talk(180, 'x'), { characters: 1_000_000 }, false)).toBe(true)
})

test('[X6] the newest lines stay, beginning with the person', () => {
  for (const count of [20, 21, 70, 199]) {
    const lines = talk(count)
    const cover = toCover(lines, { characters: 5_000 }, 'size')
    expect(lines[cover.length]?.role).toBe('user')
    expect(cover.length).toBeLessThan(count)
  }
  expect(toCover(talk(3), { characters: 100_000 }, 'person')).toEqual([])
  expect(toCover(talk(10), { characters: 100_000 }, 'person')).toHaveLength(6)
})

test('[X6] stretches hold every line once, in order, and end before a line of the person', () => {
  const lines = talk(101)
  const parts = stretches(lines, 1_000)
  expect(parts.flat()).toEqual(lines)
  expect(parts.every((part) => part[0]?.role === 'user')).toBe(true)
  expect(parts.every((part) => part.length <= 12)).toBe(true)
})

test('[X6] the own words of lines: what settles something stays, in order, within its room', () => {
  const lines = talk(60, 'Nothing much happened. It rained.').map((one, at) =>
    at === 20 ? { ...one, text: 'Hm. We decided on Postgres 17.' } : at === 40 ? { ...one, text: 'The gardener is called Iris.' } : one,
  )
  const text = extract(lines, { characters: 400, keep: 'gardener' })
  expect(text.length).toBeLessThanOrEqual(400)
  expect(text).toMatch(/We decided on Postgres 17\. -> answered: .*[\s\S]*The gardener is called Iris/)
})

const summary = (id: string, given: Partial<Summary>): Summary => ({
  ...{ id, session: 's', process: 'p', from: 'm0', to: 'm9', lines: 10, text: id, before: 100, after: 10, by: 'extract', keep: null },
  ...{ previous: null, folds: [], wanted: 'size' as const },
  ...given,
})

test('[X6] summaries follow one another on a branch; one that takes others in stands for them, until it is undone', () => {
  const one = summary('one', { to: 'm9' })
  const two = summary('two', { to: 'm19', previous: 'one' })
  const both = summary('both', { to: 'm29', folds: ['one', 'two'] })
  const on = (until: number) => (id: string) => Number(id.slice(1)) <= until
  const ids = (state: Parameters<typeof summariesOn>[0], until: number) => summariesOn(state, on(until), 'p').map(({ id }) => id)
  const state = { ...emptyState, summaries: [one, two] }
  expect([5, 9, 25].map((until) => ids(state, until))).toEqual([[], ['one'], ['one', 'two']])
  expect(summariesOn(state, on(25), 'another')).toEqual([])
  expect([standsOn(state, 'one')?.id, standsOn(state, 'two')]).toEqual(['two', null])
  const folded = { ...state, summaries: [one, two, both] }
  expect(ids(folded, 40)).toEqual(['both'])
  expect(presentOf({ ...folded, undone: ['both'] }).map(({ id }) => id)).toEqual(['one', 'two'])
  expect(ids({ ...folded, undone: ['both'] }, 40)).toEqual(['one', 'two'])
})
