// Rules, properties, output and templates together, as the tasks of a workflow run one after the other.
import { expect, test } from 'vitest'
import type { Json } from '../../base/json.ts'
import type { OutputSet, PropertySetter, RuleSet } from '../configuration.ts'
import type { Memory, Step } from '../conversation.ts'
import { templateDataOf } from '../data/data.ts'
import { itemsOf, outputStep, quickRepliesOf, textOfItems } from '../output/output.ts'
import { propertyStep } from '../properties/properties.ts'
import { compileTemplate, templatingStep } from '../template/template.ts'
import { testMemory } from '../testing.ts'
import { compileRules, rulesStep } from './rules.ts'

const on = (type: string, configs: { readonly [key: string]: string }) => ({ type, configs, conditions: [] })
const rules: RuleSet = {
  appendActions: true,
  expressionsAsActions: false,
  behaviorGroups: [
    {
      name: 'Talk',
      executionStrategy: 'executeUntilFirstSuccess',
      rules: [
        { name: 'Welcome', actions: ['welcome'], conditions: [on('occurrence', { behaviorRuleName: 'Welcome', maxTimesOccurred: '0' })] },
        {
          name: 'Ask',
          actions: ['set_name', 'greet'],
          conditions: [
            on('actionmatcher', { actions: 'welcome', occurrence: 'lastStep' }),
            on('sizematcher', { valuePath: 'memory.current.input', min: '2' }),
          ],
        },
        { name: 'Again', actions: ['greet'], conditions: [on('inputmatcher', { expressions: 'greeting(*)' })] },
      ],
    },
  ],
}
const setter: PropertySetter = {
  setOnActions: [
    {
      actions: ['set_name'],
      setProperties: [
        {
          name: 'name',
          scope: 'conversation',
          fromObjectPath: 'memory.current.input',
          toObjectPath: '',
          convertToObject: false,
          override: true,
          runOnValidationError: false,
        },
      ],
    },
  ],
}
const says = (action: string, timesOccurred: number, text: string, replies: readonly string[] = []) => ({
  action,
  timesOccurred,
  outputs: [{ valueAlternatives: [{ type: 'text', text }] }],
  quickReplies: replies.map((value) => ({ value, expressions: '', isDefault: false })),
})
const output: OutputSet = {
  lang: 'en',
  outputSet: [
    says('welcome', 0, 'Who are you?'),
    says('greet', 0, 'Hello {properties.name}!', ['Hi {properties.name}']),
    says('greet', 1, 'You said "{memory.current.input}" after "{memory.last.input}".'),
  ],
}

function turn(
  past: readonly Step[],
  properties: { readonly [name: string]: Json },
  said: { readonly input: string; readonly parsed: string },
): Memory {
  const { input, parsed } = said
  const memory = testMemory({ past, properties, current: { 'input:initial': input, 'expressions:parsed': parsed }, output: { input } })
  const data = () => templateDataOf(memory)
  const render = (text: string) => compileTemplate(text).render(data())
  rulesStep(compileRules(rules), memory, { data, render, capabilities: () => [], environment: 'test', tags: [] })
  propertyStep(setter, { memory, data, render, value: render, write: () => {}, secret: () => '' })
  outputStep(output, memory, { random: () => 0 })
  templatingStep(memory, render)
  return memory
}

test('[Y22, Y27, Y31, Y33] three turns of a conversation', () => {
  const first = turn([], {}, { input: '', parsed: '' })
  expect(textOfItems(itemsOf(first.current))).toBe('Who are you?')
  const second = turn([first.current.done()], {}, { input: 'Eve {x}', parsed: 'unknown(eve)' })
  expect(textOfItems(itemsOf(second.current))).toBe('Hello Eve {x}!')
  expect(quickRepliesOf(second.current)).toEqual([{ value: 'Hi Eve {x}', expressions: '', isDefault: false }])
  const third = turn([first.current.done(), second.current.done()], { name: 'Eve {x}' }, { input: 'hi', parsed: 'greeting(hi)' })
  expect(textOfItems(itemsOf(third.current))).toBe('You said "hi" after "Eve {x}".')
  expect(third.current.output).toMatchObject({ actions: ['greet'], output: [{ type: 'text', text: 'You said "hi" after "Eve {x}".' }] })
})
