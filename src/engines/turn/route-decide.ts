// Whose a person's message is, decided from what the hub knows at that moment and recorded with the turn (E40, E42). Looks only.
import type { MessageId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ProcessInfo } from '../../lanes/engine.ts'
import type { Tier } from '../../models/message.ts'
import type { Route, Way } from '../../routing/route.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Conversation, ScopeRef, Sessions } from '../../scopes/scopes.ts'
import type { Work, WorkerLink } from '../../work/work.ts'
import type { Decided, Goes, Words } from './route-case.ts'
import { type CorrectionRooms, correctedBy } from './route-correction.ts'
import { alternatives, firstReason } from './route-hint.ts'
import { type Fitting, fittingAgent, type WorkerRooms } from './route-worker.ts'

export type DecideRooms = WorkerRooms &
  CorrectionRooms & {
    readonly routing: Pick<Routing, 'route' | 'mode' | 'corrections'>
    /** The model of a tier; null: none is configured. */
    readonly models: { modelOf(tier: Tier): string | null }
    readonly conversation: Pick<Conversation, 'walk'>
    readonly sessions: Pick<Sessions, 'create' | 'brief' | 'resume'>
    readonly work: Pick<Work, 'workers'>
  }

/** Who is at work in the turn: the session's leader, with its tier. `corrects`: corrections are heard here. */
export type Leading = {
  readonly process: ProcessInfo
  readonly tier: Tier
  /** The conversation before the turn. */
  readonly before: MessageId | null
  readonly corrects: boolean
}

/** Where it looks for agents and settings. */
export type Placed = { readonly scope: ScopeRef }

/** Whose question is open. `link`: the worker that asked it, when it was one. */
export type Asking = { readonly agent: string; readonly link: WorkerLink | null }

/** The person's own word, or a rule that they made. */
const explicit: ReadonlySet<Way> = new Set(['address', 'mention', 'question', 'rule'])
/** What these do, they do with a model. */
const withModel: ReadonlySet<string> = new Set(['hub', 'chat', 'quick', 'chain', 'tree', 'council', 'discussion'])
/** Who gets a chain of steps. */
const chainAgent = 'chain'
const mostAgents = 8

export type Decidable = {
  readonly words: Words
  readonly asking: Asking | null
  /** Of the message and what joined it. */
  readonly text: string
}

export async function decide(
  rooms: DecideRooms,
  leading: Leading & Placed,
  { words: { entry, from, body }, asking, text }: Decidable,
): Promise<{ readonly decided: Decided; readonly route: Route }> {
  const { process, tier, before, corrects, scope } = leading
  const corrected = corrects ? await correctedBy(rooms, { text, from, scope, before }) : null
  const to = body.to ?? null
  const context = text === body.text ? {} : { context: { answered: true } }
  const route = await rooms.routing.route({ text, scope, to, asking: asking?.agent ?? null, leader: process.agent, ...context })
  const hasModel = rooms.models.modelOf(tier) !== null
  const alone = await isAlone(rooms, tier, scope)
  const going = { process, scope, route, hasModel, alone, to, asking }
  const found = corrected === null ? await goesTo(rooms, going) : leader
  const decided: Decided = {
    ...{ entry, decision: route.decision, by: route.by, agents: route.selected.slice(0, mostAgents) },
    ...{ why: firstReason(route), others: alternatives(route), confidence: route.confidence },
    ...{ goes: found.goes, would: found.would, alone: alone && !isExplicit(route), corrected },
    chain: route.decision === 'chain' ? chainOf(route, text) : null,
    questions: found.goes.to === 'ask' ? (route.clarification?.questions ?? []).slice(0, 3) : [],
  }
  return { decided, route }
}

type Found = { readonly goes: Goes; readonly would: string | null }
const leader: Found = { goes: { to: 'leader' }, would: null }

type Going = {
  readonly process: ProcessInfo
  readonly scope: ScopeRef
  readonly route: Route
  readonly hasModel: boolean
  readonly alone: boolean
  readonly to: string | null
  readonly asking: Asking | null
}

