// The hub's own rooms over a folder, with an engine that needs no model: what the rules-only hub and the filler are made of. The
// composition of the product stands in src/steward.ts; here the engines differ, and nothing else.

import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { openAttention } from '../../src/attention/open-attention.ts'
import { systemClock } from '../../src/base/clock.ts'
import { makeHome } from '../../src/base/home.ts'
import { ulids } from '../../src/base/ids.ts'
import { silent } from '../../src/base/log.ts'
import { packageRoot } from '../../src/base/root.ts'
import { openContext } from '../../src/context/context.ts'
import { openJournal } from '../../src/journal/journal.ts'
import type { Engine, Turn } from '../../src/lanes/engine.ts'
import { defaultChainLimits, openLanes } from '../../src/lanes/lanes.ts'
import { openModels } from '../../src/models/models.ts'
import { openPeople } from '../../src/people/people.ts'
import { openBudgets } from '../../src/policy/budgets.ts'
import { openPolicy } from '../../src/policy/open-policy.ts'
import { openScopes } from '../../src/scopes/open-scopes.ts'
import type { EngineOf } from '../../src/scopes/rooms.ts'
import { openSecrets } from '../../src/secrets/open-secrets.ts'
import { scrubbedStore } from '../../src/store/scrubbed.ts'
import { sqliteAttention } from '../../src/store/sqlite/attention.ts'
import { sqliteBudgets } from '../../src/store/sqlite/budgets.ts'
import { sqliteConversation } from '../../src/store/sqlite/conversation.ts'
import { sqliteDocuments } from '../../src/store/sqlite/documents.ts'
import { sqlitePeople } from '../../src/store/sqlite/people.ts'
import { sqlitePolicy } from '../../src/store/sqlite/policy.ts'
import { sqliteScopes } from '../../src/store/sqlite/scopes-tree.ts'
import { sqliteSecrets } from '../../src/store/sqlite/secrets.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { sqliteWork } from '../../src/store/sqlite/work.ts'
import { openWork } from '../../src/work/work.ts'

export type BenchRooms = Awaited<ReturnType<typeof openRooms>>

/**
 * Sessions are made for the agent `quick`, run by an engine of that name that answers by a rule: the real one can go on in them.
 * `lead`: who leads them instead.
 */
export async function openRooms(home: string, lead: EngineOf = async () => ({ agent: 'quick', engine: 'quick', params: {} })) {
  makeHome(home)
  const [clock, log] = [systemClock, silent]
  const newId = ulids(clock.now)
  const store = await openSqliteStore({ file: join(home, 'steward.db'), now: clock.now, log })
  const secrets = await openSecrets({
    ...{ store: sqliteSecrets(store), passphrase: null, keyFolder: join(home, 'keys'), random: randomBytes, now: clock.now, log },
    keyring: async () => ({ why: 'there is none here' }),
  })
  const journal = await openJournal({ store: scrubbedStore(store.journal, secrets.scrub), clock, log })
  const lanes = openLanes({ journal, store: store.journal, clock, newId, node: newId('nod'), log })
  const people = await openPeople({ store: sqlitePeople(store), clock, newId, random: randomBytes, ownerName: userInfo().username })
  const shared = { journal, store: store.journal, lanes, clock, newId, log }
  const users = async (name: string) => (await people.user(name)) !== null
  const scopes = await openScopes({
    ...shared,
    views: { scopes: sqliteScopes(store), conversation: sqliteConversation(store), documents: sqliteDocuments(store) },
    users,
    engineOf: lead,
    bundledRoot: join(packageRoot, 'bundled'),
    documentsRoot: null,
  })
  lanes.registerEngine(rulesEngine)
  const policy = await openPolicy({
    ...{ ...shared, ...scopes, view: sqlitePolicy(store), home },
    own: () => ({ closed: [home], addresses: [], sockets: [] }),
  })
  const budgets = await openBudgets({
    ...{ ...shared, view: sqliteBudgets(store), now: clock.now },
    ...{ zone: async () => 'UTC', rates: async () => ({}), exists: async () => true },
  })
  const attention = await openAttention({ ...shared, users, view: sqliteAttention(store) })
  const models = openModels({ models: { light: null, standard: null, deep: null }, providers: {} }, { clock, log })
  const context = openContext({ ...shared, ...scopes, models, specs: () => [] })
  const work = await openWork({
    ...{ ...shared, store: sqliteWork(store), taintOf: policy.taint.ofProcess, limits: () => defaultChainLimits },
    ...{ line: scopes.conversation.get, wake: async () => {}, sessionOf: async () => null },
  })
  async function close(): Promise<void> {
    await lanes.stop()
    await work.close()
    await context.close()
    await budgets.close()
    await secrets.close()
    await attention.close()
    await policy.close()
    await scopes.close()
    await journal.close()
    await store.close()
  }
  return { store, journal, lanes, people, scopes, policy, secrets, budgets, attention, models, context, work, clock, newId, log, close }
}

/** One rule, no effect: says back what was said. */
const rulesEngine: Engine = {
  name: 'quick',
  version: 1,
  accepts: [1],
  run: async (turn) => void turn.say('reply', { text: answerOf(turn) }),
}

function answerOf({ entries }: Turn): string {
  return entries.map(({ body }) => (body.kind === 'message' ? body.text : '')).join('\n')
}
