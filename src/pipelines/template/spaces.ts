// Functions that belong to no value, as in `{json:serialize(list)}`, and references that go through a rendering as they are.
import type { Json } from '../../base/json.ts'
import type { Call, Method } from './methods.ts'

/** How deep JSON may be nested that a template reads. */
const deepest = 100

/** Source of the rules for ids and versions: reference digest of EDDI, sections 1.1 and 1.13. */
export const spaceFunctions: { readonly [name: string]: Method } = {
  'uuidUtils:generateUUID': { args: [0, 0], bare: [], apply: (call) => call.newId() },
  'uuidUtils:extractId': { args: [1, 1], bare: [], apply: (call) => idIn(call.text() ?? '') },
  'uuidUtils:extractVersion': { args: [1, 1], bare: [], apply: (call) => versionIn(call.text() ?? '') },
  'json:serialize': { args: [1, 1], bare: [], apply: serialized },
  'json:deserialize': { args: [1, 1], bare: [], apply: deserialized },
  'encoder:base64': { args: [1, 1], bare: [], apply: base64 },
  'encoder:base64Url': { args: [1, 1], bare: [], apply: (call) => base64(call).replaceAll('+', '-').replaceAll('/', '_') },
  'encoder:base64Mime': { args: [1, 1], bare: [], apply: (call) => inLines(base64(call)) },
}

export const spaces: readonly string[] = ['uuidUtils', 'json', 'encoder']

/**
 * Names before a colon of what others resolve after the rendering, as in `${vault:key}`: kept word for word. Whoever resolves them
 * must do so only where the configuration wrote them, for a value may hold such a text too.
 */
export const passedThrough: readonly string[] = ['vault', 'eddivault', 'vars', 'connection', 'caller']

/** The last segment of an address; empty where it ends with a slash or has none. */
function idIn(address: string): string {
  const path = address.split('?', 1)[0] ?? ''
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(slash + 1)
}

function versionIn(address: string): string {
  const name = 'version='
  const at = address.indexOf(name)
  return at < 0 ? '' : (address.slice(at + name.length).split('&', 1)[0] ?? '')
}

function serialized(call: Call): string {
  const text = JSON.stringify(call.self)
  call.make(text.length)
  return text
}

/** Throws a fault for what is no JSON, or is nested more than 100 deep. Nothing gives nothing. */
function deserialized(call: Call): Json {
  const text = call.text()
  if (text === null || text.trim() === '') return null
  if (depthOf(text) > deepest) throw call.fault(`json:deserialize was given JSON that is nested more than ${deepest} deep`)
  call.measure(text.length * 4)
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    throw call.fault('json:deserialize was given a text that is no JSON')
  }
}

/** How deep brackets are nested outside of strings; too deep ends the count. */
function depthOf(text: string): number {
  let [depth, most, isInString] = [0, 0, false]
  for (let at = 0; at < text.length && most <= deepest; at++) {
    const sign = text[at]
    if (isInString && sign === '\\') at++
    else if (sign === '"') isInString = !isInString
    else if (!isInString && (sign === '[' || sign === '{')) most = Math.max(most, ++depth)
    else if (!isInString && (sign === ']' || sign === '}')) depth--
  }
  return most
}

function base64(call: Call): string {
  const text = call.text() ?? ''
  call.make(text.length * 4)
  return Buffer.from(text, 'utf8').toString('base64')
}

/** Lines of 76 characters with CR LF between them, as mail has them. */
function inLines(text: string): string {
  return text.match(/.{1,76}/g)?.join('\r\n') ?? ''
}
