// Writes what ognl-reader.ts read in the syntax of today. What needs no change stays as it was written, spaces included.
import { templateFaults } from './compiled.ts'
import { Misread, quoted } from './fault.ts'
import { functions, methods } from './functions.ts'
import type { Old } from './ognl-reader.ts'
import { startsTag } from './signs.ts'

/** A loop by the name that the older template calls its state. */
export type LoopState = { readonly alias: string; readonly list: string }

/** Words, and what is written as it is. */
export type Piece = { readonly words: string } | { readonly code: string }

const states: ReadonlyMap<string, string> = new Map([
  ['index', 'index'],
  ['count', 'count'],
  ['first', 'isFirst'],
  ['last', 'isLast'],
  ['even', 'even'],
  ['odd', 'odd'],
])

/** Functions of utility objects that are methods of another name today. */
const renamed: ReadonlyMap<string, string> = new Map([
  ['strings.listJoin', 'join'],
  ['strings.arrayJoin', 'join'],
  ['strings.setJoin', 'join'],
  ['arrays.length', 'size'],
])
/** Functions that give the second argument when the first is missing. */
const defaults: readonly string[] = ['strings.defaultString', 'objects.nullSafe']
/** Utility objects whose functions are methods of their first argument. */
const asMethods: readonly string[] = ['strings', 'lists', 'sets', 'maps', 'arrays', 'numbers', 'bools', 'objects']

export class OldWriter {
  private readonly text: string
  private readonly loops: ReadonlyMap<string, LoopState>

  /** `text` is what was read. */
  constructor(text: string, loops: ReadonlyMap<string, LoopState>) {
    this.text = text
    this.loops = loops
  }

  /** An expression for a place where one stands. Throws Misread for what has no counterpart. */
  expression(old: Old): string {
    switch (old.kind) {
      case 'words':
        return inQuotes(old.value, old.start)
      case 'plain':
        return this.slice(old.start, old.end)
      case 'name':
        return old.name
      case 'member':
        return this.member(old)
      case 'index':
        return `${this.receiver(old.of)}[${this.expression(old.key)}]`
      case 'call':
        return isLogAlready(old) ? this.expression(old.of) : `${this.receiver(old.of)}.${old.name}(${this.list(old.args)})`
      case 'utility':
        return this.utility(old)
      case 'group':
        return this.isSimple(old.of) ? this.expression(old.of) : `(${this.expression(old.of)})`
      case 'not':
        return `!${this.isSimple(old.of) ? this.expression(old.of) : `(${this.expression(bare(old.of))})`}`
      case 'binary':
        return this.binary(old)
      case 'choice':
        return `${this.expression(old.test)} ? ${this.expression(old.yes)} : ${old.no ? this.expression(old.no) : 'null'}`
      case 'parts':
        return old.of.map((one) => this.expression(one)).join(' + ')
    }
  }

  /** A condition, without the braces or brackets around all of it. */
  condition(old: Old): string {
    return this.expression(bare(old))
  }

  /** What an expression puts out, as parts of a template: words that are put together become words. */
  pieces(old: Old): readonly Piece[] {
    const of = bare(old)
    if (of.kind === 'words') return [{ words: of.value }]
    if (of.kind === 'parts') return of.of.flatMap((one) => this.pieces(one))
    if (of.kind === 'plain') return this.slice(of.start, of.end) === 'null' ? [] : [{ words: this.slice(of.start, of.end) }]
    if (of.kind === 'choice') return this.choice(of)
    if (of.kind === 'not') return [{ code: `{#if ${this.condition(of.of)}}false{#else}true{/if}` }]
    if (of.kind === 'binary' && of.operator === '+') return this.sum(of)
    return [{ code: this.value(this.expression(of)) }]
  }

  private choice({ test, yes, no }: Extract<Old, { kind: 'choice' }>): readonly Piece[] {
    const otherwise = no ? this.pieces(no) : []
    return [
      { code: `{#if ${this.condition(test)}}` },
      ...this.pieces(yes),
      ...(otherwise.length > 0 ? [{ code: '{#else}' }, ...otherwise] : []),
      { code: '{/if}' },
    ]
  }

  /** What stands before the first words may be numbers, and is added; what comes after is put behind each other. */
  private sum(old: Old): readonly Piece[] {
    const operands: Old[] = []
    let left = old
    for (; left.kind === 'binary' && left.operator === '+'; left = left.left) operands.unshift(left.right)
    operands.unshift(left)
    const first = operands.findIndex(isOfWords)
    if (first < 0) return [{ code: this.value(this.expression(old)) }]
    const before = operands.slice(0, first)
    const [only, second] = before
    const sum = before.map((one) => this.expression(one)).join(' + ')
    const start = second ? [{ code: this.value(sum) }] : only ? this.pieces(only) : []
    return [...start, ...operands.slice(first).flatMap((one) => this.pieces(one))]
  }

