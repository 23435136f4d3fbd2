// What all calls of configurations have in common: which are fired, names of steps, what is done before, values that are there for a
// moment.
import type { Json, JsonObject } from '../../../base/json.ts'
import type { Turn } from '../../../lanes/engine.ts'
import type { PreRequest } from '../../../pipelines/configuration.ts'
import { actionsOf } from '../../../pipelines/conversation.ts'
import { valueAt } from '../../../pipelines/paths/paths.ts'
import { applyProperties } from '../../../pipelines/properties/properties.ts'
import { type Scene, TaskFailed } from '../scene.ts'

/** Whatever a configuration says, a turn waits no longer than that before one call. */
const longestDelayMs = 3_600_000
/** Elements of one array for which calls are made, or outputs built. */
export const mostElements = 100

/** Each call once, in the order of the actions; `*` is any. */
export function firedBy<Call extends { readonly actions: readonly string[] }>(scene: Scene, calls: readonly Call[]): readonly Call[] {
  const actions = actionsOf(scene.memory.current)
  return [...new Set(actions.flatMap((action) => calls.filter((call) => call.actions.includes(action) || call.actions.includes('*'))))]
}

const counts = new WeakMap<Turn, Map<string, number>>()

/** A turn may make the same call again: in its next say, or because a model wants it. The same order gives the same names. */
export function stepName({ turn }: Scene, at: string, name: string): string {
  const plain = `${at}/${name}`.replaceAll('?', '_').slice(0, 180)
  const known = counts.get(turn) ?? new Map<string, number>()
  counts.set(turn, known)
  const count = (known.get(plain) ?? 0) + 1
  known.set(plain, count)
  return count === 1 ? plain : `${plain}~${count}`
}

/** Objects that templates see only inside of `work`. */
export function withObjects<T>(scene: Scene, objects: JsonObject, work: () => T): T {
  const before = Object.keys(objects).map((name): [string, Json | undefined] => [name, scene.objects.get(name)])
  for (const [name, value] of Object.entries(objects)) scene.objects.set(name, value)
  try {
    return work()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) scene.objects.delete(name)
      else scene.objects.set(name, value)
    }
  }
}

export function applyBefore(scene: Scene, before: PreRequest | undefined): void {
  if (before && before.propertyInstructions.length > 0) applyProperties(before.propertyInstructions, scene.propertyScene())
}

/** As before, and secrets that were set just now, or by the call before this one, are in their store: this call may use them. */
export async function prepared(scene: Scene, before: PreRequest | undefined): Promise<void> {
  applyBefore(scene, before)
  await scene.settle()
}

/** Kept by the turn's own timer, so that no restart loses or shortens it. */
export async function delayed(scene: Scene, name: string, delayMs: number | undefined): Promise<void> {
  const afterMs = Math.min(delayMs ?? 0, longestDelayMs)
  if (afterMs > 0) await scene.turn.ask(name, { kind: 'timer', afterMs }, { wake: false })
}

export type Iterating = {
  readonly pathToTargetArray: string
  readonly iterationObjectName: string
  readonly templateFilterExpression: string
}

/** The elements that the filter lets through. What is no array has none. */
export function elementsOf(scene: Scene, { pathToTargetArray, iterationObjectName, templateFilterExpression }: Iterating): readonly Json[] {
  const found = valueAt(pathToTargetArray, scene.data())
  const all = Array.isArray(found) ? found : []
  const test = filterOf(templateFilterExpression)
  if (test === null) return all
  const name = objectName(iterationObjectName)
  return all.filter((one) => withObjects(scene, { [name]: one }, () => scene.render(test).trim() === 'yes'))
}

export function objectName(given: string): string {
  return given.trim() === '' ? 'obj' : given.trim()
}

/** `obj.age > 18`, also written as `{obj.age > 18}` or `${obj.age > 18}`. */
function filterOf(expression: string): string | null {
  const plain = /^\$?\{([^{}]*)\}$/.exec(expression.trim())?.[1] ?? expression
  return plain.trim() === '' ? null : `{#if ${plain.trim()}}yes{/if}`
}

/** Texts in it are templates; one that is a single expression gives its value. */
export function rendered(scene: Scene, value: Json): Json {
  const { value: valueIn } = scene.propertyScene()
  const each = (one: Json): Json => {
    if (typeof one === 'string') return valueIn(one)
    if (Array.isArray(one)) return one.map(each)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, each(member)]))
  }
  return each(value)
}

export function renderedObject(scene: Scene, value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rendered(scene, member)]))
}

export function checkCount(what: string, count: number): void {
  if (count <= mostElements) return
  throw new TaskFailed(`${what} would be made for ${count} elements at once; at most ${mostElements} are allowed.`)
}

/** Adds one named value to a part of what templates and readers see of the step, as in `memory.current.httpCalls.weather`. */
export function addOut({ memory }: Scene, part: string, [name, value]: readonly [string, Json]): void {
  const before = memory.current.output[part]
  const known = typeof before === 'object' && before !== null && !Array.isArray(before) ? before : {}
  memory.current.out(part, { ...known, [name]: value })
}
