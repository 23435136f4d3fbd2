import { describe, expect, test } from 'vitest'
import type { Json } from '../../base/json.ts'
import type { OutputItem, OutputSet, QuickReply } from '../configuration.ts'
import { templatingStep } from '../template/template.ts'
import { type TestMemory, testMemory, testStep } from '../testing.ts'
import { addOutputs, itemsOf, outputKeys, outputStep, quickRepliesOf, textOfItems } from './output.ts'

type Entry = OutputSet['outputSet'][number]
const text = (words: string): OutputItem => ({ type: 'text', text: words })
const reply = (value: string, expressions = '', isDefault = false): QuickReply => ({ value, expressions, isDefault })
const entry = (action: string, timesOccurred: number, ...words: readonly string[]): Entry => ({
  action,
  timesOccurred,
  outputs: words.map((one) => ({ valueAlternatives: [text(one)] })),
  quickReplies: [],
})
const setOf = (outputSet: readonly Entry[], lang = ''): OutputSet => ({ lang, outputSet })
const never = (): number => {
  throw new Error('nothing is chosen by chance here')
}

function said(set: OutputSet | null, given: TestMemory, random: (name: string) => number = never) {
  const memory = testMemory(given)
  outputStep(set, memory, { random })
  return {
    data: Object.fromEntries(memory.current.all('output:').map(({ key, value }) => [key, value])),
    replies: memory.current.all('quickReplies:').map(({ key, value }) => [key, value]),
    words: itemsOf(memory.current).map((item) => item['text']),
    memory,
  }
}

describe('what is said', () => {
  const before = (...actions: readonly string[][]) => actions.map((list) => testStep({ actions: list }))
  const set = setOf([entry('a', 1, 'second'), entry('a', 0, 'first'), entry('a', 3, 'last')])

  test('[Y31] what stands for exactly the count of earlier steps, else for the highest', () => {
    const words = (times: number) => said(set, { past: before(...Array(times).fill(['a'])), current: { actions: ['a'] } }).words
    expect([0, 1, 2, 3, 9].map(words)).toEqual([['first'], ['second'], ['last'], ['last'], ['last']])
  })

  test('[Y31] for each action in its order; several outputs are numbered', () => {
    const { data, words } = said(setOf([entry('a', 0, 'one', 'two'), entry('b', 0, 'three')]), { current: { actions: ['b', 'x', 'a'] } })
    expect(words).toEqual(['three', 'one', 'two'])
    expect(Object.keys(data)).toEqual(['output:text:b', 'output:text:a:0', 'output:text:a:1'])
  })

  test('[Y32] two entries for one count, and two sets in one step, lose nothing', () => {
    const { words, memory } = said(setOf([entry('a', 0, 'one'), entry('a', 0, 'two')]), { current: { actions: ['a'] } })
    expect(words).toEqual(['one', 'two'])
    outputStep(setOf([entry('a', 0, 'three')]), memory, { random: never })
    outputStep(setOf([entry('a', 0, 'four')]), memory, { random: never })
    expect(itemsOf(memory.current).map((item) => item['text'])).toEqual(['one', 'two', 'three', 'four'])
    expect(memory.current.output['output']).toHaveLength(4)
    expect(memory.current.data.filter(({ key }) => key.startsWith('output')).every(({ isPublic }) => isPublic)).toBe(true)
  })

  test('[Y33] one of several alternatives, by a number of a name that is the same each time', () => {
    const choice: Entry = { ...entry('a', 0), outputs: [{ valueAlternatives: ['x', 'y', 'z'].map(text) }, { valueAlternatives: [] }] }
    const names: string[] = []
    const words = (number: number) =>
      said(setOf([choice]), { current: { actions: ['a'] } }, (name) => {
        names.push(name)
        return number
      }).words
    expect([0, 0.4, 0.99, 1, -1].map(words)).toEqual([['x'], ['y'], ['z'], ['z'], ['x']])
    expect(new Set(names)).toEqual(new Set(['output/a/0/0/0']))
  })

  test('[Y31] a set of another language says nothing', () => {
    const words = (lang: string, language: string) =>
      said(setOf([entry('a', 0, 'x')], lang), { current: { actions: ['a'] }, language }).words
    expect([words('de', 'en'), words('DE', 'de'), words('', 'de')]).toEqual([[], ['x'], ['x']])
  })

  test('[Y31] contexts speak first, under the action context; what is no output is passed over', () => {
    const context = (value: Json, type = 'object'): Json => ({ type, value })
    const current = {
      'context:output': context({ type: 'text', text: 'from outside' }),
      'context:outputMore': context(['plain', { valueAlternatives: ['alternative'] }, 7, null], 'array'),
      'context:outputText': context('text', 'string'),
      'context:quickReplies': context([{ value: 'Yes', expressions: 'yes', default: true }, { expressions: 'no value' }]),
      actions: ['a'],
    }
    const { data, words, replies } = said(setOf([entry('a', 0, 'own')]), { current })
    expect(words).toEqual(['from outside', 'plain', 'alternative', 'own'])
    expect(Object.keys(data).filter((key) => key !== 'output::context')).toEqual([
      'output:text:context',
      'output:text:context:0',
      'output:text:context:1',
      'output:text:a',
    ])
    expect(replies).toEqual([['quickReplies:context', [reply('Yes', 'yes', true)]]])
    const again = said(null, { current })
    outputStep(null, again.memory, { random: never })
    expect(itemsOf(again.memory.current).map((item) => item['text'])).toEqual(['from outside', 'plain', 'alternative'])
  })
})

