// The engines: what a turn does. Each is one durable function (lanes/engine.ts) in a folder of its own; turn/ and action/ are what
// they share. Owns: loops, actions, asking before risk, delegation. Leaves permission to policy, tools to tools, what a call is
// given to context, links and reports to work.
//
// E1  Nothing that needs a yes runs without one; no and silence are results for the model, with the rule.
// E2  A yes is for exactly what was asked; it is checked again when the call runs. Words that come in meanwhile answer nothing.
// E3  Each model call's cost is a fact; a budget that is used up is asked about.
import type { Engine } from '../lanes/engine.ts'
import type { Models } from '../models/models.ts'
import { templates } from '../pipelines/template/template.ts'
import type { Routing } from '../routing/routing.ts'
import type { ScopeRef } from '../scopes/scopes.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { type ChainRooms, chainEngine } from './chain/chain.ts'
import { fewFiles } from './chain/few-files.ts'
import { noMemory } from './chain/memory.ts'
import { type ChatRooms, chatEngine } from './chat/chat.ts'
import { openConcierge } from './hub/concierge.ts'
import { type HubRooms, hubEngine } from './hub/hub.ts'
import { type PipelineRooms, pipelineEngine } from './pipeline/pipeline.ts'
import type { EffectRooms } from './pipeline/rooms.ts'
import { effectTasks } from './pipeline/tasks/effects.ts'
import { type QuickRooms, quickEngine } from './quick/quick.ts'
import { openRoutes } from './turn/route.ts'

/** `routing`: absent, all work is for who leads the session. `chains`: absent, there are none. */
export type EngineRooms = QuickRooms &
  HubRooms &
  ChatRooms & {
    readonly models: Pick<Models, 'modelOf'>
    readonly routing?: Routing
    readonly documents: ChainRooms['documents']
    readonly chains?: Pick<ChainRooms, 'runs' | 'events' | 'taint' | 'priceOf'>
    readonly pipelines?: Pipelines
  }

/** `tells`: who streams a pipeline's turns hears them. */
type Pipelines = Pick<PipelineRooms, 'conversations' | 'deployments' | 'tells' | 'skills' | 'vars' | 'attachments'> &
  Pick<EffectRooms, 'outgoing' | 'own' | 'memories' | 'knowledge'> & { readonly secrets: Secrets }

export function builtInEngines({ routing, ...over }: EngineRooms): readonly Engine[] {
  const given = over.chains ? { ...over, tools: fewFiles(over.tools, over.chains.events) } : over
  const rooms = routing ? { ...given, routes: openRoutes({ ...given, routing }) } : given
  const chains = given.chains ? [chainEngine({ ...given, ...given.chains, memory: noMemory, ...(routing ? { routing } : {}) })] : []
  const pipelines = given.pipelines ? pipelineRooms(rooms, given.pipelines) : null
  const concierge = pipelines ? { concierge: openConcierge(pipelines), modelOf: given.models.modelOf } : {}
  return [
    ...[quickEngine(rooms), hubEngine({ ...rooms, ...concierge }), chatEngine(rooms), ...chains],
    ...(pipelines ? [pipelineEngine(pipelines)] : []),
  ]
}

/** Templates are kept over all conversations: the same configurations serve them. */
function pipelineRooms(rooms: QuickRooms & Pick<EngineRooms, 'sessions'>, pipelines: Pipelines): PipelineRooms {
  const skills = async (scope: ScopeRef) =>
    (await rooms.agents.roster(scope)).agents.map(({ name, triggers, ...agent }) => ({ agent: name, skills: [agent.class, ...triggers] }))
  const over = { ...rooms, skills, ...pipelines }
  return { ...over, templates: templates(mostTemplates), effects: effectTasks(over) }
}

const mostTemplates = 5_000

export { openRuns } from './chain/runs.ts'

export { openTells } from './pipeline/tells.ts'

export { openMinds } from './turn/mind.ts'
