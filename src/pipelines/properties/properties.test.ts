import { describe, expect, test } from 'vitest'
import type { Json } from '../../base/json.ts'
import type { PropertyInstruction, PropertySetter } from '../configuration.ts'
import { templateDataOf } from '../data/data.ts'
import { withValueAt } from '../paths/paths.ts'
import { compileTemplate, setRendered, templatingStep } from '../template/template.ts'
import { type TestMemory, testMemory, testStep } from '../testing.ts'
import { applyProperties, PropertyFault, type PropertyScene, propertyStep } from './properties.ts'

const plain: PropertyInstruction = {
  name: 'p',
  scope: 'conversation',
  fromObjectPath: '',
  toObjectPath: '',
  convertToObject: false,
  override: true,
  runOnValidationError: false,
}
const set = (more: Partial<PropertyInstruction>): PropertyInstruction => ({ ...plain, ...more })

type Given = TestMemory & { readonly objects?: { readonly [name: string]: Json }; readonly scene?: Partial<PropertyScene> }

function sceneOf(given: Given = {}) {
  const memory = testMemory(given)
  let objects = given.objects ?? {}
  const kept: [string, string][] = []
  const data = () => templateDataOf(memory, { objects })
  const scene: PropertyScene = {
    memory,
    data,
    render: (text) => compileTemplate(text).render(data()),
    value: (text) => compileTemplate(text).value(data()),
    write(path, value) {
      objects = withValueAt(path, objects, value)
    },
    secret(name, value) {
      kept.push([name, value])
      return `{{secret:${name}}}`
    },
    ...given.scene,
  }
  return { scene, memory, kept, value: (name: string) => memory.properties.get(name)?.value, objects: () => objects }
}

function apply(instructions: readonly PropertyInstruction[], given: Given = {}) {
  const made = sceneOf(given)
  applyProperties(instructions, made.scene)
  return made
}

const setter = (...entries: readonly (readonly [string, ...PropertyInstruction[]])[]): PropertySetter => ({
  setOnActions: entries.map(([action, ...setProperties]) => ({ actions: [action], setProperties })),
})

describe('values', () => {
  test('[Y27] a text is a template, and so is the name; each sees what was set before it', () => {
    const { value } = apply(
      [
        set({ name: 'place', valueString: 'http://x/{memory.current.input}' }),
        set({ name: 'of_{memory.current.input}', valueString: '{properties.place}!' }),
      ],
      { output: { input: 'abc' } },
    )
    expect([value('place'), value('of_abc')]).toEqual(['http://x/abc', 'http://x/abc!'])
  })

  test('[Y27] typed values stay as they are', () => {
    const { value } = apply([
      set({ name: 'i', valueInt: 0 }),
      set({ name: 'f', valueFloat: 1.5 }),
      set({ name: 'b', valueBoolean: false }),
      set({ name: 'l', valueList: ['{x}', 1] }),
      set({ name: 'o', valueObject: { a: '{x}' }, valueString: '' }),
      set({ name: 'e', valueString: '' }),
    ])
    expect(['i', 'f', 'b', 'l', 'o', 'e'].map(value)).toEqual([0, 1.5, false, ['{x}', 1], { a: '{x}' }, ''])
  })

  test('[Y27] a path copies its value, and a text that was found is no template; a path to nothing sets nothing', () => {
    const { value, memory } = apply(
      [
        set({ name: 'temp', fromObjectPath: 'weather.main.temp' }),
        set({ name: 'count', fromObjectPath: 'properties.count+1' }),
        set({ name: 'hello', fromObjectPath: 'weather.text' }),
        set({ name: 'nothing', fromObjectPath: 'weather.gone' }),
      ],
      { objects: { weather: { main: { temp: 7.5 }, text: 'Hello {userInfo.userId}' } }, properties: { count: 3 } },
    )
    expect(['temp', 'count', 'hello'].map(value)).toEqual([7.5, 4, 'Hello {userInfo.userId}'])
    expect(memory.properties.has('nothing')).toBe(false)
  })

  test('[Y28] what a person said is never read as a template, now or later', () => {
    const said = 'give me {properties.token} '
    const copy = [set({ name: 'city', fromObjectPath: 'memory.current.input' })]
    const { value } = apply(copy, { output: { input: said }, properties: { token: 't0p' } })
    expect(value('city')).toBe(said)
    const later = { past: [testStep({}, { input: said })], properties: { token: 't0p', note: `Note: ${said.trim()}` } }
    expect(apply([set({ name: 'p', fromObjectPath: 'properties.note' })], later).value('p')).toBe(`Note: ${said.trim()}`)
    const context = { current: { 'context:k': { type: 'object', value: { deep: ['{properties.token}'] } } }, properties: { token: 't0p' } }
    expect(apply([set({ fromObjectPath: 'context.k.deep[0]' })], context).value('p')).toBe('{properties.token}')
  })

  test('[Y27] a text is made an object; one that is no JSON is named', () => {
    const convert = (valueString: string) => apply([set({ name: 'list', valueString, convertToObject: true })]).value('list')
    expect(convert('["a", 1]')).toEqual(['a', 1])
    expect(() => convert('not so')).toThrow(new PropertyFault('The property "list" is to be an object, but its text is no JSON: "not so".'))
    expect(() => convert('['.repeat(100) + ']'.repeat(100))).toThrow(/nests deeper than 64/)
    const whole = [set({ valueString: '{weather}', convertToObject: true })]
    expect(apply(whole, { objects: { weather: { a: 1 } } }).value('p')).toEqual({ a: 1 })
  })

  test('[Y27] override false keeps what is there', () => {
    const keep = [set({ valueString: 'new', override: false })]
    expect(apply(keep, { properties: { p: 'old' } }).value('p')).toBe('old')
    expect(apply(keep).value('p')).toBe('new')
  })

  test('[Y27] toObjectPath writes into what templates see, and sets no property', () => {
    const { objects, memory } = apply([set({ toObjectPath: 'weather.note', valueString: 'x' })], { objects: { weather: { a: 1 } } })
    expect(objects()).toEqual({ weather: { a: 1, note: 'x' } })
    expect(memory.properties.size).toBe(0)
    const keep = [set({ toObjectPath: 'weather.a', valueInt: 2, override: false })]
    expect(apply(keep, { objects: { weather: { a: 1 } } }).objects()).toEqual({ weather: { a: 1 } })
  })

  test('[Y27] scope and visibility go with the property', () => {
    const { memory } = apply([set({ valueString: 'x', scope: 'longTerm', visibility: 'group' })])
    expect(memory.properties.get('p')).toEqual({ name: 'p', value: 'x', scope: 'longTerm', visibility: 'group' })
  })
})

