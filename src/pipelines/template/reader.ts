// Reads an expression by recursive descent, from the weakest operator to the strongest. Linear; how deep and how large one may be
// is bounded, so that neither reading nor rendering it can run out of stack.
import { Misread, quoted } from './fault.ts'
import { functions, isInfix, methods, wrongCount } from './functions.ts'
import { endOfName, isDigit, isNameSign, isSpace } from './signs.ts'
import { passedThrough, spaces } from './spaces.ts'
import type { BinaryOperator, Expression } from './syntax.ts'

/** `depth`: brackets and the like within each other. `parts`: names, values and operators of one expression. */
export const expressionLimits = { depth: 50, parts: 500 } as const

/** In a test, the word `or` joins two conditions; elsewhere it stands before what replaces a missing value. */
export type Purpose = 'test' | 'value'

type Operator = { readonly operator: BinaryOperator; readonly strength: number; readonly isWord: boolean }

/** Weakest first. `&&` and `||` are of one strength and read from the left, as they are where these templates come from. */
const levels: readonly (readonly (readonly [operator: BinaryOperator, ...words: string[]])[])[] = [
  [['?:']],
  [['&&', 'and'], ['||']],
  [
    ['==', 'eq', 'is'],
    ['!=', 'ne'],
  ],
  [
    ['>=', 'ge'],
    ['<=', 'le'],
    ['>', 'gt'],
    ['<', 'lt'],
  ],
  [['+'], ['-']],
]
const operators: readonly (readonly [string, Operator])[] = levels.flatMap((level, strength) =>
  level.flatMap(([operator, ...words]) =>
    [operator, ...words].map((spelling) => [spelling, { operator, strength, isWord: spelling !== operator }] as const),
  ),
)
const operatorsFor: { readonly [purpose in Purpose]: ReadonlyMap<string, Operator> } = {
  test: new Map([...operators, ['or', { operator: '||', strength: 1, isWord: true }]]),
  value: new Map([...operators, ['or', { operator: '?:', strength: 0, isWord: true }]]),
}

export class ExpressionReader {
  at: number
  private readonly text: string
  private readonly to: number
  private depth = 0
  private parts = 0
  private choices = 0

  /** Reads `text` from `from` up to `to`. Everything here throws Misread. */
  constructor(text: string, from: number, to: number) {
    this.text = text
    this.at = from
    this.to = to
  }

  /** One expression and nothing behind it. */
  whole(purpose: Purpose): Expression {
    const found = this.expression(purpose)
    if (!this.isDone()) throw this.unexpected()
    return found
  }

  isDone(): boolean {
    this.skip()
    return this.at >= this.to
  }

  expression(purpose: Purpose): Expression {
    this.enter()
    let found = this.operations(purpose, 0)
    if (this.take('?')) {
      this.choices++
      const yes = this.expression('value')
      this.choices--
      const no: Expression = this.take(':') ? this.expression('value') : { kind: 'literal', value: null }
      found = this.part({ kind: 'choice', test: found, yes, no })
    }
    this.depth--
    return found
  }

  /** A value without operators, as the parameters of sections are that stand beside each other. */
  operand(): Expression {
    this.enter()
    const found = this.unary('value')
    this.depth--
    return found
  }

  /** The name that stands here; null when there is none. */
  name(): string | null {
    this.skip()
    const end = endOfName(this.text, this.at, this.to)
    if (end === this.at || isDigit(this.text.charCodeAt(this.at))) return null
    const name = this.text.slice(this.at, end)
    this.at = end
    return name
  }

  /** Takes a sign or a word when it stands here. */
  take(spelling: string): boolean {
    this.skip()
    const end = this.at + spelling.length
    if (end > this.to || !this.text.startsWith(spelling, this.at)) return false
    if (isNameSign(spelling.charCodeAt(0)) && endOfName(this.text, this.at, this.to) !== end) return false
    this.at = end
    return true
  }

