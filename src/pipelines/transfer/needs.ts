// What an agent needs of the outside: the hosts that it calls, the secrets that it names, and those whose values stand in it openly.
//
// Y179  A value that is a secret by where it stands is kept by the secret store; configurations hold references to it, never the value.
import type { JsonObject } from '../../base/json.ts'
import type { Kind } from '../configuration.ts'
import { secretNameOf } from '../references.ts'
import { mapObject } from './walk.ts'

/** Where a call goes; what a template decides is told as it stands. Each once, in order. */
export function hostsIn(raws: readonly { readonly kind: Kind; readonly raw: JsonObject }[]): readonly string[] {
  const found = new Set<string>()
  for (const { kind, raw } of raws) {
    if (!calling.has(kind)) continue
    mapObject(raw, (text, path) => {
      const name = path.at(-1) ?? ''
      const isAddress = addresses.has(name) || (name === 'path' && /^[a-z]+:\/\//i.test(text)) || (name === 'url' && path.length > 1)
      if (isAddress && text.trim() !== '') found.add(originOf(text) ?? text.trim().slice(0, 200))
      return text
    })
  }
  return [...found]
}

const calling: ReadonlySet<Kind> = new Set<Kind>(['httpcalls', 'mcpcalls', 'llm', 'rag'])
const addresses: ReadonlySet<string> = new Set(['targetServerUrl', 'mcpServerUrl', 'baseUrl', 'endpoint'])

function originOf(text: string): string | null {
  const plain = text.trim()
  if (/^[a-z]+:\/\/[^/?#]*\{/i.test(plain)) return null
  const url = URL.canParse(plain) ? new URL(plain) : null
  return url === null || url.origin === 'null' ? null : url.origin
}

/** A secret that stands openly: `path` leads to its text, of which `value` is the secret part. */
export type OpenSecret = {
  readonly path: string
  readonly value: string
  /** A name for it, before it is made unique. */
  readonly name: string
  /** Origins that it goes to; empty: not known. */
  readonly hosts: readonly string[]
}

/** `agent`: its name, for the names of secrets. Texts that hold a template or a reference are not looked at. */
export function openSecretsIn(kind: Kind, raw: JsonObject, agent: string): readonly OpenSecret[] {
  if (!calling.has(kind)) return []
  const hosts = hostsIn([{ kind, raw }]).filter((host) => /^https?:\/\//.test(host) && !host.includes('{'))
  const found: OpenSecret[] = []
  mapObject(raw, (text, path) => {
    const value = secretPart(text, path)
    if (value !== null) {
      const name = secretNameOf(`${agent}-${(path.at(-1) ?? '').replace(/([a-z0-9])([A-Z])/g, '$1-$2')}`)
      found.push({ path: path.join('/'), value, name, hosts })
    }
    return text
  })
  return found
}

/** The same configuration with references where those values stood. */
export function withoutOpenSecrets(raw: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return mapObject(raw, (text, path) => {
    const name = names.get(path.join('/'))
    const value = name === undefined ? null : secretPart(text, path)
    return value === null ? text : text.replace(value, () => `\${vault:${name}}`)
  })
}

const secretNames =
  /(?:^|[-_.])(?:authorization|app-?id|api-?key|access-?key|secret-?key|private-?key|access-?token|auth-?token|token|secret|password|passwd|pwd|passphrase|credentials?|cookie|key)$/
/** A shorter one could not be told from ordinary words; the secret store keeps none. */
const shortest = 8
const longest = 8_192

function secretPart(text: string, path: readonly string[]): string | null {
  const name = (path.at(-1) ?? '').replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
  // Of an HTTP call these are what a model is told of its arguments.
  const isDescription = path[0] === 'httpCalls' && path.at(-2) === 'parameters'
  if (isDescription || !secretNames.test(name) || text.includes('{') || text.length > longest) return null
  const value = text
    .trim()
    .replace(/^(?:bearer|basic|token|apikey)\s/i, '')
    .trim()
  return value.length < shortest || /^<.*>$|^(?:your|change)[-_ ]?/i.test(value) ? null : value
}
