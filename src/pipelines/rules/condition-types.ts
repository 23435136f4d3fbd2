// The twelve types of conditions. Source: EDDI's digest, section 1.5.
import { messageOf } from '../../base/errors.ts'
import { type ContextValue, contextIn } from '../conversation.ts'
import { type Expression, hasSublist, parseExpressions } from '../expressions/expressions.ts'
import { pathMatches, sizeOf } from '../paths/paths.ts'
import { type ConditionState, capabilityStrategies, type Evaluate, type Steps } from './condition.ts'
import { findByJsonPath, readJsonPath } from './json-path.ts'
import { lookUp } from './older-path.ts'
import { type ConditionReader, type ConditionType, wholeNumber } from './reader.ts'

const occurrences = ['currentStep', 'lastStep', 'anyStep', 'never'] as const
type Occurrence = (typeof occurrences)[number]

const state = (isSo: boolean): ConditionState => (isSo ? 'SUCCESS' : 'FAIL')

export const conditionTypes: { readonly [type: string]: ConditionType } = {
  inputmatcher: { keys: ['expressions', 'occurrence'], read: readInputMatcher },
  actionmatcher: { keys: ['actions', 'occurrence'], read: readActionMatcher },
  contextmatcher: {
    keys: ['contextKey', 'contextType', 'expressions', 'objectKeyPath', 'objectValue', 'string'],
    read: readContextMatcher,
  },
  connector: { keys: ['operator'], read: readConnector },
  negation: { keys: [], read: readNegation },
  occurrence: { keys: ['behaviorRuleName', 'minTimesOccurred', 'maxTimesOccurred'], read: readOccurrence },
  dependency: { keys: ['reference'], read: readDependency },
  dynamicvaluematcher: { keys: ['valuePath', 'equals', 'contains'], read: readDynamicValueMatcher },
  sizematcher: { keys: ['valuePath', 'min', 'max', 'equal'], read: readSizeMatcher },
  contentTypeMatcher: { keys: ['mimeType', 'minCount'], read: readContentTypeMatcher },
  capabilityMatch: { keys: ['skill', 'strategy', 'minResults'], read: readCapabilityMatch },
  deploymentContext: { keys: ['when', 'tagMatches'], read: readDeploymentContext },
}

// ---- what was said and done

function readInputMatcher(reader: ConditionReader): Evaluate {
  const wanted = expressionsOf(reader, 'the expressions to find, separated by commas')
  const isEmpty = wanted.length === 1 && wanted[0]?.name === 'empty' && wanted[0].children.length === 0
  const occurrence = reader.oneOf('occurrence', occurrences)
  return (run) => state(occurs(occurrence, run.expressions, (said) => (isEmpty && said.length === 0) || holds(said, wanted)))
}

function readActionMatcher(reader: ConditionReader): Evaluate {
  const wanted = listOf(reader.required('actions', 'the actions to find, separated by commas'))
  const isEmpty = wanted.length === 1 && wanted[0] === 'empty'
  const occurrence = reader.oneOf('occurrence', occurrences)
  return (run) => state(occurs(occurrence, run.actions, (done) => (isEmpty && done.length === 0) || standsIn(done, wanted)))
}

function occurs<T>(occurrence: Occurrence, steps: Steps<T>, test: (value: T) => boolean): boolean {
  switch (occurrence) {
    case 'currentStep':
      return test(steps.current())
    case 'lastStep': {
      const last = steps.last()
      return last !== undefined && test(last)
    }
    case 'anyStep':
      return steps.some(test)
    case 'never':
      return !steps.some(test)
  }
}

function standsIn(done: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length === 0) return false
  return done.some((_, start) => wanted.every((action, offset) => done[start + offset] === action))
}

// ---- what came with the message

const contextTypes = ['expressions', 'object', 'string'] as const

function readContextMatcher(reader: ConditionReader): Evaluate {
  const key = reader.required('contextKey', 'the key of the context')
  if (reader.required('contextType', `one of ${contextTypes.join(', ')}`).trim() === '') return () => 'FAIL'
  const type = reader.oneOf('contextType', contextTypes)
  const test = contextTests[type](reader)
  return ({ memory }) => {
    const given = contextIn(memory.current, key)
    return state(given?.type === type && test(given.value))
  }
}

type ContextTest = (value: ContextValue['value']) => boolean

const contextTests: { readonly [Type in (typeof contextTypes)[number]]: (reader: ConditionReader) => ContextTest } = {
  expressions(reader) {
    const wanted = expressionsOf(reader, 'the expressions to find, as its type is "expressions"')
    return (value) => typeof value === 'string' && holds(parseExpressions(value), wanted)
  },
  object(reader) {
    const text = reader.required('objectKeyPath', 'the path to the member, as its type is "object"')
    const reading = readJsonPath(text)
    if (!reading.ok) reader.fault(`contextmatcher has "objectKeyPath": ${reading.fault}`)
    const path = reading.ok ? reading.path : []
    const wanted = reader.text('objectValue')
    return (value) => findByJsonPath(path, value).some((found) => found !== null && (wanted === '' || textOf(found) === wanted))
  },
  string(reader) {
    const wanted = reader.text('string')
    if (wanted === '') reader.fault('contextmatcher needs "string", the text to find, as its type is "string"')
    return (value) => value === wanted
  },
}

