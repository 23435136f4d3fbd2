// Which agent a text goes to by outheis' dispatcher, over the recorded facts about it: mentions first, then keyword scores.
import { expect, test } from 'vitest'
import { buildRoster } from '../../src/agents/roster.ts'
import { joinRouting } from '../../src/routing/cascade.ts'
import { openKeywords } from '../../src/routing/keywords.ts'
import { routeAt } from '../../src/routing/ladder.ts'
import { type Place, placeOf } from '../../src/routing/place.ts'
import { describeShared } from '../shared.ts'

type Config = { readonly threshold: number } & Readonly<Record<'data' | 'agenda' | 'action', readonly string[]>>
type Row = { readonly id: string; readonly text: string; readonly config: Config | null; readonly expected_route: string | null }
type Facts = {
  readonly cases: readonly Row[]
  readonly addressed: readonly { readonly id: string; readonly to: string; readonly text: string; readonly target: string }[]
  readonly score_cases: readonly {
    readonly id: string
    readonly text: string
    readonly keywords: readonly string[]
    readonly expected: number
  }[]
}

/** Role and name that is mentioned; relay is the hub, which leads. */
const agents = { relay: 'ou', data: 'zeno', agenda: 'cato', action: 'hiro', pattern: 'rumi', code: 'alan' }
const files = Object.entries(agents).map(([name, alias]) => ({
  ...{ path: `agents/${name}.md`, level: 'bundled' as const, scope: 'bundled', version: 1 },
  text: `---\nname: ${name}\naliases: [${alias}]\nclass: ${name === 'relay' ? 'hub' : name}\n---\nIt works.`,
}))

function placeWith(config: Config | null): Place {
  const { threshold, ...lists } = config ?? { threshold: 0.3, data: [], agenda: [], action: [] }
  const text = JSON.stringify({ thresholds: { keywords: threshold }, keywords: lists })
  const rules = joinRouting([{ level: 'bundled', scope: 'bundled', text }])
  expect(rules.faults).toEqual([])
  return placeOf(buildRoster(files, ['quick']), rules)
}

/** docs/compatibility.md has each with its reason. Who is null is for whoever leads. */
const deviations: Readonly<Record<string, string | null>> = {
  // An address mentions nobody.
  'route-obs-19': null,
  'route-obs-23': null,
  // A score of 0 chooses nobody, whatever the threshold; an empty list takes no part.
  'route-zero-threshold-empty': null,
}

describeShared('the dispatcher of outheis', 'outheis/routing.json', ({ file }) => {
  const facts = file as Facts

  test.each(facts.cases)('[R21] [R23] $id: $text', ({ id, text, config, expected_route }) => {
    const { selected, decision } = routeAt(placeWith(config), { text, leader: 'relay' })
    const expected = Object.hasOwn(deviations, id) ? (deviations[id] ?? null) : expected_route
    expect(selected[0] ?? null).toBe(expected)
    // Nobody was chosen: it is left to whoever leads, or a question says what is missing.
    expect(expected === null ? ['leave', 'clarify'] : ['dispatch']).toContain(decision)
  })

  test.each(facts.addressed.filter(({ to }) => Object.hasOwn(agents, to)))('[R20] $id: to $to', ({ to, text, target }) => {
    expect(routeAt(placeWith(null), { text, to, leader: 'relay' })).toMatchObject({ by: 'address', selected: [target] })
  })

  test.each(facts.addressed.filter(({ to }) => to === 'dispatcher' || to === 'transport'))(
    '[R20] $id: to the hub itself',
    ({ text, target }) => {
      const { selected } = routeAt(placeWith(null), { text, leader: 'relay' })
      expect(selected[0] ?? 'relay').toBe(target)
    },
  )

  test.each(facts.addressed.filter(({ target }) => target === 'nonsense'))('[R20] $id: to nobody who is there', ({ to, text }) => {
    const { decision, selected, reasons } = routeAt(placeWith(null), { text, to })
    expect({ decision, selected }).toEqual({ decision: 'leave', selected: [] })
    expect(reasons[0]).toContain('here are action, agenda, code, data, pattern, relay')
  })

  test.each(facts.score_cases)('[R23] $id', ({ text, keywords, expected }) => {
    expect(openKeywords(new Map([['data', keywords]])).scores(text)[0]?.score ?? 0).toBe(expected)
  })
})
