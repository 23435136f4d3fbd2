// Routing: who should do this, and why; rules that were learned from corrections.
import { iso } from '../../base/clock.ts'
import { InvalidInput, NotFound } from '../../base/errors.ts'
import { isId } from '../../base/ids.ts'
import * as api from '../../protocol/api-routing.ts'
import { compileCortex } from '../../routing/compile.ts'
import type { IncomingVerify } from '../../routing/cortex.ts'
import { type ForeignTable, readRoutingTable } from '../../routing/foreign.ts'
import type { Asked, LearnedRule, RuleProposal } from '../../routing/routing.ts'
import type { RouteContext } from '../../routing/table.ts'
import type { ScopeRef } from '../../scopes/scopes.ts'
import type { Caller } from '../caller.ts'
import { endpoint } from '../endpoint.ts'
import type { Hub } from '../hub.ts'
import { fresh, ownSession, sessionOf } from '../session-of.ts'
import { verified } from './incoming.ts'
import { projectOf } from './projects.ts'

export const routeCalls = [
  endpoint({
    method: 'POST',
    path: '/api/route',
    summary: 'Who should do this, why, and what was considered and dropped; nothing is done and nothing is kept',
    access: 'read',
    body: api.routeRequest,
    answers: { 200: api.routeAnswer },
    async run({ hub, caller, body }) {
      const { text, context = {}, mode, explain, verify, roster } = body
      await fresh(hub)
      const place = await placeOf(hub, caller, body)
      const asked = { text, context, explain, incomingVerify: verify === undefined ? null : verified(verify) }
      if (roster !== undefined) return { status: 200, body: routeIn(hub, tableIn(roster), { ...asked, mode }) }
      if (mode === 'strict') return { status: 200, body: (await hub.routing.cortex(place.scope)).strict(text, context, asked) }
      return { status: 200, body: { ...(await hub.routing.route({ text, context, ...place })), ...seenIn(asked) } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/route/rules',
    summary: 'The rules that were learned, in the order in which they are asked; and what is wrong in the routing documents',
    access: 'read',
    query: api.rulesQuery,
    answers: { 200: api.routingRules },
    async run({ hub, caller, query }) {
      await fresh(hub)
      const { scope } = await placeOf(hub, caller, query)
      const { corrections, mode, faults } = hub.routing
      const items = (await corrections.list(scope)).map(shownRule)
      return { status: 200, body: { items, next: null, mode: await mode(scope), faults: await faults(scope) } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/route/proposals',
    summary: '"That should have gone to X": the rule that would do it, and which past messages it would send elsewhere',
    access: 'documents',
    body: api.newCorrection,
    answers: { 201: api.routingProposal },
    async run({ hub, caller, body }) {
      await fresh(hub)
      const { text, message, scope } = await corrected(hub, caller, body)
      const given = { text, message, scope, to: body.to, ...(body.when === undefined ? {} : { when: body.when }) }
      return { status: 201, body: shownProposal(await hub.routing.corrections.propose(given, caller.actor)) }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/route/rules',
    summary: 'Accepts a proposal; the next decision follows it. The same again is the same rule',
    access: 'documents',
    body: api.acceptProposal,
    answers: { 201: api.routingRule },
    async run({ hub, caller, body }) {
      return { status: 201, body: shownRule(await hub.routing.corrections.accept(body.proposal, caller.actor)) }
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/api/route/rules/:id',
    summary: 'Takes a rule back; the next decision is made without it',
    access: 'documents',
    query: api.rulesQuery,
    answers: { 204: 'text' },
    async run({ hub, caller, params, query }) {
      const id = params['id'] ?? ''
      const { scope } = await placeOf(hub, caller, query)
      if (await hub.routing.corrections.undo(id, scope, caller.actor)) return { status: 204, body: null }
      throw new NotFound(`there is no routing rule ${JSON.stringify(id.slice(0, 100))} here`)
    },
  }),
]

type Where = { readonly project?: string | undefined; readonly session?: string | undefined }
type PlaceAsked = Pick<Asked, 'scope' | 'leader' | 'asking'>

/** The project that is named, or a session's with who leads it and who asks in it; without both the person's home. */
async function placeOf(hub: Hub, caller: Caller, { project, session }: Where): Promise<PlaceAsked> {
  const user = caller.user.name
  if (session === undefined) return { scope: await scopeIn(hub, caller, project) }
  const found = await sessionOf(hub, caller, await ownSession(hub, caller, session))
  if (project !== undefined && project !== found.project) {
    throw new InvalidInput(`the session is one of the project ${JSON.stringify(found.project)}`, { path: '/project' })
  }
  const asked = found.openQuestions.at(-1)
  const process = asked !== undefined && isId('prc', asked.process) ? await hub.scopes.sessions.process(asked.process) : null
  return { scope: { user, project: found.project }, leader: found.agent, asking: process?.info.agent ?? null }
}

async function scopeIn(hub: Hub, caller: Caller, project: string | undefined): Promise<ScopeRef> {
  const user = caller.user.name
  return project === undefined ? { user } : { user, project: (await projectOf(hub, caller, project)).name }
}

type Corrected = { readonly text?: string | undefined; readonly message?: string | undefined; readonly project?: string | undefined }

/** The text that should have gone elsewhere, and where it was said. */
async function corrected(hub: Hub, caller: Caller, { text, message, project }: Corrected) {
  if ((text === undefined) === (message === undefined)) throw new InvalidInput('it needs text or message, and not both', { path: '/text' })
  if (text !== undefined) return { text, message: null, scope: await scopeIn(hub, caller, project) }
  const line = message !== undefined && isId('msg', message) ? await hub.scopes.conversation.get(message) : null
  if (line === null || !isId('msg', line.id)) throw new NotFound(`there is no message ${JSON.stringify(message)}`, { path: '/message' })
  const { scope } = await placeOf(hub, caller, { project, session: line.session })
  return { text: line.text, message: line.id, scope }
}

type AskedOfTable = {
  readonly text: string
  readonly context: RouteContext
  readonly explain: boolean
  readonly incomingVerify: IncomingVerify | null
}

/** The source's own artifact has no place for warnings; like the scores they are there for who wants explanations. */
function routeIn(hub: Hub, { table, warnings }: ForeignTable, asked: AskedOfTable & { readonly mode: 'default' | 'strict' }) {
  const { text, context, explain } = asked
  if (asked.mode === 'default') return { ...hub.routing.routeWith(table, { text, context }), ...seenIn(asked), warnings }
  const artifact = compileCortex(table).strict(text, context, asked)
  return explain && warnings.length > 0 ? { ...artifact, _warnings: warnings } : artifact
}

function seenIn({ incomingVerify }: AskedOfTable): { readonly incomingVerify?: IncomingVerify } {
  return incomingVerify === null ? {} : { incomingVerify }
}

/** Faults are named below `/roster`. */
function tableIn(roster: unknown): ForeignTable {
  try {
    return readRoutingTable(roster)
  } catch (thrown) {
    if (!(thrown instanceof InvalidInput)) throw thrown
    const below = thrown.path === undefined || thrown.path === '' ? '' : `/${thrown.path.replace(/^\//, '')}`
    throw new InvalidInput(thrown.message, { path: `/roster${below}`, cause: thrown })
  }
}

function shownRule({ at, ...rule }: LearnedRule): api.RoutingRule {
  return { ...rule, when: [...rule.when], at: iso(at) }
}

function shownProposal({ id, rule, changes, looked }: RuleProposal): api.RoutingProposal {
  return { id, rule: shownRule(rule), changes: changes.map((one) => ({ ...one })), looked }
}