describe('responses', () => {
  const ran = (instruction: Partial<PropertyInstruction>, scene: Partial<PropertyScene>) =>
    apply([set({ valueString: 'x', ...instruction })], { scene }).value('p') === 'x'

  test('[Y30] codes: 200 and 201 without a validator, else those named, and what is to be skipped wins', () => {
    expect([200, 201, 204, 404, 500].map((httpCode) => ran({}, { httpCode }))).toEqual([true, true, false, false, false])
    const httpCodeValidator = { runOnHttpCode: [404, 500], skipOnHttpCode: [500] }
    expect([200, 404, 500].map((httpCode) => ran({ httpCodeValidator }, { httpCode }))).toEqual([false, true, false])
    expect(ran({ httpCodeValidator }, {})).toBe(true)
  })

  test('[Y30] after a validation error only who asks for it runs', () => {
    const error = { isValidationError: true, httpCode: 500 }
    expect([ran({}, error), ran({ runOnValidationError: true }, error), ran({ runOnValidationError: true }, { httpCode: 200 })]).toEqual([
      false,
      true,
      true,
    ])
    const httpCodeValidator = { runOnHttpCode: [404], skipOnHttpCode: [] }
    expect(ran({ runOnValidationError: true, httpCodeValidator }, error)).toBe(false)
  })
})

describe('the property task', () => {
  test('[Y27] runs for each action in order; an entry for * once', () => {
    const count = set({ name: 'n', fromObjectPath: 'properties.n+1' })
    const { scene, value } = sceneOf({ current: { actions: ['b', 'a'] }, properties: { n: 0, order: '' } })
    const note = (text: string) => set({ name: 'order', valueString: `{properties.order}${text}` })
    propertyStep(setter(['a', note('a')], ['b', note('b')], ['*', count], ['c', note('c')]), scene)
    expect([value('order'), value('n')]).toEqual(['ba', 1])
  })

  test('[Y28] properties that were said, and those that came as contexts, are kept', () => {
    const { scene, memory, value } = sceneOf({
      current: {
        'expressions:parsed': 'greeting(hi), property(city(vienna)), property(a(b(c))), property(lonely)',
        'context:properties': { type: 'expressions', value: 'property(age(7))' },
        'context:propertiesNot': { type: 'string', value: 'property(no(1))' },
      },
    })
    propertyStep(null, scene)
    expect([value('city'), value('a.b'), value('age'), memory.properties.size]).toEqual(['vienna', 'c', '7', 3])
    expect(memory.current.get('properties:extracted')).toHaveLength(3)
  })

  test('[Y28] the step before may ask that any input is kept', () => {
    const past = [testStep({ actions: ['ask', 'CATCH_ANY_INPUT_AS_PROPERTY'] })]
    const { scene, memory } = sceneOf({ past, current: { 'input:initial': 'Say What' } })
    propertyStep(null, scene)
    expect(memory.properties.get('user_input')).toEqual({ name: 'user_input', value: 'Say What', scope: 'conversation' })
    const other = sceneOf({ past: [testStep({ actions: ['ask'] })], current: { 'input:initial': 'x' } })
    propertyStep(null, other.scene)
    expect(other.memory.properties.size).toBe(0)
  })
})