  unexpected(): Misread {
    const rest = this.text.slice(this.at, this.to).trim()
    return new Misread(
      rest === '' ? 'the expression ends too early' : `the expression is not understood from "${quoted(rest)}" on`,
      this.at,
    )
  }

  /** Operators of at least a strength, those of equal strength from the left. */
  private operations(purpose: Purpose, least: number): Expression {
    let left = this.infix(purpose)
    for (let found = this.operator(purpose, least); found; found = this.operator(purpose, least)) {
      const at = this.at
      left = this.part({ kind: 'binary', operator: found.operator, left, right: this.operations(purpose, found.strength + 1), at })
    }
    return left
  }

  /** Takes the operator that stands here. Words that a setting follows are names of settings: `{#let a=1 is=2}`. */
  private operator(purpose: Purpose, least: number): Operator | null {
    if (this.isDone()) return null
    const start = this.at
    const end = endOfName(this.text, start, this.to)
    const known = operatorsFor[purpose]
    const length = end > start ? end - start : known.has(this.text.slice(start, Math.min(start + 2, this.to))) ? 2 : 1
    const found = known.get(this.text.slice(start, start + length))
    if (!found || found.strength < least) return null
    this.at = start + length
    if (!found.isWord || !this.isBeforeSetting()) return found
    this.at = start
    return null
  }

  private isBeforeSetting(): boolean {
    this.skip()
    const sign = this.text[this.at]
    return (sign === '=' && this.text[this.at + 1] !== '=') || (sign === '?' && this.text[this.at + 1] === '=')
  }

  private infix(purpose: Purpose): Expression {
    let left = this.unary(purpose)
    for (;;) {
      if (this.isDone()) return left
      const start = this.at
      const name = this.name()
      if (name === null || !isInfix(name) || this.isBeforeSetting() || this.isDone()) {
        this.at = start
        return left
      }
      left = this.part({ kind: 'call', of: left, name, args: [this.unary(purpose)], at: start })
    }
  }

  private unary(purpose: Purpose): Expression {
    if (!this.isAt('!=') && this.take('!')) {
      this.enter()
      const of = this.unary(purpose)
      this.depth--
      return this.part({ kind: 'not', of })
    }
    return this.path(this.first(purpose))
  }

  /** What follows a value without a space: members, indexes, calls. */
  private path(start: Expression): Expression {
    let found = start
    for (;;) {
      const at = this.at
      if (this.text.startsWith('?.', at) && !isDigit(this.text.charCodeAt(at + 2))) this.at++
      const sign = this.at < this.to ? this.text[this.at] : undefined
      if (sign === '.') found = this.member(found, at)
      else if (sign === '[') found = this.index(found, at)
      else return found
    }
  }

  private member(of: Expression, at: number): Expression {
    this.at++
    const end = endOfName(this.text, this.at, this.to)
    if (end === this.at) throw this.unexpected()
    const name = this.text.slice(this.at, end)
    this.at = end
    if (this.text[end] !== '(' || end >= this.to) return this.part({ kind: 'member', of, name, at })
    const args = this.args()
    const method = methods.get(name)
    if (!method) throw new Misread(`there is no method ${name}(); known are ${[...methods.keys()].join(', ')}`, at)
    const wrong = wrongCount(name, method, args.length)
    if (wrong !== null) throw new Misread(wrong, at)
    return this.part({ kind: 'call', of, name, args, at })
  }

  private index(of: Expression, at: number): Expression {
    this.at++
    const key = this.expression('value')
    if (!this.take(']')) throw this.unexpected()
    return this.part({ kind: 'index', of, key, at })
  }

  private args(): Expression[] {
    this.at++
    const args: Expression[] = []
    if (this.take(')')) return args
    do args.push(this.expression('value'))
    while (this.take(','))
    if (!this.take(')')) throw this.unexpected()
    return args
  }

