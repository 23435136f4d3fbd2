import { expect, test } from 'vitest'
import type { MessageId } from '../base/ids.ts'
import type { Message } from '../protocol/message.ts'
import { reachOf } from './reach.ts'
import { type ContextState, emptyState, type Summary } from './summary.ts'

const idOf = (at: number) => `msg_${at}` as MessageId
const line = (at: number): Message => ({
  ...{ id: idOf(at), session: 's', parent: null, role: at % 2 ? 'assistant' : 'user', actor: 'a' },
  ...{ text: 'x', status: 'settled', at: '', cursor: '' },
})
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => line(from + i))
const summary: Summary = {
  ...{ id: 'evt_1', session: 's', process: 'p', from: idOf(0), to: idOf(49), lines: 50, text: 'short', before: 50, after: 5 },
  ...{ by: 'extract', keep: null, previous: null, folds: [], wanted: 'size' },
}

/** A branch of so many lines, of which the newest hundred are at hand. */
function branch(length: number) {
  let looks = 0
  const walk = async () => {
    looks++
    return lines(0, length)
  }
  const asked = { process: 'p', leaf: idOf(length - 1), walked: lines(length - 100, length) }
  return { reach: (state: ContextState) => reachOf({ walk }, state, asked), looks: () => looks }
}

test('[X6] a branch that grew is counted on from the last look, and gives what a new look gives', async () => {
  const state = { ...emptyState, summaries: [summary] }
  for (const length of [149, 151, 200, 320]) {
    const known = await branch(length).reach(state)
    expect(known).toEqual(await branch(length).reach({ ...state }))
    expect(known).toEqual({ summaries: [summary], isCovered: length <= 150 })
  }
  const grown = branch(322)
  await grown.reach(state)
  expect(grown.looks()).toBe(0)
})

test('[X6] another branch, and what was decided anew, is looked for', async () => {
  const state = { ...emptyState, summaries: [summary] }
  await branch(300).reach(state)
  const other = branch(140)
  expect(await other.reach(state)).toEqual({ summaries: [summary], isCovered: true })
  expect(other.looks()).toBe(1)
  const undone = branch(142)
  expect(await undone.reach({ ...state, undone: [summary.id] })).toEqual({ summaries: [], isCovered: false })
  expect(undone.looks()).toBe(1)
})
