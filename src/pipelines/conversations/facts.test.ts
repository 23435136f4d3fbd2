import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../base/json.ts'
import { jsonCopy } from '../../base/json.ts'
import type { Property } from '../conversation.ts'
import {
  type Agent,
  canRedo,
  canUndo,
  difference,
  evolve,
  type Fact,
  type Made,
  nothingYet,
  packed,
  type Remembered,
  unpacked,
} from './facts.ts'

const agent: Agent = { id: 'a1', version: 2, environment: 'production' }

function property(name: string, value: Json): Property {
  return { name, value, scope: 'conversation' }
}

function made(before: Remembered, name: string, set: readonly Property[] = []): Made {
  const after = new Map([...before.properties, ...set.map((one): [string, Property] => [one.name, one])])
  const changes = difference(before.properties, after)
  return {
    data: [{ key: 'input:initial', value: name, isPublic: true }],
    output: { input: name },
    seed: 'ab12',
    attachments: 0,
    set: { properties: changes.set, objects: [] },
    undo: { properties: changes.undo, objects: [] },
  }
}

function said(before: Remembered, name: string, set: readonly Property[] = []): Remembered {
  return evolve(before, { do: 'step', agent, state: 'READY', made: made(before, name, set) })
}

const inputs = ({ steps }: Remembered) => steps.map(({ output }) => output['input'])

describe('facts of a conversation', () => {
  test('[Y132] undo and redo bring back steps and properties, and a new say forgets what was undone', () => {
    const one = said(nothingYet, 'start')
    const two = said(one, 'red', [property('colour', 'red')])
    const three = said(two, 'blue', [property('colour', 'blue'), property('size', 4)])
    expect([canUndo(one), canUndo(three), canRedo(three)]).toEqual([false, true, false])
    const back = evolve(three, { do: 'undo', agent })
    expect([inputs(back), back.properties.get('colour')?.value, back.properties.has('size')]).toEqual([['start', 'red'], 'red', false])
    const again = evolve(back, { do: 'redo', agent })
    expect(again).toEqual(three)
    const other = said(back, 'green', [property('colour', 'green')])
    expect([inputs(other), canRedo(other)]).toEqual([['start', 'red', 'green'], false])
    expect(evolve(one, { do: 'undo', agent })).toEqual({ ...one, agent })
  })

  test('[Y134] a step that waits is shown, and replaced when it is done', () => {
    const one = said(nothingYet, 'start')
    const waits = evolve(one, { do: 'pause', agent, state: 'AWAITING_HUMAN', made: made(one, 'delete', [property('asked', true)]) })
    expect([inputs(waits), waits.state, canUndo(waits)]).toEqual([['start', 'delete'], 'AWAITING_HUMAN', false])
    const done = evolve(waits, { do: 'step', agent, state: 'READY', made: made(one, 'delete', [property('done', true)]) })
    expect([inputs(done), done.state, done.properties.has('asked'), done.properties.has('done')]).toEqual([
      ['start', 'delete'],
      'READY',
      false,
      true,
    ])
  })

  test('the last step made anew stands in its place', () => {
    const two = said(said(nothingYet, 'start'), 'red', [property('colour', 'red')])
    const before = said(nothingYet, 'start')
    const anew = evolve(two, { do: 'again', agent, state: 'READY', made: made(before, 'red', [property('colour', 'dark red')]) })
    expect([inputs(anew), anew.properties.get('colour')?.value]).toEqual([['start', 'red'], 'dark red'])
  })

  test('[Y126] what is written is read again, also after a trip through JSON', () => {
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => jsonCopy(value) as Json)
    const name = fc.string({ minLength: 1, maxLength: 12 })
    const properties = fc.uniqueArray(
      fc.record({ name, value: json, scope: fc.constantFrom('conversation' as const, 'longTerm' as const) }),
      {
        selector: (one) => one.name,
        maxLength: 4,
      },
    )
    fc.assert(
      fc.property(properties, properties, fc.array(fc.record({ key: name, value: json, isPublic: fc.boolean() })), (from, to, data) => {
        const [before, after] = [from, to].map((list) => new Map(list.map((one): [string, Property] => [one.name, one])))
        const changes = difference(before ?? new Map(), after ?? new Map())
        const fact: Fact = {
          ...{ do: 'step', agent, state: 'ENDED' },
          made: {
            ...{ data, output: {}, seed: 's', attachments: 2 },
            set: { properties: changes.set, objects: [] },
            undo: { properties: changes.undo, objects: [] },
          },
        }
        const read = unpacked(jsonCopy(packed(fact)))
        expect(read).toEqual(fact)
        const forth = evolve({ ...nothingYet, properties: before ?? new Map() }, fact)
        expect(forth.properties).toEqual(after)
      }),
    )
  })

  test('what is no fact of a conversation is none', () => {
    expect(unpacked({})).toBeNull()
    expect(unpacked({ do: 'dance', of: ['a', 1] })).toBeNull()
    expect(unpacked({ do: 'step', of: [1, 'a'] })).toBeNull()
  })
})
