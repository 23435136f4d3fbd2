// Knowledge of pipelines as steward.ts opens it: the index, embeddings, the guard, what they cost.
import { randomUUID } from 'node:crypto'
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import type { Models } from './models/models.ts'
import type { ConfigurationStore } from './pipelines/configurations/store.ts'
import type { Knowledge } from './pipelines/knowledge/knowledge.ts'
import { openKnowledge } from './pipelines/knowledge/open-knowledge.ts'
import { withSecretReferences } from './pipelines/references.ts'
import type { Budgets } from './policy/budget.ts'
import { homeOf } from './scopes/names.ts'
import type { Scopes } from './scopes/scopes.ts'
import type { Secrets } from './secrets/secrets.ts'
import { sqliteKnowledge } from './store/sqlite/knowledge.ts'
import type { SqliteStore } from './store/sqlite/sqlite.ts'
import type { Reach } from './tools/web/web.ts'

export type KnowingRooms = Pick<Scopes, 'documents' | 'projects'> & {
  readonly store: SqliteStore
  readonly configurations: Pick<ConfigurationStore, 'read'>
  readonly models: Pick<Models, 'embed'>
  readonly budgets: Pick<Budgets, 'lost'>
  readonly secrets: Pick<Secrets, 'resolve'>
  readonly reach: Reach
  readonly clock: Clock
  readonly log: Log
}

/** Under this name secrets are granted to whatever takes documents in: no agent is at work then. */
const agent = 'knowledge'

/** What was not finished before goes on at once. */
export async function openKnowing({ store, models, budgets, secrets, projects, reach, ...rooms }: KnowingRooms): Promise<Knowledge> {
  const knowledge = openKnowledge({
    ...{ documents: rooms.documents, configurations: rooms.configurations, clock: rooms.clock, log: rooms.log },
    ...{ store: sqliteKnowledge(store), embed: models.embed, reach: () => reach, newIngestion: randomUUID, spent: budgets.lost },
    resolve: (text, host) => secrets.resolve(withSecretReferences(text), { agent, ...(host === undefined ? {} : { host }) }),
    localOnly: async (user) => (await projects.get(homeOf(user)))?.policy['localOnly'] === true,
  })
  await knowledge.resume()
  return knowledge
}
