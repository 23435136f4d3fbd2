import { describe, expect, test } from 'vitest'
import { checkRaces } from './races.ts'
import { checkRules, citesOf, ruleIds, testsOf } from './rules.ts'
import { parseSource } from './source.ts'

const spec = '# Rules\n\n- **L1** One way in.\n- **L2** Work and control, see **L1**.\n'

describe('rules', () => {
  test('ids are what stands in bold at the start of an item', () => {
    expect(ruleIds(spec)).toEqual(['L1', 'L2'])
  })

  test('a title cites one rule or several', () => {
    expect([citesOf('[L1] x'), citesOf('[L1, L5] x [L7]'), citesOf('x [1] [ok]')]).toEqual([['L1'], ['L1', 'L5', 'L7'], []])
  })

  test('every form of a test counts, a skipped or planned one does not', () => {
    const text = [
      `describe('[L2] group', () => { it('inside', () => {}); });`,
      `test.each([1, 2])('[L1] row %s', () => {});`,
      `test.skipIf(x)('[L3] maybe', () => {});`,
      'test(`[L4] $' + '{name}`, () => {});',
      `test.skip('[L5] never', () => {});`,
      `describe.skip('off', () => { test('[L6] never', () => {}); });`,
      `test.todo('[L7] later');`,
    ].join('\n')
    const found = testsOf(parseSource('src/a/a.test.ts', text))
    expect(found.map((one) => one.cites.join())).toEqual(['L2', 'L1', 'L3', 'L4'])
  })

  test('a rule without a test, an unknown rule and a contract test without a rule are problems', () => {
    const contract = parseSource('src/a/a.contract.ts', `test('plain', () => {}); test('[L9] odd', () => {});`)
    const unit = parseSource('src/a/a.test.ts', `test('[L1] one', () => {}); test('plain', () => {});`)
    expect(checkRules(spec, [contract, unit])).toEqual([
      'docs/spec.md: L2 has no test',
      expect.stringContaining('cites L9, which docs/spec.md does not have'),
      expect.stringContaining("src/a/a.contract.ts:1 'plain': cites no rule"),
    ])
  })
})

describe('races', () => {
  test('are refused in engines only, in every spelling', () => {
    const text = `await Promise.race([a]);\nawait Promise['any']([a]);\nawait Promise.all([a]); // Promise.race`
    expect(checkRaces([parseSource('src/engines/chat/chat.ts', text)])).toHaveLength(2)
    expect(checkRaces([parseSource('src/lanes/lane.ts', text), parseSource('src/engines/a.test.ts', text)])).toEqual([])
  })
})
