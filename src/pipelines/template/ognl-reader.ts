// Reads the expressions of the older templates (Thymeleaf's, with OGNL inside) with the places of their parts.
import { Misread, quoted } from './fault.ts'
import { isDigit, isLetter, isNameSign, isSpace } from './signs.ts'

/** Offsets into the text of the expression; `end` is behind the last sign. */
type Span = { readonly start: number; readonly end: number }
export type OldOperator = '&&' | '||' | '==' | '!=' | '>' | '>=' | '<' | '<=' | '+' | '-' | '?:'
export type Old = Span &
  (
    | { readonly kind: 'words'; readonly value: string }
    /** A number, true, false or null, written alike in both languages. */
    | { readonly kind: 'plain' }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'member'; readonly of: Old; readonly name: string }
    | { readonly kind: 'index'; readonly of: Old; readonly key: Old }
    | { readonly kind: 'call'; readonly of: Old; readonly name: string; readonly args: readonly Old[] }
    /** A function of a utility object, as in `#strings.trim(x)`. */
    | { readonly kind: 'utility'; readonly object: string; readonly name: string; readonly args: readonly Old[] }
    | { readonly kind: 'group'; readonly of: Old }
    | { readonly kind: 'not'; readonly of: Old }
    | { readonly kind: 'binary'; readonly operator: OldOperator; readonly left: Old; readonly right: Old }
    | { readonly kind: 'choice'; readonly test: Old; readonly yes: Old; readonly no: Old | null }
    /** Words with expressions in them, between bars: `|Hello ${name}|`. */
    | { readonly kind: 'parts'; readonly of: readonly Old[] }
  )

const deepest = 50
/** How many parts one expression may have. */
const mostParts = 500

const levels: readonly (readonly (readonly [spelling: string, operator: OldOperator])[])[] = [
  [['?:', '?:']],
  [
    ['||', '||'],
    ['or', '||'],
  ],
  [
    ['&&', '&&'],
    ['and', '&&'],
  ],
  [
    ['==', '=='],
    ['!=', '!='],
    ['eq', '=='],
    ['neq', '!='],
    ['ne', '!='],
  ],
  [
    ['>=', '>='],
    ['<=', '<='],
    ['>', '>'],
    ['<', '<'],
    ['gte', '>='],
    ['lte', '<='],
    ['ge', '>='],
    ['le', '<='],
    ['gt', '>'],
    ['lt', '<'],
  ],
  [
    ['+', '+'],
    ['-', '-'],
  ],
]

/** Utility objects that may be written without their sign, when a function of them is called. */
const bareUtilities = ['uuidUtils', 'json', 'encoder']

/** The expression of the whole text. Throws Misread, its place an offset into the text. */
export function readOld(text: string): Old {
  const reader = new OldReader(text)
  const found = reader.expression()
  if (!reader.isDone()) throw reader.unexpected()
  return found
}

class OldReader {
  private at = 0
  private depth = 0
  private parts = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  isDone(): boolean {
    this.skip()
    return this.at >= this.text.length
  }

  expression(): Old {
    if (++this.depth > deepest) throw new Misread('it is nested too deeply', this.at)
    const test = this.level(0)
    const found = this.take('?') ? this.choice(test) : test
    this.depth--
    return found
  }

  unexpected(): Misread {
    const rest = this.text.slice(this.at).trim()
    return new Misread(rest === '' ? 'it ends too early' : `"${quoted(rest)}" has no counterpart`, this.at)
  }

  private choice(test: Old): Old {
    const yes = this.expression()
    const no = this.take(':') ? this.expression() : null
    return this.part({ kind: 'choice', test, yes, no, start: test.start, end: (no ?? yes).end })
  }

  private level(index: number): Old {
    const operators = levels[index]
    if (!operators) return this.unary()
    let left = this.level(index + 1)
    for (let operator = this.operator(operators); operator; operator = this.operator(operators)) {
      const right = this.level(index + 1)
      left = this.part({ kind: 'binary', operator, left, right, start: left.start, end: right.end })
    }
    return left
  }

  private operator(operators: readonly (readonly [string, OldOperator])[]): OldOperator | null {
    return operators.find(([spelling]) => this.take(spelling))?.[1] ?? null
  }

  private unary(): Old {
    this.skip()
    const start = this.at
    if ((!this.text.startsWith('!=', start) && this.take('!')) || this.take('not')) {
      if (++this.depth > deepest) throw new Misread('it is nested too deeply', this.at)
      const of = this.unary()
      this.depth--
      return this.part({ kind: 'not', of, start, end: of.end })
    }
    return this.path(this.first())
  }

  private path(first: Old): Old {
    let found = first
    for (;;) {
      if (this.text.startsWith('?.', this.at)) this.at++
      if (this.text[this.at] === '.') found = this.member(found)
      else if (this.text[this.at] === '[') found = this.index(found)
      else return found
    }
  }

