// Agents: who can be asked from a place, what is wrong with their files, and rosters from elsewhere.

import { listedAgents, shownAgent } from '../../agents/listing.ts'
import type { Roster } from '../../agents/roster.ts'
import { NotFound } from '../../base/errors.ts'
import * as api from '../../protocol/api.ts'
import * as wire from '../../protocol/api-agents.ts'
import type { Caller } from '../caller.ts'
import { endpoint } from '../endpoint.ts'
import type { Hub } from '../hub.ts'
import { fresh } from '../session-of.ts'
import { placeOf, scopeOf } from './documents.ts'

export const agentCalls = [
  endpoint({
    method: 'GET',
    path: '/api/agents',
    summary: 'The agents that can be reached from here, with what they are for, and the faults of their files',
    access: 'read',
    query: api.documentQuery,
    answers: { 200: wire.agentList },
    async run({ hub, caller, query }) {
      return { status: 200, body: listedAgents(await rosterOf(hub, caller, query.project)) }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/agents/:name',
    summary: 'All that the file of an agent says, by name or alias',
    access: 'read',
    query: api.documentQuery,
    answers: { 200: wire.agentShown },
    async run({ hub, caller, params, query }) {
      const roster = await rosterOf(hub, caller, query.project)
      const called = params['name'] ?? ''
      const found = roster.find(called)
      if (found) return { status: 200, body: shownAgent(found, roster.faults) }
      const names = roster.agents.map(({ name }) => name).join(', ') || 'nobody'
      throw new NotFound(`there is no agent ${JSON.stringify(called.slice(0, 64))} here; there is ${names}`)
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/agents/check',
    summary: 'What would be wrong with an agent whose file had that text; writes nothing',
    access: 'read',
    body: wire.agentCheck,
    answers: { 200: wire.agentChecked },
    async run({ hub, caller, body }) {
      await fresh(hub)
      const place = await placeOf(hub, caller, body.project)
      const faults = await hub.agentFiles.check([{ path: body.path, text: body.text, ...place }], await scopeOf(hub, caller, body.project))
      const own = faults.filter(({ path, level, scope }) => path === body.path && level === place.level && scope === place.scope)
      return { status: 200, body: { faults: own } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/agents/import',
    summary: 'A roster from elsewhere as agents: a preview, and with apply all of it in one commit',
    access: 'documents',
    body: wire.rosterImport,
    answers: { 200: wire.rosterImported },
    async run({ hub, caller, body }) {
      await fresh(hub)
      const place = await placeOf(hub, caller, body.project)
      const order = { files: body.files, place, user: caller.user.name, apply: body.apply === true }
      return { status: 200, body: await hub.agentFiles.imports.roster(order, caller.actor) }
    },
  }),
]

async function rosterOf(hub: Hub, caller: Caller, project: string | undefined): Promise<Roster> {
  await fresh(hub)
  return hub.agentFiles.roster(await scopeOf(hub, caller, project))
}
