// Which versions new conversations get, by environment. Facts of it are one document of the person, `pipelines/deployments.json`; in
// production a pipeline is also an agent file, written and removed in the same commit.
//
// Y71  Deploying what can't run changes nothing; everything that is wrong is named.
// Y72  A version that was deployed once stays runnable for the conversations that began with it.
// Y73  A deployed pipeline takes nobody's name: where one is taken, it gets a number.
// Y75  Compiled agents are kept within a number and a size, and made again when a snippet changes.
import { InvalidInput, NotFound } from '../../base/errors.ts'
import { homeOf } from '../../scopes/names.ts'
import type { Documents } from '../../scopes/scopes.ts'
import type { Descriptor, ResourceRef } from '../configuration.ts'
import { openCompiledCache, type Sized } from './compiled-cache.ts'
import { type CompilingRooms, compileAgent, refuseFaulty } from './compiling.ts'
import { type Entry, readTable, type Table, tableDocument, withEntry } from './deployed-table.ts'
import type { Redeploying } from './desk.ts'
import { type Changes, type KeepingDocuments, type NewDocument, scopeOf } from './keeping.ts'
import { pledgeFor } from './pledges.ts'
import { agentPath, fileFor, isFileOf, slugOf } from './roster-file.ts'
import { type CompiledAgent, type Deployment, type Deployments, type Environment, environments, type Place, type Writer } from './store.ts'
import { uriOf } from './uri.ts'

export type DeploymentRooms = CompilingRooms & {
  readonly documents: KeepingDocuments & Pick<Documents, 'onChange'>
  /** Whether an agent is called so, there, that is not the one in that file. */
  readonly isTaken: (name: string, place: Place, path: string) => Promise<boolean>
}

export type OpenDeployments = Deployments & {
  /** Documents that carry a deployment of `from` over to `to`. Throws InvalidInput when that can't run; [] when it is not deployed. */
  redeployed(change: Redeploying, writer: Writer): Promise<readonly NewDocument[]>
  /** What takes an agent out of all environments. */
  undeployed(agentId: string, writer: Writer): Promise<Changes>
}

/** Together they hold about 100 MB at most. */
const mostCompiled = { count: 50, size: 20_000_000 }

type Version = { readonly id: string; readonly version: number }

export function openDeployments(rooms: DeploymentRooms): OpenDeployments {
  const { documents } = rooms
  const cache = openCompiledCache(mostCompiled)
  // Versions never change, but snippets are not pinned to one, and a removed agent is gone.
  for (const kind of ['snippet', 'agent']) documents.onChange(`pipelines/${kind}/`, cache.clear)

  async function runnable(agent: Version, place: Place): Promise<CompiledAgent> {
    const key = JSON.stringify([place.user, place.project ?? '', agent.id.toLowerCase(), agent.version])
    return cache.get(key, async () => {
      const made = await checked(rooms, agent, place)
      refuseFaulty(made.agent)
      return made
    })
  }

  async function commit(writer: Writer, changes: Changes): Promise<void> {
    await documents.writeAll({ level: 'home', scope: homeOf(writer.user), ...changes }, writer.by)
  }

  async function current(agentId: string, environment: Environment, place: Place): Promise<Deployment | null> {
    const id = agentId.toLowerCase()
    const entry = (await readTable(documents, place)).table[environment].get(id)
    return entry ? deploymentOf(rooms, { environment, id, entry }, place) : null
  }

  return {
    check: async (agent, place) => (await checked(rooms, agent, place)).agent,
    compiled: runnable,
    async deploy(agent, environment, writer) {
      const { steps } = await runnable(agent, writer)
      if ((await rooms.configurations.read({ kind: 'agent', id: agent.id }, writer)) === null)
        throw new NotFound(`the agent ${JSON.stringify(agent.id.slice(0, 64))} was deleted`, { path: 'agent' })
      await commit(writer, { documents: await documentsOf(rooms, { agent, where: [environment], steps }, writer) })
      const made = await current(agent.id, environment, writer)
      if (made === null) throw new NotFound(`the agent ${agent.id} was undeployed meanwhile`)
      return made
    },
    async undeploy({ id, version }, environment, { allVersions = false }, writer) {
      const known = await readTable(documents, writer)
      const entry = known.table[environment].get(id.toLowerCase())
      const isMeant = entry && (version === undefined || entry.version === version || (allVersions && entry.version < version))
      if (isMeant) await commit(writer, await taken(rooms, { id, where: [environment] }, writer))
      return isMeant === true
    },
    current,
    async list(environment, place) {
      const { table } = await readTable(documents, place)
      return Promise.all([...table[environment]].map(([id, entry]) => deploymentOf(rooms, { environment, id, entry }, place)))
    },
    async redeployed({ from, to, configurations }, writer) {
      const { table } = await readTable(documents, writer)
      const where = environments.filter((one) => table[one].get(from.id)?.version === from.version)
      if (where.length === 0) return []
      const then = { ...rooms, configurations }
      const made = (await checked(then, to, writer)).agent
      refuseFaulty(made)
      return documentsOf(then, { agent: to, where, steps: made.steps }, writer)
    },
    undeployed: (id, writer) => taken(rooms, { id, where: environments }, writer),
  }
}

