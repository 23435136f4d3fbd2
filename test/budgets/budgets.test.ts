// What may be spent, over a real journal: limits, reservations, restarts, days.
import { afterEach, expect, test } from 'vitest'
import { InvalidInput, NotFound } from '../../src/base/errors.ts'
import { type Bench, openBench, spender } from './bench.ts'

let bench: Bench | null = null
const open = async () => {
  bench = await openBench()
  return bench
}
afterEach(async () => {
  await bench?.close()
  bench = null
})

const spentOf = async (own: Bench, id: string) => (await own.budgets.list('ada')).find((one) => one.id === id)?.spent

test('[B2] without a budget everything may be reserved', async () => {
  const own = await open()
  expect(await own.budgets.reserve(spender, 1_000_000_000)).toMatchObject({ ok: true })
})

test('[B2] calls at once can not pass a limit together', async () => {
  const own = await open()
  await own.budgets.set('ada', '1 USD a day')
  const all = await Promise.all(Array.from({ length: 50 }, () => own.budgets.reserve(spender, 300_000)))
  expect(all.filter((one) => one.ok).length).toBe(3)
  const refused = all.find((one) => !one.ok)
  expect(refused).toMatchObject({ ok: false, spent: 900_000, wanted: 300_000, budget: { id: 'day', text: '1 USD a day' } })
})

test('[B2] what was reserved and not used is free again; settling twice changes nothing', async () => {
  const own = await open()
  await own.budgets.set('ada', '1 USD a day')
  const first = await own.budgets.reserve(spender, 900_000)
  expect((await own.budgets.reserve(spender, 200_000)).ok).toBe(false)
  if (first.ok) for (const cost of [100_000, 900_000, null]) own.budgets.settle(first.id, cost)
  own.budgets.settle('unknown', 5)
  expect((await own.budgets.reserve(spender, 900_000)).ok).toBe(true)
  expect(await spentOf(own, 'day')).toBe(100_000)
})

test('[B2] an unknown cost counts as what was reserved', async () => {
  const own = await open()
  await own.budgets.set('ada', '1 USD a day')
  const first = await own.budgets.reserve(spender, 600_000)
  if (first.ok) own.budgets.settle(first.id, null)
  expect((await own.budgets.reserve(spender, 600_000)).ok).toBe(false)
})

test('[B2] a limit is kept to the millionth, and what costs nothing always may', async () => {
  const own = await open()
  await own.budgets.set('ada', '0.000003 USD a run')
  for (const cost of [1, 1]) await own.call(1, { cost })
  expect((await own.budgets.reserve(spender, 2)).ok).toBe(false)
  expect((await own.budgets.reserve(spender, 1)).ok).toBe(true)
  expect((await own.budgets.reserve(spender, 1)).ok).toBe(false)
  expect((await own.budgets.reserve(spender, 0)).ok).toBe(true)
})

test('[B2] each scope has its own sum; what names a project counts instead of what is for each', async () => {
  const own = await open()
  await own.budgets.set('ada', '1 USD per project')
  await own.budgets.set('ada', '2 USD for project shop')
  await own.budgets.set('ada', '3 USD per session')
  await own.budgets.set('ada', '50 cents a run')
  const may = async (who: object, most: number) => {
    const reserved = await own.budgets.reserve({ ...spender, ...who }, most)
    return reserved.ok ? 'yes' : reserved.budget.id
  }
  expect(await may({}, 600_000)).toBe('run')
  for (const run of ['a', 'b', 'c', 'd']) expect(await may({ run }, 500_000)).toBe('yes')
  expect(await may({ run: 'e' }, 500_000)).toBe('project:shop')
  expect(await may({ run: 'e', project: 'garden' }, 500_000)).toBe('yes')
  expect(await may({ run: 'f', project: 'garden' }, 500_000)).toBe('yes')
  expect(await may({ run: 'g', project: 'garden', session: 'ses_2' }, 1)).toBe('project')
  expect(await may({ run: 'h', project: 'other' }, 1)).toBe('session')
  expect(await may({ user: 'bob', run: 'h', project: 'other' }, 500_000_000)).toBe('yes')
})

test('[B4] a restart forgets nothing that was noted, and what was lost in a crash counts', async () => {
  const own = await open()
  await own.budgets.set('ada', '1 USD a day')
  await own.call(500_000, { cost: 300_000 })
  await own.call(500_000, { cost: 100_000, lost: 200_000 })
  expect(await spentOf(own, 'day')).toBe(600_000)
  await own.restart()
  expect(await spentOf(own, 'day')).toBe(600_000)
  expect((await own.budgets.list('ada'))[0]).toMatchObject({ id: 'day', limit: 1_000_000, currency: 'USD', scope: 'day', of: null })
  expect((await own.budgets.reserve(spender, 500_000)).ok).toBe(false)
  expect((await own.budgets.reserve(spender, 400_000)).ok).toBe(true)
})

test('[B4] a call that broke off is counted with what was reserved, before and after a restart', async () => {
  const own = await open()
  await own.budgets.set('ada', '1 USD a day')
  const reserved = await own.budgets.reserve(spender, 400_000)
  if (reserved.ok) own.budgets.settle(reserved.id, null)
  await own.budgets.lost(spender, { model: 'openai/scripted', cost: 400_000 })
  expect(await spentOf(own, 'day')).toBe(400_000)
  await own.restart()
  expect(await spentOf(own, 'day')).toBe(400_000)
  expect((await own.budgets.reserve(spender, 600_001)).ok).toBe(false)
  expect(await own.budgets.spending('ada', 1)).toMatchObject([{ model: 'openai/scripted', calls: 1, cost: 400_000 }])
})

