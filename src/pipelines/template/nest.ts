// From a row of tokens to sections within each other. Tags without their counterpart become words again, and are told as faults.
import { Misread, quoted } from './fault.ts'
import { withoutTagLines } from './lines.ts'
import type { Block, BlockTag, EndTag, Node, Section, StartTag, Token } from './syntax.ts'

/** How deep sections may stand within each other. */
export const deepestSection = 32

export type Nested = { readonly nodes: readonly Node[]; readonly faults: readonly Misread[] }

/** Never throws. */
export function nest(tokens: readonly Token[]): Nested {
  const matcher = new Matcher(tokens)
  matcher.run()
  return { nodes: new Builder(withoutTagLines(matcher.matched())).nodes(), faults: matcher.faults }
}

/** A section that is open. `isDead`: nested too deeply, so that it and its end are words. */
type Open = { readonly index: number; readonly section: Section; readonly isDead: boolean; readonly blocks: number[]; hasElse: boolean }

/** A section ends with its end tag, or before it where one around it ends: `{#let}` may go without. */
class Matcher {
  readonly faults: Misread[] = []
  private readonly tokens: readonly Token[]
  private readonly open: Open[] = []
  private readonly count: Record<Section, number> = { if: 0, for: 0, let: 0, with: 0, switch: 0 }
  private live = 0
  private readonly isWords = new Set<number>()
  /** How many sections end before a token without an end tag of their own. */
  private readonly endsBefore = new Map<number, number>()

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  run(): void {
    for (const [index, token] of this.tokens.entries()) {
      if (token.kind === 'start') this.start(index, token)
      else if (token.kind === 'block') this.block(index, token)
      else if (token.kind === 'end') this.end(index, token)
    }
    for (let top = this.open.at(-1); top; top = this.open.at(-1)) this.leave(top, this.tokens.length)
  }

  /** The tokens again: those without a counterpart as words, and ends where they were left out. */
  matched(): readonly Token[] {
    const all: Token[] = []
    for (const [index, token] of this.tokens.entries()) {
      this.addEnds(all, index, token.at)
      if (this.isWords.has(index) && 'source' in token) all.push({ kind: 'text', at: token.at, text: token.source, isRaw: false })
      else all.push(token)
    }
    this.addEnds(all, this.tokens.length, 0)
    return all
  }

  private addEnds(all: Token[], index: number, at: number): void {
    for (let left = this.endsBefore.get(index) ?? 0; left > 0; left--) all.push({ kind: 'end', at, source: '', section: null })
  }

  private start(index: number, token: StartTag): void {
    const { section } = token.head
    if (token.isEmpty && section !== 'let') return
    const isDead = this.live >= deepestSection
    if (isDead) this.refuse(index, `sections may stand ${deepestSection} deep within each other, not deeper`)
    else this.live++
    this.count[section]++
    this.open.push({ index, section, isDead, blocks: [], hasElse: false })
  }

  private block(index: number, token: BlockTag): void {
    const isCase = token.head.block === 'case'
    const takes = (one: Open) => one.section === 'switch' || (!isCase && (one.section === 'if' || one.section === 'for'))
    const { if: conditions, for: loops, switch: switches } = this.count
    const isTaken = switches > 0 || (!isCase && conditions + loops > 0)
    while (isTaken && this.open.at(-1)?.section === 'let') this.leaveTop(index)
    const top = this.open.at(-1)
    if (!top || !takes(top) || top.hasElse) return this.refuse(index, `"${quoted(token.source)}" stands in no section that it belongs to`)
    if (token.head.block === 'else' && token.head.test !== null && top.section !== 'if') {
      return this.refuse(index, `"${quoted(token.source)}" belongs to {#if} only`)
    }
    top.hasElse = token.head.block === 'else' && token.head.test === null
    top.blocks.push(index)
    if (top.isDead) this.isWords.add(index)
  }

  private end(index: number, { section, source }: EndTag): void {
    while (section === null && this.open.at(-1)?.section === 'let' && this.open.length > this.count.let) this.leaveTop(index)
    const wanted = section ?? this.open.at(-1)?.section
    if (wanted === undefined || this.count[wanted] === 0) return this.refuse(index, `"${quoted(source)}" closes nothing that is open`)
    for (let top = this.open.at(-1); top && top.section !== wanted; top = this.open.at(-1)) this.leave(top, index)
    const found = this.pop()
    if (found?.isDead) this.isWords.add(index)
  }

  private leaveTop(index: number): void {
    const top = this.open.at(-1)
    if (top) this.leave(top, index)
  }

  /** Ends a section that has no end tag: only {#let} may. */
  private leave(top: Open, index: number): void {
    this.pop()
    if (top.isDead) return
    if (top.section === 'let') {
      this.endsBefore.set(index, (this.endsBefore.get(index) ?? 0) + 1)
      return
    }
    const token = this.tokens[top.index]
    const source = token && 'source' in token ? token.source : ''
    this.refuse(top.index, `"${quoted(source)}" is not closed by {/${top.section}}`)
    for (const block of top.blocks) this.isWords.add(block)
  }

  private pop(): Open | undefined {
    const top = this.open.pop()
    if (!top) return undefined
    this.count[top.section]--
    if (!top.isDead) this.live--
    return top
  }

  private refuse(index: number, message: string): void {
    this.isWords.add(index)
    this.faults.push(new Misread(message, this.tokens[index]?.at ?? 0))
  }
}

/** Builds sections from tokens whose starts and ends are known to match. As deep as sections may stand. */
class Builder {
  private readonly tokens: readonly Token[]
  private at = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  /** Up to a further block, an end, or the end of all. */
  nodes(): readonly Node[] {
    const found: Node[] = []
    for (let token = this.tokens[this.at]; token && token.kind !== 'end' && token.kind !== 'block'; token = this.tokens[this.at]) {
      this.at++
      if (token.kind === 'start') found.push(this.section(token))
      else if (token.kind !== 'quiet') found.push(token)
    }
    return found
  }

  private section({ head, at, isEmpty }: StartTag): Node {
    if (isEmpty && head.section !== 'let') return { kind: 'section', head, at, body: [], blocks: [] }
    const body = this.nodes()
    const blocks: Block[] = []
    for (let token = this.tokens[this.at]; token?.kind === 'block'; token = this.tokens[this.at]) {
      this.at++
      blocks.push({ head: token.head, body: this.nodes() })
    }
    this.at++
    return { kind: 'section', head, at, body, blocks }
  }
}
