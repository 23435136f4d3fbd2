// The regular expressions of configurations: written for Java, run by JavaScript, and refused where they can be slow. A pattern sees
// at most `mostSeen` characters and has to take all of them.
import { fault, PatternFault } from './reader.ts'
import { slowPart } from './slow.ts'
import { type Pattern, readPattern } from './syntax.ts'

export { classOf, hasSign } from './classes.ts'
export { PatternFault, patternLimits } from './reader.ts'
export type { Signs } from './signs.ts'

/** A longer text is taken by no pattern. */
export const mostSeen = 128

/** `takes`: whether the pattern takes the whole text. */
export type CompiledPattern = { readonly source: string; takes(text: string): boolean }

/** Throws PatternFault: it can't be read, or can be slow. */
export function compilePattern(source: string): CompiledPattern {
  const pattern = readPattern(source)
  const slow = slowPart(pattern)
  if (slow !== null) throw fault({ source }, slow)
  const expression = new RegExp(`^(?:${scriptOf(pattern, { atoms: 0 })})$`, 'v')
  return { source, takes: (text) => text.length <= mostSeen && expression.test(text) }
}

/** What is wrong with a pattern, in a sentence that names it: it can't be read, or can be slow. null: it is fine. */
export function patternFault(source: string): string | null {
  try {
    compilePattern(source)
    return null
  } catch (error) {
    if (error instanceof PatternFault) return error.message
    throw error
  }
}

/** The pattern in JavaScript's words. What gives nothing back is said with a look ahead and its name. */
function scriptOf(pattern: Pattern, names: { atoms: number }): string {
  switch (pattern.kind) {
    case 'signs':
      return pattern.signs.text
    case 'edge':
      return pattern.text
    case 'sequence':
      return pattern.parts.map((part) => scriptOf(part, names)).join('')
    case 'choice':
      return `(?:${pattern.options.map((option) => scriptOf(option, names)).join('|')})`
    case 'look':
      return `(${pattern.text}${scriptOf(pattern.body, names)})`
    case 'atomic':
      return atomic(scriptOf(pattern.body, names), names)
    case 'repeat': {
      const { least, most, mode } = pattern
      const count = `{${least},${most === Infinity ? '' : most}}`
      const script = `(?:${scriptOf(pattern.body, names)})${count}`
      return mode === '+' ? atomic(script, names) : `${script}${mode}`
    }
  }
}

function atomic(script: string, names: { atoms: number }): string {
  const name = `atom${names.atoms++}`
  return `(?=(?<${name}>${script}))\\k<${name}>`
}
