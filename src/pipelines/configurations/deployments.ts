// Which versions new conversations get, by environment. Facts of it are one document of the person, `pipelines/deployments.json`; in
// production a pipeline is also an agent file, written in the same commit.
//
// Y71  Deploying what can't run changes nothing; everything that is wrong is named.
// Y72  A version that was deployed once stays runnable for the conversations that began with it.
// Y73  A deployed pipeline takes nobody's name: where one is taken, it gets a number.
import { InvalidInput, NotFound } from '../../base/errors.ts'
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import { homeOf } from '../../scopes/names.ts'
import type { Descriptor, ResourceRef } from '../configuration.ts'
import { type CompilingRooms, compileAgent, refuseFaulty } from './compiling.ts'
import { type KeepingDocuments, type NewDocument, scopeOf } from './keeping.ts'
import { agentFile, agentPath, isFileOf, slugOf } from './roster-file.ts'
import { type CompiledAgent, type Deployment, type Deployments, type Environment, environments, type Place, type Writer } from './store.ts'
import { uriOf } from './uri.ts'

export type DeploymentRooms = CompilingRooms & {
  readonly documents: KeepingDocuments
  /** Whether an agent is called so, there, that is not the one in that file. */
  readonly isTaken: (name: string, place: Place, path: string) => Promise<boolean>
}

export type OpenDeployments = Deployments & {
  /** Documents that carry a deployment of `from` over to `to`: for who writes a new version. */
  redeployed(change: { readonly from: ResourceRef; readonly to: ResourceRef }, writer: Writer): Promise<readonly NewDocument[]>
}

const path = 'pipelines/deployments.json'
/** Compiled agents that are kept; the one that was not asked for the longest goes. */
const mostCompiled = 50

type Entry = { readonly version: number; readonly agentName: string | null }
type Table = { readonly [E in Environment]: ReadonlyMap<string, Entry> }
type Read = { readonly table: Table; readonly version: number }

export function openDeployments(rooms: DeploymentRooms): OpenDeployments {
  const { documents, configurations } = rooms
  const compiled = new Map<string, Promise<CompiledAgent>>()

  async function read(place: Place): Promise<Read> {
    const document = await documents.find(path, scopeOf(place))
    return { table: tableIn(document?.text ?? '{}'), version: document?.level === 'home' ? document.version : 0 }
  }

  async function check({ id, version }: Pick<ResourceRef, 'id' | 'version'>, place: Place): Promise<CompiledAgent> {
    const agent = await compileAgent(rooms, { id, version }, place)
    if (agent) return agent
    throw new NotFound(`there is no version ${version} of an agent ${JSON.stringify(id.slice(0, 64))}`, { path: 'agent' })
  }

  function runnable(agent: { readonly id: string; readonly version: number }, place: Place): Promise<CompiledAgent> {
    const key = JSON.stringify([place.user, place.project ?? '', agent.id, agent.version])
    const known = compiled.get(key)
    if (known) {
      compiled.delete(key)
      compiled.set(key, known)
      return known
    }
    const making = check(agent, place).then((made) => {
      refuseFaulty(made)
      return made
    })
    compiled.set(key, making)
    making.catch(() => compiled.get(key) === making && compiled.delete(key))
    const [oldest] = compiled.keys()
    if (compiled.size > mostCompiled && oldest !== undefined) compiled.delete(oldest)
    return making
  }

  async function deploymentOf(
    environment: Environment,
    id: string,
    { version, agentName }: Entry,
    place: Place,
  ): Promise<Deployment | null> {
    const stored = await configurations.read({ kind: 'agent', id, version }, place)
    const status = stored === null ? 'ERROR' : 'READY'
    return { environment, agentId: id, agentVersion: version, status, descriptor: stored?.descriptor ?? unknown(id, version), agentName }
  }

  /** The name that it has had, or a free one. */
  async function nameFor(
    id: string,
    title: string,
    known: string | null,
    place: Place,
  ): Promise<{ readonly name: string; readonly version: number }> {
    const base = slugOf(title)
    for (let number = 1; number < 1_000; number++) {
      const name = number === 1 ? (known ?? base) : `${base}-${number}`
      const found = await documents.find(agentPath(name), scopeOf(place))
      const isOwn = found !== null && found.level === 'home' && isFileOf(found.text, id)
      const isFree = found === null && !(await rooms.isTaken(name, place, agentPath(name)))
      if (isOwn || isFree) return { name, version: isOwn ? found.version : 0 }
    }
    throw new InvalidInput(`no name is free for ${JSON.stringify(title)}: rename the agent`, { path: 'name' })
  }

  async function documentsOf(ref: ResourceRef, environment: Environment, writer: Writer): Promise<readonly NewDocument[]> {
    const { table, version } = await read(writer)
    const stored = await configurations.read({ kind: 'agent', id: ref.id }, writer, { deleted: true })
    const title = stored?.descriptor.name || ref.id
    const known = table[environment].get(ref.id)?.agentName ?? null
    const named = environment === 'production' ? await nameFor(ref.id, title, known, writer) : null
    const entry: Entry = { version: ref.version, agentName: named?.name ?? null }
    const next = { ...table, [environment]: new Map([...table[environment], [ref.id, entry]]) }
    const own: NewDocument = { path, text: textOf(next), ...(version > 0 ? { expected: version } : {}) }
    if (named === null) return [own]
    const facts = { name: named.name, title, description: stored?.descriptor.description ?? '', triggers: skillsIn(stored?.raw ?? {}) }
    const text = agentFile({ ...facts, agentId: ref.id, agentVersion: ref.version, environment })
    return [own, { path: agentPath(named.name), text }]
  }

  async function commit(writer: Writer, news: readonly NewDocument[]): Promise<void> {
    await documents.writeAll({ level: 'home', scope: homeOf(writer.user), documents: news }, writer.by)
  }

  return {
    check: (agent, place) => check(agent, place),
    compiled: runnable,
    async deploy(agent, environment, writer) {
      await runnable(agent, writer)
      await commit(writer, await documentsOf(agent, environment, writer))
      const made = await this.current(agent.id, environment, writer)
      if (made === null) throw new NotFound(`the agent ${agent.id} was undeployed meanwhile`)
      return made
    },
    async undeploy({ id, version }, environment, _options, writer) {
      const { table, version: known } = await read(writer)
      const entry = table[environment].get(id.toLowerCase())
      if (!entry || (version !== undefined && version !== entry.version)) return false
      const rest = new Map(table[environment])
      rest.delete(id.toLowerCase())
      if (entry.agentName !== null) await removeFile(entry.agentName, id, writer)
      await commit(writer, [{ path, text: textOf({ ...table, [environment]: rest }), ...(known > 0 ? { expected: known } : {}) }])
      return true
    },
    async current(agentId, environment, place) {
      const entry = (await read(place)).table[environment].get(agentId.toLowerCase())
      return entry ? deploymentOf(environment, agentId.toLowerCase(), entry, place) : null
    },
    async list(environment, place) {
      const { table } = await read(place)
      const all = await Promise.all([...table[environment]].map(([id, entry]) => deploymentOf(environment, id, entry, place)))
      return all.filter((one) => one !== null)
    },
    async redeployed({ from, to }, writer) {
      const { table } = await read(writer)
      const where = environments.filter((one) => table[one].get(from.id)?.version === from.version)
      const [first, second] = where
      if (first === undefined) return []
      const docs = await documentsOf(to, first, writer)
      return second === undefined ? docs : bothIn(docs, to, second)
    },
  }

  /** Hidden first: a conversation that has begun goes on without it, and nobody finds it any more. */
  async function removeFile(name: string, id: string, writer: Writer): Promise<void> {
    const found = await documents.find(agentPath(name), scopeOf(writer))
    if (found?.level === 'home' && isFileOf(found.text, id)) await documents.remove(found.path, 'home', found.scope, writer.by)
  }
}

