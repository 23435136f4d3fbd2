// What a process does now, and what became of a turn.
import { NotFound } from '../../base/errors.ts'
import * as api from '../../protocol/api.ts'
import { turnView } from '../../protocol/api-turns.ts'
import { endpoint } from '../endpoint.ts'
import { fresh, ownProcess } from '../session-of.ts'
import { findTurn } from '../turn-of.ts'

export const processCalls = [
  endpoint({
    method: 'GET',
    path: '/api/processes/:id',
    summary: 'A process: its status, its open turn, what waits and behind what',
    access: 'read',
    answers: { 200: api.processView },
    async run({ hub, caller, params }) {
      await fresh(hub)
      const id = await ownProcess(hub, caller, params['id'] ?? '')
      const view = await hub.lanes.look(id)
      if (!view) throw new NotFound(`there is no process ${id}`)
      const { session, project, agent, engine } = view.process
      const { status, leaf, turn, queue } = view
      return { status: 200, body: { id, session, project, agent, engine, status, leaf, turn, queue } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/turns/:id',
    summary: 'A turn: how it stands or ended, its steps with their calls, cost, cause, and what was asked',
    access: 'read',
    answers: { 200: turnView },
    async run({ hub, caller, params }) {
      const id = params['id'] ?? ''
      const missing = new NotFound(`there is no turn ${JSON.stringify(id.slice(0, 64))}`)
      const found = await findTurn(hub, id)
      if (found === null || (await hub.scopes.sessions.owner(found.session)) !== caller.user.name) throw missing
      return { status: 200, body: await found.view({ detail: caller.user.role === 'owner', user: caller.user.name }) }
    },
  }),
]