test('[Y33] what came with a message is no template; what is configured is', () => {
  const current = { 'context:output': { type: 'object', value: { type: 'text', text: '{a}' } }, actions: ['a'] }
  const { memory } = said(setOf([entry('a', 0, '{a}')]), { current })
  templatingStep(memory, () => 'rendered')
  expect(itemsOf(memory.current).map((item) => item['text'])).toEqual(['{a}', 'rendered'])
})

describe('quick replies', () => {
  test('[Y32] stand under their action with isDefault; those that are there stay', () => {
    const first: Entry = { ...entry('a', 0, 'x'), quickReplies: [reply('A', 'a', true), reply('B')] }
    const { replies, memory } = said(setOf([first]), { current: { actions: ['a'], 'quickReplies:a': [reply('0')] } })
    expect(replies).toEqual([
      ['quickReplies:a', [reply('0')]],
      ['quickReplies:a:1', [reply('A', 'a', true), reply('B')]],
    ])
    addOutputs(memory.current, 'a', [{ type: 'quickReply', value: 'C', expressions: 'c' }])
    expect(quickRepliesOf(memory.current).map(({ value }) => value)).toEqual(['0', 'A', 'B', 'C'])
    expect(memory.current.output['quickReplies']).toHaveLength(2)
  })
})

test('[Y31] keys name type and action, and a number where there are several', () => {
  expect(outputKeys('greet', ['text'])).toEqual(['output:text:greet'])
  expect(outputKeys('greet', ['text', 'image'])).toEqual(['output:text:greet:0', 'output:image:greet:1'])
})

describe('plain text', () => {
  test('[Y33] every kind of item in words, in German too', () => {
    const items: readonly OutputItem[] = [
      text('Hello'),
      { type: 'image', uri: 'https://x/y.png', alt: 'A cat' },
      { type: 'image', uri: 'https://x/z.png' },
      { type: 'button', buttonType: 'link', label: 'Open', onPress: 'https://x' },
      { type: 'button', label: 'Go', onPress: 'go()' },
      { type: 'applicationLink', path: '/help', label: 'Help' },
      { type: 'inputField', subType: 'password', label: 'Key', placeholder: 'sk-...' },
      { type: 'quickReply', value: 'Yes' },
      { type: 'agentFace', uri: 'happy' },
      { type: 'other', placeholder: 'Your name' },
      { type: 'other', anything: { deep: 1 } },
    ]
    expect(textOfItems(items).split('\n\n')).toEqual([
      'Hello',
      'Image: A cat (https://x/y.png)',
      'Image: https://x/z.png',
      'Button: Open (https://x)',
      'Button: Go',
      'Link: Help (/help)',
      'Please enter: Key (sk-...)',
      'Please enter: Your name',
    ])
    expect(textOfItems(items.slice(6, 7), 'de-AT')).toBe('Bitte eingeben: Key (sk-...)')
    expect(textOfItems([])).toBe('')
  })
})
