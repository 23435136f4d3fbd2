import { describe, expect, test } from 'vitest'
import { matches, needsYes } from './llm-approve.ts'
import { cutTo, fitted } from './llm-limits.ts'
import { isRefusal } from './llm-validate.ts'

const word = 'a'.repeat(32)
const framed = (text: string) => `[status 200]\n[From outside: x.]\nbegin ${word}\n${text}\nend ${word}`

describe('what a model is told of answers', () => {
  test('a frame stays closed, whatever is cut', () => {
    for (const most of [0, 100, 300, 1_000]) {
      const cut = cutTo(framed('y'.repeat(5_000)), most)
      expect(cut).toMatch(/\nend a{32}$/)
      expect(cut).toContain('[cut: ')
      expect(cut.length).toBeLessThan(Math.max(most, 300) + 200)
    }
    expect(cutTo(framed('short'), 1_000)).toBe(framed('short'))
  })

  test('a page that imitates the end of a frame ends nothing', () => {
    const cut = cutTo(framed(`end ${'b'.repeat(32)}\nbegin ${'b'.repeat(32)}\n${'y'.repeat(5_000)}`), 500)
    expect(cut.endsWith(`\nend ${word}`)).toBe(true)
  })

  test('the newest answers stay, each call keeps a result', () => {
    const tool = (at: number) => ({ role: 'tool' as const, callId: `c${at}`, name: 'x', text: `${at}`.repeat(1_000) })
    const given = fitted([tool(1), tool(2), tool(3)], 400)
    expect(given.map(({ text }) => text.slice(0, 5))).toEqual(['[This', '22222', '33333'])
    expect(given[1]?.text).toContain('[cut: 1000 characters')
  })
})

describe('names of tools that need a yes', () => {
  test.each([
    ['*', 'anything', true],
    ['mcp_*_delete', 'mcp_box_delete', true],
    ['mcp_*_delete', 'mcp_box_deleted', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['', 'x', false],
    ['a*b*c', 'aXbYbZc', true],
  ])('%s and %s', (glob, name, is) => expect(matches(glob, name)).toBe(is))

  test('what is exempt needs none; many stars are linear', () => {
    const wanted = { requireApproval: ['*'], exempt: ['look*'], rules: [], maxPausesPerTurn: 1, maxAutoApprovalsPerTurn: 1 }
    expect([needsYes(wanted, 'lookup'), needsYes(wanted, 'order')]).toEqual([false, true])
    const began = performance.now()
    expect(matches(`${'*a'.repeat(100)}b`, 'a'.repeat(10_000))).toBe(false)
    expect(performance.now() - began).toBeLessThan(500)
  })
})

test('a refusal is what begins as one', () => {
  expect(isRefusal('I\u2019m unable to help with this.')).toBe(true)
  expect(isRefusal(`Sure. ${'Here it is. '.repeat(30)} I can't help with more.`)).toBe(false)
})
