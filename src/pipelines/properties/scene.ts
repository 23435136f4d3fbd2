// What property instructions work with.
import { InvalidInput } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'
import type { Memory } from '../conversation.ts'
import type { TemplateData } from '../template/template.ts'

/** An instruction can't do what it says; the message names its property. */
export class PropertyFault extends InvalidInput {}

/** `data`, `render` and `value` see what was set just before. */
export type PropertyScene = {
  readonly memory: Memory
  data(): TemplateData
  /** The text of a template. */
  render(text: string): string
  /** The value of a template that is one expression; else its text. */
  value(text: string): Json
  /** Where `toObjectPath` leads to in what templates see. */
  write(path: string, value: Json): void
  /** Of the response that the instructions follow; absent where there was none. */
  readonly httpCode?: number
  /** The response was not what it should be. */
  readonly isValidationError?: boolean
  /** Keeps a value in the secret store; the reference to it. Throws where there is no store. */
  secret(name: string, value: string): string
}
