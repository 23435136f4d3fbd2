/**
 * Sizes that may not grow: lines of a file, lines of a function, and how often the types are overruled by `any` and `as`.
 * The last two have a stored ceiling (limits.json) which only falls.
 */

import { isTest, type Source, type Syntax, textOf, walk } from './source.ts'

export const MAX_FILE_LINES = 400
export const MAX_P90_LINES = 25
export const MAX_P99_LINES = 60

/** How often the type checker is overruled. `as const` does not count. */
export type Overrules = { readonly any: number; readonly as: number }
export type FunctionSize = { readonly name: string; readonly path: string; readonly lines: number }

export type Sizes = {
  readonly problems: readonly string[]
  readonly overrules: Overrules
  readonly p90: number
  readonly p99: number
}

/** Measures the files of `src/`, tests apart, against the fixed sizes and the stored ceiling. */
export function checkSizes(sources: readonly Source[], ceiling: Overrules): Sizes {
  const program = sources.filter((source) => !isTest(source.path))
  const functions = program.flatMap(functionsOf)
  const overrules = program.map(overrulesOf).reduce((a, b) => ({ any: a.any + b.any, as: a.as + b.as }), { any: 0, as: 0 })
  const [p90, p99] = [percentile(functions, 0.9), percentile(functions, 0.99)]
  const problems = [...longFiles(program), ...longFunctions(functions, p90, p99), ...overCeiling(overrules, ceiling)]
  return { problems, overrules, p90, p99 }
}

/**
 * Named functions and their lines: declarations, methods, and functions bound to a name. A callback without a name is part of
 * the function it stands in. An expression of one line is not a function anybody has to read as such.
 */
export function functionsOf(source: Source): FunctionSize[] {
  const found: FunctionSize[] = []
  walk(source.tree, (node, parents) => {
    const name = nameOf(node, parents.at(-1))
    if (name === null) return
    const lines = source.text.slice(node.start, node.end).split('\n').length
    if (lines > 1 || node.type !== 'ArrowFunctionExpression') found.push({ name, path: source.path, lines })
  })
  return found
}

export function overrulesOf(source: Source): Overrules {
  const count = { any: 0, as: 0 }
  walk(source.tree, (node) => {
    if (node.type === 'TSAnyKeyword') count.any++
    if (node.type === 'TSTypeAssertion' || (node.type === 'TSAsExpression' && !isConst(source.text, node))) count.as++
  })
  return count
}

/** The smallest number of lines that `share` of the functions do not exceed; 0 when there is none. */
export function percentile(functions: readonly FunctionSize[], share: number): number {
  const lines = functions.map((one) => one.lines).sort((a, b) => a - b)
  return lines[Math.max(0, Math.ceil(lines.length * share) - 1)] ?? 0
}

function nameOf(node: Syntax, parent: Syntax | undefined): string | null {
  if (node.type === 'FunctionDeclaration') return identifier(node.id)
  if (!/^(FunctionExpression|ArrowFunctionExpression)$/.test(node.type) || parent === undefined) return null
  if (parent.type === 'VariableDeclarator') return identifier(parent.id)
  return /^(MethodDefinition|Property|PropertyDefinition)$/.test(parent.type) ? identifier(parent.key) : null
}

function identifier(node: unknown): string {
  const name = typeof node === 'object' && node !== null && 'name' in node ? node.name : textOf(node)
  return typeof name === 'string' ? name : '(computed)'
}

function isConst(text: string, node: Syntax): boolean {
  return /\bas\s+const$/.test(text.slice(node.start, node.end))
}

/** Tables, migrations and generated files are lists to look things up in, not text to read. */
function longFiles(program: readonly Source[]): string[] {
  return program.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split('\n').length
    const isList = /(^|\/)migrations?(\/|\.ts$)|\.(table|generated)\.ts$/.test(path)
    return lines > MAX_FILE_LINES && !isList ? [`${path}: ${lines} lines, at most ${MAX_FILE_LINES}`] : []
  })
}

function longFunctions(functions: readonly FunctionSize[], p90: number, p99: number): string[] {
  const longest = [...functions].sort((a, b) => b.lines - a.lines).slice(0, 10)
  const list = longest.map((one) => `${one.path} ${one.name} (${one.lines})`).join(', ')
  return [
    ...(p90 > MAX_P90_LINES ? [`functions: p90 is ${p90} lines, at most ${MAX_P90_LINES}; the longest: ${list}`] : []),
    ...(p99 > MAX_P99_LINES ? [`functions: p99 is ${p99} lines, at most ${MAX_P99_LINES}; the longest: ${list}`] : []),
  ]
}

function overCeiling(now: Overrules, ceiling: Overrules): string[] {
  return (['any', 'as'] as const)
    .filter((kind) => now[kind] > ceiling[kind])
    .map((kind) => `\`${kind}\` is used ${now[kind]} times in src, at most ${ceiling[kind]} (scripts/check/limits.json)`)
}
