// Documents of knowledge bases, as EDDI's clients give them.
//
// Y149  A document is given as text and answered with an id to ask how far it is; without `replace` it takes nobody's place.
import { InvalidInput, NotFound } from '../../base/errors.ts'
import { storePaths } from '../../pipelines/configurations/uri.ts'
import type { Ingestion } from '../../pipelines/knowledge/knowledge.ts'
import type { Endpoint } from '../endpoint.ts'
import { fresh } from '../session-of.ts'
import { type EddiCall, eddi, flag, whole } from './route.ts'
import { storedFor } from './store-calls.ts'

const unnamed = 'unnamed'

export const ragCalls: readonly Endpoint[] = [...storePaths].flatMap(([path, kind]) => (kind === 'rag' ? callsOf(`/${path}`) : []))

function callsOf(path: string): readonly Endpoint[] {
  return [
    eddi({
      method: 'POST',
      path: `${path}/:id/ingest`,
      summary: 'Gives a document as text',
      access: 'documents',
      takesText: true,
      async run(call) {
        const { ingestion, base } = await given(call)
        return { status: 202, body: { ingestionId: ingestion.ingestion, kbId: base, status: ingestion.state } }
      },
    }),
    eddi({
      method: 'GET',
      path: `${path}/:id/ingestion/:ingestionId/status`,
      summary: 'How far a document is',
      access: 'read',
      async run({ hub, caller, params }) {
        const ingestionId = params['ingestionId'] ?? ''
        const found = await hub.pipelines.knowledge.status(caller.user.name, ingestionId)
        if (found === null || found.base !== params['id'])
          throw new NotFound(`there is no ingestion ${JSON.stringify(ingestionId.slice(0, 64))}`)
        return { status: 200, body: { ingestionId, status: statusOf(found), ...warningOf(found) } }
      },
    }),
  ]
}

async function given(call: EddiCall): Promise<{ readonly ingestion: Ingestion; readonly base: string }> {
  const { hub, caller, body, query } = call
  await fresh(hub)
  const { ref, value, descriptor } = await storedFor(call, 'rag')
  const base = ('embeddingProvider' in value ? value.name : '') || descriptor.name || ref.id
  const { kbId } = query
  // Retrieval reads by the base's name, so a document under another one would never be found.
  if (kbId !== undefined && kbId !== '' && kbId !== base && kbId !== ref.id)
    throw new InvalidInput(`kbId is ${JSON.stringify(kbId.slice(0, 64))}; allowed is ${JSON.stringify(base)}, or none`, { path: 'kbId' })
  if (typeof body !== 'string') throw new InvalidInput('the body must be the document, as text/plain')
  const replace = flag(call, 'replace', false)
  const name = (query['documentName'] ?? '').trim()
  if (replace && name === '') throw new InvalidInput('replace needs a documentName', { path: 'documentName' })
  const place = { user: caller.user.name, base: ref.id }
  const version = whole(call, 'version')
  const document = { id: name || unnamed, text: body, keepOthers: !replace, supersedes: replace }
  const ingestion = await hub.pipelines.knowledge.ingest(
    { ...place, ...document, ...(version === undefined ? {} : { version }) },
    caller.actor,
  )
  return { ingestion, base }
}

function statusOf({ state, note }: Ingestion): string {
  return state === 'failed' ? `failed: ${note ?? 'it broke unexpectedly'}` : state
}

function warningOf({ state, note }: Ingestion): { readonly warning?: string } {
  return state === 'completed' && note !== null ? { warning: note } : {}
}
