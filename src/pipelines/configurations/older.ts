// Older names, and the canonical form of what a person wrote: members are renamed, empty ones left out. Nothing is checked here.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { Kind } from '../configuration.ts'
import { keptOfAgent, moreOfTask } from './schemas/models.ts'
import { taskOf } from './uri.ts'

/** Nulls count as absent, as the older program writes them. */
export function canonicalOf(kind: Kind, given: JsonObject): JsonObject {
  const plain = withoutNulls(given)
  return isJsonObject(plain) ? forms[kind](plain) : {}
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.filter((one) => one !== null).map(withoutNulls)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).flatMap(([name, one]) => (one === null ? [] : [[name, withoutNulls(one)]])))
}

type Form = (given: JsonObject) => JsonObject
type Names = Readonly<Record<string, string>>

/** An older name gives way to the canonical one where both stand. */
function renamed(given: Json, names: Names): JsonObject {
  if (!isJsonObject(given)) return {}
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const other = Object.hasOwn(names, name) ? names[name] : undefined
      if (other === undefined) return [[name, value]]
      return Object.hasOwn(given, other) ? [] : [[other, value]]
    }),
  )
}

/** Each object in a list, by a form; what is no list or no object stays, and the schema names it. */
function each(value: Json | undefined, form: Form): Json {
  if (!Array.isArray(value)) return value ?? []
  return value.map((one) => (isJsonObject(one) ? form(one) : one))
}

function within(given: JsonObject, name: string, form: Form): JsonObject {
  const value = given[name]
  return isJsonObject(value) ? { ...given, [name]: form(value) } : given
}

function listed(given: JsonObject, name: string, form: Form): JsonObject {
  return Object.hasOwn(given, name) ? { ...given, [name]: each(given[name], form) } : given
}

/** Under `under`, what is named; it is kept together and given back. */
function gathered(given: JsonObject, under: string, names: readonly string[]): JsonObject {
  const apart = Object.entries(given).filter(([name]) => names.includes(name))
  const rest = Object.entries(given).filter(([name]) => !names.includes(name))
  return { ...Object.fromEntries(rest), ...(apart.length === 0 ? {} : { [under]: Object.fromEntries(apart) }) }
}

const instruction: Form = (given) => {
  const { value, ...rest } = renamed(given, { valueFromPath: 'fromObjectPath' })
  if (value === undefined) return rest
  if (typeof value === 'string') return { valueString: value, ...rest }
  if (typeof value === 'boolean') return { valueBoolean: value, ...rest }
  if (typeof value === 'number') return Number.isInteger(value) ? { valueInt: value, ...rest } : { valueFloat: value, ...rest }
  return Array.isArray(value) ? { valueList: value, ...rest } : { valueObject: value, ...rest }
}

const before: Form = (given) => listed(given, 'propertyInstructions', instruction)
const after: Form = (given) => {
  const { qrBuildInstruction, ...rest } = renamed(given, { retryHttpCallInstruction: 'retryApiCallInstruction' })
  const one = qrBuildInstruction === undefined ? {} : { qrBuildInstructions: [qrBuildInstruction] }
  return listed({ ...one, ...rest }, 'propertyInstructions', instruction)
}
const around: Form = (given) => within(within(given, 'preRequest', before), 'postResponse', after)

const condition: Form = (given) => {
  const named = renamed(given, { values: 'configs', children: 'conditions' })
  return listed(named, 'conditions', condition)
}
const rule: Form = (given) => listed(renamed(given, { children: 'conditions', behaviorRules: 'rules' }), 'conditions', condition)
const group: Form = (given) => listed(renamed(given, { behaviorRules: 'rules' }), 'rules', rule)

const step: Form = (given) => {
  const { type } = given
  return typeof type === 'string' ? { ...given, type: `eddi://${taskOf(type)}` } : given
}

/** The type of older outputs stands above their alternatives. */
const outputs: Form = ({ type, ...given }) => {
  if (typeof type !== 'string' || !Array.isArray(given['valueAlternatives'])) return given
  const typed = given['valueAlternatives'].map((one) => {
    if (typeof one === 'string') return type === 'text' ? { type, text: one } : { type, value: one }
    return isJsonObject(one) && !Object.hasOwn(one, 'type') ? { type, ...one } : one
  })
  return { ...given, valueAlternatives: typed }
}
const quickReply: Form = (given) => renamed(given, { default: 'isDefault' })
const outputEntry: Form = (given) => listed(listed(renamed(given, { key: 'action' }), 'outputs', outputs), 'quickReplies', quickReply)

const forms: { readonly [K in Kind]: Form } = {
  agent: (given) => gathered(renamed(given, { packages: 'workflows' }), 'kept', keptOfAgent),
  workflow: (given) => {
    const named = renamed(renamed(given, { packageExtensions: 'workflowExtensions' }), { workflowExtensions: 'workflowSteps' })
    return listed(named, 'workflowSteps', step)
  },
  rules: (given) => listed(renamed(given, { ruleGroups: 'behaviorGroups' }), 'behaviorGroups', group),
  httpcalls: (given) => listed(renamed(given, { apiCalls: 'httpCalls', targetServer: 'targetServerUrl' }), 'httpCalls', around),
  llm: (given) => listed(given, 'tasks', (task) => gathered(around(task), 'more', moreOfTask)),
  output: (given) => listed(given, 'outputSet', outputEntry),
  dictionary: (given) => {
    const named = renamed(given, { language: 'lang' })
    const older: Form = (one) => renamed(one, { exp: 'expressions', regex: 'regEx' })
    return listed(listed(listed(named, 'words', older), 'phrases', older), 'regExs', older)
  },
  property: (given) => listed(given, 'setOnActions', (one) => listed(one, 'setProperties', instruction)),
  mcpcalls: (given) => listed(given, 'mcpCalls', around),
  rag: (given) => given,
  parser: (given) => within(given, 'extensions', (one) => renamed(one, { normalizers: 'normalizer' })),
  snippet: (given) => given,
  toolcalls: (given) => listed(given, 'toolCalls', around),
}
