/**
 * A hub whose turns are rules and nothing else: the real server, lanes, journal and store, a pipeline without outside calls.
 * `node scripts/bench/rules-hub.ts HOME`; prints `ADDRESS/#code=CODE`, serves until SIGTERM.
 */

import { homedir } from 'node:os'
import { openAgents } from '../../src/agents/agents.ts'
import { openImports } from '../../src/agents/import/import.ts'
import { openAttaching } from '../../src/attaching.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { openTells } from '../../src/engines/engines.ts'
import { openKnowing } from '../../src/knowing.ts'
import { openPipelines } from '../../src/pipelines/open-pipelines.ts'
import { openTransferOver } from '../../src/pipelines/transfer/open-transfer.ts'
import { openRouting } from '../../src/routing/open-routing.ts'
import { openOwnCalls, openServer } from '../../src/server/server.ts'
import { reachOf } from '../../src/tools/web/web.ts'
import { openRooms } from './rooms.ts'
import { rulesAgent } from './rules-agent.ts'

const late: { params: JsonObject } = { params: {} }
const rooms = await openRooms(process.argv[2] ?? '', async () => ({ agent: 'rules', engine: 'pipeline', params: late.params }))
const { engine, params } = await rulesAgent(rooms)
late.params = params
rooms.lanes.registerEngine(engine)
const agents = openAgents({ documents: rooms.scopes.documents, engines: () => [] })
const routing = openRouting({ ...rooms, ...rooms.scopes, store: rooms.store.journal, agents })
const pipelines = openPipelines({ ...rooms, ...rooms.scopes, store: rooms.store.journal, agents })
const reach = reachOf({ exempt: () => [], ownPorts: () => [] })
const knowledge = await openKnowing({ ...rooms, ...rooms.scopes, ...pipelines, reach })
const server = await openServer({
  ...rooms,
  attachments: await openAttaching({ ...rooms, config: { home: process.argv[2] ?? '' } }),
  routing,
  pipelines: {
    ...pipelines,
    knowledge,
    tells: openTells(),
    own: openOwnCalls({ address: null }),
    ...openTransferOver({ ...rooms, ...pipelines, reach, templatesRoot: '' }),
  },
  host: '127.0.0.1',
  port: 0,
  socketPath: null,
  webRoot: null,
  trustLoopback: false,
  version: '0.0.0',
  agents: async () => [],
  agentFiles: { ...agents, imports: openImports({ documents: rooms.scopes.documents, agents }) },
  places: { homedir: homedir(), closed: [] },
  doctor: async () => [],
  config: async () => [],
})
await rooms.lanes.start()
const { code } = await rooms.people.newCode(rooms.people.owner.name)
process.stdout.write(`${server.address}/#code=${code}\n`)
process.once('SIGTERM', () => void stop())

async function stop(): Promise<void> {
  await server.close()
  await rooms.close()
  process.exit()
}
