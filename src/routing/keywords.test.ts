import { describe, expect, test } from 'vitest'
import { openKeywords } from './keywords.ts'
import { openRules } from './learned.ts'
import { tellingWords } from './telling.ts'

const score = (text: string, words: readonly string[]) => openKeywords(new Map([['data', words]])).scores(text)[0]?.score ?? 0

describe('the keyword score', () => {
  test('is the matched part of the list', () => {
    expect(score('hello world', [])).toBe(0)
    expect(score('hello world', ['foo', 'bar'])).toBe(0)
    expect(score('search the vault', ['search', 'find', 'note', 'vault'])).toBe(0.5)
    expect(score('search find note vault', ['search', 'find', 'note', 'vault'])).toBe(1)
  })
  test('counts whole words in any case, each once, also of several words', () => {
    expect(score('my notes', ['note'])).toBe(0)
    expect(score('NOTE, note; note', ['note', 'x'])).toBe(0.5)
    expect(score('the Call\n  graph', ['call graph'])).toBe(1)
    expect(score('über ÄRZTE', ['ärzte'])).toBe(1)
    expect(score('ärzteblatt', ['ärzte'])).toBe(0)
    expect(score('note', ['note', 'note'])).toBe(1)
  })
  test('ties stand in the order of the lists; what is 0 is not there', () => {
    const lists = new Map([
      ['data', ['vault', 'search', 'find']],
      ['agenda', ['appointment', 'calendar', 'tomorrow']],
      ['action', ['send', 'email', 'open']],
      ['none', []],
    ])
    expect(openKeywords(lists).scores('send the calendar')).toEqual([
      { agent: 'agenda', matched: ['calendar'], of: 3, score: 1 / 3 },
      { agent: 'action', matched: ['send'], of: 3, score: 1 / 3 },
    ])
  })
})

describe('rules', () => {
  const rule = (id: string, when: readonly string[]) =>
    ({ id, when, to: 'x', from: null, at: 0, by: 'system', level: 'home', scope: '_user_ada' }) as const
  test('are fulfilled when each phrase occurs as whole words', () => {
    const rules = openRules([rule('a', ['invoice', 'due date']), rule('b', ['invoice'])])
    const ids = (text: string) => rules.fulfilled(text).map(({ id }) => id)
    expect(ids('The Invoice has a due  date')).toEqual(['a', 'b'])
    expect(ids('an invoice')).toEqual(['b'])
    expect(ids('invoices, due date')).toEqual([])
    expect(openRules([]).fulfilled('invoice')).toEqual([])
  })
})

describe('telling words', () => {
  const telling = (text: string, known: readonly string[] = []) =>
    tellingWords(text, { isName: (word) => word === 'scout', isKnown: (word) => known.includes(word) })
  test('are no function words, names, figures, paths or addresses', () => {
    expect(telling('Please look up the invoice of 2026-03 in src/a.ts, scout, and ask bob@zeno.org')).toEqual(['invoice'])
    expect(telling('Kannst du bitte die Rechnung von gestern ablegen?')).toEqual(['rechnung', 'ablegen'])
    expect(telling('please do it for me')).toEqual([])
    expect(telling('')).toEqual([])
  })
  test('are three at most: those that the target knows first, then the long ones, in the order of the text', () => {
    expect(telling('compare the quarterly turnover with yearly forecasts of vault', ['vault'])).toEqual(['quarterly', 'forecasts', 'vault'])
  })
})
