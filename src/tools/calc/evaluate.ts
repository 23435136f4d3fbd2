// An expression to its value, by recursive descent. It knows numbers, operators, and the functions and constants listed here, and
// nothing else: no names of the machine are within reach, whatever stands in the text (T45). Pure.
import { messageOf } from '../../base/errors.ts'
import { apply, negative, type Operator, parseNumber, show, type Value } from './exact.ts'
import { callFunction, constants, functionNames } from './functions.ts'

export type Answer = { readonly ok: boolean; readonly text: string }

const longest = 1_000
const deepest = 500

/** `text` is the number, or `Error: ...` with what was wrong and where. Never throws; ends in time whatever is given. */
export function evaluate(expression: string): Answer {
  if (expression.trim() === '') return failed('there is no expression; write for example (2 + 3) * 4')
  if (expression.length > longest) return failed(`Expression too long: ${expression.length} characters; at most ${longest} are allowed`)
  try {
    const reader = new Reader(expression)
    const value = reader.sum(0)
    reader.finish()
    return { ok: true, text: show(value) }
  } catch (thrown) {
    return failed(messageOf(thrown))
  }
}

function failed(why: string): Answer {
  return { ok: false, text: `Error: ${why}.` }
}

/** sum: product {+|- product}; product: sign {*|/|% sign}; sign: {+|-} power; power: atom [^ sign]. So -2^2 is -4 and 2^3^2 is 512. */
class Reader {
  private at = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  sum(depth: number): Value {
    this.checkDepth(depth)
    let value = this.product(depth)
    for (let operator = this.take('+', '-'); operator; operator = this.take('+', '-')) {
      value = apply(operator, value, this.product(depth))
    }
    return value
  }

  finish(): void {
    this.skip()
    if (this.at < this.text.length) throw this.fault()
  }

  private product(depth: number): Value {
    let value = this.sign(depth)
    for (let operator = this.takeTimes(); operator; operator = this.takeTimes()) value = apply(operator, value, this.sign(depth))
    return value
  }

  private sign(depth: number): Value {
    let isNegative = false
    for (let sign = this.take('+', '-'); sign; sign = this.take('+', '-')) if (sign === '-') isNegative = !isNegative
    const value = this.power(depth)
    return isNegative ? negative(value) : value
  }

  private power(depth: number): Value {
    this.checkDepth(depth)
    const base = this.atom(depth)
    const isPower = this.takeWord('**') || this.takeWord('^')
    return isPower ? apply('^', base, this.sign(depth + 1)) : base
  }

  private atom(depth: number): Value {
    this.skip()
    if (this.takeWord('(')) {
      const value = this.sum(depth + 1)
      this.expect(')')
      return value
    }
    const number = this.match(/(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y)
    if (number === null) return this.named(depth)
    const value = parseNumber(number)
    if (value === null) throw new Error(`the number ${number.slice(0, 40)} is too large or too small to be written like this`)
    return value
  }

  private named(depth: number): Value {
    const start = this.at
    const name = this.match(/(?:math\.)?[a-z_]\w*/iy)
    if (name === null) throw this.fault()
    const bare = name.replace(/^math\./i, '')
    if (!this.takeWord('(')) {
      const constant = constants[bare.toLowerCase()]
      if (constant !== undefined && /^(pi|e)$/i.test(bare)) return constant
      this.at = start
      throw new Error(
        `"${name.slice(0, 40)}" at character ${start + 1} is not known; allowed are numbers, PI, E and ${functionNames.join(', ')}`,
      )
    }
    const given: Value[] = []
    if (!this.takeWord(')')) {
      do given.push(this.sum(depth + 1))
      while (this.takeWord(','))
      this.expect(')')
    }
    return callFunction(bare, given)
  }

  private take<const O extends Operator>(...operators: readonly O[]): O | null {
    this.skip()
    const found = operators.find((one) => one === this.text[this.at])
    if (found === undefined) return null
    this.at++
    return found
  }

  /** A product's operator; `**` is a power. */
  private takeTimes(): '*' | '/' | '%' | null {
    this.skip()
    return this.text.startsWith('**', this.at) ? null : this.take('*', '/', '%')
  }

  private takeWord(word: string): boolean {
    this.skip()
    if (!this.text.startsWith(word, this.at)) return false
    this.at += word.length
    return true
  }

  private match(form: RegExp): string | null {
    form.lastIndex = this.at
    const found = form.exec(this.text)?.[0] ?? null
    this.at += found?.length ?? 0
    return found
  }

  private expect(word: string): void {
    if (!this.takeWord(word)) throw this.at < this.text.length ? this.fault() : new Error(`a "${word}" is missing at the end`)
  }

  private checkDepth(depth: number): void {
    if (depth > deepest) throw new Error(`it is nested deeper than ${deepest}`)
  }

  private skip(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++
  }

  private fault(): Error {
    if (this.at >= this.text.length) return new Error('it ends where a number is expected')
    return new Error(`${JSON.stringify(this.text[this.at])} at character ${this.at + 1} is not expected there`)
  }
}
