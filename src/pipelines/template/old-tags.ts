// The tags of the older templates: `[# th:if="${x}"]`, `[/]` and the like.
import { Misread, quoted } from './fault.ts'
import { readOld } from './ognl-reader.ts'
import { checkedTemplate, type LoopState, OldWriter, type Piece } from './ognl-writer.ts'

/** Attributes in the order in which they hold, whatever their order in the tag. */
const known = ['th:each', 'th:if', 'th:unless', 'th:with', 'th:text', 'th:utext'] as const
type Known = (typeof known)[number]
type Write = (pieces: readonly Piece[]) => string
type Part = { readonly start: string; readonly end: string; readonly state?: string }

export class OldTags {
  private readonly loops: Map<string, LoopState>
  /** Ends of what is open; null for a tag that stayed as it was, and whose end does too. */
  private readonly open: ({ readonly end: string; readonly states: readonly string[] } | null)[] = []

  /** `loops` is kept in step with the loops that are open. */
  constructor(loops: Map<string, LoopState>) {
    this.loops = loops
  }

  /** What a start tag is today. Throws Misread, and has changed nothing then. */
  start(tag: string, write: Write): string {
    const isEmpty = tag.endsWith('/]')
    const attributes = readAttributes(tag.slice(2, isEmpty ? -2 : -1))
    const parts: Part[] = []
    const states = () => parts.flatMap(({ state }) => (state === undefined ? [] : [state]))
    try {
      for (const name of known) {
        const value = attributes.get(name)
        if (value !== undefined) parts.push(this.part(name, value, { write, isEmpty }))
      }
      const start = parts.map((part) => part.start).join('')
      const end = parts
        .map((part) => part.end)
        .reverse()
        .join('')
      checkedTemplate(start + end)
      if (!isEmpty) this.open.push({ end, states: states() })
      else for (const state of states()) this.loops.delete(state)
      return isEmpty ? start + end : start
    } catch (error) {
      for (const state of states()) this.loops.delete(state)
      throw error
    }
  }

  startUnknown(): void {
    this.open.push(null)
  }

  /** What an end tag is today; null where it stays. */
  end(): string | null {
    const found = this.open.pop() ?? null
    for (const state of found?.states ?? []) this.loops.delete(state)
    return found?.end ?? null
  }

  private part(name: Known, value: string, { write, isEmpty }: { readonly write: Write; readonly isEmpty: boolean }): Part {
    if (name === 'th:each') return this.loop(value)
    if (name === 'th:with') return { start: `{#let ${this.settings(value)}}`, end: '{/let}' }
    const [old, writer] = [readOld(value), new OldWriter(value, this.loops)]
    if (name === 'th:if') return { start: `{#if ${writer.condition(old)}}`, end: '{/if}' }
    if (name === 'th:unless') return { start: `{#if !(${writer.condition(old)})}`, end: '{/if}' }
    if (!isEmpty) throw new Misread(`${name} stands for all that is inside of its tag; only an empty one has a counterpart`, 0)
    return { start: write(writer.pieces(old)), end: '' }
  }

  /** `item : ${list}` or `item, state : ${list}`; the state is called `itemStat` where it has no name. */
  private loop(value: string): Part {
    const head = /^\s*([A-Za-z_]\w{0,99})\s*(?:,\s*([A-Za-z_]\w{0,99})\s*)?:/.exec(value.slice(0, 300))
    if (!head) throw new Misread(`"${quoted(value)}" is no loop such as "item : \${list}"`, 0)
    const [whole, alias = '', state = `${alias}Stat`] = head
    const expression = value.slice(whole.length)
    const list = new OldWriter(expression, this.loops).condition(readOld(expression))
    this.loops.set(state, { alias, list })
    return { start: `{#for ${alias} in ${list}}`, end: '{/for}', state }
  }

  private settings(value: string): string {
    return topLevel(value, ',')
      .map((one) => {
        const [name = '', ...rest] = topLevel(one, '=')
        const expression = rest.join('=')
        const written = new OldWriter(expression, this.loops).condition(readOld(expression))
        return `${name.trim()}=(${written})`
      })
      .join(' ')
  }
}

/** Attributes by name. Throws Misread for one that has no counterpart. */
function readAttributes(inside: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const attribute = /\s*([\w:-]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)')/y
  attribute.lastIndex = /^[\w:]*/.exec(inside)?.[0].length ?? 0
  let end = attribute.lastIndex
  for (let one = attribute.exec(inside); one; one = attribute.exec(inside)) {
    const [, name = '', double, single] = one
    if (!known.some((other) => other === name)) throw new Misread(`${name} has no counterpart`, 0)
    found.set(name, double ?? single ?? '')
    end = attribute.lastIndex
  }
  if (found.size === 0 || inside.slice(end).trim() !== '') throw new Misread('its attributes are not understood', 0)
  return found
}

/** Parts between signs that stand outside of quotes, brackets and braces. */
function topLevel(text: string, sign: string): readonly string[] {
  const parts: string[] = []
  let [depth, start, quote] = [0, 0, '']
  for (let at = 0; at < text.length; at++) {
    const one = text.charAt(at)
    if (quote !== '') quote = one === quote ? '' : quote
    else if (one === "'" || one === '"') quote = one
    else if ('({['.includes(one)) depth++
    else if (')}]'.includes(one)) depth--
    else if (one === sign && depth === 0) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}

/** Where `[[..]]` or `[(..)]` ends that starts at `at`, outside of quotes and braces; minus what was looked at when nowhere. */
export function endOfInline(text: string, at: number, { close, most }: { readonly close: string; readonly most: number }): number {
  let [quote, depth] = ['', 0]
  const to = Math.min(text.length, at + Math.max(0, most))
  for (let next = at + 2; next < to; next++) {
    const sign = text[next]
    if (quote !== '') {
      if (sign === '\\') next++
      else if (sign === quote) quote = ''
    } else if (sign === "'" || sign === '"') quote = sign
    else if (sign === '{') depth++
    else if (sign === '}') depth--
    else if (sign === close && depth === 0 && text[next + 1] === ']') return next + 2
  }
  return -(to - at) - 1
}

/** Where a tag `[#..]` ends, outside of quotes; minus what was looked at when nowhere. */
export function endOfTag(text: string, at: number, most: number): number {
  let quote = ''
  const to = Math.min(text.length, at + Math.max(0, most))
  for (let next = at + 2; next < to; next++) {
    const sign = text[next]
    if (quote !== '') quote = sign === quote ? '' : quote
    else if (sign === '"' || sign === "'") quote = sign
    else if (sign === ']') return next + 1
  }
  return -(to - at) - 1
}
