// Rules: which actions a step gets, by conditions over what was said, what is known and what was done before. Owns: reading a set of
// rules (what can't run is refused when it is saved), running it over a conversation. Leaves expressions and paths to their folders,
// what templates see to the caller. Pure: no clock, no randomness, nothing outside.
//
// Y20  All faults of a set are found at once; each names its rule and its condition.
// Y21  Conditions stop at the first that settles the matter; equal ones are looked at once a run.
// Y24  A condition that can't be looked at ends the turn; it never counts as failed.
import { InvalidInput } from '../../base/errors.ts'
import type { RuleSet } from '../configuration.ts'
import { actionsOf, type Memory, type OpenStep, textsIn } from '../conversation.ts'
import { type CompiledRule, ConditionError, type RulesRooms, type Run } from './condition.ts'
import { type CompiledRules, readRules } from './rule-set.ts'
import { ruleKeys, startRun } from './run.ts'

export { type CapabilityStrategy, capabilityStrategies, type RulesRooms } from './condition.ts'
export { type CompiledRules, ruleLimits } from './rule-set.ts'
export { ruleKeys } from './run.ts'

/** A set of rules that can't run. The message names all faults, `faults` has each. */
export class RulesFault extends InvalidInput {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(faults.join(' '))
    this.faults = faults
  }
}

/** A condition of a rule could not be looked at: the turn can't go on. */
export class RulesError extends Error {
  override readonly name = 'RulesError'
  readonly rule: string
  readonly condition: string
  constructor(rule: string, cause: ConditionError) {
    super(`The rule "${rule}" can't be decided: its condition ${cause.condition} failed. ${sentence(cause.message)}`, { cause })
    this.rule = rule
    this.condition = cause.condition
  }
}

/** Every reason why the set can't run, a sentence each; [] when it can. */
export function checkRules(set: RuleSet): readonly string[] {
  return readRules(set).faults
}

/** Reads it once, for many runs. Throws RulesFault. */
export function compileRules(set: RuleSet): CompiledRules {
  const { rules, faults } = readRules(set)
  if (faults.length > 0) throw new RulesFault(faults)
  return rules
}

/** What the step of a workflow may say otherwise than the set. */
export type RulesOptions = { readonly appendActions?: boolean | undefined; readonly expressionsAsActions?: boolean | undefined }

/**
 * Runs all groups, and writes what came of it into the current step: names of rules that succeeded and failed, and its actions.
 * Throws RulesError; none of these is changed then.
 */
export function rulesStep(rules: CompiledRules, memory: Memory, rooms: RulesRooms, options: RulesOptions = {}): void {
  const run = startRun(rules.byName, memory, rooms)
  const { succeeded, failed } = runGroups(rules, run)
  const expressionsAsActions = options.expressionsAsActions ?? rules.expressionsAsActions
  const named = expressionsAsActions ? run.expressions.current().map(({ name }) => name) : []
  const { current } = memory
  addNames(current, ruleKeys.success, succeeded)
  addNames(current, ruleKeys.fail, failed)
  const own = succeeded.flatMap(({ actions }) => actions)
  const keep = (options.appendActions ?? rules.appendActions) || own.length === 0
  const actions = distinct([...(keep ? actionsOf(current) : []), ...own, ...named])
  if (own.length === 0 && named.length === 0) return
  current.set('actions', actions, { isPublic: true })
  current.out('actions', actions)
}

type Outcome = { readonly succeeded: CompiledRule[]; readonly failed: CompiledRule[] }

function runGroups(rules: CompiledRules, run: Run): Outcome {
  const outcome: Outcome = { succeeded: [], failed: [] }
  for (const group of rules.groups) {
    for (const rule of group.rules) {
      const holds = decide(rule, run)
      ;(holds ? outcome.succeeded : outcome.failed).push(rule)
      if (holds && group.endsWithFirst) break
    }
  }
  return outcome
}

function decide(rule: CompiledRule, run: Run): boolean {
  try {
    return run.holds(rule)
  } catch (thrown) {
    if (thrown instanceof ConditionError) throw new RulesError(rule.name, thrown)
    throw thrown
  }
}

/** Names that an earlier set of rules left in this step stay. A rule without a name is not told. */
function addNames(step: OpenStep, key: string, rules: readonly CompiledRule[]): void {
  const names = rules.map(({ name }) => name).filter((name) => name.trim() !== '')
  if (names.length > 0) step.set(key, distinct([...textsIn(step.get(key)), ...names]))
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)]
}

function sentence(text: string): string {
  const trimmed = text.trim()
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