test('[B4] from a seed: whatever happens and whenever it restarts, the sums are those of the facts', async () => {
  const own = await open()
  await own.budgets.set('ada', '1000 USD a day')
  await own.budgets.set('ada', '1000 USD for project shop')
  let seed = 11
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  let sum = 0
  for (let i = 0; i < 120; i++) {
    const [cost, lost] = [next(1000), next(4) === 0 ? next(1000) : 0]
    sum += cost + lost
    await own.call(1000, { cost, lost, run: `r${next(10)}` })
    if (next(10) === 0) await own.restart()
    if (next(3) === 0) expect(await spentOf(own, 'day')).toBe(sum)
  }
  expect(await spentOf(own, 'day')).toBe(sum)
  expect(await spentOf(own, 'project:shop')).toBe(sum)
})

test("[B3] a day is the person's own, also when clocks change", async () => {
  const own = await open()
  await own.budgets.set('ada', '1 USD a day')
  const at = (text: string) => own.clock.advance(Date.parse(text) - own.clock.now())
  at('2026-03-28T22:59:00Z')
  await own.call(900_000, { cost: 900_000 })
  at('2026-03-28T23:00:00Z')
  await own.call(900_000, { cost: 800_000 })
  at('2026-03-29T21:59:00Z')
  expect((await own.budgets.reserve(spender, 300_000)).ok).toBe(false)
  await own.restart()
  expect(await spentOf(own, 'day')).toBe(800_000)
  expect((await own.budgets.reserve(spender, 300_000)).ok).toBe(false)
  at('2026-03-29T22:00:00Z')
  expect((await own.budgets.reserve(spender, 900_000)).ok).toBe(true)
  expect(await own.budgets.spending('ada', 2)).toEqual([{ day: '2026-03-29', model: 'openai/scripted', calls: 1, cost: 800_000 }])
  expect((await own.budgets.spending('ada', 3)).map((row) => row.day)).toEqual(['2026-03-29', '2026-03-28'])
})

test('[B3] what was spent is told by day and model; a model without a price costs nothing', async () => {
  const own = await open()
  await own.call(10, { cost: 10 })
  await own.call(10, { cost: 5, lost: 1 })
  await own.call(0, { cost: null, model: 'ollama/small' })
  expect(await own.budgets.spending('ada', 1)).toEqual([
    { day: '2026-01-01', model: 'ollama/small', calls: 1, cost: 0 },
    { day: '2026-01-01', model: 'openai/scripted', calls: 2, cost: 16 },
  ])
  await expect(own.budgets.spending('ada', 0)).rejects.toThrow('allowed is a whole number from 1 to 400')
  expect(await own.budgets.spending('bob', 30)).toEqual([])
})

test('[B1] another currency needs a rate, and says so', async () => {
  const own = await open()
  await expect(own.budgets.set('ada', '3 EUR a day')).rejects.toThrow(/set budget\.rates to \{"EUR": 1\.1\}/)
  own.place.rates = { EUR: 1.1 }
  expect(await own.budgets.set('ada', '3 EUR a day')).toMatchObject({ limit: 3_000_000, currency: 'EUR', text: '3 EUR a day' })
  expect((await own.budgets.reserve(spender, 3_300_000)).ok).toBe(true)
  expect(await own.budgets.reserve(spender, 110_000)).toMatchObject({ ok: false, spent: 3_000_000, wanted: 100_000 })
  own.place.rates = {}
  expect((await own.budgets.reserve(spender, 1)).ok).toBe(false)
})

test('[B1] the same scope again is the same budget, and a removed one limits nothing', async () => {
  const own = await open()
  await own.budgets.set('ada', '1 USD a day')
  await own.budgets.set('ada', '2 USD a day')
  expect((await own.budgets.list('ada')).map((one) => one.text)).toEqual(['2 USD a day'])
  expect(await own.budgets.remove('ada', 'day')).toBe(true)
  expect(await own.budgets.remove('ada', 'day')).toBe(false)
  expect((await own.budgets.reserve(spender, 9_000_000)).ok).toBe(true)
  await own.restart()
  expect(await own.budgets.list('ada')).toEqual([])
})

test('[B1] a project that there is not is named', async () => {
  const own = await open()
  await expect(own.budgets.set('ada', '2 USD for project shpo')).rejects.toThrow(NotFound)
  await expect(own.budgets.set('ada', 'much')).rejects.toThrow(InvalidInput)
})

test('[B3] all calls of one request are summed, whoever made them, also after a restart', async () => {
  const own = await open()
  await own.call(10, { cost: 10 })
  await own.call(10, { cost: 5, lost: 1, session: 'ses_2', project: 'garden' })
  await own.call(0, { cost: null, session: 'ses_2', model: 'ollama/small' })
  await own.call(10, { cost: 7, run: 'ent_2' })
  const sum = { cost: 16, calls: 3, unpriced: 1 }
  expect(await own.budgets.ofRun('ada', 'ent_1')).toEqual(sum)
  await own.restart()
  expect(await own.budgets.ofRun('ada', 'ent_1')).toEqual(sum)
  expect(await own.budgets.ofRun('bob', 'ent_1')).toEqual({ cost: 0, calls: 0, unpriced: 0 })
})
