// A conversation as EDDI's clients read it. Pure.
import type { Json, JsonObject } from '../../base/json.ts'
import type { ConversationState, Property, Step } from '../../pipelines/conversation.ts'
import { type Agent, canRedo, canUndo, type Remembered } from '../../pipelines/conversations/conversations.ts'

export type Shown = {
  readonly conversationId: string
  readonly userId: string
  readonly agent: Agent
  readonly state: ConversationState
  readonly remembered: Remembered
}

export type Showing = {
  /** Also what is not public. */
  readonly isDetailed: boolean
  readonly isCurrentOnly: boolean
  /** Only these; none named: all. */
  readonly fields: readonly string[]
}

export function snapshotOf({ conversationId, userId, agent, state, remembered }: Shown, showing: Showing): JsonObject {
  const steps = showing.isCurrentOnly ? remembered.steps.slice(-1) : remembered.steps
  const all: JsonObject = {
    conversationId,
    agentId: agent.id,
    agentVersion: agent.version,
    userId,
    environment: agent.environment,
    conversationState: state,
    undoAvailable: canUndo(remembered),
    redoAvailable: canRedo(remembered),
    conversationOutputs: steps.map(({ output }) => output),
    conversationProperties: Object.fromEntries([...remembered.properties].map(([name, one]) => [name, propertyOf(one)])),
    conversationSteps: steps.map((step) => stepOf(step, showing)),
  }
  const { fields } = showing
  return fields.length === 0 ? all : Object.fromEntries(Object.entries(all).filter(([name]) => fields.includes(name)))
}

function stepOf({ data }: Step, { isDetailed }: Showing): JsonObject {
  const shown = data.filter(({ isPublic }) => isDetailed || isPublic)
  return { conversationStep: shown.map(({ key, value }) => ({ key, value, timestamp: null, originWorkflowId: null })), timestamp: null }
}

/** Under the name of its type, as in configurations. */
export function propertyOf({ name, value, scope, visibility }: Property): JsonObject {
  return { name, [fieldOf(value)]: value, scope, ...(visibility === undefined ? {} : { visibility }) }
}

function fieldOf(value: Json): string {
  if (Array.isArray(value)) return 'valueList'
  if (typeof value === 'number') return Number.isInteger(value) ? 'valueInt' : 'valueFloat'
  if (typeof value === 'boolean') return 'valueBoolean'
  return typeof value === 'object' ? 'valueObject' : 'valueString'
}
