// Summaries of a session, their undoing, and a new foundation.
import type { Summary } from '../../context/context.ts'
import * as api from '../../protocol/api-context.ts'
import { endpoint } from '../endpoint.ts'
import { ownSession } from '../session-of.ts'

export const contextCalls = [
  endpoint({
    method: 'GET',
    path: '/api/sessions/:id/summaries',
    summary: 'What models are given in place of older lines; with ?all=true also what was undone or replaced',
    access: 'read',
    query: api.summariesQuery,
    answers: { 200: api.summaries },
    async run({ hub, caller, params, query }) {
      const session = await ownSession(hub, caller, params['id'] ?? '')
      const found = await hub.context.summaries(session, { all: query.all === true })
      return { status: 200, body: { items: found.map(shown), next: null } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/sessions/:id/compact',
    summary: 'Shortens the conversation for models now, all but its last lines; 409 when there is nothing to shorten',
    access: 'chat',
    body: api.compact,
    answers: { 200: api.summaries },
    async run({ hub, caller, params, body }) {
      const session = await ownSession(hub, caller, params['id'] ?? '')
      const keep = body.keep === undefined ? {} : { keep: body.keep }
      const made = await hub.context.compact(session, { ...keep, by: caller.actor })
      return { status: 200, body: { items: made.map(shown), next: null } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/sessions/:id/summaries/:summary/undo',
    summary: 'Models are given its lines word by word again; 409 when another summary stands on it',
    access: 'chat',
    answers: { 200: api.summary },
    async run({ hub, caller, params }) {
      const session = await ownSession(hub, caller, params['id'] ?? '')
      return { status: 200, body: shown(await hub.context.undo(session, params['summary'] ?? '', caller.actor)) }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/sessions/:id/rebase',
    summary: "The next turn begins on the agent's, project's and settings' present state instead of the frozen one",
    access: 'chat',
    answers: { 200: api.rebased },
    async run({ hub, caller, params }) {
      const session = await ownSession(hub, caller, params['id'] ?? '')
      return { status: 200, body: { session, rebased: await hub.context.rebase(session, caller.actor) } }
    },
  }),
]

function shown({ id, session, from, to, lines, text, before, after, by, keep, wanted }: Summary) {
  return { id, session, from, to, lines, text, before, after, by, keep, wanted }
}
