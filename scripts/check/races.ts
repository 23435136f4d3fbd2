/** L4: who came first is decided by `turn.wait`, which records it. So engines use neither `Promise.race` nor `Promise.any`. */

import { isSyntax, isTest, lineOf, type Source, walk } from './source.ts'

/** Returns one line per forbidden call in `src/engines/`. */
export function checkRaces(sources: readonly Source[]): string[] {
  return sources.filter((source) => source.path.startsWith('src/engines/') && !isTest(source.path)).flatMap(racesIn)
}

function racesIn(source: Source): string[] {
  const found: string[] = []
  walk(source.tree, (node) => {
    const [object, property] = [node.object, node.property]
    if (node.type !== 'MemberExpression' || !isSyntax(object) || !isSyntax(property)) return
    const name = String(property.name ?? property.value)
    if (object.name !== 'Promise' || !/^(race|any)$/.test(name)) return
    found.push(`${source.path}:${lineOf(source.text, node.start)}: Promise.${name} in an engine; use turn.wait (L4)`)
  })
  return found
}
