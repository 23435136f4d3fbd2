// The parts that a template is read into. Offsets (`at`) are into the template's text.
import type { Json } from '../../base/json.ts'

export type BinaryOperator = '==' | '!=' | '>' | '>=' | '<' | '<=' | '&&' | '||' | '?:' | '+' | '-'

export type Expression =
  | { readonly kind: 'literal'; readonly value: Json }
  /** The first name of a path, looked for from the inside out. */
  | { readonly kind: 'name'; readonly name: string }
  /** All data, as in `data:item`, whatever hides its names. */
  | { readonly kind: 'root' }
  | { readonly kind: 'member'; readonly of: Expression; readonly name: string; readonly at: number }
  | { readonly kind: 'index'; readonly of: Expression; readonly key: Expression; readonly at: number }
  | { readonly kind: 'call'; readonly of: Expression; readonly name: string; readonly args: readonly Expression[]; readonly at: number }
  | { readonly kind: 'space'; readonly name: string; readonly args: readonly Expression[]; readonly at: number }
  | { readonly kind: 'not'; readonly of: Expression }
  | {
      readonly kind: 'binary'
      readonly operator: BinaryOperator
      readonly left: Expression
      readonly right: Expression
      readonly at: number
    }
  | { readonly kind: 'choice'; readonly test: Expression; readonly yes: Expression; readonly no: Expression }

export type Setting = { readonly name: string; readonly value: Expression; readonly onlyIfMissing: boolean }
export type CaseOperator = 'in' | 'not in' | '==' | '!=' | '>' | '>=' | '<' | '<='

/** A section by its start tag. */
export type Head =
  | { readonly section: 'if'; readonly test: Expression }
  | { readonly section: 'for'; readonly alias: string; readonly of: Expression }
  | { readonly section: 'let'; readonly settings: readonly Setting[] }
  | { readonly section: 'with'; readonly of: Expression }
  | { readonly section: 'switch'; readonly of: Expression }
export type Section = Head['section']

/** A further block of a section: `test` null is what holds otherwise. */
export type BlockHead =
  | { readonly block: 'else'; readonly test: Expression | null }
  | { readonly block: 'case'; readonly operator: CaseOperator; readonly values: readonly Expression[] }

/** `source` is the whole tag, braces included. */
type Tag = { readonly at: number; readonly source: string }
export type StartTag = Tag & { readonly kind: 'start'; readonly head: Head; readonly isEmpty: boolean }
export type BlockTag = Tag & { readonly kind: 'block'; readonly head: BlockHead }
/** `section` null closes whatever is open. */
export type EndTag = Tag & { readonly kind: 'end'; readonly section: Section | null }
export type ValueTag = Tag & { readonly kind: 'value'; readonly expression: Expression }
/** What renders nothing: comments and declarations. */
export type QuietTag = Tag & { readonly kind: 'quiet' }
/** `isRaw`: a block between `{|` and `|}`, which takes no part in the lines around it. */
export type Words = { readonly kind: 'text'; readonly at: number; readonly text: string; readonly isRaw: boolean }
export type Token = Words | StartTag | BlockTag | EndTag | ValueTag | QuietTag

export type Block = { readonly head: BlockHead; readonly body: readonly Node[] }
export type Node =
  | Words
  | ValueTag
  | {
      readonly kind: 'section'
      readonly head: Head
      readonly at: number
      readonly body: readonly Node[]
      readonly blocks: readonly Block[]
    }
