// Opens the room: the store of configurations, deployments, what conversations and people's memories keep.
import { randomBytes } from 'node:crypto'
import type { Agents } from '../agents/agents.ts'
import type { Clock } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import { isJsonObject, type Json } from '../base/json.ts'
import type { Journal } from '../journal/journal.ts'
import type { JournalStore } from '../journal/journal-store.ts'
import type { Finding } from '../protocol/api.ts'
import { homeOf } from '../scopes/names.ts'
import type { Documents } from '../scopes/scopes.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { openConfigurations } from './configurations/configurations.ts'
import { openDeployments } from './configurations/deployments.ts'
import { pipelinesFinding } from './configurations/finding.ts'
import type { ConfigurationStore, Deployments, Place } from './configurations/store.ts'
import { type Conversations, openConversations } from './conversations/conversations.ts'
import type { Memories } from './memories/memories.ts'
import { openMemories } from './memories/open-memories.ts'

export type PipelinesRoom = {
  readonly configurations: ConfigurationStore
  readonly deployments: Deployments
  readonly conversations: Conversations
  readonly memories: Memories
  /** Global variables of a person, by name: the document `variablesPath`. */
  vars(user: string): Promise<Readonly<Record<string, string>>>
  /** For `doctor`: what is deployed and can't run any more. */
  finding(place: Place): Promise<Finding>
  close(): Promise<void>
}

export type PipelinesOver = {
  readonly journal: Journal
  readonly store: JournalStore
  readonly documents: Documents
  readonly agents: Pick<Agents, 'find'>
  readonly secrets: Pick<Secrets, 'list'>
  readonly clock: Clock
  readonly newId: NewId
}

export function openPipelines({ journal, store, documents, agents, secrets, clock, newId }: PipelinesOver): PipelinesRoom {
  const configurations = openConfigurations({
    ...{ documents, clock },
    newResourceId: () => randomBytes(12).toString('hex'),
    redeploy: (change, writer) => deployments.redeployed(change, writer),
    undeploy: (agentId, writer) => deployments.undeployed(agentId, writer),
  })
  const deployments = openDeployments({
    ...{ documents, configurations },
    hasSecret: async (name) => (await secrets.list()).some((one) => one.name === name),
    async isTaken(name, { user, project }, path) {
      const found = await agents.find(name, { user, project: project ?? homeOf(user) })
      return found !== null && found.source.path !== path
    },
  })
  const memories = openMemories({ journal, store, clock, newId })
  return {
    ...{ configurations, deployments, memories },
    conversations: openConversations({ events: store }),
    vars: (user) => variablesOf(documents, user),
    finding: (place) => pipelinesFinding(deployments, place),
    close: () => memories.close(),
  }
}

export const variablesPath = 'pipelines/variables.json'

async function variablesOf(documents: Pick<Documents, 'find'>, user: string): Promise<Readonly<Record<string, string>>> {
  const document = await documents.find(variablesPath, { user, project: homeOf(user) })
  const given: Json = document === null ? {} : JSON.parse(document.text)
  if (!isJsonObject(given)) return {}
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]))
}