async function checked(rooms: CompilingRooms, { id, version }: Version, place: Place): Promise<Sized> {
  const made = await compileAgent(rooms, { id, version }, place)
  if (made) return made
  throw new NotFound(`there is no version ${version} of an agent ${JSON.stringify(id.slice(0, 64))}`, { path: 'agent' })
}

type Standing = { readonly environment: Environment; readonly id: string; readonly entry: Entry }

async function deploymentOf({ configurations }: CompilingRooms, { environment, id, entry }: Standing, place: Place): Promise<Deployment> {
  const { version, agentName } = entry
  const stored = await configurations.read({ kind: 'agent', id, version }, place).catch((thrown: unknown) => {
    if (thrown instanceof InvalidInput) return null
    throw thrown
  })
  const status = stored === null ? 'ERROR' : 'READY'
  return { environment, agentId: id, agentVersion: version, status, descriptor: stored?.descriptor ?? unknown(id, version), agentName }
}

type Deploying = { readonly agent: ResourceRef; readonly where: readonly Environment[]; readonly steps: CompiledAgent['steps'] }

/** The table, and the agent file when it is production. */
async function documentsOf(rooms: DeploymentRooms, { agent, where, steps }: Deploying, writer: Writer): Promise<readonly NewDocument[]> {
  const known = await readTable(rooms.documents, writer)
  const id = agent.id.toLowerCase()
  const stored = await rooms.configurations.read({ kind: 'agent', id, version: agent.version }, writer)
  const title = stored?.descriptor.name || id
  let table: Table = known.table
  const files: NewDocument[] = []
  for (const environment of where) {
    let agentName: string | null = null
    if (environment === 'production') {
      const named = await nameFor(rooms, { id, title, known: table.production.get(id)?.agentName ?? null }, writer)
      agentName = named.name
      const text = fileFor({ name: named.name, title, version: agent.version, id, environment, pledge: pledgeFor(steps) }, stored)
      files.push({ path: agentPath(named.name), text, expected: named.version })
    }
    table = withEntry(table, environment, [id, { version: agent.version, agentName }])
  }
  return [tableDocument(table, known.version), ...files]
}

type Naming = { readonly id: string; readonly title: string; readonly known: string | null }

/** The name that it has had, or a free one. `version`: of the file, 0 when it is new. */
async function nameFor(
  { documents, isTaken }: DeploymentRooms,
  { id, title, known }: Naming,
  place: Place,
): Promise<{ readonly name: string; readonly version: number }> {
  const base = slugOf(title)
  const numbered = Array.from({ length: mostNames }, (_, at) => (at === 0 ? base : `${base}-${at + 1}`))
  for (const name of known === null ? numbered : [known, ...numbered]) {
    const found = await documents.find(agentPath(name), scopeOf(place))
    if (found !== null && found.level === 'home' && isFileOf(found.text, id)) return { name, version: found.version }
    if (found === null && !(await isTaken(name, place, agentPath(name)))) return { name, version: 0 }
  }
  throw new InvalidInput(`no name is free for ${JSON.stringify(title)}: rename the agent`, { path: 'name' })
}
const mostNames = 1_000

type Taking = { readonly id: string; readonly where: readonly Environment[] }

/** Its file goes only while it is its own: one that a person made theirs stays. */
async function taken({ documents }: DeploymentRooms, { id: given, where }: Taking, writer: Writer): Promise<Changes> {
  const known = await readTable(documents, writer)
  const id = given.toLowerCase()
  let table: Table = known.table
  const removed: string[] = []
  for (const environment of where) {
    const entry = table[environment].get(id)
    if (!entry) continue
    table = withEntry(table, environment, [id, null])
    const found = entry.agentName === null ? null : await documents.find(agentPath(entry.agentName), scopeOf(writer))
    if (found?.level === 'home' && isFileOf(found.text, id)) removed.push(found.path)
  }
  return table === known.table ? { documents: [] } : { documents: [tableDocument(table, known.version)], removed }
}

function unknown(id: string, version: number): Descriptor {
  const at = { createdBy: 'system', createdOn: 0, lastModifiedBy: 'system', lastModifiedOn: 0 }
  return { resource: uriOf({ kind: 'agent', id, version }), name: '', description: '', ...at, deleted: true }
}
