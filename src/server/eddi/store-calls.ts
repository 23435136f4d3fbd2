// The stores of configurations, each under the paths of all generations of its name.
//
// Y164  Every store takes the same verbs; what is written is checked strictly, and a version that is not the newest is a conflict.
import { InvalidInput, NotFound } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import { type Kind, kinds, type ResourceRef } from '../../pipelines/configuration.ts'
import { jsonSchemaOf } from '../../pipelines/configurations/read.ts'
import type { Stored } from '../../pipelines/configurations/store.ts'
import { refIn, storePaths, uriOf } from '../../pipelines/configurations/uri.ts'
import { importLimits } from '../../pipelines/transfer/limits.ts'
import type { Endpoint, Reply } from '../endpoint.ts'
import { fresh } from '../session-of.ts'
import { descriptorOf } from './descriptor.ts'
import { patched } from './patch.ts'
import { type EddiCall, eddi, flag, locationOf, objectIn, placeOf, whole, writerOf } from './route.ts'

const patchable: ReadonlySet<Kind> = new Set(['output', 'dictionary', 'rules'])
const parents: ReadonlySet<Kind> = new Set(['agent', 'workflow'])

/** As much as a file of an import: a dictionary of a language is large. */
const mostOfOne = importLimits.file

export const storeCalls: readonly Endpoint[] = [...storePaths].flatMap(([path, kind]) => callsOf(`/${path}`, kind))

function callsOf(path: string, kind: Kind): readonly Endpoint[] {
  return [
    ...listCalls(path, kind),
    eddi({
      method: 'GET',
      path: `${path}/:id`,
      summary: `One version; without one the newest`,
      access: 'read',
      run: async (call) => ({ status: 200, body: (await storedFor(call, kind)).raw }),
    }),
    eddi({
      method: 'POST',
      path,
      summary: 'A new one',
      access: 'documents',
      mostBytes: mostOfOne,
      async run(call) {
        const value = objectIn(call.body, `a configuration of kind ${kind}`)
        const name = typeof value['name'] === 'string' ? { name: value['name'] } : {}
        const [ref] = await call.hub.pipelines.configurations.create([{ kind, value, ...name }], writerOf(call.caller))
        if (!ref) throw new Error('nothing was made')
        return madeReply(call, ref, 201)
      },
    }),
    eddi({
      method: 'PUT',
      path: `${path}/:id`,
      summary: 'The next version',
      access: 'documents',
      mostBytes: mostOfOne,
      async run(call) {
        const value = objectIn(call.body, `a configuration of kind ${kind}`)
        return madeReply(call, await call.hub.pipelines.configurations.update(await refFor(call, kind), value, writerOf(call.caller)), 200)
      },
    }),
    eddi({
      method: 'POST',
      path: `${path}/:id`,
      summary: 'A copy; with deepCopy also of what it refers to',
      access: 'documents',
      async run(call) {
        const deep = flag(call, 'deepCopy', false)
        const ref = await call.hub.pipelines.configurations.duplicate(await refFor(call, kind), { deep }, writerOf(call.caller))
        return madeReply(call, ref, 201)
      },
    }),
    eddi({
      method: 'DELETE',
      path: `${path}/:id`,
      summary: 'Puts it away; permanent: for good; cascade: with what nothing else uses',
      access: 'documents',
      async run(call) {
        const options = { permanent: flag(call, 'permanent', false), cascade: flag(call, 'cascade', false) }
        await call.hub.pipelines.configurations.remove(await refFor(call, kind), options, writerOf(call.caller))
        return { status: 200, body: {} }
      },
    }),
    ...(patchable.has(kind) ? [patchCall(path, kind)] : []),
    ...(parents.has(kind) ? [swapCall(path, kind)] : []),
  ]
}

