// Agents come and go as archives in EDDI's layout, or straight from another instance.
//
// Y166  An import is previewed and done by the transfer room; what takes a secret out of an archive needs the right to keep secrets.
import { InvalidInput, NotFound } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import { importLimits } from '../../pipelines/transfer/limits.ts'
import { type Choice, type Preview, type Source, strategies } from '../../pipelines/transfer/transfer.ts'
import { writeZip } from '../../pipelines/transfer/zip.ts'
import { need } from '../caller.ts'
import type { Endpoint, Reply } from '../endpoint.ts'
import { fresh } from '../session-of.ts'
import { type EddiCall, eddi, isJson, locationOf, placeOf, whole, writerOf } from './route.ts'

export const transferCalls: readonly Endpoint[] = [
  eddi({
    method: 'POST',
    path: '/backup/export/:id',
    summary: 'Where the archive of an agent can be fetched',
    access: 'read',
    async run(call) {
      const { files, ref } = await exported(call)
      const selected = call.query['selectedResources']
      const query = selected ? `?selectedResources=${encodeURIComponent(selected)}` : ''
      const Location = locationOf(call, `/backup/export/${ref.id}-${ref.version}.zip${query}`)
      return { status: 200, body: { files: files.size }, headers: { Location } }
    },
  }),
  ...(['GET', 'POST'] as const).map((method) =>
    eddi({
      method,
      path: '/backup/export/:id/preview',
      summary: 'What an archive would hold',
      access: 'read',
      async run(call) {
        const { files, ref, name } = await exported(call)
        return { status: 200, body: { agentId: ref.id, agentVersion: ref.version, agentName: name, resources: [...files.keys()] } }
      },
    }),
  ),
  eddi({
    method: 'GET',
    path: '/backup/export/:file',
    summary: 'The archive',
    access: 'read',
    async run(call) {
      const found = /^([A-Za-z0-9-]+)-([1-9]\d{0,9})\.zip$/.exec(call.params['file'] ?? '')
      if (!found) throw new NotFound('archives are called <id>-<version>.zip')
      const of = { id: found[1] ?? '', version: Number(found[2]), ...selectedIn(call) }
      await fresh(call.hub)
      const { files } = await call.hub.pipelines.transfer.exportAgent(of, placeOf(call.caller))
      const bytes = await writeZip(files, call.hub.clock.now())
      return { stream: new Response(Buffer.from(bytes), { headers: { 'Content-Type': 'application/zip' } }) }
    },
  }),
  ...(['', '/preview'] as const).map((more) =>
    eddi({
      method: 'POST',
      path: `/backup/import${more}`,
      summary: more === '' ? 'Takes an archive in' : 'What taking an archive in would do',
      access: 'documents',
      takesBytes: importLimits.all,
      async run(call) {
        const zip = call.body instanceof Uint8Array ? call.body : new Uint8Array()
        return imported(call, { source: { zip }, choice: choiceIn(call.query), isPreview: more !== '' })
      },
    }),
  ),
  ...(['', '/preview'] as const).map((more) =>
    eddi({
      method: 'POST',
      path: `/backup/import/sync${more}`,
      summary: more === '' ? 'Takes an agent of another instance in' : 'What taking it in would do',
      access: 'documents',
      run: (call) => imported(call, { ...syncIn({ ...call.query, ...textsIn(call.body) }), isPreview: more !== '' }),
    }),
  ),
  ...(['', '/preview'] as const).map((more) =>
    eddi({
      method: 'POST',
      path: `/backup/import/sync${more}/batch`,
      summary: 'The same for several, one after the other',
      access: 'documents',
      run: (call) => batch(call, more !== ''),
    }),
  ),
]

async function exported(call: EddiCall) {
  const { hub, caller, params } = call
  await fresh(hub)
  const version = whole(call, 'agentVersion') ?? whole(call, 'botVersion')
  const of = { id: params['id'] ?? '', ...(version === undefined ? {} : { version }), ...selectedIn(call) }
  return hub.pipelines.transfer.exportAgent(of, placeOf(caller))
}

function selectedIn({ query }: Pick<EddiCall, 'query'>) {
  const all = listIn(query['selectedResources'])
  return all.length === 0 ? {} : { selectedResources: all }
}

