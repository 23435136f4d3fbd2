// What `steward doctor` says about deployed pipelines.
import { InvalidInput, NotFound } from '../../base/errors.ts'
import type { Finding } from '../../protocol/api.ts'
import { type Deployment, type Deployments, environments, type Place } from './store.ts'

/** Faults that are written out; the rest is counted. */
const mostTold = 5

/** Each deployment of that person that can't run any more, with the first reason. */
export async function pipelinesFinding(deployments: Pick<Deployments, 'list' | 'check'>, place: Place): Promise<Finding> {
  const name = 'pipelines'
  let all: readonly Deployment[]
  try {
    all = (await Promise.all(environments.map((environment) => deployments.list(environment, place)))).flat()
  } catch (thrown) {
    if (!(thrown instanceof InvalidInput)) throw thrown
    return { name, status: 'fail', detail: `Nothing is known of what is deployed: ${thrown.message}.`, mend: 'Mend that document.' }
  }
  const faults: string[] = []
  for (const one of all) {
    const why = await reason(deployments, one, place)
    if (why !== null) faults.push(`${one.descriptor.name || one.agentId}, version ${one.agentVersion} in ${one.environment}: ${why}`)
  }
  if (faults.length === 0)
    return { name, status: 'ok', detail: all.length === 0 ? 'none is deployed' : `${all.length} deployed, and all can run` }
  const more = faults.length > mostTold ? `\nAnd ${faults.length - mostTold} more.` : ''
  const mend = 'Mend the configuration and deploy it again, or take it out: steward pipelines undeploy NAME.'
  return { name, status: 'warn', detail: `${faults.slice(0, mostTold).join('\n')}${more}`, mend }
}

async function reason({ check }: Pick<Deployments, 'check'>, { agentId, agentVersion }: Deployment, place: Place): Promise<string | null> {
  try {
    const { faults } = await check({ kind: 'agent', id: agentId, version: agentVersion }, place)
    const [first, ...others] = faults.filter(({ severity }) => severity === 'error')
    if (!first) return null
    return `${first.where}: ${first.message}${others.length === 0 ? '' : ` (and ${others.length} more)`}`
  } catch (thrown) {
    if (thrown instanceof NotFound || thrown instanceof InvalidInput) return thrown.message
    throw thrown
  }
}