  /** A tag starts with a letter; an expression that does not is given a name. */
  private value(expression: string): string {
    return startsTag(expression, 0) ? `{${expression}}` : `{#let rendered=(${expression})}{rendered}{/let}`
  }

  private member(old: Extract<Old, { kind: 'member' }>): string {
    const state = old.of.kind === 'name' ? this.loops.get(old.of.name) : undefined
    if (!state) return `${this.receiver(old.of)}.${old.name}`
    if (old.name === 'size') return `${state.list}.size`
    if (old.name === 'current') return state.alias
    const name = states.get(old.name)
    if (name === undefined) throw new Misread(`"${quoted(this.slice(old.start, old.end))}" has no counterpart`, old.start)
    return `${state.alias}_${name}`
  }

  private utility(old: Extract<Old, { kind: 'utility' }>): string {
    const function_ = `${old.object}.${old.name}`
    if (functions.has(`${old.object}:${old.name}`)) return `${old.object}:${old.name}(${this.list(old.args)})`
    const [first, ...rest] = old.args
    const name = renamed.get(function_) ?? old.name
    if (first && rest[0] && defaults.includes(function_)) return `(${this.expression(first)} ?: ${this.expression(rest[0])})`
    if (!first || !asMethods.includes(old.object) || !methods.has(name)) {
      throw new Misread(`the function #${quoted(function_)}() has no counterpart`, old.start)
    }
    return `${this.receiver(first)}.${name}(${this.list(rest)})`
  }

  private binary(old: Extract<Old, { kind: 'binary' }>): string {
    const { operator, left, right } = old
    const written = this.slice(left.end, right.start)
    const between = operator === '-' || /[a-zA-Z]/.test(written) ? ` ${operator} ` : written
    return `${this.expression(left)}${between}${isLogical(right) ? `(${this.expression(right)})` : this.expression(right)}`
  }

  /** A list of arguments, each with the white space that stood before it. */
  private list(args: readonly Old[]): string {
    let list = ''
    for (const [index, arg] of args.entries()) {
      const before = args[index - 1]
      list += before ? `,${/\s/.test(this.slice(before.end, arg.start)) ? ' ' : ''}` : ''
      list += this.expression(arg)
    }
    return list
  }

  private receiver(old: Old): string {
    const of = bare(old)
    return this.isSimple(of) ? this.expression(of) : `(${this.expression(of)})`
  }

  private isSimple(old: Old): boolean {
    if (old.kind === 'group') return this.isSimple(old.of)
    return old.kind !== 'binary' && old.kind !== 'choice' && old.kind !== 'not' && old.kind !== 'parts'
  }

  private slice(start: number, end: number): string {
    return this.text.slice(start, end)
  }
}

/** Throws Misread when what was written is no template of today. */
export function checkedTemplate(text: string): string {
  const [fault] = templateFaults(text)
  if (fault) throw new Misread(fault.message, 0)
  return text
}

function bare(old: Old): Old {
  let found = old
  while (found.kind === 'group') found = found.of
  return found
}

function isLogical(old: Old): boolean {
  return old.kind === 'binary' && (old.operator === '&&' || old.operator === '||')
}

/** The log of a conversation was an object that made its list when asked; today it is the list. */
function isLogAlready({ of, name, args }: Extract<Old, { kind: 'call' }>): boolean {
  if (args.length > 0 || (name !== 'generate' && name !== 'toObject')) return false
  return of.kind === 'call' ? isLogAlready(of) : of.kind === 'name' && of.name === 'conversationLog'
}

/** Whether adding it makes a text. */
function isOfWords(old: Old): boolean {
  const of = bare(old)
  if (of.kind === 'choice') return isOfWords(of.yes) || (of.no !== null && isOfWords(of.no))
  if (of.kind === 'binary') return of.operator === '+' && (isOfWords(of.left) || isOfWords(of.right))
  return of.kind === 'words' || of.kind === 'parts'
}

/** Texts have no escapes today, so one with both kinds of quotes can't be written. */
function inQuotes(value: string, at: number): string {
  if (!value.includes("'")) return `'${value}'`
  if (!value.includes('"')) return `"${value}"`
  throw new Misread(`the text "${quoted(value)}" holds both kinds of quotes, which has no counterpart inside an expression`, at)
}
