// One run over a set of rules: what its conditions look at, read when the first of them asks and then kept until the run is over.
import { messageOf } from '../../base/errors.ts'
import { actionsOf, type Memory, type Step, textsIn } from '../conversation.ts'
import { type Expression, parseExpressions } from '../expressions/expressions.ts'
import {
  type CompiledCondition,
  type CompiledRule,
  ConditionError,
  type ConditionState,
  type RulesRooms,
  type Run,
  type Steps,
} from './condition.ts'

/** Keys under which a run keeps what came of it. */
export const ruleKeys = { success: 'behavior_rules:success', fail: 'behavior_rules:fail' } as const

/** Expressions of steps that are done don't change: they are read once as long as the step is in memory. */
const readBefore = new WeakMap<Pick<Step, 'data'>, readonly Expression[]>()

export function startRun(byName: ReadonlyMap<string, readonly CompiledRule[]>, memory: Memory, rooms: RulesRooms): Run {
  const states = new Map<CompiledCondition, ConditionState>()
  const data = once(() => rooms.data())
  const counts = once(() => countSuccesses(memory))
  const run: Run = {
    memory,
    rooms,
    data,
    expressions: stepsOf(memory, { done: expressionsOfDone, current: expressionsOf }),
    actions: stepsOf(memory, { done: actionsOf, current: actionsOf }),
    successes: (rule) => counts().get(rule) ?? 0,
    named: (rule) => byName.get(rule) ?? [],
    stateOf(condition) {
      const known = states.get(condition)
      if (known !== undefined) return known
      const state = look(condition, run)
      states.set(condition, state)
      return state
    },
    holds: holding(),
  }
  return run

  /** Kept by rule; a rule that is asked for while it is looked at leads in a circle. */
  function holding(): (rule: CompiledRule) => boolean {
    const known = new Map<CompiledRule, boolean | 'open'>()
    return (rule) => {
      const before = known.get(rule)
      if (before === 'open') throw new ConditionError('dependency', `the rule "${rule.name}" depends on itself: an infinite loop`)
      if (before !== undefined) return before
      known.set(rule, 'open')
      const holds = rule.conditions.every((condition) => run.stateOf(condition) === 'SUCCESS')
      known.set(rule, holds)
      return holds
    }
  }
}

function look(condition: CompiledCondition, run: Run): ConditionState {
  try {
    return condition.evaluate(run)
  } catch (thrown) {
    if (thrown instanceof ConditionError) throw thrown
    throw new ConditionError(condition.type, messageOf(thrown), thrown)
  }
}

function stepsOf<T extends object>(memory: Memory, read: { done(step: Step): T; current(step: Pick<Step, 'data'>): T }): Steps<T> {
  const current = once(() => read.current(memory.current))
  const step = memory.past.at(-1)
  return {
    current,
    last: step === undefined ? () => undefined : once(() => read.done(step)),
    some: (test) => test(current()) || memory.past.findLast((step) => test(read.done(step))) !== undefined,
  }
}

function expressionsOfDone(step: Step): readonly Expression[] {
  const known = readBefore.get(step)
  if (known !== undefined) return known
  const expressions = expressionsOf(step)
  readBefore.set(step, expressions)
  return expressions
}

function expressionsOf(step: Pick<Step, 'data'>): readonly Expression[] {
  const value = valueIn(step, 'expressions:parsed')
  return typeof value === 'string' ? parseExpressions(value) : []
}

function countSuccesses(memory: Memory): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const step of [...memory.past, memory.current]) {
    for (const rule of textsIn(valueIn(step, ruleKeys.success))) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  }
  return counts
}

function valueIn(step: Pick<Step, 'data'>, key: string) {
  return step.data.find((datum) => datum.key === key)?.value
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
