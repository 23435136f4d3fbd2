// What a configuration does with an answer: properties, outputs and quick replies, each only for the codes that it is meant for.
import type { Json, JsonObject } from '../../../base/json.ts'
import type {
  HttpCodeValidator,
  OutputBuildInstruction,
  PostResponse,
  PropertyInstruction,
  QuickReply,
  QuickReplyBuildInstruction,
} from '../../../pipelines/configuration.ts'
import { addOutputs, addQuickReplies } from '../../../pipelines/output/output.ts'
import { applyProperties } from '../../../pipelines/properties/properties.ts'
import type { Scene } from '../scene.ts'
import { elementsOf, type Iterating, mostElements, objectName, withObjects } from './calls-scene.ts'

/** `code` 0: there was no answer. `isValidationError`: it was asked again as often as allowed, and is still not what was waited for. */
export type After = { readonly code: number; readonly isValidationError: boolean }

const usual: HttpCodeValidator = {
  runOnHttpCode: [200, 201],
  skipOnHttpCode: [0, 400, 401, 402, 403, 404, 409, 410, 500, 501, 502],
}
/** Outputs built from arrays stand where those of the message's own context would. */
const action = 'context'

/** What skips wins. */
export function isFor(validator: HttpCodeValidator | undefined, code: number): boolean {
  const { runOnHttpCode, skipOnHttpCode } = validator ?? usual
  return runOnHttpCode.includes(code) && !skipOnHttpCode.includes(code)
}

/** Whether the configuration says what is done when that came back. */
export function isHandled(post: PostResponse | undefined, code: number): boolean {
  if (!post) return false
  const all = [...post.propertyInstructions, ...post.outputBuildInstructions, ...post.qrBuildInstructions]
  return all.some(({ httpCodeValidator }) => httpCodeValidator !== undefined && isFor(httpCodeValidator, code))
}

export function runPost(scene: Scene, post: PostResponse | undefined, { code, isValidationError }: After): void {
  if (!post) return
  const instructions = post.propertyInstructions.filter((one) => isWanted(one, { code, isValidationError }))
  // They were chosen already; a code of 0 would mean "before the call" to whoever sets them.
  if (instructions.length > 0) applyProperties(instructions.map(withoutValidator), scene.propertyScene({ isValidationError }))
  for (const one of post.outputBuildInstructions)
    if (isFor(one.httpCodeValidator, code)) addOutputs(scene.memory.current, action, outputsOf(scene, one))
  const replies = post.qrBuildInstructions.filter((one) => isFor(one.httpCodeValidator, code)).flatMap((one) => repliesOf(scene, one))
  addQuickReplies(scene.memory.current, action, replies)
}

function isWanted({ httpCodeValidator, runOnValidationError }: PropertyInstruction, { code, isValidationError }: After): boolean {
  return (isValidationError && runOnValidationError) || isFor(httpCodeValidator, code)
}

function withoutValidator({ httpCodeValidator: _, ...rest }: PropertyInstruction): PropertyInstruction {
  return rest
}

function outputsOf(scene: Scene, instruction: OutputBuildInstruction): readonly JsonObject[] {
  const type = instruction.outputType.trim() === '' ? 'text' : instruction.outputType.trim()
  return forEach(scene, instruction, () => ({ type, text: scene.render(instruction.outputValue) }))
}

function repliesOf(scene: Scene, instruction: QuickReplyBuildInstruction): readonly QuickReply[] {
  const { quickReplyValue, quickReplyExpressions } = instruction
  return forEach(scene, instruction, () => ({
    value: scene.render(quickReplyValue),
    expressions: scene.render(quickReplyExpressions),
    isDefault: false,
  }))
}

/** Once where no array is named. */
function forEach<T>(scene: Scene, iterating: Iterating, make: (one: Json) => T): readonly T[] {
  if (iterating.pathToTargetArray.trim() === '') return [make(null)]
  const name = objectName(iterating.iterationObjectName)
  return elementsOf(scene, iterating)
    .slice(0, mostElements)
    .map((one) => withObjects(scene, { [name]: one }, () => make(one)))
}
