// A new conversation: a session in the caller's home whose lead is the version that is deployed.
import { NotFound } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Environment } from '../../pipelines/configurations/store.ts'
import type { Caller } from '../caller.ts'
import type { Hub } from '../hub.ts'
import { seen } from '../session-of.ts'
import { noteOf, postAndWait, talkOf } from './talk.ts'

export type Beginning = {
  readonly agentId: string
  readonly environment: Environment
  readonly context: JsonObject
  readonly key: string | null
  readonly seconds: number
  readonly signal: AbortSignal
}

/** The id of the conversation, whose first step is made. Throws NotFound when no version of it is deployed there. */
export async function begin(hub: Hub, caller: Caller, given: Beginning): Promise<string> {
  const { agentId, environment, context, key, seconds, signal } = given
  const user = caller.user.name
  const deployed = await hub.pipelines.deployments.current(agentId, environment, { user })
  if (deployed === null) throw new NotFound(`no version of an agent ${JSON.stringify(agentId.slice(0, 64))} is deployed in ${environment}`)
  const { agentName, agentVersion } = deployed
  const params = { pipeline: deployed.agentId, version: agentVersion, environment }
  const lead = { agent: agentName ?? `pipeline-${deployed.agentId.slice(0, 24)}`, engine: 'pipeline', params }
  const named = agentName === null ? { lead } : { agent: agentName }
  const { id } = await seen(
    hub,
    hub.scopes.sessions.create({ user, ...named, ...(key === null ? {} : { key: `eddi ${key}` }) }, caller.actor),
  )
  const talk = await talkOf(hub, caller, id)
  await postAndWait(hub, caller, talk, { body: noteOf({ do: 'start', context }), key, seconds, signal })
  return id
}
