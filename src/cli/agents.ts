// `steward agents`: list, show.

import { agents } from '../protocol/api.ts'
import { findHub, HubRefused } from './hub.ts'
import { type Call, type Result, table } from './output.ts'

export async function listAgents(call: Call, options: { readonly project?: string }): Promise<Result> {
  const { items } = await fetchAgents(call, options.project)
  const cells = items.map((one) => [one.name, one.engine, one.tier ?? '', one.level ?? '', one.title ?? ''])
  return { value: items, text: table(['name', 'engine', 'tier', 'from', 'title'], cells, 'No agents.') }
}

export async function showAgent(call: Call, name: string, options: { readonly project?: string }): Promise<Result> {
  const { items } = await fetchAgents(call, options.project)
  const found = items.find((one) => one.name === name || one.aliases?.includes(name))
  if (!found) throw new HubRefused(404, 'not_found', `There is no agent "${name}"; there are ${items.map((one) => one.name).join(', ')}.`)
  const lines = Object.entries(found).map(([key, value]) => `${key.padEnd(8)}  ${Array.isArray(value) ? value.join(', ') : value}`)
  return { value: found, text: lines.join('\n') }
}

async function fetchAgents(call: Call, project: string | undefined) {
  const hub = await findHub(call)
  return hub.call('GET', '/api/agents', agents, { query: { project } })
}
