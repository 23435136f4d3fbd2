// Which versions new conversations get.
//
// Y163  Deploying what can't run changes nothing and says all that is wrong; the status of a version says what is deployed now.
import { NotFound } from '../../base/errors.ts'
import { isId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'
import { type Deployment, environments } from '../../pipelines/configurations/store.ts'
import type { Endpoint, Reply } from '../endpoint.ts'
import { fresh } from '../session-of.ts'
import { descriptorOf } from './descriptor.ts'
import { type EddiCall, eddi, environmentIn, flag, placeOf, text, whole, writerOf } from './route.ts'
import { isOver, noteOf, postAndWait, talkOf } from './talk.ts'

export const deployCalls: readonly Endpoint[] = [
  eddi({
    method: 'POST',
    path: '/administration/:env/deploy/:id',
    summary: 'Deploys a version: new conversations get it. It is done when this answers, whether waiting is asked for or not',
    access: 'documents',
    async run(call) {
      const { hub, caller, params } = call
      const environment = environmentIn(params['env'])
      const version = whole(call, 'version') ?? (await newestOf(call))
      const ref = { kind: 'agent', id: params['id'] ?? '', version } as const
      const made = await hub.pipelines.deployments.deploy(ref, environment, writerOf(caller))
      return { status: flag(call, 'waitForCompletion', false) ? 200 : 202, body: statusOf(made) }
    },
  }),
  eddi({
    method: 'POST',
    path: '/administration/:env/undeploy/:id',
    summary: 'No new conversation gets it; those that have begun go on, unless they are to end',
    access: 'documents',
    async run(call) {
      const { hub, caller, params } = call
      const environment = environmentIn(params['env'])
      const id = params['id'] ?? ''
      const version = whole(call, 'version')
      const allVersions = flag(call, 'undeployThisAndAllPreviousAgentVersions', false)
      const of = { id, ...(version === undefined || allVersions ? {} : { version }) }
      const isDone = await hub.pipelines.deployments.undeploy(of, environment, { allVersions }, writerOf(caller))
      if (!isDone) throw new NotFound(`that version of ${JSON.stringify(id.slice(0, 64))} is not deployed in ${environment}`)
      if (flag(call, 'endAllActiveConversations', false)) await endAll(call, { id, version: allVersions ? undefined : version })
      return { status: 202, body: { agentId: id, environment, status: 'NOT_FOUND' } }
    },
  }),
  eddi({
    method: 'GET',
    path: '/administration/:env/deploymentstatus/:id',
    summary: 'Whether a version is deployed',
    access: 'read',
    run: statusReply,
  }),
  eddi({
    method: 'GET',
    path: '/administration/:env/deploymentstatus',
    summary: 'What is deployed',
    access: 'read',
    async run({ hub, caller, params }) {
      await fresh(hub)
      const all = await hub.pipelines.deployments.list(environmentIn(params['env']), placeOf(caller))
      return { status: 200, body: all.map(statusOf) }
    },
  }),
  eddi({
    method: 'GET',
    path: '/deploymentstore/deployments',
    summary: 'What is deployed, in all environments',
    access: 'read',
    async run({ hub, caller }) {
      await fresh(hub)
      const all = await Promise.all(environments.map((one) => hub.pipelines.deployments.list(one, placeOf(caller))))
      const body = all.flat().map(({ environment, agentId, agentVersion }) => {
        return { environment, agentId, agentVersion, deploymentStatus: 'deployed' }
      })
      return { status: 200, body }
    },
  }),
]

async function newestOf({ hub, caller, params }: EddiCall): Promise<number> {
  const id = params['id'] ?? ''
  const found = await hub.pipelines.configurations.read({ kind: 'agent', id }, placeOf(caller))
  if (found) return found.newest
  throw new NotFound(`there is no agent ${JSON.stringify(id.slice(0, 64))}`)
}

async function statusReply(call: EddiCall): Promise<Reply> {
  const { hub, caller, params, query } = call
  await fresh(hub)
  const environment = environmentIn(params['env'])
  const id = params['id'] ?? ''
  const version = whole(call, 'version')
  const found = await hub.pipelines.deployments.current(id, environment, placeOf(caller))
  const isThat = found !== null && (version === undefined || found.agentVersion === version)
  const status = isThat ? found.status : 'NOT_FOUND'
  if (query['format'] === 'text' || call.headers.get('accept')?.startsWith('text/plain')) return text(200, status)
  return { status: 200, body: isThat ? statusOf(found) : { environment, agentId: id, agentVersion: version ?? null, status } }
}

function statusOf({ environment, agentId, agentVersion, status, descriptor }: Deployment): JsonObject {
  return { environment, agentId, agentVersion, status, descriptor: descriptorOf(descriptor) }
}

const mostSessions = 200

/** The person's own conversations with it. */
async function endAll(call: EddiCall, agent: { readonly id: string; readonly version: number | undefined }): Promise<void> {
  const { hub, caller, signal } = call
  let after: string | undefined
  do {
    const page = await hub.scopes.sessions.list({ user: caller.user.name, limit: mostSessions, ...(after === undefined ? {} : { after }) })
    for (const { id } of page.items) {
      if (!isId('ses', id)) continue
      const talk = await talkOf(hub, caller, id).catch(() => null)
      if (talk === null || isOver(talk) || talk.agent.id !== agent.id) continue
      if (agent.version !== undefined && talk.agent.version !== agent.version) continue
      await postAndWait(hub, caller, talk, { body: noteOf({ do: 'end' }), key: null, seconds: 2, signal })
    }
    after = page.next ?? undefined
  } while (after !== undefined)
}
