// What a condition is when it was read: how it is looked at, and what of the conversation it sees. Each of the twelve types is one entry
// of the table in condition-types.ts.
import type { Memory } from '../conversation.ts'
import type { Expression } from '../expressions/expressions.ts'
import type { TemplateData } from '../template/template.ts'

/** How a condition came out. One that can't be looked at throws ConditionError: the fourth state, ERROR. */
export type ConditionState = 'SUCCESS' | 'FAIL' | 'NOT_EXECUTED'

export type Evaluate = (run: Run) => ConditionState

/** One for all equal conditions of a set, so that a run looks at each once. */
export type CompiledCondition = { readonly type: string; readonly evaluate: Evaluate }

/** A condition could not be looked at. `condition` is its type. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError'
  readonly condition: string
  constructor(condition: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.condition = condition
  }
}

export const capabilityStrategies = ['highest_confidence', 'round_robin', 'all'] as const
export type CapabilityStrategy = (typeof capabilityStrategies)[number]

/** What rules need to know beside the conversation. */
export type RulesRooms = {
  /** What paths walk over. Asked at most once a run. */
  data(): TemplateData
  /** Ids of the agents with that skill, the best first; [] when there is none. */
  capabilities(skill: string, strategy: CapabilityStrategy): readonly string[]
  /** Where the agent is deployed, as in `production`. */
  readonly environment: string
  /** Tags of the agent. */
  readonly tags: readonly string[]
  /** The text of a template. */
  render(text: string): string
}

export type CompiledRule = {
  readonly name: string
  readonly actions: readonly string[]
  readonly conditions: readonly CompiledCondition[]
}

export type Run = {
  readonly memory: Memory
  readonly rooms: RulesRooms
  data(): TemplateData
  /** What one step has under a reading, in the order of the steps; the last one is the current step. */
  readonly expressions: Steps<readonly Expression[]>
  readonly actions: Steps<readonly string[]>
  /** How often a rule succeeded in all steps, with what this step already holds. */
  successes(rule: string): number
  /** Rules of the set with that name, in its order. */
  named(rule: string): readonly CompiledRule[]
  stateOf(condition: CompiledCondition): ConditionState
  /** Whether all conditions of a rule succeed. Throws ConditionError. */
  holds(rule: CompiledRule): boolean
}

export type Steps<T> = {
  current(): T
  /** undefined when this is the first step. */
  last(): T | undefined
  /** Whether one of all steps has it; the newest are looked at first. */
  some(test: (value: T) => boolean): boolean
}