function listCalls(path: string, kind: Kind): readonly Endpoint[] {
  return [
    eddi({
      method: 'GET',
      path: `${path}/jsonSchema`,
      summary: 'What one looks like',
      access: 'read',
      run: async () => ({ status: 200, body: jsonSchemaOf(kind) }),
    }),
    eddi({
      method: 'GET',
      path: `${path}/descriptors`,
      summary: 'Which there are',
      access: 'read',
      run: (call) => listed(call, kind),
    }),
    eddi({
      method: 'POST',
      path: `${path}/descriptors`,
      summary: 'Those that contain a resource',
      access: 'read',
      takesText: true,
      run: (call) => containing(call, kind),
    }),
  ]
}

const defaultLimit = 20

export async function listed(call: EddiCall, kind: Kind): Promise<Reply> {
  await fresh(call.hub)
  const page = { filter: call.query['filter'] ?? '', index: whole(call, 'index', 0) ?? 0, limit: whole(call, 'limit', 0) ?? defaultLimit }
  const found = await call.hub.pipelines.configurations.descriptors(kind, placeOf(call.caller), page)
  return { status: 200, body: found.map(descriptorOf) }
}

async function containing(call: EddiCall, kind: Kind): Promise<Reply> {
  const { hub, caller, body, query } = call
  const named = typeof body === 'string' && body.trim() !== '' ? body.trim() : ''
  const of = refIn(named.replace(/^"|"$/g, ''))
  if (of === null) throw new InvalidInput('the body must be the URI of a resource, as text')
  const anyVersion = flag(call, 'includePreviousVersions', false) || query['version'] === ''
  const { version, ...rest } = of
  const uses = await hub.pipelines.configurations.usages(anyVersion || version === null ? rest : { ...rest, version }, placeOf(caller))
  const found: JsonObject[] = []
  for (const { ref } of uses) {
    if (ref.kind !== kind) continue
    const stored = await hub.pipelines.configurations.read(ref, placeOf(caller))
    if (stored) found.push(descriptorOf(stored.descriptor))
  }
  return { status: 200, body: found }
}

function patchCall(path: string, kind: Kind): Endpoint {
  return eddi({
    method: 'PATCH',
    path: `${path}/:id`,
    summary: 'The next version, by instructions that set or take away',
    access: 'documents',
    mostBytes: mostOfOne,
    async run(call) {
      const { raw, ref } = await storedFor(call, kind)
      const value = patched(kind, raw, call.body)
      return madeReply(call, await call.hub.pipelines.configurations.update(ref, value, writerOf(call.caller)), 200)
    },
  })
}

function swapCall(path: string, kind: Kind): Endpoint {
  return eddi({
    method: 'PUT',
    path: `${path}/:id/updateResourceUri`,
    summary: 'The next version, with another version of a resource that it refers to',
    access: 'documents',
    takesText: true,
    async run(call) {
      const { body, hub, caller } = call
      if (typeof body !== 'string') throw new InvalidInput('the body must be the URI of a resource, as text')
      const uri = body.trim().replace(/^"|"$/g, '')
      return madeReply(call, await hub.pipelines.configurations.updateReference(await refFor(call, kind), uri, writerOf(caller)), 200)
    },
  })
}

// ---- what a call names

export async function storedFor(call: EddiCall, kind: Kind): Promise<Stored> {
  const { hub, caller, params } = call
  const id = params['id'] ?? ''
  const version = whole(call, 'version')
  const found = await hub.pipelines.configurations.read({ kind, id, ...(version === undefined ? {} : { version }) }, placeOf(caller))
  if (found) return found
  const which = version === undefined ? '' : ` of version ${version}`
  throw new NotFound(`there is no ${kind} ${JSON.stringify(id.slice(0, 64))}${which}`)
}

/** The version that is named; without one the newest. */
async function refFor(call: EddiCall, kind: Kind): Promise<ResourceRef> {
  const version = whole(call, 'version')
  const id = (call.params['id'] ?? '').toLowerCase()
  return version === undefined ? (await storedFor(call, kind)).ref : { kind, id, version }
}

function madeReply(call: EddiCall, ref: ResourceRef, status: number): Reply {
  const { store, plural } = kinds[ref.kind]
  const Location = locationOf(call, `/${store}/${plural}/${ref.id}?version=${ref.version}`)
  return { status, body: { resource: uriOf(ref), version: ref.version }, headers: { Location } }
}
