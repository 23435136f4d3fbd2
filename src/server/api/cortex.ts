// The table of who does what, for a host model that is not ours.
import { Conflict } from '../../base/errors.ts'
import * as api from '../../protocol/api-routing.ts'
import { cortexText, mostQuarters, mostTokens, type TooLong } from '../../routing/cortex-text.ts'
import { endpoint } from '../endpoint.ts'
import { fresh } from '../session-of.ts'
import { scopeOf } from './documents.ts'

export const cortexCalls = [
  endpoint({
    method: 'GET',
    path: '/api/cortex',
    summary: 'Who does what, and how to choose, as a short text for a host model; 409 when the agents do not fit into it',
    access: 'read',
    query: api.rulesQuery,
    answers: { 200: api.cortexView },
    async run({ hub, caller, query }) {
      await fresh(hub)
      const scope = await scopeOf(hub, caller, query.project)
      const [roster, cortex] = await Promise.all([hub.agentFiles.roster(scope), hub.routing.cortex(scope)])
      const members = new Set(cortex.table.members.map(({ name }) => name))
      const others = roster.agents.map(({ name }) => name).filter((name) => !members.has(name))
      const found = cortexText(cortex.table.members, others)
      if (!found.ok) throw new Conflict(tooLongText(found), { code: 'too_long' })
      const { ok: _, ...view } = found
      return { status: 200, body: { ...view, mostTokens, mostQuarters } }
    },
  }),
]

function tooLongText({ over, longest, agents }: TooLong): string {
  const by = [
    ...(over.tokens > 0 ? [`${over.tokens} tokens over ${mostTokens}`] : []),
    ...(over.quarters > 0 ? [`${over.quarters} over ${mostQuarters} (characters / 4)`] : []),
  ]
  const lines = longest.map(({ agent, tokens }) => `${agent} (${tokens})`).join(', ')
  return `the table of ${agents} agents does not fit, even with three phrases each: ${by.join(' and ')}. The longest lines are those of ${lines}. Give them shorter first phrases and fewer hand-offs, or give agents that need not be in it a class of their own.`
}
