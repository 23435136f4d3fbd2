// Knowledge bases: which a person has, what is in them, giving and taking away documents.
import { NotFound } from '../../base/errors.ts'
import { refIn } from '../../pipelines/configurations/uri.ts'
import type { Base } from '../../pipelines/knowledge/knowledge.ts'
import * as wire from '../../protocol/api-knowledge.ts'
import type { Caller } from '../caller.ts'
import { endpoint } from '../endpoint.ts'
import type { Hub } from '../hub.ts'
import { fresh } from '../session-of.ts'
import { defined } from './defined.ts'

const usualPage = 100
const largestPage = 500

/** Before those of pipelines: `knowledge` is no id. */
export const knowledgeCalls = [
  endpoint({
    method: 'GET',
    path: '/api/pipelines/knowledge',
    summary: 'The knowledge bases of the person, with how much is in each',
    access: 'read',
    answers: { 200: wire.knowledgeList },
    async run({ hub, caller }) {
      await fresh(hub)
      const found = await hub.pipelines.configurations.descriptors('rag', { user: caller.user.name }, { limit: 0 })
      const ids = found.flatMap(({ resource }) => refIn(resource)?.id ?? [])
      return { status: 200, body: { items: await Promise.all(ids.map((id) => baseOf(hub, caller, id))), next: null } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/pipelines/knowledge/:id',
    summary: 'A knowledge base with its documents, and how far each is',
    access: 'read',
    query: wire.knowledgeQuery,
    answers: { 200: wire.knowledgeShown },
    async run({ hub, caller, params, query }) {
      const base = await baseOf(hub, caller, params['id'] ?? '')
      const offset = Number(query.after ?? 0)
      const limit = Math.min(Number(query.limit ?? usualPage) || usualPage, largestPage)
      const { items } = await hub.pipelines.knowledge.list(placeOf(caller, base.id), { offset, limit })
      const next = offset + items.length < base.documents && items.length > 0 ? String(offset + items.length) : null
      return { status: 200, body: { ...base, items, next } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/pipelines/knowledge/:id',
    summary: 'Gives a document; it is kept at once and indexed afterwards',
    access: 'documents',
    body: wire.knowledgeGiven,
    answers: { 202: wire.knowledgeDocument },
    async run({ hub, caller, params, body }) {
      await fresh(hub)
      const { id, text, ...rest } = body
      const given = { ...placeOf(caller, params['id'] ?? ''), id, text, ...defined(rest) }
      return { status: 202, body: await hub.pipelines.knowledge.ingest(given, caller.actor) }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/pipelines/knowledge/:id/remove',
    summary: 'Takes a document away for good',
    access: 'documents',
    body: wire.knowledgeNamed,
    answers: { 200: wire.knowledgeRemoved },
    async run({ hub, caller, params, body }) {
      const { id } = await baseOf(hub, caller, params['id'] ?? '')
      return { status: 200, body: { removed: await hub.pipelines.knowledge.remove(placeOf(caller, id), body.id, caller.actor) } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/pipelines/knowledge/:id/refresh',
    summary: 'Indexes all documents anew, as a version of the configuration says; that may cost what their embedding costs',
    access: 'documents',
    body: wire.knowledgeRefresh,
    answers: { 202: wire.knowledgeRefreshed },
    async run({ hub, caller, params, body }) {
      await fresh(hub)
      return { status: 202, body: { documents: await hub.pipelines.knowledge.refresh(placeOf(caller, params['id'] ?? ''), body.version) } }
    },
  }),
]

function placeOf({ user }: Caller, base: string): Base {
  return { user: user.name, base }
}

async function baseOf(hub: Hub, caller: Caller, id: string) {
  await fresh(hub)
  const found = await hub.pipelines.configurations.read({ kind: 'rag', id }, { user: caller.user.name })
  if (!found) throw new NotFound(`there is no knowledge base ${JSON.stringify(id.slice(0, 64))}`)
  const { documents, chunks } = await hub.pipelines.knowledge.list(placeOf(caller, id), { offset: 0, limit: 0 })
  return { id, name: found.value.name || found.descriptor.name, version: found.newest, documents, chunks }
}
