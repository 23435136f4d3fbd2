/** Reads source files for the checks: which there are, what they import, what they are made of. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import { parseAst } from 'rolldown/parseAst'

/** A node of the syntax tree (ESTree with TypeScript). */
export type Syntax = {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export type Import = {
  /** As written: `../journal/journal.ts`, `node:fs`, `zod`. */
  readonly from: string
  /** `import()` in an expression; it takes no part in import cycles. */
  readonly isDynamic: boolean
}

export type Source = {
  /** Relative to the root, with slashes. */
  readonly path: string
  readonly text: string
  readonly tree: Syntax
  readonly imports: readonly Import[]
}

const isTestFile = /(\.(test|contract)|\/testing)\.ts$/

/** True for `x.test.ts`, `x.contract.ts` and a room's `testing.ts`: the room and size rules are not for them. */
export function isTest(path: string): boolean {
  return isTestFile.test(path)
}

/** All TypeScript files below `folder` (relative to `root`); [] when it does not exist. */
export function filesBelow(root: string, folder: string): string[] {
  const stat = statSync(join(root, folder), { throwIfNoEntry: false })
  if (!stat) return []
  if (!stat.isDirectory()) return folder.endsWith('.ts') ? [folder] : []
  const names = readdirSync(join(root, folder)).filter((name) => name !== 'node_modules' && name !== 'dist')
  return names.sort().flatMap((name) => filesBelow(root, `${folder}/${name}`))
}

/** Parses one file; throws with its path when it is not valid TypeScript. */
export function readSource(root: string, path: string): Source {
  return parseSource(path, readFileSync(join(root, path), 'utf8'))
}

export function parseSource(path: string, text: string): Source {
  try {
    const tree = parseAst(text, { lang: 'ts' }) as unknown as Syntax
    return { path, text, tree, imports: importsOf(tree) }
  } catch (cause) {
    throw new Error(`${path} cannot be parsed`, { cause })
  }
}

/** Visits every node below `node`, parents first. `parents` ends with the direct parent. */
export function walk(node: Syntax, visit: (node: Syntax, parents: readonly Syntax[]) => void, parents: readonly Syntax[] = []): void {
  visit(node, parents)
  const below = [...parents, node]
  for (const child of childrenOf(node)) walk(child, visit, below)
}

export function childrenOf(node: Syntax): Syntax[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isSyntax))
}

export function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value
}

/** The path that a relative import means, from the root; null when it names a package. */
export function resolveImport(from: string, specifier: string): string | null {
  return specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : null
}

/** `@ai-sdk/provider/x` -> `@ai-sdk/provider`, `hono/jwt` -> `hono`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Line of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function importsOf(tree: Syntax): Import[] {
  const found: Import[] = []
  walk(tree, (node) => {
    const isStatic = /^(Import|ExportNamed|ExportAll)Declaration$/.test(node.type)
    const isDynamic = node.type === 'ImportExpression' || node.type === 'TSImportType'
    if (!isStatic && !isDynamic) return
    const from = textOf(node.source ?? node.argument)
    if (from !== null) found.push({ from, isDynamic })
  })
  return found
}

/** The value of a string literal; null for anything else. */
export function textOf(node: unknown): string | null {
  if (!isSyntax(node)) return null
  if (node.type === 'TSLiteralType') return textOf(node.literal)
  return typeof node.value === 'string' ? node.value : null
}