// ---- conditions over conditions

function readConnector(reader: ConditionReader): Evaluate {
  const { children } = reader
  if (children.length === 0) reader.fault('connector needs "conditions", at least one')
  const operator = reader.text('operator').trim().toUpperCase()
  // Any other word than AND is OR: configurations with misspelt ones have always run so.
  if (operator === '' || operator === 'AND') return (run) => state(children.every((child) => run.stateOf(child) === 'SUCCESS'))
  return (run) => state(children.some((child) => run.stateOf(child) === 'SUCCESS'))
}

/** What all of its conditions together are not; where one was not executed, it is not either. */
function readNegation(reader: ConditionReader): Evaluate {
  const { children } = reader
  if (children.length === 0) reader.fault('negation needs "conditions", at least one')
  return (run) => {
    for (const child of children) {
      const found = run.stateOf(child)
      if (found !== 'SUCCESS') return found === 'FAIL' ? 'SUCCESS' : found
    }
    return 'FAIL'
  }
}

// ---- other rules

function readOccurrence(reader: ConditionReader): Evaluate {
  const rule = reader.required('behaviorRuleName', 'the name of the rule to count')
  const [min, max] = [reader.whole('minTimesOccurred'), reader.whole('maxTimesOccurred')]
  if (min < 0 && max < 0) reader.fault('occurrence needs "minTimesOccurred" or "maxTimesOccurred", a whole number from 0')
  return (run) => state(isBetween(run.successes(rule), min, max))
}

/** Of several rules with that name one is enough. */
function readDependency(reader: ConditionReader): Evaluate {
  const rule = reader.required('reference', 'the name of the rule that it depends on')
  return (run) => state(run.named(rule).some((one) => run.holds(one)))
}

// ---- values

function readDynamicValueMatcher(reader: ConditionReader): Evaluate {
  const valuePath = reader.required('valuePath', 'the path to the value')
  const [equals, contains] = [reader.text('equals'), reader.text('contains')]
  return (run) => {
    const value = valuePath.trim() === '' ? undefined : lookUp(valuePath, run.data())
    return state(value !== undefined && pathMatches({ valuePath: 'value', equals, contains }, { value }))
  }
}

function readSizeMatcher(reader: ConditionReader): Evaluate {
  const path = reader.required('valuePath', 'the path to the value')
  const [min, max, equal] = [reader.whole('min'), reader.whole('max'), reader.whole('equal')]
  if (min < 0 && max < 0 && equal < 0) {
    reader.fault('sizematcher needs "min", "max" or "equal", a whole number from 0')
    return () => 'NOT_EXECUTED'
  }
  return (run) => {
    const size = sizeOf(lookUp(path, run.data()))
    return state(isBetween(size, min, max) && (equal < 0 || size === equal))
  }
}

// ---- attachments, agents, the place

function readContentTypeMatcher(reader: ConditionReader): Evaluate {
  const wanted = reader.required('mimeType', 'a type as image/png, image/* or */*').trim()
  reader.whole('minCount')
  const least = leastOf(reader.text('minCount'))
  const family = wanted.endsWith('/*') ? wanted.slice(0, -1) : null
  const fits = (mime: string): boolean => wanted === '*/*' || (family === null ? mime === wanted : mime.startsWith(family))
  return ({ memory }) => state(wanted !== '' && memory.attachments.filter(({ mime }) => fits(mime)).length >= least)
}

/** How many there must be: at least one. */
export function leastOf(text: string): number {
  return Math.max(1, wholeNumber(text) ?? 1)
}

/** The skill may be a template. Whoever was found is kept under `capabilityMatch.results`. */
function readCapabilityMatch(reader: ConditionReader): Evaluate {
  const skill = reader.required('skill', 'the skill to look for')
  const strategy = reader.oneOf('strategy', capabilityStrategies)
  reader.whole('minResults')
  const least = leastOf(reader.text('minResults'))
  return ({ rooms, memory }) => {
    const wanted = (skill.includes('{') ? rooms.render(skill) : skill).trim()
    const found = wanted === '' ? [] : rooms.capabilities(wanted, strategy)
    if (found.length < least) return 'FAIL'
    memory.current.set('capabilityMatch.results', found)
    memory.current.out('capabilityMatch', { results: found })
    return 'SUCCESS'
  }
}

function readDeploymentContext(reader: ConditionReader): Evaluate {
  const [when, tag] = [reader.text('when').trim().toLowerCase(), reader.text('tagMatches').trim().toLowerCase()]
  return ({ rooms }) =>
    state((when === '' || rooms.environment.toLowerCase() === when) && (tag === '' || rooms.tags.some((one) => one.toLowerCase() === tag)))
}

// ---- small things

function expressionsOf(reader: ConditionReader, what: string): readonly Expression[] {
  try {
    return parseExpressions(reader.required('expressions', what))
  } catch (thrown) {
    reader.fault(`${reader.type} has "expressions" that can't be read: ${messageOf(thrown).replace(/\.$/, '')}`)
    return []
  }
}

function holds(said: readonly Expression[], wanted: readonly Expression[]): boolean {
  return wanted.length > 0 && hasSublist(said, wanted)
}

function isBetween(size: number, min: number, max: number): boolean {
  return (min < 0 || size >= min) && (max < 0 || size <= max)
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

function textOf(value: ContextValue['value']): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
