// What can be asked of a value, as in `{name.toLowerCase()}`. A method is a function of this folder; nothing else is ever called.
import type { Json } from '../../base/json.ts'
import type { Run } from './run.ts'
import { areEqual, isTruthy, type KindOfValue, type Measure, numberOf, textOf } from './values.ts'

/** One call: the value that is asked, and what it is asked with. */
export class Call {
  readonly self: Json
  private readonly args: readonly Json[]
  private readonly run: Run
  private readonly at: number

  constructor(run: Run, at: number, [self, ...args]: readonly [Json, ...Json[]]) {
    this.run = run
    this.at = at
    this.self = self
    this.args = args
  }

  readonly measure: Measure = (characters) => this.run.work(characters, this.at)

  /** An argument; null where it is missing. */
  arg(index: number): Json {
    return this.args[index] ?? null
  }

  /** The value as text, counted; null for nothing. */
  text(): string | null {
    return this.self === null ? null : this.counted(this.self)
  }

  /** An argument as text, counted; null for nothing. */
  textArg(index: number): string | null {
    const value = this.arg(index)
    return value === null ? null : this.counted(value)
  }

  /** An argument as a whole number; null where it is none. */
  numberArg(index: number): number | null {
    const value = numberOf(this.arg(index))
    return value === null ? null : Math.trunc(value)
  }

  /** Says how long a text that is about to be made will be. */
  make(characters: number): void {
    this.run.make(characters, this.at)
  }

  /** Counts looking for `part` in `text`: the search of the machine may compare each of the one with each of the other. */
  search(text: string, part: string): void {
    this.measure(text.length + (text.length * part.length) / 64)
  }

  newId(): string {
    return this.run.uuid(this.at)
  }

  fault(message: string): Error {
    return this.run.fault(message, this.at)
  }

  private counted(value: Json): string {
    const text = textOf(value)
    this.measure(text.length)
    return text
  }
}

/** `args`: at least and at most. `bare`: kinds of values that it can be asked of without parentheses, as in `{list.size}`. */
export type Method = {
  readonly args: readonly [number, number]
  readonly bare: readonly KindOfValue[]
  readonly apply: (call: Call) => Json
}

const everything: readonly KindOfValue[] = ['nothing', 'flag', 'number', 'text', 'list', 'object']

/** Methods of any value. `raw` and `safe` are also known to what writes values: they are not escaped. */
export const anyMethods: readonly (readonly [name: string, method: Method])[] = [
  ['or', { args: [1, 1], bare: [], apply: (call) => call.self ?? call.arg(0) }],
  ['ifTruthy', { args: [1, 1], bare: [], apply: (call) => (isTruthy(call.self, call.measure) ? call.arg(0) : null) }],
  ['orEmpty', { args: [0, 0], bare: everything, apply: (call) => call.self ?? [] }],
  ['raw', { args: [0, 0], bare: everything, apply: (call) => call.self }],
  ['safe', { args: [0, 0], bare: everything, apply: (call) => call.self }],
  ['toString', { args: [0, 0], bare: everything, apply: (call) => call.text() }],
  ['equals', { args: [1, 1], bare: [], apply: (call) => areEqual(call.self, call.arg(0), call.measure) }],
]
