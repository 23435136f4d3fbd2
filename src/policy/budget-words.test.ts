import { describe, expect, test } from 'vitest'
import type { Budget } from './budget.ts'
import { dayOf } from './budget-day.ts'
import { amountText, parseBudget, raised, wordsOf } from './budget-words.ts'

const ses = 'ses_01KB8T2K3XAAAAAAAAAAAAAAAA'

describe('a budget in plain words', () => {
  test.each([
    ['3 EUR a day', 'day', null, 3_000_000, 'EUR'],
    ['3€ am Tag', 'day', null, 3_000_000, 'EUR'],
    ['€3 per day', 'day', null, 3_000_000, 'EUR'],
    ['$10/day', 'day', null, 10_000_000, 'USD'],
    ['at most 3.50 dollars daily', 'day', null, 3_500_000, 'USD'],
    ['three euros a day.', 'day', null, 3_000_000, 'EUR'],
    ['höchstens 3,50 Euro täglich', 'day', null, 3_500_000, 'EUR'],
    ['pro Tag höchstens zwei Euro', 'day', null, 2_000_000, 'EUR'],
    ['10 dollars per session', 'session', null, 10_000_000, 'USD'],
    ['10 Dollar pro Sitzung', 'session', null, 10_000_000, 'USD'],
    [`5 USD for session ${ses}`, 'session', ses, 5_000_000, 'USD'],
    ['50 cents a run', 'run', null, 500_000, 'USD'],
    ['50 Cent pro Lauf', 'run', null, 500_000, 'EUR'],
    ['0.5 ct a run', 'run', null, 5_000, 'USD'],
    ['20 USD for project shop', 'project', 'shop', 20_000_000, 'USD'],
    ['20 USD for the project "Big Shop"', 'project', 'Big Shop', 20_000_000, 'USD'],
    ['20 USD for the shop project', 'project', 'shop', 20_000_000, 'USD'],
    ['20 Euro für das Projekt Laden', 'project', 'Laden', 20_000_000, 'EUR'],
    ['20 CHF per project', 'project', null, 20_000_000, 'CHF'],
    ['0 USD a day', 'day', null, 0, 'USD'],
    ['1,000 USD a day', 'day', null, 1_000_000_000, 'USD'],
    ['1.000 EUR am Tag', 'day', null, 1_000_000_000, 'EUR'],
    ['1.234,56 EUR a day', 'day', null, 1_234_560_000, 'EUR'],
    ['1,234.56 EUR a day', 'day', null, 1_234_560_000, 'EUR'],
    ['0.000001 USD a run', 'run', null, 1, 'USD'],
    ['daily 4 USD', 'day', null, 4_000_000, 'USD'],
    ['budget for project shop: 20 USD', 'project', 'shop', 20_000_000, 'USD'],
  ] as const)('[B1] %s', (text, scope, of, limit, currency) => {
    expect(parseBudget(text)).toEqual({ scope, of, limit, currency })
  })

  test.each([
    ['', 'one short sentence'],
    ['a lot', 'no amount with a currency'],
    ['3 a day', 'no amount with a currency'],
    ['3 apples a day', 'no amount with a currency'],
    ['-3 EUR a day', 'no amount with a currency'],
    ['3 EUR', 'for what it is was not understood: a day, a project, a session or a run'],
    ['3 EUR a month', 'a day, a project, a session or a run'],
    ['3 EUR a day and 4 EUR a run', 'a day, a project, a session or a run'],
    ['0.0000001 USD a run', 'at most six decimals'],
    ['99999999999 USD a day', 'allowed are 0 to 1000000000'],
    ['1,2,3 USD a day', "can't be read"],
    ['3 EUR for project', 'was not understood'],
  ])('[B1] %j is refused, saying what is allowed', (text, why) => {
    expect(() => parseBudget(text)).toThrow(why)
    expect(() => parseBudget(text)).toThrow('Say it like "3 EUR a day"')
  })

  test('[B1] what is written is what is read, and raising adds to it', () => {
    for (const text of ['3.5 EUR a day', '10 USD per session', '0.5 USD a run', '20 USD for project shop', `2 USD for session ${ses}`]) {
      const words = parseBudget(text)
      expect(wordsOf(words)).toBe(text)
      const budget: Budget = { ...words, id: 'x', user: 'ada', text }
      expect(parseBudget(raised(budget, budget.limit))).toEqual({ ...words, limit: words.limit * 2 })
    }
    expect(amountText(1_234_560)).toBe('1.23456')
  })
})

describe("a person's day", () => {
  test.each([
    ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
    ['Europe/Berlin', '2026-03-28T22:59:59Z', '2026-03-28'],
    ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29'],
    ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-25'],
    ['Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-26'],
    ['Asia/Kathmandu', '2026-11-30T18:15:00Z', '2026-12-01'],
    ['Pacific/Kiritimati', '2026-11-30T10:00:00Z', '2026-12-01'],
    ['Nowhere/At all', '2026-11-30T23:59:59Z', '2026-11-30'],
  ])('[B3] in %s %s is %s', (zone, at, day) => {
    expect(dayOf(Date.parse(at), zone)).toBe(day)
  })
})
