import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { MessageId } from '../../base/ids.ts'
import type { Message } from '../../protocol/message.ts'
import { openHistory } from './history.ts'

const id = (n: number) => `msg_${n}` as MessageId

/** A tree whose n-th line continues the line `parents[n]`, and what was read of it. */
function tree(parents: readonly (number | null)[], text = 'x') {
  const read: number[] = []
  return {
    read,
    async walk(leaf: MessageId | null, limit: number): Promise<readonly Message[]> {
      read.push(limit)
      const lines: Message[] = []
      let at = leaf === null ? null : Number(leaf.slice(4))
      for (; at !== null && lines.length < limit; at = parents[at] ?? null) {
        const parent = parents[at] ?? null
        lines.unshift({
          id: id(at),
          session: 's',
          parent: parent === null ? null : id(parent),
          role: 'user',
          actor: 'a',
          text,
          status: 'settled',
          at: '',
          cursor: '',
        })
      }
      return lines
    },
  }
}
const line = (length: number) => Array.from({ length }, (_, at) => (at === 0 ? null : at - 1))

test('a long conversation is read whole once, then only its newest lines', async () => {
  const conversation = tree(line(1000))
  const history = openHistory(conversation)
  expect((await history.walk(id(500))).at(0)?.id).toBe(id(301))
  expect((await history.walk(id(502))).map((one) => one.id)).toEqual(Array.from({ length: 200 }, (_, at) => id(303 + at)))
  expect(conversation.read).toEqual([3, 16, 200, 3])
})

test('any leaves of any tree, in any order, give what a plain walk gives', async () => {
  const parents = fc
    .array(fc.nat(), { minLength: 1, maxLength: 300 })
    .map((picks) => picks.map((pick, at) => (at === 0 ? null : Math.max(0, at - 1 - (pick % 4 ? 0 : pick % 30)))))
  await fc.assert(
    fc.asyncProperty(parents, fc.array(fc.nat(), { minLength: 1, maxLength: 20 }), async (lines, picks) => {
      const conversation = tree(lines)
      const history = openHistory(conversation)
      for (const pick of picks) {
        const leaf = id(pick % lines.length)
        expect(await history.walk(leaf)).toEqual(await conversation.walk(leaf, 200))
      }
    }),
  )
})

test('what is kept is bounded', async () => {
  const conversation = tree(line(400), 'y'.repeat(100_000))
  const history = openHistory(conversation)
  await history.walk(id(300))
  await history.walk(id(20))
  conversation.read.length = 0
  await history.walk(id(301))
  expect(conversation.read).toEqual([3, 16, 200])
})