function listIn(given: string | undefined): readonly string[] {
  return (given ?? '').split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))
}

function choiceIn(query: Readonly<Record<string, string>>): Choice {
  const { targetAgentId, workflowOrder, agentId } = query
  const strategy = strategies.find((one) => one === (query['strategy'] ?? 'create').toLowerCase())
  if (strategy === undefined) throw new InvalidInput(`strategy must be one of: ${strategies.join(', ')}`, { path: 'strategy' })
  const order = listIn(workflowOrder)
  return {
    strategy,
    ...(targetAgentId ? { targetAgentId } : {}),
    ...(agentId ? { agentId } : {}),
    ...(order.length === 0 ? {} : { workflowOrder: order }),
    ...selectedIn({ query }),
  }
}

type Importing = { readonly source: Source; readonly choice: Choice; readonly isPreview: boolean }

async function imported(call: EddiCall, { source, choice, isPreview }: Importing): Promise<Reply> {
  const { hub, caller } = call
  await fresh(hub)
  const { transfer } = hub.pipelines
  const preview = await transfer.preview(source, choice, placeOf(caller))
  if (isPreview) return { status: 200, body: previewOf(preview) }
  if (preview.secrets.some(({ state }) => state === 'taken')) need(caller, 'secrets')
  const { agent } = await transfer.apply(source, choice, { writer: writerOf(caller), mark: preview.mark })
  const Location = locationOf(call, `/agentstore/agents/${agent.id}?version=${agent.version}`)
  return { status: 200, body: { ...previewOf(preview), agentId: agent.id, agentVersion: agent.version }, headers: { Location } }
}

function previewOf({ name, sourceId, items, faults, secrets, hosts, ignored }: Preview): JsonObject {
  const resources = items.map((one) => ({
    sourceId: one.sourceId,
    resourceType: one.kind,
    name: one.name,
    action: one.action,
    targetId: one.target?.id ?? null,
    targetVersion: one.target?.version ?? null,
    differs: [...one.differs],
    notes: [...one.notes],
  }))
  return {
    ...{ agentName: name, sourceAgentId: sourceId, resources },
    faults: faults.map((one) => ({ ...one })),
    secrets: secrets.map((one) => ({ ...one })),
    ...{ hosts: [...hosts], ignored: [...ignored] },
  }
}

function syncIn(given: Readonly<Record<string, string>>): Omit<Importing, 'isPreview'> {
  const { sourceUrl = '', sourceAgentId = '', sourceAgentVersion = '' } = given
  if (!URL.canParse(sourceUrl)) throw new InvalidInput('sourceUrl must be the address of another instance', { path: 'sourceUrl' })
  if (sourceAgentId === '') throw new InvalidInput('sourceAgentId must be given', { path: 'sourceAgentId' })
  const version = sourceAgentVersion === '' ? '' : `?version=${encodeURIComponent(sourceAgentVersion)}`
  const url = `${sourceUrl.replace(/\/+$/, '')}/agentstore/agents/${encodeURIComponent(sourceAgentId)}${version}`
  const choice = choiceIn({ ...given, strategy: given['strategy'] ?? (given['targetAgentId'] ? 'upgrade' : 'merge') })
  return { source: { url }, choice }
}

function textsIn(body: unknown): Readonly<Record<string, string>> {
  if (body === undefined || body === null) return {}
  if (!isJson(body)) throw new InvalidInput('the body must be an object')
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]): [string, string][] => {
      if (Array.isArray(value)) return [[key, value.map(String).join(',')]]
      return value === null || typeof value === 'object' ? [] : [[key, String(value)]]
    }),
  )
}

const mostInBatch = 50

async function batch(call: EddiCall, isPreview: boolean): Promise<Reply> {
  const given = isJson(call.body) ? call.body['requests'] : call.body
  if (!Array.isArray(given) || given.length === 0 || given.length > mostInBatch)
    throw new InvalidInput(`the body must be a list of 1 to ${mostInBatch} agents to take in`)
  const all: unknown[] = []
  for (const one of given) {
    const reply = await imported(call, { ...syncIn({ ...call.query, ...textsIn(one) }), isPreview })
    if ('body' in reply) all.push(reply.body)
  }
  return { status: 200, body: all }
}
