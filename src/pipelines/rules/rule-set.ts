// Reads a set of rules: every rule and condition once, equal conditions only once, with all that can't run.
import { canonical } from '../../base/json.ts'
import type { Condition, Rule, RuleGroup, RuleSet } from '../configuration.ts'
import type { CompiledCondition, CompiledRule } from './condition.ts'
import { conditionTypes } from './condition-types.ts'
import { dependencyFaults } from './dependencies.ts'
import { readerOf } from './reader.ts'

export const ruleLimits = { rules: 5_000, conditions: 20_000, depth: 32, dependencies: 100, faults: 50 } as const

export const strategies = ['executeUntilFirstSuccess', 'executeAll'] as const

export type CompiledRules = {
  readonly groups: readonly { readonly endsWithFirst: boolean; readonly rules: readonly CompiledRule[] }[]
  readonly byName: ReadonlyMap<string, readonly CompiledRule[]>
  readonly appendActions: boolean
  readonly expressionsAsActions: boolean
}

/** The rules may be run only when there are no faults. */
export function readRules(set: RuleSet): { readonly rules: CompiledRules; readonly faults: readonly string[] } {
  const reading = new SetReading()
  const groups = set.behaviorGroups.map((group) => reading.group(group))
  const byName = Map.groupBy(
    groups.flatMap(({ rules }) => rules),
    ({ name }) => name,
  )
  if (!reading.isCut) reading.faults.push(...dependencyFaults(set, ruleLimits.dependencies))
  const { appendActions, expressionsAsActions } = set
  return { rules: { groups, byName, appendActions, expressionsAsActions }, faults: reading.faults }
}

class SetReading {
  readonly faults: string[] = []
  /** A rule was not read: the set is over a limit, or it has more faults than anybody reads. */
  isCut = false
  readonly #known = new Map<string, CompiledCondition>()
  #rules = 0
  #conditions = 0

  group(group: RuleGroup): CompiledRules['groups'][number] {
    const strategy: string = group.executionStrategy
    if (!strategies.some((known) => known === strategy)) {
      this.faults.push(`The group "${group.name}" has "executionStrategy": "${strategy}"; allowed are ${strategies.join(', ')}.`)
    }
    return { endsWithFirst: strategy !== 'executeAll', rules: group.rules.map((rule, at) => this.rule(rule, placeOf(rule, group, at))) }
  }

  rule(rule: Rule, where: string): CompiledRule {
    const compiled = { name: rule.name, actions: rule.actions.filter((action) => action.trim() !== '') }
    if (this.isCut || this.#isTooMuch(rule, where)) return { ...compiled, conditions: [] }
    return { ...compiled, conditions: rule.conditions.map((condition) => this.condition(condition, `${where}: `)) }
  }

  condition(condition: Condition, where: string): CompiledCondition {
    const type = Object.hasOwn(conditionTypes, condition.type) ? conditionTypes[condition.type] : undefined
    const fault = (sentence: string): void => void this.faults.push(`${where}${sentence}.`)
    if (type === undefined) {
      fault(`the condition type "${condition.type}" is unknown; allowed are ${Object.keys(conditionTypes).join(', ')}`)
      return { type: condition.type, evaluate: () => 'FAIL' }
    }
    const children = condition.conditions.map((child) => this.condition(child, `${where}in ${condition.type}, `))
    return this.#once(condition, () => ({ type: condition.type, evaluate: type.read(readerOf(condition, type, { children, fault })) }))
  }

  /** Equal conditions with a fault are read again, so that each rule is named. */
  #once(condition: Condition, make: () => CompiledCondition): CompiledCondition {
    const key = canonical(condition)
    const known = this.#known.get(key)
    if (known) return known
    const before = this.faults.length
    const made = make()
    if (this.faults.length === before) this.#known.set(key, made)
    return made
  }

  #isTooMuch(rule: Rule, where: string): boolean {
    const { count, depth } = extentOf(rule.conditions)
    this.#rules += 1
    this.#conditions += count
    const { rules, conditions } = ruleLimits
    if (depth > ruleLimits.depth) this.faults.push(`${where}: conditions lie in one another more than ${ruleLimits.depth} deep.`)
    else if (this.#rules > rules || this.#conditions > conditions) {
      this.faults.push(`${where}: the set is too large here; allowed are ${rules} rules and ${conditions} conditions.`)
    } else if (this.faults.length < ruleLimits.faults) return false
    this.isCut = true
    return true
  }
}

/** A rule need not have a name; then its number names it. */
function placeOf(rule: Rule, group: RuleGroup, at: number): string {
  const own = rule.name.trim() === '' ? `Rule ${at + 1}` : `Rule "${rule.name}"`
  return group.name === '' ? own : `${own} of the group "${group.name}"`
}

/** How many conditions there are, and how deep they lie in one another; not further than the limit. */
function extentOf(conditions: readonly Condition[]): { readonly count: number; readonly depth: number } {
  let [level, count, depth] = [conditions, 0, 0]
  while (level.length > 0 && depth <= ruleLimits.depth) {
    count += level.length
    depth += 1
    level = level.flatMap((condition) => condition.conditions)
  }
  return { count, depth }
}
