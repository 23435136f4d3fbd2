// Which rules ask for which: rules that depend on themselves can't be decided.
import type { Condition, RuleSet } from '../configuration.ts'

/** A sentence when rules depend on one another in a circle, or in a chain longer than `longest`; else none. Linear. */
export function dependencyFaults(set: RuleSet, longest: number): readonly string[] {
  const asks = referencesByRule(set)
  const depths = new Map<string, number>()
  const waiting = new Map([...asks].map(([rule, names]) => [rule, names.size]))
  const askers = askersOf(asks)
  const ready = [...waiting].filter(([, count]) => count === 0).map(([rule]) => rule)
  for (let rule = ready.pop(); rule !== undefined; rule = ready.pop()) {
    const depth = depths.get(rule) ?? 0
    if (depth > longest) return [`The rule "${rule}" depends on a chain of more than ${longest} rules.`]
    waiting.delete(rule)
    for (const asker of askers.get(rule) ?? []) {
      depths.set(asker, Math.max(depths.get(asker) ?? 0, depth + 1))
      const left = (waiting.get(asker) ?? 0) - 1
      waiting.set(asker, left)
      if (left === 0) ready.push(asker)
    }
  }
  return waiting.size === 0 ? [] : [circleIn(asks, waiting)]
}

/** Rules of the set by name, with the names of the rules in it that they ask for. */
function referencesByRule(set: RuleSet): ReadonlyMap<string, ReadonlySet<string>> {
  const rules = set.behaviorGroups.flatMap((group) => group.rules)
  const asks = new Map(rules.map(({ name }) => [name, new Set<string>()]))
  for (const rule of rules) {
    for (const name of referencesIn(rule.conditions)) if (asks.has(name)) asks.get(rule.name)?.add(name)
  }
  return asks
}

function referencesIn(conditions: readonly Condition[]): readonly string[] {
  return conditions.flatMap(({ type, configs, conditions: children }) => [
    ...(type === 'dependency' ? [configs['reference'] ?? ''] : []),
    ...referencesIn(children),
  ])
}

function askersOf(asks: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, readonly string[]> {
  const askers = new Map<string, string[]>()
  for (const [rule, names] of asks) {
    for (const name of names) {
      const known = askers.get(name)
      if (known) known.push(rule)
      else askers.set(name, [rule])
    }
  }
  return askers
}

/** Every rule that is left asks for another one that is left, so the way leads back. */
function circleIn(asks: ReadonlyMap<string, ReadonlySet<string>>, left: ReadonlyMap<string, number>): string {
  const way = new Set<string>()
  let rule = left.keys().next().value
  while (rule !== undefined && !way.has(rule)) {
    way.add(rule)
    rule = [...(asks.get(rule) ?? [])].find((name) => left.has(name))
  }
  const names = [...way]
  const circle = [...names.slice(names.indexOf(rule ?? '')), rule ?? '']
  return `Rule "${circle[0]}": dependency leads in a circle: ${circle.map((name) => `"${name}"`).join(' -> ')}.`
}
