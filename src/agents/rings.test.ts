import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ringsAmong } from './rings.ts'

const graph = (text: string) =>
  new Map(
    text.split(' ').map((line) => {
      const [name = '', targets = ''] = line.split('>')
      return [name, targets === '' ? [] : targets.split(',')] as const
    }),
  )
const rings = (text: string) => ringsAmong(graph(text)).map(({ ring, more }) => `${ring.join('>')}+${more}`)

describe('rings', () => {
  test.each([
    ['a>b b>c c>', []],
    ['a>b,c b>d c>d d>', []],
    ['a>a', ['a+0']],
    ['a>b b>a', ['a>b+0']],
    ['c>a b>c a>b', ['a>b>c+0']],
    ['a>b b>c c>d d>a,b', ['a>b>c>d+0']],
    ['a>b b>a,c c>b', ['a>b+1']],
    ['a>b b>a c>d d>c e>a,c', ['a>b+0', 'c>d+0']],
    ['a>nobody', []],
  ])('of %s are %j', (text, expected) => {
    expect(rings(text).sort()).toEqual(expected)
  })

  test('[A8] there is one for exactly those that can come back to themselves, and each one found goes round', () => {
    const name = fc.integer({ min: 0, max: 7 }).map(String)
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, name), { maxLength: 20, selector: (edge) => edge.join('>') }), (edges) => {
        const targets = new Map<string, string[]>(Array.from({ length: 8 }, (_, at) => [String(at), []]))
        for (const [from, to] of edges) targets.get(from)?.push(to)
        const reach = (start: string) => {
          const seen = new Set<string>()
          const queue = [...(targets.get(start) ?? [])]
          for (const one of queue) {
            if (seen.has(one)) continue
            seen.add(one)
            queue.push(...(targets.get(one) ?? []))
          }
          return seen
        }
        const round = [...targets.keys()].filter((one) => reach(one).has(one))
        const groups = new Set(
          round.map((one) =>
            [...reach(one)]
              .filter((other) => reach(other).has(one))
              .sort()
              .join(),
          ),
        )
        const found = ringsAmong(targets)
        expect(found).toHaveLength(groups.size)
        expect(found.reduce((sum, { ring, more }) => sum + ring.length + more, 0)).toBe(round.length)
        for (const { ring } of found) {
          for (const [at, one] of ring.entries()) expect(targets.get(one)).toContain(ring[(at + 1) % ring.length])
        }
      }),
    )
  })

  test('a line of 20,000 names is no deep stack', () => {
    const line = new Map(Array.from({ length: 20_000 }, (_, at) => [`n${at}`, [`n${at + 1}`]] as const))
    expect(ringsAmong(line)).toEqual([])
    expect(ringsAmong(new Map([...line, ['n20000', ['n0']]]))[0]?.ring).toHaveLength(20_001)
  })
})
