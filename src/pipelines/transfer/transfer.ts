// Import, export and sync of pipeline agents. Owns: reading archives, folders and other instances, what an import would do, doing it,
// and writing archives. Leaves where configurations are kept to configurations, secrets' values to the secret store.
// Others also import open-transfer.ts, zip.ts, folder.ts and limits.ts.
//
// Y182  An import is one commit: all of it, or nothing. What has changed since its preview is a Conflict, and nothing is written.
// Y183  A preview writes nothing, not even a secret.
import { Conflict, InvalidInput, messageOf } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { Kind, ResourceRef } from '../configuration.ts'
import { checksOf } from '../configurations/checks.ts'
import { readConfiguration } from '../configurations/read.ts'
import type { ConfigurationStore, Deployment, Deployments, Environment, Place, Writer } from '../configurations/store.ts'
import { secretNamesIn } from '../references.ts'
import { type Bundle, bundleIn, type Part } from './bundle.ts'
import { type Exported, type ExportRef, exportFiles } from './export.ts'
import { type Fetch, filesOf } from './instance.ts'
import { type Choice, targetsOf } from './matching.ts'
import { hostsIn, type OpenSecret, openSecretsIn, withoutOpenSecrets } from './needs.ts'
import { type Action, leftOutOf, markOf, type Planned, planned } from './plan.ts'
import { mapObject } from './walk.ts'
import { type Files, readZip } from './zip.ts'

export type { Exported, ExportRef } from './export.ts'
export { type Choice, type Strategy, strategies } from './matching.ts'
export { type Action, actions } from './plan.ts'

/** `url`: of an agent in another instance, as in https://host/agentstore/agents/<id>?version=1. */
export type Source = { readonly zip: Uint8Array } | { readonly files: Files } | { readonly url: string }

export type TransferItem = {
  readonly kind: Kind
  readonly name: string
  readonly sourceId: string
  readonly action: Action
  /** What it stands for here, or what was made; null: it is made anew, or left out. */
  readonly target: ResourceRef | null
  readonly differs: readonly string[]
  readonly notes: readonly string[]
}

/** `stops`: what can't be done because of it; null: it is a warning. */
export type TransferFault = { readonly where: string; readonly message: string; readonly stops: 'import' | 'deploy' | null }
export type NeededSecret = {
  readonly name: string
  /** there: it is kept here already. missing: give it before the agent runs. taken: its value stands in the source, and is kept by the import. */
  readonly state: 'there' | 'missing' | 'taken'
}

export type Preview = {
  readonly name: string
  readonly sourceId: string
  readonly strategy: Choice['strategy']
  readonly items: readonly TransferItem[]
  readonly faults: readonly TransferFault[]
  readonly hosts: readonly string[]
  readonly secrets: readonly NeededSecret[]
  readonly ignored: readonly string[]
  /** Given back to `apply`, it makes sure that this is what is done. */
  readonly mark: string
}

export type Applied = Preview & {
  readonly agent: ResourceRef
  readonly deployed: Deployment | null
  /** Why it was not deployed although that was wanted. */
  readonly notDeployed: string | null
}

export type Applying = { readonly mark?: string; readonly deploy?: Environment }

export type Transfer = {
  /** Throws ImportRefused for what can't be taken, InvalidInput and NotFound for a wrong choice. */
  preview(source: Source, choice: Choice, place: Place): Promise<Preview>
  /** Throws like `preview`; Conflict when `mark` is not what a preview would say now; InvalidInput when a fault stops the import. */
  apply(source: Source, choice: Choice, given: { readonly writer: Writer } & Applying): Promise<Applied>
  /** Files by path, in EDDI's layout. Throws NotFound. */
  exportAgent(ref: ExportRef, place: Place): Promise<Exported>
}

export type TransferRooms = {
  readonly configurations: ConfigurationStore
  readonly deployments: Pick<Deployments, 'deploy'>
  readonly secrets: Pick<Secrets, 'list' | 'value' | 'set' | 'scrub' | 'sealJson'>
  /** Reads of another instance go through the guard of the web. */
  readonly fetch: Fetch
  readonly newResourceId: () => string
}

type Plan = { readonly preview: Preview; readonly parts: readonly Planned[]; readonly taken: readonly Taken[] }
type Taken = OpenSecret & { readonly part: Part; readonly kept: string }

