// Properties: what a conversation keeps by name. Owns: instructions that set them (of property setters, and before and after calls), what is
// taken from expressions and contexts, and that a secret's value stands nowhere in a step. Leaves the store of secrets and of what lasts to
// the caller. Pure, apart from what the scene does.
//
// Y27  Instructions run in order, and each sees what those before it set.
// Y29  A secret is given away, and its text is taken out of the step even when it can't be kept: it fails closed.
import type { PropertyInstruction, PropertySetter } from '../configuration.ts'
import { actionsOf, contextsOf, type Memory, type Property, specialActions } from '../conversation.ts'
import { type Expression, expressionText, parseExpressions } from '../expressions/expressions.ts'
import { applyInstruction } from './instruction.ts'
import type { PropertyScene } from './scene.ts'
import { scrubSecrets } from './scrub.ts'

export { applies, defaultHttpCodes } from './instruction.ts'
export { PropertyFault, type PropertyScene } from './scene.ts'
export { isSecretReference, scrubbedInput, scrubSecrets } from './scrub.ts'

/** Runs them in order. Throws PropertyFault, and whatever the scene throws; what was set before stays. */
export function applyProperties(instructions: readonly PropertyInstruction[], scene: PropertyScene): void {
  scrubbing(scene, (secrets) => {
    for (const instruction of instructions) applyInstruction(instruction, scene, secrets)
  })
}

/**
 * The property task of a workflow: what expressions and contexts say of properties, the input that the step before asked to be kept, then
 * what the setter has for each action of the step, in order. An entry for `*` runs once, with the first action.
 */
export function propertyStep(setter: PropertySetter | null, scene: PropertyScene): void {
  const { memory } = scene
  keepExtracted(memory)
  keepAnyInput(memory)
  if (setter === null) return
  scrubbing(scene, (secrets) => {
    for (const [at, action] of actionsOf(memory.current).entries()) {
      for (const { actions, setProperties } of setter.setOnActions) {
        const isForIt = actions.includes('*') ? at === 0 : actions.includes(action)
        if (isForIt) for (const instruction of setProperties) applyInstruction(instruction, scene, secrets)
      }
    }
  })
}

/** Values that were secrets are taken out at the end, so that two instructions may read the same input; also when one of them fails. */
function scrubbing({ memory }: PropertyScene, run: (secrets: Map<string, string>) => void): void {
  const secrets = new Map<string, string>()
  try {
    run(secrets)
  } finally {
    scrubSecrets(memory, secrets)
  }
}

// ---- what was said of properties

const extractedKey = 'properties:extracted'

function keepExtracted(memory: Memory): void {
  const { current } = memory
  const said = current.get('expressions:parsed')
  const given = [...contextsOf(current)].filter(([key, { type }]) => key.startsWith('properties') && type === 'expressions')
  const texts = [said, ...given.map(([, { value }]) => value)].filter((text) => typeof text === 'string')
  const found = texts.flatMap((text) => parseExpressions(text).flatMap(propertyIn))
  if (found.length === 0) return
  const byName = new Map(found.map((property) => [property.name, property]))
  for (const property of byName.values()) memory.setProperty(property)
  current.set(extractedKey, [...byName.values()], { isPublic: true })
}

/** `property(city(vienna))` is `city` = `vienna`; more levels are put together with dots, and only the first of several children counts. */
function propertyIn(expression: Expression): readonly Property[] {
  if (expression.name !== 'property') return []
  const meanings: string[] = []
  let [inner] = expression.children
  while (inner !== undefined && inner.children.length > 0) {
    meanings.push(inner.name)
    inner = inner.children[0]
  }
  if (meanings.length === 0 || inner === undefined) return []
  return [{ name: meanings.join('.'), value: expressionText(inner), scope: 'conversation' }]
}

/** When the step before asked for it, the input as it was typed is the property `user_input`. */
function keepAnyInput(memory: Memory): void {
  const before = memory.past.at(-1)
  const input = memory.current.get('input:initial')
  if (before === undefined || typeof input !== 'string' || input === '') return
  if (actionsOf(before).includes(specialActions.catchAny)) memory.setProperty({ name: 'user_input', value: input, scope: 'conversation' })
}
