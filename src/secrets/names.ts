// Names: which a secret may have, which agents and hosts it may be granted to, and which names of members hold secrets. Pure.
import { InvalidInput } from '../base/errors.ts'
import { shortest } from './forms.ts'

const longestValue = 65_536
/** Names of the hub's own settings: nobody can give or use these. */
export const ownPrefix = 'env.'

/** Throws InvalidInput. */
export function checkName(name: string): string {
  if (name.startsWith(ownPrefix)) {
    throw new InvalidInput(`names that begin with "${ownPrefix}" are the hub's own settings: choose another name`, { path: '/name' })
  }
  if (/^[a-z][a-z0-9_.-]{0,63}$/.test(name)) return name
  const message = `the name ${JSON.stringify(name.slice(0, 80))} is not possible: allowed are 1 to 64 of a-z, 0-9, "_", "." and "-", a letter first`
  throw new InvalidInput(message, { path: '/name' })
}

/** Throws InvalidInput, which never shows the value. */
export function checkSecretValue(value: string): string {
  if (value.includes('\0')) throw new InvalidInput('the value holds a zero byte: allowed is text', { path: '/value' })
  if (value.trim() !== value || value.length < shortest || value.length > longestValue) {
    const message = `the value must have ${shortest} to ${longestValue} characters, without white space around it: a shorter one could not be told from ordinary words, and so not be kept out of texts`
    throw new InvalidInput(message, { path: '/value' })
  }
  return value
}

/** Throws InvalidInput. `*` stands for every agent. */
export function checkAgents(agents: readonly string[]): readonly string[] {
  const wrong = agents.findIndex((agent) => agent !== '*' && !/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(agent))
  if (wrong === -1) return [...new Set(agents)].sort()
  const message = `${JSON.stringify(agents[wrong]?.slice(0, 80))} is no name of an agent; "*" stands for every agent`
  throw new InvalidInput(message, { path: `/agents/${wrong}` })
}

/** As origins, each once. Throws InvalidInput. */
export function checkHosts(hosts: readonly string[]): readonly string[] {
  const origins = hosts.map((host, i) => {
    const origin = originOf(host)
    if (origin !== null) return origin
    const message = `${JSON.stringify(host.slice(0, 80))} is no host: allowed is an origin like https://api.example.org`
    throw new InvalidInput(message, { path: `/hosts/${i}` })
  })
  return [...new Set(origins)].sort()
}

/** The origin of an address, or of a host without a scheme (then https); null for what is neither. */
export function originOf(text: string): string | null {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (url === null || !['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol) || url.username !== '' || url.hostname === '') return null
  return url.origin
}

const secretWords = /^(?:passwords?|passwd|passphrase|secrets?|credentials?|authorization|cookies?|token|apikeys?|jwt)$/
const secretPairs = /^(?:api|access|auth|private|secret|signing|encryption|client|session|account)_(?:keys?|secret)$|^(?:set)_cookie$/
/** Words behind the name proper that change nothing: it is still the secret. */
const trailing = /^(?:value|header|text|string|raw|plain|plaintext|hash|\d+)$/
/** Tokens that say where one is in a list. */
const places = /^(?:page|next|previous|continuation|sync|cursor|resume|skip)$/

/** Whether a member, header or variable of that name holds a secret: by its last words, however they are joined. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/(?<=[A-Za-z])\d+$/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  while (words.length > 1 && trailing.test(words.at(-1) ?? '')) words.pop()
  const [before = '', last = ''] = words.slice(-2).length === 2 ? words.slice(-2) : ['', words[0]]
  if (secretPairs.test(`${before}_${last}`)) return true
  return secretWords.test(last) && !(last === 'token' && places.test(before))
}