export function openTransfer(rooms: TransferRooms): Transfer {
  const { configurations, secrets } = rooms

  async function planOf(source: Source, choice: Choice, place: Place): Promise<Plan> {
    const bundle = bundleIn(await filesIn(source, rooms.fetch), choice)
    const targets = await targetsOf(bundle, choice, { store: configurations, place })
    const taken = await takenFrom(bundle, secrets)
    const names = (part: Part) => new Map(taken.filter((one) => one.part === part).map(({ path, kept }) => [path, kept]))
    const done = new Map<Part, JsonObject>()
    const closed = (part: Part) => {
      const known = done.get(part) ?? mapObject(withoutOpenSecrets(part.raw, names(part)), secrets.scrub)
      done.set(part, known)
      return known
    }
    // The same part under another name of the list: the order of workflows makes a copy of the agent.
    const parts = planned({ bundle, targets, choice, newId: rooms.newResourceId, closed })
    const known = new Set((await secrets.list()).map(({ name }) => name))
    return { preview: previewOf({ bundle, choice, parts, taken, known }), parts, taken }
  }

  return {
    preview: async (source, choice, place) => (await planOf(source, choice, place)).preview,
    async apply(source, choice, { writer, mark, deploy }) {
      const { preview, parts, taken } = await planOf(source, choice, writer)
      if (mark !== undefined && mark !== preview.mark)
        throw new Conflict('the source, or what is here, has changed since the preview: look at it again', { path: 'mark' })
      refuse(preview)
      for (const { kept, value, hosts } of taken) {
        // Where it goes is not known: nobody may use it before a person says who.
        const agents = hosts.length === 0 ? [] : ['*']
        if ((await secrets.value(kept)) !== value) await secrets.set({ name: kept, value, agents, hosts: [...hosts] }, writer.by)
      }
      await write(rooms, { parts, choice, writer })
      const agent = parts.at(-1)?.to
      if (!agent) throw new Error('an import without its agent')
      const { deployed, notDeployed } = await deployedOf(rooms, { agent, deploy, writer })
      const items = parts.map((one) => itemOf(one, one.to))
      return { ...preview, items, agent, deployed, notDeployed }
    },
    exportAgent: (ref, place) => exportFiles({ configurations, scrub: secrets.scrub }, ref, place),
  }
}

async function filesIn(source: Source, fetch: Fetch): Promise<Files> {
  if ('zip' in source) return readZip(source.zip)
  return 'files' in source ? source.files : filesOf(source.url, fetch)
}

/** Each gets a name that is free, or that has that value already. */
async function takenFrom(bundle: Bundle, secrets: Pick<Secrets, 'value'>): Promise<readonly Taken[]> {
  const all: Taken[] = []
  const given = new Map<string, string>()
  for (const part of [...bundle.parts, bundle.agent]) {
    for (const one of openSecretsIn(part.ref.kind, part.raw, bundle.agent.name || 'pipeline')) {
      const kept = await freeName(one, async (name) => given.get(name) ?? (await secrets.value(name)))
      given.set(kept, one.value)
      all.push({ ...one, part, kept })
    }
  }
  return all
}

async function freeName({ name, value }: OpenSecret, keptValue: (name: string) => Promise<string | null>): Promise<string> {
  for (let number = 1; ; number++) {
    const kept = number === 1 ? name : `${name.slice(0, 58)}-${number}`
    const known = await keptValue(kept)
    if (known === null || known === value) return kept
  }
}

type Previewing = {
  readonly bundle: Bundle
  readonly choice: Choice
  readonly parts: readonly Planned[]
  readonly taken: readonly Taken[]
  readonly known: ReadonlySet<string>
}

