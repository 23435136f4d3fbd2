// A conversation for tests of tasks: steps as they are wanted, properties in a map.
import type { Json, JsonObject } from '../base/json.ts'
import {
  type ConversationInfo,
  type Memory,
  type OpenStep,
  openStep,
  type Property,
  type Step,
  type StepAttachment,
} from './conversation.ts'

export type TestMemory = {
  readonly past?: readonly Step[]
  readonly current?: { readonly [key: string]: Json }
  readonly output?: JsonObject
  readonly properties?: { readonly [name: string]: Json }
  readonly attachments?: readonly string[]
  readonly info?: Partial<ConversationInfo>
  readonly language?: string
}

const someone: ConversationInfo = {
  conversationId: 'c1',
  agentId: 'a1',
  agentVersion: 3,
  environment: 'production',
  userId: 'anna',
  groupIds: [],
}

export function testMemory(given: TestMemory = {}): Memory {
  const properties = new Map(
    Object.entries(given.properties ?? {}).map(([name, value]): [string, Property] => [name, { name, value, scope: 'conversation' }]),
  )
  const attachments = (given.attachments ?? []).map((mime, at): StepAttachment => ({ id: `f${at}`, name: `file ${at}`, mime, size: 1 }))
  return {
    info: { ...someone, ...given.info },
    past: given.past ?? [],
    current: currentOf(given),
    properties,
    setProperty: (property) => void properties.set(property.name, property),
    removeProperty: (name) => void properties.delete(name),
    attachments,
    language: given.language ?? 'en',
  }
}

/** A step that is done, of its data by their keys. */
export function testStep(data: { readonly [key: string]: Json }, output: JsonObject = {}): Step {
  return { data: Object.entries(data).map(([key, value]) => ({ key, value, isPublic: true })), output }
}

function currentOf({ current = {}, output = {} }: TestMemory): OpenStep {
  return openStep(testStep(current, output))
}