describe('secrets', () => {
  const secret = 'sk-Live 12345'
  const typed: Given = {
    past: [testStep({ actions: ['CATCH_ANY_INPUT_AS_PROPERTY'] })],
    current: {
      'input:initial': `${secret} `,
      'input:normalized': secret.toLowerCase(),
      'expressions:parsed': 'unknown(sk-live), integer(12345)',
      'expressions:matches': [['unknown(sk-live)']],
      intents: ['unknown'],
      actions: ['set_key'],
      'output:text:set_key': { type: 'text', text: `You said ${secret}` },
    },
    output: {
      input: `${secret} `,
      expressions: ['unknown(sk-live)'],
      intents: ['unknown'],
      actions: ['set_key'],
      output: [{ type: 'text', text: `You said ${secret}` }],
    },
  }
  const keep = set({ name: 'apiKey', valueString: '{memory.current.input}', scope: 'secret' })
  const all = ({ memory }: ReturnType<typeof sceneOf>) =>
    JSON.stringify([memory.current.data, memory.current.output, [...memory.properties.values()]]).toLowerCase()

  test('[Y29] the value is given away, and stands nowhere in the step and its properties', () => {
    const made = sceneOf(typed)
    const hint = set({ name: 'hint', valueString: 'Key {memory.current.input}' })
    propertyStep(setter(['set_key', keep, hint]), made.scene)
    expect(made.kept).toEqual([['apiKey', secret]])
    expect(made.memory.properties.get('apiKey')).toEqual({ name: 'apiKey', value: '{{secret:apiKey}}', scope: 'secret' })
    expect(all(made)).not.toContain('sk-live')
    expect(all(made)).not.toContain('12345')
    const { current } = made.memory
    expect([current.get('input:initial'), current.get('input:normalized'), current.output['input']]).toEqual(
      Array(3).fill('<secret input>'),
    )
    expect([current.get('actions'), current.output['actions']]).toEqual([['set_key'], ['set_key']])
  })

  test('[Y29] without a store the task fails, and the value is gone all the same', () => {
    const made = sceneOf({
      ...typed,
      scene: {
        secret() {
          throw new Error('There is no secret store.')
        },
      },
    })
    expect(() => propertyStep(setter(['set_key', keep]), made.scene)).toThrow('There is no secret store.')
    expect(made.memory.properties.has('apiKey')).toBe(false)
    expect(all(made)).not.toContain('sk-live')
  })

  test('[Y29] a short one is not looked for inside of words; a reference is kept as it is; nothing is no secret', () => {
    const pin = set({ name: 'pin', valueString: '{memory.current.input}', scope: 'secret' })
    const words = { type: 'text', text: 'all 7 of 77' }
    const made = apply([pin], { current: { 'input:initial': '7', 'output:text:a': words, number: 7 }, output: { input: '7' } })
    expect([made.memory.current.get('output:text:a'), made.memory.current.get('number')]).toEqual([words, '<secret input>'])
    expect(made.memory.current.get('input:initial')).toBe('<secret input>')
    for (const valueString of ['${' + 'vault:my-key}', '{|{{secret:mine}}|}', ' ']) {
      const other = apply([set({ name: 'k', valueString, scope: 'secret' })], {
        scene: { render: (text) => text.replace(/^\{\||\|\}$/g, '') },
      })
      expect(other.kept).toEqual([])
    }
  })

  test('[Y29] words of a model stay no template when a secret was taken out of them', () => {
    const made = sceneOf({ current: { 'input:initial': secret }, output: { input: secret } })
    setRendered(made.memory.current, 'output:text:llm', { type: 'text', text: `{properties.a} ${secret}` })
    applyProperties([keep], made.scene)
    templatingStep(made.memory, () => 'rendered')
    expect(made.memory.current.get('output:text:llm')).toEqual({ type: 'text', text: '{properties.a} <secret input>' })
  })

  test('[Y29] one that a server gave leaves the input alone', () => {
    const from = set({ name: 'token', fromObjectPath: 'login.token', scope: 'secret' })
    const made = apply([from], {
      objects: { login: { token: 'abc-def' } },
      current: { 'input:initial': 'log in' },
      output: { input: 'log in', httpCalls: { login: { token: 'abc-def' } } },
    })
    expect(made.kept).toEqual([['token', 'abc-def']])
    expect([made.memory.current.get('input:initial'), made.memory.current.output['httpCalls']]).toEqual([
      'log in',
      { login: { token: '<secret input>' } },
    ])
  })
})
