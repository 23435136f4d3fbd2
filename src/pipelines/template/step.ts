// The step ai.labs.templating: renders what was put out in the current step, where it is kept and where readers see it.
import { sha256 } from '../../base/hash.ts'
import { canonical, type Json } from '../../base/json.ts'
import type { Datum, Memory, OpenStep } from '../conversation.ts'
import { isList, isMap } from './values.ts'

/** Private data that holds the hash of a value whose texts are final. */
const mark = 'rendered:'

/**
 * Sets output or quick replies whose texts are final: words of a model or of another server, or what is rendered already. They are
 * data, and the step leaves them alone. Whoever adds output that is not the configuration's own text sets it so.
 */
export function setRendered(step: OpenStep, key: string, value: Json): void {
  step.set(key, value, { isPublic: true })
  step.set(`${mark}${key}`, markOf(value))
}

function markOf(value: Json): string {
  return sha256(canonical(value)).slice(0, 16)
}

/**
 * Renders all texts of the output items and quick replies of the current step, once each: a second step of this kind renders
 * only what came since. What `render` throws goes through.
 */
export function templatingStep(memory: Memory, render: (text: string) => string): void {
  const step = memory.current
  for (const kind of ['output', 'quickReplies']) {
    const seen = new Replacements()
    for (const datum of step.all(`${kind}:`)) renderDatum(step, { datum, seen, render })
    const shown = step.output[kind]
    if (shown !== undefined && isList(shown)) {
      step.out(
        kind,
        shown.map((item) => seen.next(item) ?? rendered(item, render)),
      )
    }
  }
}

type Task = { readonly datum: Datum; readonly seen: Replacements; readonly render: (text: string) => string }

function renderDatum(step: OpenStep, { datum, seen, render }: Task): void {
  const isFinal = step.get(`${mark}${datum.key}`) === markOf(datum.value)
  const items = isList(datum.value) ? datum.value : [datum.value]
  const now = isFinal ? items : items.map((item) => rendered(item, render))
  for (const [index, item] of items.entries()) seen.add(item, now[index] ?? null)
  if (isFinal) return
  const value = isList(datum.value) ? now : (now[0] ?? null)
  step.set(datum.key, value, { isPublic: datum.isPublic })
  step.set(`${mark}${datum.key}`, markOf(value))
}

/** A value with all its texts rendered; names and the type of an item stay. */
function rendered(value: Json, render: (text: string) => string): Json {
  if (typeof value === 'string') return render(value)
  if (isList(value)) return value.map((one) => rendered(one, render))
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, name === 'type' ? one : rendered(one, render)]))
}

/** What became of each item, in the order in which equal ones were put out. */
class Replacements {
  private readonly byItem = new Map<string, Json[]>()

  add(before: Json, after: Json): void {
    const key = canonical(before)
    const known = this.byItem.get(key)
    if (known) known.push(after)
    else this.byItem.set(key, [after])
  }

  /** The last one stays, for an item that is shown more often than it is kept. */
  next(item: Json): Json | undefined {
    const known = this.byItem.get(canonical(item))
    return known && known.length > 1 ? known.shift() : known?.[0]
  }
}
