// Knowledge bases over real SQLite and documents, with embeddings of the scripted model over HTTP.
import { systemClock } from '../../src/base/clock.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { type Models, openModels } from '../../src/models/models.ts'
import { type ScriptedModel, type ScriptedOptions, startScriptedModel } from '../../src/models/scripted.ts'
import type { RagConfig } from '../../src/pipelines/configuration.ts'
import type { Found, Knowledge, KnowledgeRooms } from '../../src/pipelines/knowledge/knowledge.ts'
import { openKnowledge } from '../../src/pipelines/knowledge/open-knowledge.ts'
import { openPipelines, type PipelinesRoom } from '../../src/pipelines/open-pipelines.ts'
import { sqliteKnowledge } from '../../src/store/sqlite/knowledge.ts'
import { reachOf } from '../../src/tools/web/web.ts'
import { type Bench, openBench } from '../scopes/bench.ts'

export type RagStage = {
  readonly bench: Bench
  readonly server: ScriptedModel
  readonly models: Models
  readonly pipelines: PipelinesRoom
  readonly knowledge: Knowledge
  readonly spent: number[]
  /** Its id; of ada unless said otherwise. */
  base(value?: JsonObject, user?: string): Promise<string>
  change(base: string, version: number, value: JsonObject): Promise<void>
  /** Gives a document and waits until it is indexed. */
  give(base: string, id: string, text: string, user?: string): Promise<void>
  ask(
    base: string,
    question: string,
    more?: { readonly user?: string; readonly minScore?: number; readonly maxResults?: number; readonly version?: number },
  ): Promise<Found>
  reopen(): Promise<void>
  close(): Promise<void>
}

export const usual = {
  name: 'manual',
  embeddingProvider: 'openai-compatible',
  embeddingParameters: { model: 'embedder' },
  chunkSize: 120,
  chunkOverlap: 20,
}

export type StageOptions = {
  readonly model?: ScriptedOptions
  readonly knowledge?: Partial<KnowledgeRooms>
  readonly wrap?: (bench: Bench, store: KnowledgeRooms['store']) => KnowledgeRooms['store']
  /** No provider is set up. */
  readonly alone?: boolean
}

export async function openRagStage(options: StageOptions = {}): Promise<RagStage> {
  const server = await startScriptedModel(options.model)
  const providers: Record<string, string> = options.alone ? {} : { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-test-abcdef123456' }
  const models = openModels({ models: { light: '', standard: '', deep: '' }, providers }, { clock: systemClock, retries: 0 })
  const spent: number[] = []
  const reach = () => reachOf({ exempt: () => [], ownPorts: () => [] })
  let ingestions = 0
  const wire = (bench: Bench) => {
    const { scopes, journal, store, clock, newId } = bench
    const agents = { find: async () => null }
    const secrets = { list: async () => [] }
    const pipelines = openPipelines({ journal, store: store.journal, documents: scopes.documents, agents, clock, newId, secrets })
    const index = sqliteKnowledge(store)
    const knowledge = openKnowledge({
      ...{ store: options.wrap?.(bench, index) ?? index, documents: scopes.documents, configurations: pipelines.configurations },
      ...{ embed: models.embed, reach, resolve: async (text) => text, localOnly: async () => false, clock, log: () => {} },
      spent: async (_, { cost }) => void spent.push(cost),
      newIngestion: () => `ing-${++ingestions}`,
      ...options.knowledge,
    })
    return { pipelines, knowledge }
  }
  let bench = await openBench()
  let wired = wire(bench)
  const configOf = async (id: string, user: string, version?: number): Promise<RagConfig> => {
    const found = await wired.pipelines.configurations.read({ kind: 'rag', id, ...(version ? { version } : {}) }, { user })
    if (!found) throw new Error('no base')
    return found.value
  }
  return {
    get bench() {
      return bench
    },
    ...{ server, models, spent },
    get pipelines() {
      return wired.pipelines
    },
    get knowledge() {
      return wired.knowledge
    },
    async base(value = {}, user = 'ada') {
      const [ref] = await wired.pipelines.configurations.create([{ kind: 'rag', value: { ...usual, ...value } }], {
        user,
        by: `user:${user}`,
      })
      return ref?.id ?? ''
    },
    async change(id, version, value) {
      await wired.pipelines.configurations.update({ kind: 'rag', id, version }, { ...usual, ...value }, { user: 'ada', by: 'user:ada' })
    },
    async give(base, id, text, user = 'ada') {
      await wired.knowledge.ingest({ user, base, id, text }, `user:${user}`)
      await wired.knowledge.idle()
    },
    async ask(base, question, { user = 'ada', minScore = 0.6, maxResults = 5, version } = {}) {
      const config = await configOf(base, user, version)
      return wired.knowledge.search({ user, base, config, question, maxResults, minScore }, { signal: new AbortController().signal })
    },
    async reopen() {
      await wired.knowledge.close()
      bench = await bench.reopen()
      wired = wire(bench)
    },
    async close() {
      await wired.knowledge.close()
      await bench.close()
      await server.close()
    },
  }
}
