import { describe, expect, test } from 'vitest'
import type { Json } from '../../base/json.ts'
import { type Memory, type OpenStep, openStep } from '../conversation.ts'
import { compileTemplate, setRendered, templatingStep } from './template.ts'

function memoryWith(step: OpenStep): Memory {
  return {
    info: { conversationId: 'c', agentId: 'a', agentVersion: 1, environment: 'production', userId: 'ada', groupIds: [] },
    past: [],
    current: step,
    properties: new Map(),
    setProperty: () => {},
    removeProperty: () => {},
    attachments: [],
    language: 'en',
  }
}

/** Puts something out as the task of outputs does: kept under its key, and shown. */
function put(step: OpenStep, key: string, value: Json): void {
  step.set(key, value, { isPublic: true })
  step.push(key.split(':')[0] ?? '', ...(Array.isArray(value) ? value : [value]))
}

describe('[Y48] the step that renders output', () => {
  let count = 0
  const render = (text: string) => compileTemplate(text, { lenient: true }).render({ name: 'Ada', count: ++count, other: '{name}' })

  test('[Y48] texts of outputs and quick replies are rendered where they are kept and where they are shown', () => {
    const step = openStep()
    put(step, 'output:text:greet', { type: 'text', text: 'Hi {name}', delay: 0 })
    put(step, 'output:image:greet', { type: 'image', uri: '/{name}.png', alt: '' })
    put(step, 'output:other:x', { type: 'other', deep: [{ a: '{name}', type: '{name}' }] })
    put(step, 'quickReplies:greet', [{ value: '{name}?', expressions: 'ask({name})', isDefault: false }])
    step.set('outputs', '{name}')
    templatingStep(memoryWith(step), render)
    const replies = [{ value: 'Ada?', expressions: 'ask(Ada)', isDefault: false }]
    const outputs = [
      { type: 'text', text: 'Hi Ada', delay: 0 },
      { type: 'image', uri: '/Ada.png', alt: '' },
      { type: 'other', deep: [{ a: 'Ada', type: '{name}' }] },
    ]
    expect(step.output).toEqual({ output: outputs, quickReplies: replies })
    expect(step.all('output:').map(({ value }) => value)).toEqual(outputs)
    expect(step.get('quickReplies:greet')).toEqual(replies)
    expect(step.all('rendered:').every(({ isPublic }) => !isPublic)).toBe(true)
    expect(step.get('outputs')).toBe('{name}')
  })

  test('[Y48] what is kept and what is shown is rendered once, and is the same', () => {
    const step = openStep()
    put(step, 'output:text:a', { type: 'text', text: '{count}' })
    put(step, 'output:text:b', { type: 'text', text: '{count}' })
    templatingStep(memoryWith(step), render)
    const kept = step.all('output:').map(({ value }) => value)
    expect(step.output.output).toEqual(kept)
    expect(kept[0]).not.toEqual(kept[1])
  })

  test('[Y44, Y48] what is rendered, and what is final, is not rendered again; what came later is', () => {
    const step = openStep()
    put(step, 'output:text:a', { type: 'text', text: '{other}' })
    const words = { type: 'text', text: 'a model says {name}' }
    setRendered(step, 'output:text:model', words)
    step.push('output', words)
    templatingStep(memoryWith(step), render)
    put(step, 'output:text:c', { type: 'text', text: '{name}' })
    templatingStep(memoryWith(step), render)
    const texts = [{ type: 'text', text: '{name}' }, words, { type: 'text', text: 'Ada' }]
    expect(step.all('output:').map(({ value }) => value)).toEqual(texts)
    expect(step.output.output).toEqual(texts)
    step.set('output:text:a', { type: 'text', text: 'now {name}' })
    templatingStep(memoryWith(step), render)
    expect(step.get('output:text:a')).toEqual({ type: 'text', text: 'now Ada' })
  })

  test('[Y48] a fault goes through, and a step without output is left alone', () => {
    const step = openStep()
    templatingStep(memoryWith(step), render)
    expect(step.done()).toEqual({ data: [], output: {} })
    put(step, 'output:text:a', { type: 'text', text: "{json:deserialize('x')}" })
    expect(() => templatingStep(memoryWith(step), render)).toThrow('no JSON')
  })
})
