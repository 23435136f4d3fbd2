// Eddie's recorded cases about which tools an agent is given, each as a call of the surface. Names are those of the cases.
import { expect, test } from 'vitest'
import { type Asker, callable, classify, type Described, selectorsOf } from '../../src/tools/surface.ts'
import { describeShared } from '../shared.ts'

type Input = {
  readonly base?: Readonly<Record<string, 'primary' | 'deferred'>> | readonly string[]
  readonly dispatchable?: readonly string[]
  readonly visible?: readonly string[]
  readonly tools?: readonly string[]
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
  readonly defer?: readonly string[]
  readonly activated?: readonly string[]
  readonly tool?: Readonly<Record<string, readonly string[]>>
  readonly profile?: string | null
  readonly limit?: number
  readonly reserve?: number
}
type Case = { readonly id: string; readonly input?: Input; readonly expect: unknown }

const two = ['tool_list', 'tool_description']
const tool = (name: string, more: Partial<Described> = {}): Described => ({ name, labels: [], capability: null, ...more })

/** The surface of a case: its tools, and the two of the floor where the case speaks of them. */
function surfaceOf(input: Input, more: readonly Described[] = []) {
  const base = Array.isArray(input.base) ? input.base : []
  const flagged = Array.isArray(input.base) || input.base === undefined ? [] : Object.entries(input.base)
  const names = [...base, ...(input.visible ?? []), ...(input.tools ?? []), ...(input.dispatchable ?? [])]
  const tools = [
    ...names.map((name) => tool(name)),
    ...flagged.map(([name, kind]) => tool(name, { deferred: kind === 'deferred' })),
    ...Object.entries(input.tool ?? {}).map(([name, profiles]) => tool(name, { profiles })),
    ...more,
  ]
  const { add = [], remove = [], defer = [], profile = null, activated = [], limit, reserve } = input
  const asker: Asker = { pledge: [], tools: { add, remove, defer }, base }
  return classify(tools, asker, {
    roots: [],
    profile,
    activated,
    ...(limit === undefined ? {} : { limit }),
    ...(reserve === undefined ? {} : { reserve }),
  })
}

const floor = two.map((name) => tool(name))
const runs: Readonly<Record<string, (input: Input, wanted: unknown) => void>> = {
  'tc-empty': (input, wanted) => expect({ allowed: callable(surfaceOf(input)) }).toEqual(wanted),
  'tc-sorted': (input, wanted) => expect(surfaceOf(input).primary).toEqual(wanted),
  'tc-floor': (_, wanted) => expect(surfaceOf({}, floor).primary).toEqual((wanted as string[]).toSorted()),
  'tc-floor-added': (input, wanted) => expect({ allowed: callable(surfaceOf(input, floor)) }).toEqual(wanted),
  'tc-floor-defer': (input, wanted) => expect(surfaceOf(input, floor)).toMatchObject(wanted as object),
  // One that nobody knows, one that is removed too, one of another profile: none of them may be called.
  'tc-add-unresolvable': (input) => expect(callable(surfaceOf(input))).toEqual([]),
  'tc-add-and-remove': (input) => expect(callable(surfaceOf(input, [tool('x')]))).toEqual([]),
  'tc-add-profile': (input) => expect(callable(surfaceOf({ ...input, add: ['x'] }, [tool('x', { profiles: ['user'] })]))).toEqual([]),
}
const isProfile = (id: string) => id.startsWith('tc-profile')

describeShared('tool surface', 'eddie/tool-classification.json', (shared) => {
  const cases = shared.rows as readonly Case[]

  test.each(cases.filter(({ id }) => id.startsWith('tc-')).map((one) => [one.id, one] as const))(
    '[T1, T9] %s',
    (id, { input = {}, expect: wanted }) => {
      const run = runs[id]
      if (run) run(input, wanted)
      else if (isProfile(id)) expect(surfaceOf(input).primary.length > 0).toBe((wanted as { primary: boolean }).primary)
      else {
        const { activatedDeferred, ...rest } = wanted as { activatedDeferred?: string[] }
        expect(surfaceOf(input)).toMatchObject({ ...rest, ...(activatedDeferred ? { activated: activatedDeferred } : {}) })
      }
    },
  )

  const rules: Readonly<Record<string, () => void>> = {
    'rf-profile-mode-wins': () =>
      expect(
        selectorsOf([{ remove: ['mode_remove'] }, { remove: ['profile_base_remove'] }, { remove: ['recipe_base_remove'] }]),
      ).toMatchObject({
        ...{ remove: ['mode_remove'], add: [], defer: [] },
      }),
    'rf-recipe-mode': () =>
      expect(selectorsOf([{}, {}, { remove: ['base_mode_remove'] }, { remove: ['base'] }]).remove).toEqual(['base_mode_remove']),
    'rf-recipe-base': () =>
      expect(selectorsOf([{}, { remove: ['base_remove'], add: ['base_add'], defer: ['base_defer'] }])).toMatchObject({
        ...{ remove: ['base_remove'], add: ['base_add'], defer: ['base_defer'] },
      }),
    'rf-label': () => expect(callable(surfaceOf({ remove: ['@label'] }, [tool('a', { labels: ['label'] }), tool('b')]))).toEqual(['b']),
    'rf-label-unknown': () => expect(callable(surfaceOf({ remove: ['@nope'] }, [tool('a', { labels: ['label'] })]))).toEqual(['a']),
    'rf-priority-union': () => {
      const layers = [{ keep: ['a_*'], dropFirst: ['x'] }, { keep: ['b'] }, { keep: ['a_*'], dropFirst: ['y_*'] }]
      expect(selectorsOf(layers)).toMatchObject({ keep: ['a_*', 'b'], dropFirst: ['x', 'y_*'] })
    },
  }

  test.each(cases.filter(({ id }) => !id.startsWith('tc-')).map(({ id }) => [id] as const))('[T9] %s', (id) => {
    const run = rules[id]
    if (run === undefined) throw new Error(`no call for the case ${id}`)
    run()
  })
})
