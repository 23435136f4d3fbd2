// The memory that the tasks of one say work on: what was before, and what it changes. Nothing of it is kept but as one fact.
import type { Json } from '../../base/json.ts'
import {
  type ConversationInfo,
  type Memory,
  type OpenStep,
  openStep,
  type Property,
  type Step,
  type StepAttachment,
} from '../../pipelines/conversation.ts'
import { difference, type Made, type Remembered, withoutPassing } from '../../pipelines/conversations/conversations.ts'

export type Working = Memory & {
  readonly objects: Map<string, Json>
  /** What was saved for the conversation, by name; `objects` holds what this step has got beside it. */
  readonly kept: Set<string>
  made(seed: string): Made
}

export type Beginning = {
  readonly remembered: Remembered
  readonly info: ConversationInfo
  readonly attachments: readonly StepAttachment[]
  /** A step that is made on or anew. */
  readonly from?: Step
}

export function openMemory({ remembered, info, attachments, from }: Beginning): Working {
  const properties = new Map(remembered.properties)
  const objects = new Map(remembered.objects)
  const kept = new Set(remembered.objects.keys())
  const current: OpenStep = openStep(from)
  return {
    info,
    past: remembered.steps,
    current,
    properties,
    objects,
    kept,
    attachments,
    setProperty: (property) => void properties.set(property.name, property),
    removeProperty: (name) => void properties.delete(name),
    get language() {
      const value = properties.get('lang')?.value
      return typeof value === 'string' && value !== '' ? value : 'en'
    },
    made(seed) {
      const lasting = new Map([...properties].filter(([, { scope }]) => scope !== 'step'))
      const saved = new Map([...objects].filter(([name]) => kept.has(name)))
      const [ofProperties, ofObjects] = [difference(remembered.properties, lasting), difference(remembered.objects, saved)]
      return {
        ...withoutPassing(current.done()),
        seed,
        attachments: attachments.length,
        set: { properties: ofProperties.set, objects: ofObjects.set },
        undo: { properties: ofProperties.undo, objects: ofObjects.undo },
      }
    },
  }
}

/** Long-term properties that are not what they were. */
export function changedForLong(made: Made): readonly Property[] {
  return made.set.properties.flatMap(({ value }) => (value?.scope === 'longTerm' ? [value] : []))
}
