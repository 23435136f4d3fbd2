// Templates that mean harm: each ends within the limits, with a text or a fault, and reaches nothing but the data.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../base/json.ts'
import { packageRoot } from '../../base/root.ts'
import { compileTemplate, migrateTemplateWithFaults, TemplateFault, templateFaults, templateLimits, templateModes } from './template.ts'

/** A template, or parts of one with how often each is repeated. */
type Hostile = { readonly kind: string; readonly template?: string; readonly parts?: readonly (readonly [string, number])[] }

const corpus: readonly Hostile[] = JSON.parse(readFileSync(join(packageRoot, 'test/data/hostile-templates.json'), 'utf8'))
const canary = 'canary-5f2c9e'

const data: JsonObject = frozen({
  text: 'aaaa',
  number: 1,
  flag: true,
  nothing: null,
  list: ['x', 'y', 'z'],
  map: { a: 1, b: { c: 2 } },
  big: 'a'.repeat(100_000),
  slow: `${'a'.repeat(1_000)}b`,
  bigList: Array.from({ length: 20_000 }, (_, index) => `item ${index}`),
  bigMap: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key ${index}`, index])),
  deep: Array.from({ length: 20_000 }).reduce<Json>((inner) => [inner], []),
  proto: '{"__proto__": {"polluted": "own"}, "constructor": {"prototype": {"polluted": "own"}}}',
  bomb: '['.repeat(200_000),
  flat: `[${'1,'.repeat(50_000)}1]`,
})

/** Frozen all through, without recursion. */
function frozen<T extends JsonObject>(value: T): T {
  const open: Json[] = [value]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null || Object.isFrozen(one)) continue
    Object.freeze(one)
    open.push(...Object.values(one))
  }
  return value
}

/** A text, or the fault that ended it; anything else thrown fails the test. */
function outcome(run: () => string): string {
  try {
    return run()
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateFault)
    return ''
  }
}

function textOf({ template, parts = [] }: Hostile): string {
  return template ?? parts.map(([part, times]) => part.repeat(times)).join('')
}

/** What must never stand in an output: code, types of the machine, what lies outside of the data. */
const forbidden = /native code|\[object |function ?\(|child_process|Promise|uid=\d|canary-5f2c9e|NaN|undefined/

describe('[Y41, Y42, Y43] 350 hostile templates', () => {
  process.env['TEMPLATE_CANARY'] = canary
  Object.defineProperty(globalThis, 'canary', { value: canary, configurable: true })
  const protoNames = Object.getOwnPropertyNames(Object.prototype).length
  afterAll(() => {
    delete process.env['TEMPLATE_CANARY']
    Reflect.deleteProperty(globalThis, 'canary')
  })

  test('[Y41] there are enough of them', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(350)
  })

  test.each(corpus.map((one, index) => [index, one.kind, one] as const))('[Y41, Y42, Y43] %i: %s', (_index, _kind, one) => {
    const text = textOf(one)
    const start = performance.now()
    const migrated = migrateTemplateWithFaults(text).text
    for (const source of new Set([text, migrated])) {
      const templates = templateModes.map((mode) => compileTemplate(source, { mode, lenient: true }))
      for (const output of [
        ...templates.map((template) => outcome(() => template.render(data))),
        outcome(() => compileTemplate(source).render(data)),
      ]) {
        expect(output.length).toBeLessThanOrEqual(Math.max(templateLimits.characters, source.length))
        if (!forbidden.test(source)) expect(output.slice(0, 100_000)).not.toMatch(forbidden)
      }
      for (const { line, column, message } of templateFaults(source)) {
        expect(line * column).toBeGreaterThan(0)
        expect(message.length).toBeLessThan(1_000)
      }
    }
    expect(performance.now() - start).toBeLessThan(5_000)
    expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(protoNames)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})