  private first(purpose: Purpose): Expression {
    this.skip()
    const sign = this.at < this.to ? (this.text[this.at] ?? '') : ''
    if (sign === "'" || sign === '"') return this.string(sign)
    if (sign === '(') return this.bracket(purpose)
    if (isDigit(this.text.charCodeAt(sign === '-' ? this.at + 1 : this.at))) return this.number()
    return this.named()
  }

  /** Between two of the same quotes; nothing escapes one. */
  private string(quote: string): Expression {
    const end = this.text.indexOf(quote, this.at + 1)
    if (end < 0 || end >= this.to) throw new Misread('a text in quotes is not closed', this.at)
    const value = this.text.slice(this.at + 1, end)
    this.at = end + 1
    return this.part({ kind: 'literal', value })
  }

  private bracket(purpose: Purpose): Expression {
    this.at++
    const found = this.expression(purpose)
    if (!this.take(')')) throw this.unexpected()
    return found
  }

  /** A whole number or a decimal fraction, with the letter of a kind of number behind it or without. */
  private number(): Expression {
    const start = this.at
    if (this.text[this.at] === '-') this.at++
    this.digits()
    if (this.text[this.at] === '.' && isDigit(this.text.charCodeAt(this.at + 1))) {
      this.at++
      this.digits()
    }
    const value = Number(this.text.slice(start, this.at))
    if (this.at < this.to && 'lLdDfF'.includes(this.text[this.at] ?? ' ')) this.at++
    if (this.at < this.to && isNameSign(this.text.codePointAt(this.at) ?? 0)) {
      throw new Misread(`"${quoted(this.text.slice(start, this.to))}" is neither a number nor a name`, start)
    }
    return this.part({ kind: 'literal', value })
  }

  private digits(): void {
    while (this.at < this.to && isDigit(this.text.charCodeAt(this.at))) this.at++
  }

  private named(): Expression {
    const at = this.at
    const name = this.name()
    if (name === null) throw this.unexpected()
    if (name === 'true' || name === 'false') return this.part({ kind: 'literal', value: name === 'true' })
    if (name === 'null') return this.part({ kind: 'literal', value: null })
    if (this.isAt(':') && this.at + 1 < this.to && isNameSign(this.text.codePointAt(this.at + 1) ?? 0)) {
      const found = this.inSpace(name, at)
      if (found) return found
    }
    if (this.isAt('(')) throw new Misread(`there is no function ${name}(); what is called stands behind a value, as in name.trim()`, at)
    return this.part({ kind: 'name', name })
  }

  /** `name:function(..)`; null when the colon is that of a choice. */
  private inSpace(space: string, at: number): Expression | null {
    if (space === 'data') return this.member({ kind: 'root' }, at)
    if (!spaces.includes(space)) {
      if (this.choices > 0) return null
      const known = [...functions.keys()].map((one) => `${one}()`).join(', ')
      throw new Misread(`nothing is known by "${space}:"; there are ${known}, and ${passedThrough.join(', ')} as references`, at)
    }
    this.at++
    const name = `${space}:${this.name() ?? ''}`
    const known = functions.get(name)
    if (!known) throw new Misread(`there is no function ${name}(); there are ${[...functions.keys()].join(', ')}`, at)
    const args = this.isAt('(') ? this.args() : []
    const wrong = wrongCount(name, known, args.length)
    if (wrong !== null) throw new Misread(wrong, at)
    return this.part({ kind: 'space', name, args, at })
  }

  private isAt(sign: string): boolean {
    return this.at < this.to && this.text.startsWith(sign, this.at)
  }

  private skip(): void {
    while (this.at < this.to && isSpace(this.text.charCodeAt(this.at))) this.at++
  }

  private enter(): void {
    if (++this.depth > expressionLimits.depth) {
      throw new Misread(`an expression may be nested ${expressionLimits.depth} deep, not deeper`, this.at)
    }
  }

  private part(found: Expression): Expression {
    if (++this.parts > expressionLimits.parts) {
      throw new Misread(`an expression may have ${expressionLimits.parts} parts, not more`, this.at)
    }
    return found
  }
}
