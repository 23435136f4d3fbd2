// Eddie's recorded cases about which tools an agent is given, each as a call of the surface. Names are those of the cases.
import { expect, test } from 'vitest'
import { type Asker, callable, classify, type Described, type Selectors, selectorsOf } from '../../src/tools/surface.ts'
import { describeShared } from '../shared.ts'

type Input = {
  readonly base?: Readonly<Record<string, 'primary' | 'deferred'>> | readonly string[]
  readonly dispatchable?: readonly string[]
  readonly visible?: readonly string[]
  readonly tools?: readonly string[]
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
  readonly defer?: readonly string[]
  readonly keep?: readonly string[]
  readonly dropFirst?: readonly string[]
  readonly activated?: readonly string[]
  readonly tool?: Readonly<Record<string, readonly string[]>>
  readonly profile?: string | null
  readonly limit?: number
  readonly reserve?: number
}
type Wanted = { readonly allowed?: unknown; readonly primary?: unknown; readonly activatedDeferred?: readonly string[] }
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
  const { add = [], remove = [], defer = [], keep = [], dropFirst = [], profile = null, activated = [], limit, reserve } = input
  const asker: Asker = { pledge: [], tools: { add, remove, defer, keep, dropFirst }, base }
  return classify(tools, asker, {
    roots: [],
    profile,
    activated,
    ...(limit === undefined ? {} : { limit }),
    ...(reserve === undefined ? {} : { reserve }),
  })
}

const floor = two.map((name) => tool(name))
const isProfile = (id: string) => id.startsWith('tc-profile')

/** Names that a case only adds; "x only user" is a tool for the profile user. One that it calls gone is nowhere. */
function added({ add = [] }: Input): readonly Described[] {
  return add.flatMap((one) => {
    const [name = '', , profile] = one.split(' ')
    if (/gone|unknown|unresolvable/.test(name)) return []
    return [tool(name, profile === undefined ? {} : { profiles: [profile] })]
  })
}

/** Whether the two of the floor are there: where the case speaks of them and does not list its tools itself. */
function isFloored(id: string, { tools }: Input): boolean {
  return id.includes('floor') && !(tools ?? []).includes('tool_list')
}

function checkSurface(id: string, input: Input, wanted: unknown): void {
  const bare = { ...input, ...(input.add ? { add: input.add.map((name) => name.split(' ')[0] ?? name) } : {}) }
  const { allowed, ...given } = typeof wanted === 'object' && !Array.isArray(wanted) ? { ...(wanted as Wanted) } : {}
  const known = new Set([...(Array.isArray(input.base) ? input.base : Object.keys(input.base ?? {})), ...(input.dispatchable ?? [])])
  const fresh = added(input).filter(({ name }) => !known.has(name))
  const surface = surfaceOf(bare, [...(isFloored(id, input) ? floor : []), ...fresh])
  if (Array.isArray(wanted)) return expect(surface.primary).toEqual(wanted.toSorted())
  if (allowed === false) return expect(callable(surface).filter((name) => bare.add?.includes(name) ?? true)).toEqual([])
  if (allowed !== undefined) expect(callable(surface)).toEqual(allowed)
  const { activatedDeferred, primary, ...rest } = given
  if (typeof primary === 'boolean') expect(surface.primary.length > 0).toBe(primary)
  else if (primary !== undefined) expect(surface.primary).toEqual(primary)
  expect(surface).toMatchObject({ ...rest, ...(activatedDeferred ? { activated: activatedDeferred } : {}) })
}

/** `profile.foot.EXPLORING.remove` is of the profile's mode, `modes.EXPLORING.remove` of the mode, `remove` of the recipe. */
function layersOf(input: Readonly<Record<string, unknown>>): readonly Partial<Selectors>[] {
  const layers: Record<string, unknown>[] = [{}, {}, {}, {}]
  for (const [path, value] of Object.entries(input)) {
    const parts = path.split('.')
    const at = parts[0] === 'profile' ? (parts.length > 3 ? 0 : 1) : parts[0] === 'modes' ? 2 : 3
    Object.assign(layers[at] ?? {}, { [parts.at(-1) ?? '']: value })
  }
  return layers
}

describeShared('tool surface', 'eddie/tool-classification.json', (shared) => {
  const cases = shared.rows as readonly Case[]

  test.each(cases.filter(({ id }) => id.startsWith('tc-')).map((one) => [one.id, one] as const))(
    '[T1, T9] %s',
    (id, { input = {}, expect: wanted }) => {
      if (isProfile(id)) expect(surfaceOf(input).primary.length > 0).toBe((wanted as { primary: boolean }).primary)
      else checkSurface(id, input, wanted)
    },
  )

  const rules: Readonly<Record<string, () => void>> = {
    'rf-label': () => expect(callable(surfaceOf({ remove: ['@label'] }, [tool('a', { labels: ['label'] }), tool('b')]))).toEqual(['b']),
    'rf-label-unknown': () => expect(callable(surfaceOf({ remove: ['@nope'] }, [tool('a', { labels: ['label'] })]))).toEqual(['a']),
    'rf-priority-union': () => {
      const layers = [{ keep: ['a_*'], dropFirst: ['x'] }, { keep: ['b'] }, { keep: ['a_*'], dropFirst: ['y_*'] }]
      expect(selectorsOf(layers)).toMatchObject({ keep: ['a_*', 'b'], dropFirst: ['x', 'y_*'] })
    },
  }

  test.each(cases.filter(({ id }) => !id.startsWith('tc-')).map((one) => [one.id, one] as const))(
    '[T9] %s',
    (id, { input, expect: wanted }) => {
      const run = rules[id]
      if (run) return run()
      if (typeof input !== 'object' || input === null) throw new Error(`no call for the case ${id}`)
      expect(selectorsOf(layersOf({ ...input }))).toMatchObject(wanted === 'same' ? input : { ...(wanted as object) })
    },
  )
})