/** The same for a second environment, in the table that is written anyway. */
function bothIn(docs: readonly NewDocument[], { id, version }: ResourceRef, environment: Environment): readonly NewDocument[] {
  return docs.map((one) => {
    if (one.path !== path) return one
    const table = tableIn(one.text)
    const entry = { version, agentName: table[environment].get(id)?.agentName ?? null }
    return { ...one, text: textOf({ ...table, [environment]: new Map([...table[environment], [id, entry]]) }) }
  })
}

function tableIn(text: string): Table {
  const given: unknown = JSON.parse(text)
  const of = (environment: Environment): ReadonlyMap<string, Entry> => {
    const named = isJsonObject(jsonOf(given)) ? jsonOf(given) : {}
    const part = isJsonObject(named) ? named[environment] : undefined
    if (!isJsonObject(part)) return new Map()
    return new Map(
      Object.entries(part).flatMap(([id, one]): [string, Entry][] => {
        if (!isJsonObject(one) || typeof one['version'] !== 'number') return []
        const { agentName = null } = one
        return [[id, { version: one['version'], agentName: typeof agentName === 'string' ? agentName : null }]]
      }),
    )
  }
  return { production: of('production'), test: of('test') }
}

function jsonOf(value: unknown): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(value ?? {}))
  return copy
}

function textOf(table: Table): string {
  const plain = Object.fromEntries(environments.map((one) => [one, Object.fromEntries([...table[one]].sort())]))
  return `${JSON.stringify(plain, null, 1)}\n`
}

function unknown(id: string, version: number): Descriptor {
  const at = { createdBy: 'system', createdOn: 0, lastModifiedBy: 'system', lastModifiedOn: 0 }
  return { resource: uriOf({ kind: 'agent', id, version }), name: '', description: '', ...at, deleted: true }
}

/** What EDDI calls capabilities: words that lead to the agent. */
function skillsIn({ capabilities }: JsonObject): readonly string[] {
  if (!Array.isArray(capabilities)) return []
  return capabilities.flatMap((one) =>
    isJsonObject(one) && typeof one['skill'] === 'string' ? [one['skill'].replaceAll(/[-_]+/g, ' ')] : [],
  )
}
