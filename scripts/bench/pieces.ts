// Pieces of a turn in this process: taking secrets out of a text, putting a request together, reserving from budgets, judging an address.

import { isIP } from 'node:net'
import { assemble, type Pieces } from '../../src/context/assemble.ts'
import type { Message } from '../../src/protocol/message.ts'
import { whyClosed } from '../../src/tools/web/address.ts'
import type { Figure } from './figure.ts'
import { type Part, words } from './part.ts'
import { microsOf, microsOfEach } from './repeat.ts'
import { type BenchRooms, openRooms } from './rooms.ts'

export const pieces: Part = {
  name: 'pieces',
  async run(at) {
    at.tell('pieces of a turn')
    const rooms = await openRooms(at.place.folder('pieces'))
    const share = at.quick ? 1 : 5
    try {
      return [
        ...(await sealing(rooms, 200 * share)),
        ...assembling(10 * share),
        await reserving(rooms, 400 * share),
        addresses(2_000 * share),
      ]
    } finally {
      await rooms.close()
    }
  },
}

const registered = 20

/** A message of 2 kB, as people write them: the usual one holds no secret, and one holds a value that is registered. */
async function sealing({ secrets, newId }: BenchRooms, times: number): Promise<readonly Figure[]> {
  const value = () => `Zq7-${newId('evt').slice(4)}-kd`
  for (let at = 0; at < registered; at++) await secrets.set({ name: `bench-${at}`, value: value() }, 'system')
  const known = value()
  await secrets.set({ name: 'bench-known', value: known }, 'system')
  const text = `${words}\n`.repeat(40).slice(0, 2_000)
  const holding = `${text.slice(0, 1_000)} ${known} ${text.slice(1_000, 1_950)}`
  const floor = microsOf(times, () => /\bsk-[A-Za-z0-9_-]{20,}/g.exec(text))
  const note = `${registered + 1} values are registered; floor: one regular expression`
  return [
    {
      name: 'seal a message of 2 kB',
      unit: 'µs',
      ours: await microsOfEach(times, () => secrets.seal(text)),
      floor,
      hold: { most: 250 },
      note,
    },
    { name: 'seal one that holds a secret', unit: 'µs', ours: await microsOfEach(times, () => secrets.seal(holding)), floor, hold: null },
  ]
}

const lines = 800

/** The request of a conversation of 400 turns, and its account. */
function assembling(times: number): readonly Figure[] {
  const given = piecesOf(Array.from({ length: lines }, (_, at) => line(at)))
  const budget = { tokens: 60_000, charactersPerToken: 4 }
  const { messages, manifest } = assemble(given, budget)
  const floor = microsOf(times, () => JSON.stringify(messages)) / 1_000
  const ours = microsOf(times, () => assemble(given, budget)) / 1_000
  const account = JSON.stringify(manifest)
  const note = `${messages.length} messages of ${lines} lines; floor: the same as JSON`
  const micros = microsOf(times, () => JSON.stringify(manifest))
  return [
    { name: 'assemble a history of 400 turns', unit: 'ms', ours, floor, hold: { most: 5 }, note },
    {
      name: 'its manifest',
      unit: 'bytes',
      ours: account.length,
      floor: null,
      hold: { most: 2_000 },
      note: `${micros.toFixed(1)} µs to write`,
    },
  ]
}

function piecesOf(history: readonly Message[]): Pieces {
  return {
    foundation: { process: 'prc_1', hash: 'h', text: 'x'.repeat(2_500) },
    ...{
      memories: [],
      summaries: [],
      history,
      unseen: 0,
      excerpts: [],
      notes: ['It is Monday.'],
      tools: [],
      toolChoice: null,
      localOnly: false,
    },
    own: [{ role: 'user', text: words, from: { entry: 'ent_1' } }],
  }
}

function line(at: number): Message {
  return {
    ...{ id: `msg_${at}`, session: 'ses_1', parent: at === 0 ? null : `msg_${at - 1}`, role: at % 2 === 0 ? 'user' : 'assistant' },
    ...{ actor: 'user:ada', text: words, status: 'settled', at: '2026-11-30T00:00:00.000Z', cursor: '' },
  }
}

/** Four budgets, and none of them is used up. */
async function reserving({ budgets, people }: BenchRooms, times: number): Promise<Figure> {
  const user = people.owner.name
  for (const scope of ['a day', 'per project', 'per session', 'per run']) await budgets.set(user, `100000 USD ${scope}`)
  const spender = { user, project: `_user_${user}`, session: 'ses_1', run: 'ent_1' }
  const ours = await microsOfEach(times, async () => {
    const reserved = await budgets.reserve(spender, 100)
    if (!reserved.ok) throw new Error('a budget was used up')
    budgets.settle(reserved.id, 1)
  })
  return { name: 'reserve from four budgets, and settle', unit: 'µs', ours, floor: null, hold: { most: 100 } }
}

const asked = ['93.184.216.34', '10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1', '2606:2800:220:1::1', 'fd00::1', '64:ff9b::7f00:1']

function addresses(times: number): Figure {
  const each = (of: (address: string) => unknown) => microsOf(times, () => asked.forEach(of)) / asked.length
  const note = 'floor: whether it is an address at all'
  return { name: 'judge an address', unit: 'µs', ours: each(whyClosed), floor: each(isIP), hold: { most: 20 }, note }
}
