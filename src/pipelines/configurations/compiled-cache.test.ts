import { expect, test } from 'vitest'
import { openCompiledCache, type Sized } from './compiled-cache.ts'
import type { CompiledAgent } from './store.ts'

const agent = (id: string): CompiledAgent => ({
  ref: { kind: 'agent', id, version: 1 },
  name: id,
  config: { workflows: [], kept: {} },
  ...{ steps: [], snippets: new Map(), faults: [], usesVars: false, usesSkills: false },
})

function counting() {
  const made: string[] = []
  const make =
    (id: string, size = 1) =>
    async (): Promise<Sized> => {
      made.push(id)
      return { agent: agent(id), size }
    }
  return { made, make }
}

test('one is made once for all who ask meanwhile, and again after it went', async () => {
  const { made, make } = counting()
  const cache = openCompiledCache({ count: 2, size: 100 })
  await Promise.all([cache.get('a', make('a')), cache.get('a', make('a'))])
  await cache.get('b', make('b'))
  await cache.get('a', make('a'))
  await cache.get('c', make('c'))
  expect(made).toEqual(['a', 'b', 'c'])
  await cache.get('a', make('a'))
  await cache.get('b', make('b'))
  expect(made).toEqual(['a', 'b', 'c', 'b'])
  cache.clear()
  await cache.get('b', make('b'))
  expect(made.at(-1)).toBe('b')
  expect(made.length).toBe(5)
})

test('large ones push others out, and stay themselves', async () => {
  const { made, make } = counting()
  const cache = openCompiledCache({ count: 10, size: 100 })
  await cache.get('a', make('a', 60))
  await cache.get('b', make('b', 30))
  await cache.get('c', make('c', 500))
  await cache.get('c', make('c', 500))
  await cache.get('b', make('b', 30))
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})

test('what throws is not kept', async () => {
  const { made, make } = counting()
  const cache = openCompiledCache({ count: 2, size: 100 })
  await expect(cache.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await cache.get('a', make('a'))
  expect(made).toEqual(['a'])
})
