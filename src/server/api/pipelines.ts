// Pipelines: which there are, what they are made of, whether they can run; import, export, deploying, new ones from templates.
import { NotFound } from '../../base/errors.ts'
import type { Deployment, Environment } from '../../pipelines/configurations/store.ts'
import { refIn, wholeRefIn } from '../../pipelines/configurations/uri.ts'
import { importLimits } from '../../pipelines/transfer/limits.ts'
import type { Applied, Choice, Preview, Source } from '../../pipelines/transfer/transfer.ts'
import { writeZip } from '../../pipelines/transfer/zip.ts'
import * as wire from '../../protocol/api-pipelines.ts'
import { type Caller, need } from '../caller.ts'
import { endpoint } from '../endpoint.ts'
import type { Hub } from '../hub.ts'
import { fresh } from '../session-of.ts'
import { defined } from './defined.ts'

/** Packed it may not be larger than it may be unpacked. */
const mostBytes = importLimits.all

export const pipelineCalls = [
  endpoint({
    method: 'GET',
    path: '/api/pipelines',
    summary: 'The pipelines of the person, with where they are deployed',
    access: 'read',
    query: wire.pipelineQuery,
    answers: { 200: wire.pipelineList },
    async run({ hub, caller, query }) {
      await fresh(hub)
      const place = placeOf(caller)
      const found = await hub.pipelines.configurations.descriptors('agent', place, { filter: query.filter ?? '', limit: 0 })
      const where = await deploymentsOf(hub, caller)
      const items = found.map(({ resource, name, description, lastModifiedOn }) => {
        const { id = '', version = null } = refIn(resource) ?? {}
        return listedOf({ id, version: version ?? 1, name, description, changedAt: lastModifiedOn }, where)
      })
      return { status: 200, body: { items, next: null } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/pipelines/templates',
    summary: 'What a new pipeline can be made from',
    access: 'read',
    answers: { 200: wire.templateList },
    run: async ({ hub }) => ({ status: 200, body: { items: await hub.pipelines.templates.list(), next: null } }),
  }),
  endpoint({
    method: 'GET',
    path: '/api/pipelines/:id',
    summary: 'A version of a pipeline: its steps, its configuration, and what is wrong with it',
    access: 'read',
    query: wire.versionQuery,
    answers: { 200: wire.pipelineShown },
    async run({ hub, caller, params, query }) {
      const { stored, compiled } = await checkedOf(hub, caller, { id: params['id'] ?? '', version: numberOf(query.version) })
      const { name, description, lastModifiedOn } = stored.descriptor
      const facts = { id: stored.ref.id, version: stored.newest, name, description, changedAt: lastModifiedOn }
      const steps = compiled.steps.map(({ at, taskId, config }) => {
        const { uri } = config
        return { at, task: taskId, uri: typeof uri === 'string' ? uri : null }
      })
      const listed = listedOf(facts, await deploymentsOf(hub, caller))
      return {
        status: 200,
        body: { ...listed, shown: stored.ref.version, steps, faults: compiled.faults, configuration: stored.raw },
      }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/pipelines/:id/check',
    summary: 'What is wrong with a version of a pipeline; deploys nothing',
    access: 'read',
    query: wire.versionQuery,
    answers: { 200: wire.pipelineChecked },
    async run({ hub, caller, params, query }) {
      const { stored, compiled } = await checkedOf(hub, caller, { id: params['id'] ?? '', version: numberOf(query.version) })
      return { status: 200, body: { name: compiled.name, version: stored.ref.version, faults: compiled.faults } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/pipelines/:id/export',
    summary: 'A pipeline as a ZIP that EDDI and Steward import; no value of a secret is in it',
    access: 'read',
    query: wire.exportQuery,
    answers: { 200: 'text' },
    async run({ hub, caller, params, query }) {
      await fresh(hub)
      const version = numberOf(query.version)
      const given = { id: params['id'] ?? '', ...defined({ version, selectedResources: query.only?.split(',') }) }
      const { files, ref } = await hub.pipelines.transfer.exportAgent(given, placeOf(caller))
      const bytes = await writeZip(files, hub.clock.now())
      const headers = { 'Content-Type': 'application/zip', 'Content-Disposition': `attachment; filename="${ref.id}-${ref.version}.zip"` }
      return { stream: new Response(new Uint8Array(bytes), { headers }) }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/pipelines/import',
    summary: 'A pipeline from the bytes of a ZIP: a preview, and with apply all of it in one commit',
    access: 'documents',
    query: wire.importQuery,
    takesBytes: mostBytes,
    answers: { 200: wire.imported },
    async run({ hub, caller, query, body }) {
      const { apply, mark, deploy, workflowOrder, selectedResources, strategy = 'create', ...rest } = query
      const lists = { workflowOrder: workflowOrder?.split(','), selectedResources: selectedResources?.split(',') }
      const choice: Choice = { strategy, ...defined({ ...rest, ...lists }) }
      const zip = body instanceof Uint8Array ? body : new Uint8Array()
      return importOf(hub, caller, { source: { zip }, choice, apply: apply === 'true', mark, deploy })
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/pipelines/import-from',
    summary: 'A pipeline of another instance, by its address there: a preview, and with apply all of it in one commit',
    access: 'documents',
    body: wire.importFrom,
    answers: { 200: wire.imported },
    async run({ hub, caller, body }) {
      const { url, apply = false, mark, deploy, strategy = 'create', ...rest } = body
      return importOf(hub, caller, { source: { url }, choice: { strategy, ...defined(rest) }, apply, mark, deploy })
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/pipelines/new',
    summary: 'A new pipeline from a template',
    access: 'documents',
    body: wire.fromTemplate,
    answers: { 201: wire.imported },
    async run({ hub, caller, body }) {
      await fresh(hub)
      const given = { name: body.name, writer: writerOf(caller), ...defined({ deploy: body.deploy }) }
      return { status: 201, body: importedOf(await hub.pipelines.templates.make(body.template, given)) }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/pipelines/:id/deploy',
    summary: 'Lets new conversations have that version; in production it is an agent that can be asked',
    access: 'documents',
    body: wire.deployBody,
    answers: { 200: wire.deployed },
    async run({ hub, caller, params, body }) {
      const { environment = 'production' } = body
      const { stored } = await storedOf(hub, caller, { id: params['id'] ?? '', version: body.version })
      return { status: 200, body: deployedOf(await hub.pipelines.deployments.deploy(stored.ref, environment, writerOf(caller))) }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/pipelines/:id/change',
    summary: 'Saves what changed of a pipeline, up to the pipeline itself, and deploys it where it was deployed: all of it, or nothing',
    access: 'documents',
    body: wire.changeBody,
    answers: { 200: wire.changedPipeline },
    async run({ hub, caller, params, body }) {
      const { stored } = await storedOf(hub, caller, { id: params['id'] ?? '', version: undefined })
      const changes = body.changes.map(({ resource, value }, at) => ({ ref: wholeRefIn(resource, `/changes/${at}/resource`), value }))
      const { agent, changed } = await hub.pipelines.configurations.apply(stored.ref, changes, writerOf(caller))
      return { status: 200, body: { id: agent.id, version: agent.version, changed: [...changed] } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/pipelines/:id/undeploy',
    summary: 'Gives it to no new conversation any more; those that have begun go on',
    access: 'documents',
    body: wire.undeployBody,
    answers: { 200: wire.undeployed },
    async run({ hub, caller, params, body }) {
      await fresh(hub)
      const agent = { id: params['id'] ?? '' }
      const undeployed = await hub.pipelines.deployments.undeploy(agent, body.environment ?? 'production', {}, writerOf(caller))
      return { status: 200, body: { undeployed } }
    },
  }),
]

function placeOf(caller: Caller) {
  return { user: caller.user.name }
}

function writerOf(caller: Caller) {
  return { user: caller.user.name, by: caller.actor }
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}

type Wanted = { readonly id: string; readonly version: number | undefined }

async function storedOf(hub: Hub, caller: Caller, { id, version }: Wanted) {
  await fresh(hub)
  const stored = await hub.pipelines.configurations.read({ kind: 'agent', id, ...defined({ version }) }, placeOf(caller))
  if (stored) return { stored }
  throw new NotFound(`there is no pipeline ${JSON.stringify(id.slice(0, 64))}${version === undefined ? '' : ` in version ${version}`}`)
}

async function checkedOf(hub: Hub, caller: Caller, wanted: Wanted) {
  const { stored } = await storedOf(hub, caller, wanted)
  return { stored, compiled: await hub.pipelines.deployments.check(stored.ref, placeOf(caller)) }
}

type Where = { readonly [E in Environment]: ReadonlyMap<string, Deployment> }

async function deploymentsOf(hub: Hub, caller: Caller): Promise<Where> {
  const of = async (environment: Environment) =>
    new Map((await hub.pipelines.deployments.list(environment, placeOf(caller))).map((one) => [one.agentId, one]))
  return { production: await of('production'), test: await of('test') }
}

type Facts = {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly description: string
  readonly changedAt: number
}

function listedOf(facts: Facts, { production, test }: Where) {
  const live = production.get(facts.id)
  const deployed = { production: live?.agentVersion ?? null, test: test.get(facts.id)?.agentVersion ?? null }
  return { ...facts, deployed, agent: live?.agentName ?? null }
}

type Importing = {
  readonly source: Source
  readonly choice: Choice
  readonly apply: boolean
  readonly mark: string | undefined
  readonly deploy: Environment | undefined
}

/** What takes a secret out of the source keeps it: a token needs that right too. */
async function importOf(hub: Hub, caller: Caller, { source, choice, apply, mark, deploy }: Importing) {
  await fresh(hub)
  const { transfer } = hub.pipelines
  const preview = await transfer.preview(source, choice, placeOf(caller))
  if (!apply) return { status: 200, body: importedOf(preview) }
  if (preview.secrets.some(({ state }) => state === 'taken')) need(caller, 'secrets')
  const given = { writer: writerOf(caller), mark: mark ?? preview.mark, ...defined({ deploy }) }
  return { status: 200, body: importedOf(await transfer.apply(source, choice, given)) }
}

function importedOf(report: Preview | Applied) {
  const isApplied = 'agent' in report
  return {
    ...report,
    applied: isApplied,
    agent: isApplied ? report.agent : null,
    deployed: isApplied && report.deployed ? deployedOf(report.deployed) : null,
    notDeployed: isApplied ? report.notDeployed : null,
  }
}

function deployedOf({ agentId, agentVersion, environment, agentName }: Deployment) {
  return { id: agentId, version: agentVersion, environment, agent: agentName }
}
