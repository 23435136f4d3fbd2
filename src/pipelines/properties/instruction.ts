// One property instruction: whether it runs, which value it has, where that goes. Source: EDDI's digest, sections 1.6 and 1.7.
import type { Json } from '../../base/json.ts'
import type { HttpCodeValidator, PropertyInstruction } from '../configuration.ts'
import { valueAt } from '../paths/paths.ts'
import { PropertyFault, type PropertyScene } from './scene.ts'
import { isSecretReference } from './scrub.ts'

/** For whom names no codes: what is done with a response, and what is left alone. */
export const defaultHttpCodes: HttpCodeValidator = {
  runOnHttpCode: [200, 201],
  skipOnHttpCode: [0, 400, 401, 402, 403, 404, 409, 410, 500, 501, 502],
}

const limits = { characters: 1_000_000, depth: 64 } as const

/** `secrets`: values that were given to the secret store, with their references; it is added to. */
export function applyInstruction(instruction: PropertyInstruction, scene: PropertyScene, secrets: Map<string, string>): void {
  if (!runs(instruction, scene)) return
  const name = scene.render(instruction.name).trim()
  const target = instruction.toObjectPath.trim()
  if (name === '' && target === '') return
  const found = valueFrom(instruction, scene, name || target)
  if (found === undefined) return
  const isSecret = instruction.scope === 'secret'
  if (isSecret && isEmpty(found)) return
  if (!instruction.override && isThere(scene, name, target)) {
    if (isSecret) secrets.set(secretText(found), '')
    return
  }
  const value = isSecret ? hidden(found, { scene, name: name || target, secrets }) : found
  if (target !== '') return scene.write(target, value)
  const { scope, visibility } = instruction
  scene.memory.setProperty({ name, value, scope, ...(visibility && { visibility }) })
}

/**
 * Whether something is done with a response of that code: a code that is to be skipped never, else one of those named. Without a
 * response always.
 */
export function applies(validator: HttpCodeValidator | undefined, httpCode: number | undefined): boolean {
  if (httpCode === undefined) return true
  const { runOnHttpCode, skipOnHttpCode } = validator ?? defaultHttpCodes
  return runOnHttpCode.includes(httpCode) && !skipOnHttpCode.includes(httpCode)
}

/** After a validation error only who asks for it, and then codes count only where the instruction names its own. */
function runs({ runOnValidationError, httpCodeValidator }: PropertyInstruction, { httpCode, isValidationError }: PropertyScene): boolean {
  if (isValidationError !== true) return applies(httpCodeValidator, httpCode)
  return runOnValidationError && (httpCodeValidator === undefined || applies(httpCodeValidator, httpCode))
}

function isThere(scene: PropertyScene, name: string, target: string): boolean {
  return target === '' ? scene.memory.properties.has(name) : valueAt(target, scene.data()) !== undefined
}

// ---- the value

/** undefined: the instruction has none, or its path leads nowhere, and nothing is set. */
function valueFrom(instruction: PropertyInstruction, scene: PropertyScene, name: string): Json | undefined {
  const path = instruction.fromObjectPath.trim()
  // What a path finds is a value, whoever said it: a text of a person, a model or a server is never a template.
  const value = path === '' ? configured(instruction, scene) : valueAt(path, scene.data())
  return instruction.convertToObject && typeof value === 'string' ? converted(value, name) : value
}

/** A text is a template; the other types stay as they are. An empty text gives way to a value of another type. */
function configured(instruction: PropertyInstruction, scene: PropertyScene): Json | undefined {
  const { valueString, valueObject, valueList, valueInt, valueFloat, valueBoolean, convertToObject } = instruction
  const typed = valueObject ?? valueList ?? valueInt ?? valueFloat ?? valueBoolean
  if (valueString === undefined || (valueString === '' && typed !== undefined)) return typed
  return convertToObject ? scene.value(valueString) : scene.render(valueString)
}

function converted(text: string, name: string): Json {
  if (text.length > limits.characters) throw new PropertyFault(`The property "${name}" holds a text too long to be read as JSON: ${text.length} characters; ${limits.characters} are allowed.`) // biome-ignore format: one statement, one line
  try {
    const value: Json = JSON.parse(text)
    if (isShallow(value)) return value
  } catch (thrown) {
    throw new PropertyFault(`The property "${name}" is to be an object, but its text is no JSON: "${shown(text)}".`, { cause: thrown })
  }
  throw new PropertyFault(`The property "${name}" is to be an object, but its JSON nests deeper than ${limits.depth}.`)
}

function isShallow(value: Json): boolean {
  let level: readonly Json[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.depth) return false
    level = level.flatMap((one) => (one !== null && typeof one === 'object' ? Object.values<Json>(one) : []))
  }
  return true
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

// ---- secrets

type Hiding = { readonly scene: PropertyScene; readonly name: string; readonly secrets: Map<string, string> }

/** The reference to the value. It is remembered as a secret before it is given away: when that fails it must not stay in the step. */
function hidden(value: Json, { scene, name, secrets }: Hiding): string {
  const text = secretText(value)
  if (isSecretReference(text)) return text
  secrets.set(text, '')
  const reference = scene.secret(name, text)
  secrets.set(text, reference)
  return reference
}

function secretText(value: Json): string {
  return typeof value === 'string' ? value.trim() : JSON.stringify(value)
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '')
}
