import { describe, expect, test } from 'vitest'
import { contextFor } from '../testing.ts'
import { calcTools } from './calc.ts'
import { evaluate } from './evaluate.ts'
import { convert } from './units.ts'

describe('expressions', () => {
  test.each([
    ['0.1 + 0.2', '0.3'],
    ['1 / 3 * 3', '1'],
    ['1 / 3', '0.3333333333333333'],
    ['1 / 8', '0.125'],
    ['-1/8', '-0.125'],
    ['19.99 * 3', '59.97'],
    ['2 ^ 100', '1267650600228229401496703205376'],
    ['-2 ^ 2', '-4'],
    ['2 ^ -1', '0.5'],
    ['2 ** 3 ** 2', '512'],
    ['10 % 3', '1'],
    ['-7 % 3', '-1'],
    ['5.5 % 2', '1.5'],
    ['-1 / 0', '-Infinity'],
    ['0 / 0', 'NaN'],
    ['sqrt(2.25)', '1.5'],
    ['sqrt(2)', '1.4142135623730951'],
    ['round(2.675, 2)', '2.68'],
    ['round(-2.5)', '-2'],
    ['round(1234, -2)', '1200'],
    ['floor(-0.5) + ceil(-0.5)', '-1'],
    ['min(3, -1, 2) + max(1, 7)', '6'],
    ['avg(1, 2) + sum(1, 2, 3)', '7.5'],
    ['log10(1000) + log2(8)', '6'],
    ['1.5e3 + 2E-1', '1500.2'],
    ['.5 + 1.', '1.5'],
    ['Math.pow(2, 10)', '1024'],
    ['e', '2.718281828459045'],
    ['Math.Abs(-1) + MAX(1, 2)', '3'],
    ['signum(-0.5)', '-1'],
    ['sign(0 / 0)', 'NaN'],
    ['20 / 4 - -1', '6'],
    ['sqrt(-1)', 'NaN'],
    ['-0', '0'],
    ['9 ^ 9 ^ 9', 'Infinity'],
    ['10 ^ 300 * 10 ^ 300 / 10 ^ 600', '1'],
  ])('%s is %s', (expression, value) => expect(evaluate(expression)).toEqual({ ok: true, text: value }))

  test.each([
    ['constructor', 'not known'],
    ['__proto__(1)', 'no function'],
    ['toString()', 'no function'],
    ['hasOwnProperty(1)', 'no function'],
    ['Math.constructor(1)', 'no function'],
    ['globalThis', 'not known'],
    ['CONSTRUCTOR(1)', 'no function'],
    ['PROTOTYPE', 'not known'],
    ['0x10', 'character 2'],
    ['1_000', 'character 2'],
    ['1 == 1', 'character 3'],
    ['1; 2', 'character 2'],
    ['2 3', 'character 3'],
    ['(1', '")" is missing'],
    ['1 +', 'ends where a number'],
    ['sqrt()', 'takes 1 numbers'],
    ['atan2(1)', 'takes 2 numbers'],
    ['1e999', 'too large'],
    ['\u0661 + 1', 'not expected'],
    ['"a" + 1', 'not expected'],
  ])('[T45] %s is an error that says: %s', (expression, words) => {
    const found = evaluate(expression)
    expect(found.ok).toBe(false)
    expect(found.text).toMatch(/^Error: /)
    expect(found.text).toContain(words)
  })

  test('[T45] whatever grows without end is answered at once', () => {
    const started = performance.now()
    for (const hard of [
      '9^9^9^9^9^9',
      '(((9^999)^999)^999)^999',
      `${'-'.repeat(999)}1`,
      `${'2^'.repeat(450)}2`,
      `1${'/3'.repeat(499)}`,
      `${'('.repeat(499)}1`,
      '0.1^9999',
    ]) {
      expect(evaluate(hard).text).not.toBe('')
    }
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})

describe('units', () => {
  test.each([
    ['100', 'celsius', 'fahrenheit', '212'],
    ['-40', 'F', 'c', '-40'],
    ['0', 'kelvin', 'celsius', '-273.15'],
    ['1', 'mile', 'km', '1.609344'],
    ['36', 'km/h', 'm/s', '10'],
    ['1', 'square foot', 'm2', '0.09290304'],
    ['1', 'GiB', 'MB', '1073.741824'],
  ])('%s %s in %s is %s', (value, from, to, result) => {
    expect(convert({ value, from, to })).toEqual({ ok: true, text: `${value} ${from} = ${result} ${to}` })
  })

  test('what can not be converted is told with what can', () => {
    expect(convert({ value: '1', from: 'furlong', to: 'm' }).text).toContain('length: m, km')
    expect(convert({ value: '1', from: 'kg', to: 'm' }).text).toContain('kg is a mass and m a length')
    expect(convert({ value: '1', from: 'celsius', to: 'm' }).ok).toBe(false)
    expect(convert({ value: 'x', from: 'm', to: 'km' }).ok).toBe(false)
  })
})

test('as tools: a good sum and a bad one', async () => {
  const [calculate, units] = calcTools
  expect(await calculate?.run({ expression: '(2 + 3) * 4' }, contextFor())).toEqual({ ok: true, text: '20' })
  expect(await calculate?.run({ expression: 'import x' }, contextFor())).toMatchObject({ ok: false, code: 'invalid' })
  expect(await units?.run({ value: 1e-7, from: 'km', to: 'mm' }, contextFor())).toEqual({ ok: true, text: '0.0000001 km = 0.1 mm' })
})
