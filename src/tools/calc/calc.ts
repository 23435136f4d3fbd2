// Arithmetic, so that no model has to do it in its head. Harmless: everybody may.
//
// T45 An expression is read, never run: numbers, operators and the listed functions are all there is. It ends in time, whatever is
//     given, and is exact as long as fractions are.
import { z } from 'zod'
import { defineTool, done, refused, type Tool } from '../tool.ts'
import { type Answer, evaluate } from './evaluate.ts'
import { convert } from './units.ts'

const shared = { labels: ['read-only', 'arithmetic'], capability: null, effect: 'replayable' } as const

const calculate: Tool = defineTool({
  ...shared,
  name: 'calculate',
  description:
    'Works out an expression, exactly where possible: + - * / % ^, brackets, PI, E, and functions such as sqrt, abs, round(x, digits), ' +
    'min, max, sum, avg, log (natural), log10, sin, pow. Use it for every sum that matters.',
  input: z.strictObject({ expression: z.string().describe('At most 1000 characters, for example (19.99 * 3) / 1.21') }),
  run: async ({ expression }) => said(evaluate(expression)),
})

const unitConvert: Tool = defineTool({
  ...shared,
  name: 'unit_convert',
  description: 'Converts a value between units of length, mass, volume, area, time, speed, data, energy, pressure and temperature.',
  deferred: true,
  searchHint: 'convert units of measure: feet, kg, gallons, celsius, miles, gigabytes',
  input: z.strictObject({
    value: z.number().describe('How much'),
    from: z.string().describe('Unit, for example feet or celsius'),
    to: z.string().describe('Unit of the same kind'),
  }),
  run: async ({ value, from, to }) => said(convert({ value: String(value), from, to })),
})

export const calcTools: readonly Tool[] = [calculate, unitConvert]

function said({ ok, text }: Answer) {
  return ok ? done(text) : refused('invalid', text)
}
