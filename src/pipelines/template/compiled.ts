// A text that was read into a template, once, and can be rendered any number of times.
import type { Json, JsonObject } from '../../base/json.ts'
import { Compiler } from './compile.ts'
import type { TemplateMode } from './escape.ts'
import { evaluator } from './evaluate.ts'
import { faultAt, type Misread, type TemplateFault } from './fault.ts'
import { Names } from './names.ts'
import { nest } from './nest.ts'
import { type Given, Run, type TemplateLimits, templateLimits } from './run.ts'
import { hasTags, scan } from './scan.ts'
import type { Node } from './syntax.ts'

/** What templates see: plain JSON. Members are looked up with Object.hasOwn; a missing one is empty. */
export type TemplateData = JsonObject

/** `uuid` of one rendering, where that of the template will not do. */
export type Rendering = { readonly uuid?: () => string }

/** A template that was read once. Rendering is pure, apart from the ids that `uuid` gives. */
export type Template = {
  /** The text. Throws TemplateFault when a limit is reached, or a function can't be given what it was given. */
  render(data: TemplateData, rendering?: Rendering): string
  /** The value when the whole template is one expression, as in `{properties.list}`; otherwise its text. */
  value(data: TemplateData, rendering?: Rendering): Json
}

/** `lenient`: what can't be read stays words, as stored configurations want it; else it is thrown. `uuid`: 36 characters. */
export type TemplateOptions = {
  readonly mode?: TemplateMode
  readonly limits?: TemplateLimits
  readonly uuid?: () => string
  readonly lenient?: boolean
}

/** How many faults of one text are told. */
const mostFaults = 100

/** Throws TemplateFault for the first part that can't be read, unless it is to be read leniently. */
export function compileTemplate(text: string, options: TemplateOptions = {}): Template {
  if (!hasTags(text)) return { render: () => text, value: () => text }
  const { nodes, faults } = read(text)
  const [first] = faults
  if (first && !options.lenient) throw faultAt(text, first.message, first.at)
  return compiled(text, nodes, options)
}

/** What can't be read in a text, by its place, at most 100; none when it can be compiled. */
export function templateFaults(text: string): readonly TemplateFault[] {
  if (!hasTags(text)) return []
  return read(text)
    .faults.slice(0, mostFaults)
    .map(({ message, at }) => faultAt(text, message, at))
}

function read(text: string): { readonly nodes: readonly Node[]; readonly faults: readonly Misread[] } {
  const scanned = scan(text)
  const nested = nest(scanned.tokens)
  return { nodes: nested.nodes, faults: [...scanned.faults, ...nested.faults].sort((one, other) => one.at - other.at) }
}

function compiled(text: string, nodes: readonly Node[], options: TemplateOptions): Template {
  const { mode = 'TEXT', limits = templateLimits, uuid } = options
  const names = Names.ofData()
  const write = new Compiler(mode).all(nodes, names)
  const given = (rendering?: Rendering): Given => ({ text, limits, uuid: rendering?.uuid ?? uuid })
  const [only, second] = nodes
  const evaluate = only?.kind === 'value' && !second ? evaluator(only.expression, names) : null
  const render: Template['render'] = (data, rendering) => {
    const run = new Run(data, given(rendering))
    return guarded(text, () => {
      write(run)
      return run.written
    })
  }
  const value: Template['value'] = (data, rendering) => guarded(text, () => evaluate?.(new Run(data, given(rendering))) ?? null)
  return { render, value: evaluate ? value : render }
}

/** Data that is nested too deeply to be written as JSON ends a rendering like a limit does. */
function guarded<T>(text: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError) throw faultAt(text, 'a value is nested too deeply to be rendered', 0)
    throw error
  }
}
