// `steward secrets`: list, set, grant, revoke, remove, rotate-key. A value comes from standard input only: it must stand neither in
// the shell's history nor in the list of processes, and nothing shows it again.

import { keyRotated, type Secret, secret, secrets } from '../protocol/api-secrets.ts'
import { readHidden } from './hidden.ts'
import { findHub, type Hub, nothing } from './hub.ts'
import { type Call, type Result, table, tell, WrongUsage } from './output.ts'

export type Grants = { readonly agent?: readonly string[]; readonly host?: readonly string[] }

export async function listSecrets(call: Call): Promise<Result> {
  const hub = await findHub(call)
  const { items, locked } = await hub.call('GET', '/api/secrets', secrets)
  if (locked !== null) tell(locked)
  const headings = ['name', 'origin', 'agents', 'hosts', 'version', 'used']
  const cells = items.map((one) => [one.name, one.origin, who(one), where(one), String(one.version), one.lastUsedAt ?? 'never'])
  return { value: items, text: table(headings, cells, 'No secrets. Give one with: steward secrets set NAME') }
}

/** Reads the value from standard input; at a terminal it is asked for and not shown. */
export async function setSecret(call: Call, name: string, given: Grants): Promise<Result> {
  const hub = await findHub(call)
  const value = await readHidden(`The value of ${name} (it is not shown): `)
  if (value === '') throw new WrongUsage(`The value is empty. Give it on standard input: steward secrets set ${name} < FILE`)
  const body = { name, value, ...(given.agent ? { agents: given.agent } : {}), ...(given.host ? { hosts: given.host } : {}) }
  const made = await hub.call('POST', '/api/secrets', secret, { body })
  const done = made.version === 1 ? `${name} is kept.` : `${name} has a new value.`
  const hint = made.agents.length > 0 ? '' : ` No agent may use it yet: steward secrets grant ${name} --agent AGENT`
  return { value: made, text: `${done} Write {{secret:${name}}} where it is meant.${hint}` }
}

export async function grantSecret(call: Call, name: string, given: Grants): Promise<Result> {
  return changeGrants(call, name, { given, change: (before, more) => [...new Set([...before, ...more])] })
}

export async function revokeSecret(call: Call, name: string, given: Grants): Promise<Result> {
  return changeGrants(call, name, { given, change: (before, less) => before.filter((one) => !less.includes(one)) })
}

export async function removeSecret(call: Call, name: string): Promise<Result> {
  const hub = await findHub(call)
  await hub.call('DELETE', pathOf(name), nothing)
  return { value: { name, removed: true }, text: `${name} is removed.` }
}

export async function rotateKey(call: Call): Promise<Result> {
  const hub = await findHub(call)
  const value = await hub.call('POST', '/api/secrets/rotate-key', keyRotated)
  return { value, text: 'All values are under a new key.' }
}

type Change = { readonly given: Grants; readonly change: (before: readonly string[], named: readonly string[]) => readonly string[] }

async function changeGrants(call: Call, name: string, { given, change }: Change): Promise<Result> {
  if (!given.agent && !given.host) throw new WrongUsage('Name an agent with --agent (* is every one), or an origin with --host.')
  const hub = await findHub(call)
  const before = await secretNamed(hub, name)
  const agents = given.agent ? { agents: change(before.agents, given.agent) } : {}
  const hosts = given.host ? { hosts: change(before.hosts, given.host.map(asOrigin)) } : {}
  const after = await hub.call('PATCH', pathOf(name), secret, { body: { ...agents, ...hosts } })
  return { value: after, text: `${name}: usable by ${who(after)}, towards ${where(after)}` }
}

async function secretNamed(hub: Hub, name: string): Promise<Secret> {
  const { items } = await hub.call('GET', '/api/secrets', secrets)
  const found = items.find((one) => one.name === name)
  if (found) return found
  throw new WrongUsage(`There is no secret ${name}. Known are: ${items.map((one) => one.name).join(', ') || 'none'}.`)
}

/** As the hub writes it, so that what is named is found again. */
function asOrigin(host: string): string {
  return URL.parse(host.includes('://') ? host : `https://${host}`)?.origin ?? host
}

function who({ agents }: Secret): string {
  if (agents.length === 0) return 'nobody'
  return agents.includes('*') ? 'every agent' : agents.join(', ')
}

function where({ hosts }: Secret): string {
  return hosts.length === 0 ? 'any host' : hosts.join(', ')
}

function pathOf(name: string): string {
  return `/api/secrets/${encodeURIComponent(name)}`
}
