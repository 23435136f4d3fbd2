/**
 * Rules and their tests. Every rule of docs/spec.md must be cited by the title of a test that runs, a contract or end-to-end test
 * must cite a rule, and a cited rule must exist. A test cites with `[L2]`, or `[L2, L6]`, in its title or in that of a
 * `describe` around it. Skipped and planned tests cite nothing.
 */

import { isSyntax, lineOf, type Source, type Syntax, walk } from './source.ts'

export type Titled = {
  readonly path: string
  readonly line: number
  readonly title: string
  readonly cites: readonly string[]
}

/** Ids of all rules in the text of docs/spec.md: what stands as `**L1**` at the start of a list item. */
export function ruleIds(spec: string): string[] {
  return [...spec.matchAll(/^\s*- \*\*([A-Z]\d+)\*\*/gm)].map((match) => match[1] ?? '')
}

/** Returns one line per rule without a test, per unknown id, and per contract or end-to-end test without a rule. */
export function checkRules(spec: string, sources: readonly Source[]): string[] {
  const rules = ruleIds(spec)
  const tests = sources.flatMap(testsOf)
  const cited = new Set(tests.flatMap((test) => test.cites))
  const twice = rules.filter((id, at) => rules.indexOf(id) !== at)
  return [
    ...(rules.length === 0 ? ['docs/spec.md: no rule found'] : []),
    ...twice.map((id) => `docs/spec.md: ${id} stands there twice`),
    ...rules.filter((id) => !cited.has(id)).map((id) => `docs/spec.md: ${id} has no test`),
    ...tests.flatMap((test) => unknownIds(test, rules)),
    ...tests.filter((test) => mustCite(test.path) && test.cites.length === 0).map((test) => `${where(test)}: cites no rule`),
  ]
}

/** The tests of a file that run, with what they cite. */
export function testsOf(source: Source): Titled[] {
  const found: Titled[] = []
  walk(source.tree, (node, parents) => {
    const call = callOf(node)
    // `test.each(rows)` is called in its turn; only the outer call has a title.
    if (call === null || !/^(test|it)$/.test(call.name) || parents.at(-1)?.callee === node) return
    const around = parents.map(callOf).filter((one) => one !== null && /^(describe|suite)/.test(one.name))
    if ([call, ...around].some((one) => one?.isOff)) return
    const titles = [...around, call].map((one) => titleOf(source.text, one?.node))
    found.push({
      path: source.path,
      line: lineOf(source.text, node.start),
      title: titles.at(-1) ?? '',
      cites: titles.flatMap(citesOf),
    })
  })
  return found
}

/** Ids in square brackets: `[L1]`, `[L1, L5]`. */
export function citesOf(title: string): string[] {
  const groups = [...title.matchAll(/\[([A-Z]\d+(?:,\s*[A-Z]\d+)*)\]/g)]
  return groups.flatMap((match) => (match[1] ?? '').split(/,\s*/))
}

type Call = { readonly node: Syntax; readonly name: string; readonly isOff: boolean }

/** `it('..')`, `it.skipIf(x)('..')`, `describe.each([..])('..')`: the called name, and whether it is switched off. */
function callOf(node: Syntax): Call | null {
  if (node.type !== 'CallExpression') return null
  const names: string[] = []
  let at: unknown = node.callee
  while (isSyntax(at)) {
    const name = at.type === 'Identifier' ? at.name : isSyntax(at.property) ? at.property.name : undefined
    if (typeof name === 'string') names.unshift(name)
    at = at.type === 'MemberExpression' ? at.object : at.type === 'CallExpression' ? at.callee : undefined
  }
  return { node, name: names[0] ?? '', isOff: names.some((name) => name === 'skip' || name === 'todo') }
}

function titleOf(text: string, call: Syntax | undefined): string {
  const args = call?.arguments
  const first: unknown = Array.isArray(args) ? args[0] : undefined
  if (!isSyntax(first)) return ''
  const isText = first.type === 'Literal' || first.type === 'TemplateLiteral' || first.type === 'BinaryExpression'
  return isText ? text.slice(first.start, first.end) : ''
}

function unknownIds(test: Titled, rules: readonly string[]): string[] {
  return test.cites.filter((id) => !rules.includes(id)).map((id) => `${where(test)}: cites ${id}, which docs/spec.md does not have`)
}

function mustCite(path: string): boolean {
  return path.endsWith('.contract.ts') || path.startsWith('test/e2e/')
}

function where(test: Titled): string {
  return `${test.path}:${test.line} ${test.title.slice(0, 60)}`
}