  private member(of: Old): Old {
    this.at++
    const { start } = of
    const name = this.name()
    if (this.text[this.at] !== '(') return this.part({ kind: 'member', of, name, start, end: this.at })
    const args = this.args()
    const object = of.kind === 'name' && bareUtilities.includes(of.name) ? of.name : null
    if (object !== null) return this.part({ kind: 'utility', object, name, args, start, end: this.at })
    return this.part({ kind: 'call', of, name, args, start, end: this.at })
  }

  private index(of: Old): Old {
    this.at++
    const key = this.expression()
    if (!this.take(']')) throw this.unexpected()
    return this.part({ kind: 'index', of, key, start: of.start, end: this.at })
  }

  private args(): readonly Old[] {
    this.at++
    const args: Old[] = []
    if (this.take(')')) return args
    do args.push(this.expression())
    while (this.take(','))
    if (!this.take(')')) throw this.unexpected()
    return args
  }

  private first(): Old {
    this.skip()
    const start = this.at
    const sign = this.text[start] ?? ''
    if (sign === "'" || sign === '"') return this.words(sign)
    if (sign === '|') return this.bars()
    if (sign === '(') return this.group(1, ')')
    if (this.text.startsWith('${', start) || this.text.startsWith('*{', start)) return this.group(2, '}')
    if (sign === '#') return this.utility()
    if (isDigit(this.text.charCodeAt(sign === '-' ? start + 1 : start))) return this.number()
    const name = this.name()
    const kind = name === 'true' || name === 'false' || name === 'null' ? 'plain' : 'name'
    return this.part(kind === 'plain' ? { kind, start, end: this.at } : { kind, name, start, end: this.at })
  }

  private group(length: number, close: string): Old {
    const start = this.at
    this.at += length
    const of = this.expression()
    if (!this.take(close)) throw this.unexpected()
    return this.part({ kind: 'group', of, start, end: this.at })
  }

  /** Of the signs behind a backslash only quotes and backslashes lose it: any other may be part of a path. */
  private words(quote: string): Old {
    const start = this.at
    let value = ''
    for (this.at++; this.text[this.at] !== quote; this.at++) {
      if (this.at >= this.text.length) throw new Misread('a text in quotes is not closed', start)
      const next = this.text[this.at + 1] ?? ''
      if (this.text[this.at] === '\\' && next !== '' && '\'"\\'.includes(next)) this.at++
      value += this.text[this.at]
    }
    this.at++
    return this.part({ kind: 'words', value, start, end: this.at })
  }

  private bars(): Old {
    const start = this.at++
    const of: Old[] = []
    while (this.text[this.at] !== '|') {
      if (this.at >= this.text.length) throw new Misread('words between bars are not closed', start)
      of.push(this.text.startsWith('${', this.at) ? this.group(2, '}') : this.wordsBetweenBars())
    }
    this.at++
    return this.part({ kind: 'parts', of, start, end: this.at })
  }

  private wordsBetweenBars(): Old {
    const start = this.at
    while (this.at < this.text.length && this.text[this.at] !== '|' && !this.text.startsWith('${', this.at)) this.at++
    return this.part({ kind: 'words', value: this.text.slice(start, this.at), start, end: this.at })
  }

  private utility(): Old {
    const start = this.at++
    const object = this.name()
    if (this.text[this.at] !== '.') throw new Misread(`#${object} has no counterpart`, start)
    this.at++
    const name = this.name()
    if (object === 'vars' || object === 'ctx' || object === 'root') return this.part({ kind: 'name', name, start, end: this.at })
    if (this.text[this.at] !== '(') throw new Misread(`#${object}.${name} has no counterpart`, start)
    const args = this.args()
    return this.part({ kind: 'utility', object, name, args, start, end: this.at })
  }

  private number(): Old {
    const start = this.at++
    while (isDigit(this.text.charCodeAt(this.at)) || this.text[this.at] === '.') this.at++
    return this.part({ kind: 'plain', start, end: this.at })
  }

  /** Names of this language have no hyphens. */
  private name(): string {
    const start = this.at
    while (this.at < this.text.length && isNameSign(this.text.charCodeAt(this.at)) && !this.text.startsWith('${', this.at)) this.at++
    if (this.at === start || isDigit(this.text.charCodeAt(start))) throw this.unexpected()
    return this.text.slice(start, this.at)
  }

  private take(spelling: string): boolean {
    this.skip()
    const end = this.at + spelling.length
    if (!this.text.startsWith(spelling, this.at)) return false
    if (spelling === '?' && this.text[end] === '.') return false
    if (isLetter(spelling.charCodeAt(0)) && isNameSign(this.text.charCodeAt(end))) return false
    this.at = end
    return true
  }

  private skip(): void {
    while (isSpace(this.text.charCodeAt(this.at))) this.at++
  }

  private part(found: Old): Old {
    if (++this.parts > mostParts) throw new Misread(`it has more than ${mostParts} parts`, found.start)
    return found
  }
}
