// From nodes to functions that write. Names that sections bind get a slot when they are compiled, so that rendering looks for nothing.
import type { Json } from '../../base/json.ts'
import { escapes, type TemplateMode } from './escape.ts'
import { evaluator } from './evaluate.ts'
import type { Names } from './names.ts'
import type { Evaluate, Run } from './run.ts'
import type { Block, CaseOperator, Expression, Head, Node, Setting } from './syntax.ts'
import { areEqual, isList, isMap, isOrdered, isTruthy, namesOf, order, textOf } from './values.ts'

export type Write = (run: Run) => void
type HeadOf<Section extends Head['section']> = Extract<Head, { section: Section }>
type SectionNode = Extract<Node, { kind: 'section' }>

export class Compiler {
  private readonly escape: (text: string) => string
  private slots = 0

  constructor(mode: TemplateMode) {
    this.escape = escapes[mode]
  }

  all(nodes: readonly Node[], names: Names): Write {
    const writes = joined(nodes).map((node) => this.node(node, names))
    const [only, second] = writes
    if (!only) return () => {}
    if (!second) return only
    return (run) => {
      for (const write of writes) write(run)
    }
  }

  private node(node: Node, names: Names): Write {
    if (node.kind === 'text') return (run) => run.write(node.text, node.at)
    if (node.kind === 'value') return this.value(node.expression, node.at, names)
    return this.section(node, names)
  }

  private value(expression: Expression, at: number, names: Names): Write {
    const evaluate = evaluator(expression, names)
    const escaped = isRaw(expression) ? escapes.TEXT : this.escape
    return (run) => {
      run.step(at)
      const value = evaluate(run)
      if (typeof value === 'number' || typeof value === 'boolean') run.write(textOf(value), at)
      else if (value !== null) run.write(escaped(textOf(value)), at)
    }
  }

  private section(node: SectionNode, names: Names): Write {
    const { head } = node
    if (head.section === 'if') return this.conditions(node, head, names)
    if (head.section === 'for') return this.loop(node, head, names)
    if (head.section === 'let') return this.settings(node, head, names)
    if (head.section === 'switch') return this.cases(node, head, names)
    const slot = this.slots++
    const of = evaluator(head.of, names)
    const body = this.all(node.body, names.withObject(slot))
    return (run) => {
      run.step(node.at)
      run.slots[slot] = of(run)
      body(run)
    }
  }

  private conditions(node: SectionNode, head: HeadOf<'if'>, names: Names): Write {
    const branches = [
      { test: evaluator(head.test, names), body: this.all(node.body, names) },
      ...node.blocks.map((block) => ({ test: testOf(block, names), body: this.all(block.body, names) })),
    ]
    return (run) => {
      run.step(node.at)
      const measure = (characters: number) => run.work(characters, node.at)
      branches.find(({ test }) => isTruthy(test(run), measure))?.body(run)
    }
  }

  private loop(node: SectionNode, head: HeadOf<'for'>, names: Names): Write {
    const slots = { item: this.slots++, index: this.slots++, size: this.slots++ }
    const of = evaluator(head.of, names)
    const body = this.all(node.body, names.withLoop(head.alias, slots))
    const otherwise = node.blocks[0] ? this.all(node.blocks[0].body, names) : null
    return (run) => {
      run.step(node.at)
      const { size, item } = itemsOf(of(run), run, node.at)
      for (let index = 0; index < size; index++) {
        run.step(node.at)
        run.slots[slots.item] = item(index)
        run.slots[slots.index] = index
        run.slots[slots.size] = size
        body(run)
      }
      if (size === 0) otherwise?.(run)
    }
  }

  private settings(node: SectionNode, head: HeadOf<'let'>, names: Names): Write {
    const set = head.settings.map((setting) => ({ slot: this.slots++, value: settingOf(setting, names) }))
    const inside = names.withSlots(new Map(head.settings.map(({ name }, index) => [name, set[index]?.slot ?? 0])))
    const body = this.all(node.body, inside)
    return (run) => {
      run.step(node.at)
      for (const { slot, value } of set) run.slots[slot] = value(run)
      body(run)
    }
  }

  private cases(node: SectionNode, head: HeadOf<'switch'>, names: Names): Write {
    const of = evaluator(head.of, names)
    const branches = node.blocks.map((block) => ({ isMeant: caseOf(block, node.at, names), body: this.all(block.body, names) }))
    return (run) => {
      run.step(node.at)
      const value = of(run)
      branches.find(({ isMeant }) => isMeant(run, value))?.body(run)
    }
  }
}

/** Words that follow each other as one. */
function joined(nodes: readonly Node[]): readonly Node[] {
  const found: Node[] = []
  for (const node of nodes) {
    const last = found.at(-1)
    if (node.kind === 'text' && last?.kind === 'text') found[found.length - 1] = { ...last, text: last.text + node.text }
    else found.push(node)
  }
  return found
}

function isRaw(expression: Expression): boolean {
  return (expression.kind === 'member' || expression.kind === 'call') && (expression.name === 'raw' || expression.name === 'safe')
}

function testOf({ head }: Block, names: Names): Evaluate {
  return head.block === 'else' && head.test ? evaluator(head.test, names) : () => true
}

/** `name?=value` keeps what the name means already. */
function settingOf({ name, value, onlyIfMissing }: Setting, names: Names): Evaluate {
  const evaluate = evaluator(value, names)
  if (!onlyIfMissing) return evaluate
  const known = names.get(name)
  return (run) => known(run) ?? evaluate(run)
}

/** Items of a list, members of an object as key and value, 1 to n for a number; nothing has none. */
function itemsOf(of: Json, run: Run, at: number): { readonly size: number; item(index: number): Json } {
  if (isList(of)) return { size: of.length, item: (index) => of[index] ?? null }
  if (isMap(of)) {
    const keys = namesOf(of, (characters) => run.work(characters, at))
    return { size: keys.length, item: (index) => ({ key: keys[index] ?? '', value: of[keys[index] ?? ''] ?? null }) }
  }
  if (typeof of === 'number') return { size: Math.max(0, Math.trunc(of)), item: (index) => index + 1 }
  if (of === null) return { size: 0, item: () => null }
  throw run.fault('a loop goes over a list, an object or a number, and this is neither', at)
}

type IsMeant = (run: Run, value: Json) => boolean

function caseOf({ head }: Block, at: number, names: Names): IsMeant {
  if (head.block === 'else') return () => true
  const values = head.values.map((value) => evaluator(value, names))
  const compare = comparing(head.operator)
  return (run, value) => {
    run.step(at)
    const measure = (characters: number) => run.work(characters, at)
    return compare(
      value,
      values.map((evaluate) => evaluate(run)),
      measure,
    )
  }
}

type CompareMany = (value: Json, others: readonly Json[], measure: (characters: number) => void) => boolean

function comparing(operator: CaseOperator): CompareMany {
  const isOne: CompareMany = (value, others, measure) => others.some((other) => areEqual(value, other, measure))
  if (operator === 'in' || operator === '==') return isOne
  if (operator === 'not in' || operator === '!=') return (value, others, measure) => !isOne(value, others, measure)
  return (value, [other = null], measure) => isOrdered(operator, order(value, other, measure))
}
