// What renders the templates of a pipeline: a small evaluator of the syntax that its configurations use. Implemented in this folder.
// No code of a template is ever run by the machine: names lead to own members of plain data, and to the functions listed here.
import type { Json, JsonObject } from '../../base/json.ts'

export const templateModes = ['TEXT', 'HTML', 'JAVASCRIPT'] as const
export type TemplateMode = (typeof templateModes)[number]

/** What templates see: plain JSON. Members are looked up with Object.hasOwn; a missing one is empty. */
export type TemplateData = JsonObject

/** A template that was read once. Rendering is pure, apart from the ids that `uuid` gives. */
export type Template = {
  /** The text. Throws TemplateFault when a limit is reached or a function does not exist. */
  render(data: TemplateData): string
  /** The value when the whole template is one expression, as in `{properties.list}`; otherwise its text. */
  value(data: TemplateData): Json
}

/** Steps are nodes visited and characters moved; both bounds hold for one rendering, loops and nested templates included. */
export type TemplateLimits = { readonly steps: number; readonly characters: number }
export const templateLimits: TemplateLimits = { steps: 100_000, characters: 1_000_000 }

export type TemplateOptions = { readonly mode?: TemplateMode; readonly limits?: TemplateLimits; readonly uuid?: () => string }

/** `line`, `column` from 1; `message` is a sentence with the part that is wrong. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault'
  readonly line: number
  readonly column: number
  constructor(message: string, line: number, column: number) {
    super(message)
    this.line = line
    this.column = column
  }
}
