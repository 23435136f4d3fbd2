// `steward pipelines knowledge`: list, add, remove, refresh.
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { messageOf } from '../base/errors.ts'
import { knowledgeLimits } from '../pipelines/knowledge/limits.ts'
import {
  type KnowledgeList,
  type KnowledgeShown,
  knowledgeDocument,
  knowledgeList,
  knowledgeRefreshed,
  knowledgeRemoved,
  knowledgeShown,
} from '../protocol/api-knowledge.ts'
import { findHub, type Hub } from './hub.ts'
import { type Call, exitCodes, oneLine, type Result, table, WrongUsage } from './output.ts'

export type AddGiven = { readonly id?: string; readonly name?: string }

type Document = KnowledgeShown['items'][number]

export async function listKnowledge(call: Call, name: string | undefined): Promise<Result> {
  const hub = await findHub(call)
  if (name === undefined) return allBases(hub)
  const { id } = await baseCalled(hub, name)
  const items: Document[] = []
  for (let after: string | null = '0'; after !== null; ) {
    const page: KnowledgeShown = await hub.call('GET', `/api/pipelines/knowledge/${id}`, knowledgeShown, { query: { after, limit: 500 } })
    items.push(...page.items)
    after = page.next
  }
  const cells = items.map((one) => [
    oneLine(one.id, 60),
    one.state,
    String(one.chunks),
    one.embedder ?? 'words only',
    oneLine(one.note ?? '', 80),
  ])
  return {
    value: items,
    text: table(['document', 'state', 'pieces', 'found by', 'note'], cells, 'No documents. Add some with: steward pipelines knowledge add'),
  }
}

async function allBases(hub: Hub): Promise<Result> {
  const { items } = await hub.call('GET', '/api/pipelines/knowledge', knowledgeList)
  const cells = items.map(({ id, name, version, documents, chunks }) => [
    name || id,
    String(version),
    String(documents),
    String(chunks),
    id,
  ])
  return {
    value: items,
    text: table(['name', 'version', 'documents', 'pieces', 'id'], cells, 'No knowledge bases. They come with a pipeline that has one.'),
  }
}

/** Each file is a document of its name; it takes the place of the one before. */
export async function addKnowledge(call: Call, name: string, given: { readonly files: readonly string[] } & AddGiven): Promise<Result> {
  const { files, id: own, name: title } = given
  if (files.length > 1 && own !== undefined) throw new WrongUsage('--id names one document; give one file with it.')
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await textOf(file) })))
  const hub = await findHub(call)
  const { id: base } = await baseCalled(hub, name)
  const made: Document[] = []
  for (const { file, text } of texts) {
    const body = { id: own ?? basename(file), text, ...(title === undefined ? {} : { name: title }) }
    made.push(await hub.call('POST', `/api/pipelines/knowledge/${base}`, knowledgeDocument, { body }))
  }
  const what = made.length === 1 ? `"${oneLine(made[0]?.id ?? '', 60)}" is kept` : `${made.length} documents are kept`
  return { value: made, text: `${what}, and indexed now. See how far with: steward pipelines knowledge list ${oneLine(name, 60)}` }
}

export async function removeKnowledge(call: Call, name: string, document: string): Promise<Result> {
  const hub = await findHub(call)
  const { id } = await baseCalled(hub, name)
  const done = await hub.call('POST', `/api/pipelines/knowledge/${id}/remove`, knowledgeRemoved, { body: { id: document } })
  const shown = oneLine(document, 60)
  if (!done.removed) return { value: done, text: `There is no document "${shown}".`, code: exitCodes.failed }
  return { value: done, text: `"${shown}" is gone.` }
}

export async function refreshKnowledge(call: Call, name: string): Promise<Result> {
  const hub = await findHub(call)
  const { id } = await baseCalled(hub, name)
  const done = await hub.call('POST', `/api/pipelines/knowledge/${id}/refresh`, knowledgeRefreshed, { body: {} })
  return { value: done, text: `${done.documents} documents are indexed anew now.` }
}

/** By id or name. */
async function baseCalled(hub: Hub, name: string): Promise<KnowledgeList['items'][number]> {
  const { items } = await hub.call('GET', '/api/pipelines/knowledge', knowledgeList)
  const wanted = name.toLowerCase()
  const found = items.filter((one) => one.id === wanted || one.name.toLowerCase() === wanted)
  const [first, second] = found
  if (first && !second) return first
  if (first) throw new WrongUsage(`More than one knowledge base is called "${name}". Name its id: ${found.map(({ id }) => id).join(', ')}`)
  throw new WrongUsage(`There is no knowledge base "${oneLine(name, 60)}". List them with: steward pipelines knowledge list`)
}

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size > knowledgeLimits.text * 4)
      throw new WrongUsage(`${file} is too large: a document has at most ${knowledgeLimits.text} characters.`)
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    if (error instanceof WrongUsage) throw error
    if (error instanceof TypeError) throw new WrongUsage(`${file} is no text in UTF-8.`)
    throw new WrongUsage(`${file} can't be read: ${messageOf(error)}`)
  }
}
