import fc from 'fast-check'
import { expect, test } from 'vitest'
import { distanceOf, mostDistance, openDistances } from './distance.ts'
import { newEffort } from './effort.ts'

/** The definition, cell by cell. */
function slow(a: string, b: string): number {
  const table: number[][] = []
  const cell = (i: number, j: number) => table[i]?.[j] ?? 0
  for (let i = 0; i <= a.length; i++) {
    table.push([])
    for (let j = 0; j <= b.length; j++) {
      const ways = [i === 0 ? j : cell(i - 1, j) + 1, j === 0 ? i : cell(i, j - 1) + 1]
      if (i > 0 && j > 0) ways.push(cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) ways.push(cell(i - 2, j - 2) + 1)
      table[i]?.push(Math.min(...ways))
    }
  }
  return cell(a.length, b.length)
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'ü'), maxLength: 11 })

test('[Y10] the distance is that of its definition, up to what is asked', () => {
  fc.assert(
    fc.property(word, word, fc.nat(4), (a, b, most) => {
      expect(distanceOf(a, b)).toBe(slow(a, b))
      expect(distanceOf(a, b, most)).toBe(Math.min(slow(a, b), most + 1))
    }),
    { numRuns: 500 },
  )
})

test.each([1, 2, 3, mostDistance])('[Y10] the index finds all words within %i, the nearest first, then by the alphabet', (distance) => {
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 120 }), word, (terms, token) => {
      const expected = terms.map((term) => ({ term, distance: slow(token, term) })).filter((one) => one.distance <= distance)
      expected.sort((a, b) => a.distance - b.distance || (a.term < b.term ? -1 : 1))
      expect(openDistances(terms, distance)(token, newEffort()).map((one) => ({ term: one.term, distance: one.distance }))).toEqual(
        expected,
      )
    }),
    { numRuns: 60 },
  )
})
