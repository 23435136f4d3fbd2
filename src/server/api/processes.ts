// What a process does now, and what became of a turn.
import { NotFound } from '../../base/errors.ts'
import * as api from '../../protocol/api.ts'
import { endpoint } from '../endpoint.ts'
import { fresh, ownProcess, ownSession } from '../session-of.ts'
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
    summary: 'A turn: how it stands or ended, and its steps',
    access: 'read',
    answers: { 200: api.turnView },
    async run({ hub, caller, params }) {
      const view = await findTurn(hub, params['id'] ?? '')
      if (!view) throw new NotFound(`there is no turn ${JSON.stringify((params['id'] ?? '').slice(0, 64))}`)
      await ownSession(hub, caller, view.session)
      return { status: 200, body: view }
    },
  }),
]