function previewOf({ bundle, choice, parts, taken, known }: Previewing): Preview {
  const kept = parts.filter(({ to }) => to !== null)
  const raws = kept.map(({ part, raw }) => ({ kind: part.ref.kind, raw }))
  const named = new Set(raws.flatMap(({ raw }) => secretNamesIn(JSON.stringify(raw))))
  const fresh = new Set(taken.map((one) => one.kept))
  const stateOf = (name: string) => (fresh.has(name) && !known.has(name) ? 'taken' : known.has(name) ? 'there' : 'missing')
  return {
    name: bundle.agent.name || bundle.agent.ref.id,
    sourceId: bundle.agent.ref.id,
    strategy: choice.strategy,
    items: parts.map((one) => itemOf(one, one.target?.ref ?? null)),
    faults: [...faultsIn(kept), ...missingIn(bundle), ...leftOut(parts)],
    hosts: hostsIn(raws),
    secrets: [...named].sort().map((name) => ({ name, state: stateOf(name) })),
    ignored: bundle.ignored,
    mark: markOf(choice, parts),
  }
}

function itemOf({ part, action, differs, notes }: Planned, target: ResourceRef | null): TransferItem {
  return { kind: part.ref.kind, name: part.name, sourceId: part.ref.id, action, target, differs, notes }
}

function whereOf({ ref, name }: Part): string {
  return `${ref.kind} ${name === '' ? ref.id : JSON.stringify(name)}`
}

function faultsIn(parts: readonly Planned[]): readonly TransferFault[] {
  return parts.flatMap(({ part, raw, action }) => {
    if (action === 'SKIP') return []
    const where = whereOf(part)
    const { value, faults } = readConfiguration(part.ref.kind, raw, 'strict')
    if (faults.length > 0)
      return faults.map(({ path, message }): TransferFault => ({ where, message: `${path}: ${message}`, stops: 'import' }))
    return checksOf(part.ref.kind, value, raw).map(
      ({ severity, message }): TransferFault => ({ where, message, stops: severity === 'error' ? 'deploy' : null }),
    )
  })
}

function missingIn({ missing }: Bundle): readonly TransferFault[] {
  return missing.map(({ what, by }) => ({ where: whereOf(by), message: `${what} is named and is not in the source`, stops: 'deploy' }))
}

function leftOut(parts: readonly Planned[]): readonly TransferFault[] {
  return leftOutOf(parts).map(({ what, by }) => ({
    where: whereOf(by.part),
    message: `${whereOf(what.part)} was not selected, is named by it, and nothing here stands for it: select it too`,
    stops: 'import',
  }))
}

function refuse({ name, faults }: Preview): void {
  const all = faults.filter(({ stops }) => stops === 'import')
  if (all.length === 0) return
  const lines = all.slice(0, 20).map(({ where, message }) => `- ${where}: ${message}`)
  throw new InvalidInput([`The agent ${JSON.stringify(name)} can't be imported:`, ...lines].join('\n'), { path: '/file' })
}

type Writing = { readonly parts: readonly Planned[]; readonly choice: Choice; readonly writer: Writer }

/** What is imported again is called as it is there now; an agent that is brought up to date keeps the names that it has here. */
async function write({ configurations, secrets }: TransferRooms, { parts, choice, writer }: Writing): Promise<void> {
  const sealed = async (raw: JsonObject) => secrets.sealJson(raw)
  const news = []
  const changes = []
  for (const { part, action, target, to, raw } of parts) {
    const { name, description, ref } = part
    if (action === 'CREATE' && to) news.push({ kind: to.kind, id: to.id, value: await sealed(raw), name, description, originId: ref.id })
    if (action === 'UPDATE' && target) {
      const named = { ...(name === '' ? {} : { name }), ...(description === '' ? {} : { description }) }
      const describe = choice.strategy === 'merge' ? named : {}
      changes.push({ ref: target.ref, value: await sealed(raw), describe })
    }
  }
  await configurations.put({ news, changes }, writer)
}

type Deploying = { readonly agent: ResourceRef; readonly deploy: Environment | undefined; readonly writer: Writer }

/** The import stands also where the agent can't run yet. */
async function deployedOf(
  { deployments }: TransferRooms,
  { agent, deploy, writer }: Deploying,
): Promise<Pick<Applied, 'deployed' | 'notDeployed'>> {
  if (deploy === undefined) return { deployed: null, notDeployed: null }
  try {
    return { deployed: await deployments.deploy(agent, deploy, writer), notDeployed: null }
  } catch (thrown) {
    if (!(thrown instanceof InvalidInput || thrown instanceof Conflict)) throw thrown
    return { deployed: null, notDeployed: messageOf(thrown) }
  }
}