async function goesTo(rooms: DecideRooms, going: Going): Promise<Found> {
  const { process, route, hasModel, alone, asking } = going
  const missing = await missingAddressee(rooms, going)
  if (missing !== null) return { goes: { to: 'nobody', plain: missing }, would: null }
  if (!isExplicit(route) && !alone) return leader
  // Without any model nobody could do more with the answer.
  if (route.decision === 'clarify') return hasModel && route.clarification ? { goes: { to: 'ask' }, would: null } : leader
  if (route.decision === 'leave') return leader
  const isChain = route.decision === 'chain' && !isExplicit(route)
  const called = isChain ? chainAgent : route.selected[0]
  if (called === undefined || called === process.agent) return leader
  if (route.by === 'question' && asking?.link && asking.agent === called) return answerTo(asking.link)
  const fit = await fittingAgent(rooms, process, called)
  if ('why' in fit) return isExplicit(route) ? { goes: { to: 'nobody', plain: fit.plain }, would: null } : leader
  return withItsModel(rooms, going, { ...fit, isChain })
}

function answerTo(link: WorkerLink): Found {
  const { agent } = link
  return { goes: { to: 'worker', agent, title: agent, isChain: false, link }, would: null }
}

type Fit = Extract<Fitting, { agent: string }> & { readonly isChain: boolean }

/** An agent without the model that it needs gets nothing; who leads says so, or would have got it. */
function withItsModel(rooms: DecideRooms, { route, hasModel }: Going, { agent, title, engine, tier, isChain }: Fit): Found {
  if (!withModel.has(engine) || rooms.models.modelOf(tier) !== null)
    return { goes: { to: 'worker', agent, title, isChain, link: null }, would: null }
  if (!hasModel || !isExplicit(route)) return { goes: { to: 'leader' }, would: title }
  const plain = `${title} needs a model of the tier ${tier}, and none is set up: "steward models" says how.`
  return { goes: { to: 'nobody', plain }, would: null }
}

/** Nobody else decides here: there is no model, or the person wants it so. */
async function isAlone({ models, routing }: DecideRooms, tier: Tier, scope: ScopeRef): Promise<boolean> {
  return models.modelOf(tier) === null || (await routing.mode(scope)) === 'direct'
}

/** It was sent to somebody who has gone since. */
async function missingAddressee(rooms: DecideRooms, { to, scope, process }: Going): Promise<string | null> {
  if (to === null || (await rooms.agents.find(to, scope)) !== null) return null
  const fit = await fittingAgent(rooms, process, to)
  return 'plain' in fit ? fit.plain : null
}

export function isExplicit({ by }: Pick<Route, 'by'>): boolean {
  return by !== null && explicit.has(by)
}

function chainOf(route: Route, text: string): JsonObject {
  const { decision, selected, chain, tier, models, confidence, reasons, template, thresholds, rosterVersion, rulesVersion } = route
  // Those that open something; what is refused and what it costs was told with the route.
  const gates = route.gates.filter(({ id }) => id.startsWith('G'))
  const given = { decision, selected, chain, tier, models, confidence, reasons: reasons.slice(0, 5), template, gates, thresholds, text }
  const copy: JsonObject = JSON.parse(JSON.stringify({ ...given, rosterVersion, rulesVersion }))
  return copy
}

/**
 * Whose question is open: of a worker that is answered in this conversation, or of who said the last line with something to choose
 * from. What the person says next is for them, unless it names somebody else.
 */
export async function askingIn(rooms: DecideRooms, { process, tier, scope, before }: Leading & Placed): Promise<Asking | null> {
  const links = await rooms.work.workers(process.id)
  const link = links.find(({ mode, status, lastReport }) => mode === 'verbatim' && status === 'blocked' && lastReport?.type === 'question')
  if (link) return { agent: link.agent, link }
  // Only where an answer could go elsewhere by mistake: nobody pays for a look that changes nothing.
  if (!links.some(({ mode }) => mode === 'verbatim') && !(await isAlone(rooms, tier, scope))) return null
  const [last] = await rooms.conversation.walk(before, 1)
  if (last?.role !== 'assistant' || (last.options ?? []).length === 0) return null
  const agent = last.agent ?? process.agent
  return { agent, link: links.find((one) => one.mode === 'verbatim' && one.agent === agent) ?? null }
}
