import { describe, expect, test } from 'vitest'
import { buildRoster } from '../agents/roster.ts'
import type { DocumentLevel } from '../scopes/scopes.ts'
import { joinRouting } from './cascade.ts'
import { routeAt } from './ladder.ts'
import { placeOf, placeOfTable, tableOf } from './place.ts'

const file = (name: string, front: string, level: DocumentLevel = 'bundled') => ({
  ...{ path: `agents/${name}.md`, level, scope: level === 'bundled' ? 'bundled' : 'shop', version: 1 },
  text: `---\nname: ${name}\n${front}\n---\nIt works.`,
})
const bundled = [
  file('alpha', 'class: coder'),
  file('builder', 'class: coder\ntriggers: [build, Build]\nhandsOff: [finder, hub]'),
  file('finder', 'class: scout\naliases: [atlas]\ntriggers: [map]\nrefuses: [build]'),
  file('hub', 'class: hub'),
  file('quick', 'class: generalist'),
  file('helper', 'class: generalist\nrefuses: [deploy]'),
  file('data', 'class: data'),
]
const roster = (...more: (typeof bundled)[number][]) => buildRoster([...bundled, ...more], ['quick'])
const rules = (text = '') => joinRouting([{ level: 'project', scope: 'shop', text }])

describe('the table of a place', () => {
  test('has whoever has a class of the cortex; a generalist only when it says something', () => {
    const { members } = tableOf(roster(), rules())
    expect(members.map(({ name, isDefault }) => [name, isDefault])).toEqual([
      ['finder', true],
      ['builder', true],
      ['alpha', false],
      ['helper', true],
    ])
    expect(members[1]).toMatchObject({ triggers: ['build'], handsOff: ['finder'] })
  })

  test('an agent of an inner level takes the seat of its class', () => {
    const { members, classTiers } = tableOf(roster(file('mine', 'class: coder\ntier: deep\ntriggers: [build]', 'project')), rules())
    expect(members.filter((one) => one.class === 'coder').map(({ name }) => name)).toEqual(['mine', 'builder', 'alpha'])
    expect(classTiers).toEqual({ default: 'standard', scout: 'standard', coder: 'deep', generalist: 'standard' })
  })

  test('signals speak of members, what is said by name wins; a template with an empty seat is left out', () => {
    const text = `signals: [{id: hot, match: [hot], boost: {"class:coder": 0.5, alpha: -0.1, atlas: 0.2, nobody: 1}}]
templates:
  - {name: two, steps: ["class:scout", builder], when: always}
  - {name: hole, steps: ["class:scout", "class:debugger"]}\n`
    const { signals, templates } = tableOf(roster(), rules(text))
    expect(signals[0]?.boost).toEqual({ finder: 0.2, builder: 0.5, alpha: -0.1 })
    expect(templates).toEqual([{ name: 'two', steps: ['finder', 'builder'], classes: ['scout', 'coder'], when: 'always' }])
  })
})

describe('the order', () => {
  const here = placeOf(roster(), rules('keywords: {atlas: [note, vault], quick: [seed]}\nrules: [{id: r, when: [note, seed], to: gone}]'))
  const at = (text: string, more = {}) => routeAt(here, { text, ...more })

  test('an address decides before a mention, and one that nobody has is said', () => {
    expect(at('@data x', { to: 'Atlas' })).toMatchObject({ by: 'address', selected: ['finder'], decision: 'dispatch' })
    expect(at('@data x', { to: 'bob' })).toMatchObject({ by: 'address', selected: [], decision: 'leave', marks: [{ mark: 'BLOCKED' }] })
    expect(at('@data x', { to: ' ' })).toMatchObject({ by: 'mention', selected: ['data'] })
  })

  test('a mention goes before the open question, and that before all that scores', () => {
    expect(at('@data note vault', { asking: 'hub' })).toMatchObject({ by: 'mention', selected: ['data'] })
    expect(at('note vault', { asking: 'hub' })).toMatchObject({ by: 'question', selected: ['hub'] })
    expect(at('note vault', { asking: 'gone' })).toMatchObject({ by: 'keywords', selected: ['finder'], confidence: 1 })
  })

  test('a rule to nobody is passed over and said', () => {
    const route = at('note seed')
    expect(route.dropped[0]).toEqual({ what: 'rule r', why: 'nobody here is called "gone"' })
    expect(route.by).toBe('keywords')
  })

  test('who refuses such a text gets it by name only, and that is marked', () => {
    expect(at('build a note')).not.toMatchObject({ by: 'keywords' })
    expect(at('build a note').dropped).toContainEqual({ what: 'finder', why: expect.stringContaining('it refuses such a text: "build"') })
    expect(at('@atlas build it')).toMatchObject({ selected: ['finder'], marks: [{ mark: 'DISPUTED' }] })
  })

  test('whoever leads is not chosen by score', () => {
    expect(at('seed', { leader: 'quick' })).toMatchObject({ by: 'keywords', decision: 'leave', selected: [] })
    expect(at('build it', { leader: 'builder' })).toMatchObject({ by: 'cortex', decision: 'leave', selected: [], chain: [] })
    expect(at('@builder build it', { leader: 'builder' })).toMatchObject({ by: 'mention', decision: 'dispatch', selected: ['builder'] })
  })

  test('what is dropped is bounded, whatever the text', () => {
    const route = at(`${'@data @finder @hub '.repeat(20_000)}note`)
    expect(route.dropped.length).toBeLessThanOrEqual(40)
    expect(JSON.stringify(route).length).toBeLessThan(20_000)
  })

  test('a table from elsewhere has mentions and the cortex alone', () => {
    const place = placeOfTable(tableOf(roster(), rules()))
    expect(routeAt(place, { text: '@atlas hello' })).toMatchObject({ by: 'mention', selected: ['finder'] })
    expect(routeAt(place, { text: 'build it' })).toMatchObject({ by: 'cortex', selected: ['builder'] })
    expect(routeAt(place, { text: 'note vault' }).by).not.toBe('keywords')
  })
})
