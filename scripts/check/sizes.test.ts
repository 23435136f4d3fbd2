import { describe, expect, test } from 'vitest'
import { checkSizes, functionsOf, overrulesOf, percentile } from './sizes.ts'
import { parseSource } from './source.ts'

const plenty = { any: 100, as: 100 }

describe('sizes', () => {
  test('named functions are counted with their lines, nameless callbacks belong to the function around them', () => {
    const text = `function a() {\n  return [1].map((x) => {\n    return x;\n  });\n}\nconst b = () => {\n};\nclass C { d() {\n} }\nconst e = () => 1;`
    const found = functionsOf(parseSource('src/x/x.ts', text)).map((one) => [one.name, one.lines])
    expect(found).toEqual([
      ['a', 5],
      ['b', 2],
      ['d', 2],
    ])
  })

  test('any and as are counted, as const and words in comments and texts are not', () => {
    const text = `const a = b as string; const c = 1 as const; let d: any; // as any\nconst e = 'x as any'; import { f as g } from './f.ts';`
    expect(overrulesOf(parseSource('src/x/x.ts', text))).toEqual({ any: 1, as: 1 })
  })

  test('percentile takes the smallest value that covers the share', () => {
    const functions = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100].map((lines) => ({ name: '', path: '', lines }))
    expect([percentile(functions, 0.9), percentile(functions, 0.99), percentile([], 0.9)]).toEqual([9, 100, 0])
  })

  test('a long file and a long function are named; lists and tests are free', () => {
    const long = '\n'.repeat(401)
    const paths = ['src/a/a.ts', 'src/a/migrations.ts', 'src/a/x.table.ts', 'src/a/a.test.ts']
    const found = checkSizes(
      paths.map((path) => parseSource(path, `${long}export const x = 1;`)),
      plenty,
    )
    expect(found.problems).toEqual(['src/a/a.ts: 402 lines, at most 400'])
    const big = parseSource('src/a/b.ts', `function big() {${'\n'.repeat(70)}}`)
    expect(checkSizes([big], plenty).problems.join()).toContain('src/a/b.ts big (71)')
  })

  test('the ceiling is held', () => {
    const found = checkSizes([parseSource('src/a/a.ts', 'export const x = y as string;')], { any: 0, as: 0 })
    expect(found.problems).toEqual(['`as` is used 1 times in src, at most 0 (scripts/check/limits.json)'])
  })
})
