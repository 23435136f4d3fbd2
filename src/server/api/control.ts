// Stop, pause and resume a turn.
import * as api from '../../protocol/api.ts'
import { steerTurn } from '../control.ts'
import { endpoint } from '../endpoint.ts'

const summaries = {
  stop: 'Ends the turn that runs (or the named one); what waits in the mailbox then starts the next',
  pause: 'Lets the running step end and starts no further one',
  resume: 'Goes on with a paused turn',
} as const

export const controlCalls = (['stop', 'pause', 'resume'] as const).map((verb) =>
  endpoint({
    method: 'POST',
    path: `/api/sessions/:id/${verb}`,
    summary: summaries[verb],
    access: 'chat',
    body: api.steer,
    answers: { 202: api.steered },
    async run({ hub, caller, params, body }) {
      return { status: 202, body: await steerTurn(hub, caller, verb, { ...body, session: params['id'] ?? '' }) }
    },
  }),
)
