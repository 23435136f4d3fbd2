// The families of tools that speak for other rooms, as steward.ts registers them, and what a person configured for them.
import { randomBytes } from 'node:crypto'
import type { Agents } from './agents/agents.ts'
import { listedAgents } from './agents/listing.ts'
import type { Attention } from './attention/attention.ts'
import type { Clock } from './base/clock.ts'
import type { NewId, ProcessId } from './base/ids.ts'
import type { Lanes } from './lanes/lanes.ts'
import { tiers } from './models/message.ts'
import type { Models } from './models/models.ts'
import type { Taints } from './policy/policy.ts'
import type { Finding } from './protocol/api.ts'
import type { Attachments } from './scopes/attachments/attachments.ts'
import type { Scopes } from './scopes/scopes.ts'
import type { ZoneOf } from './scopes/zone.ts'
import type { Secrets } from './secrets/secrets.ts'
import { attachmentTools } from './tools/attachments/attachments.ts'
import { calcTools } from './tools/calc/calc.ts'
import { documentTools } from './tools/documents/documents.ts'
import { type HubToolRooms, hubTools } from './tools/hub/hub.ts'
import { processTools } from './tools/processes/processes.ts'
import { projectTools } from './tools/projects/projects.ts'
import { spotFrom } from './tools/reach.ts'
import { scratchpadTools } from './tools/scratchpad/scratchpad.ts'
import { timeWhen } from './tools/time/time-when.ts'
import type { Tool } from './tools/tool.ts'
import { reachOf, webTools } from './tools/web/web.ts'
import type { Work } from './work/work.ts'

export type FamilyRooms = Pick<Scopes, 'documents' | 'projects' | 'settings'> & {
  readonly attachments: Attachments
  readonly clock: Clock
  readonly newId: NewId
  readonly lanes: Lanes
  readonly secrets: Pick<Secrets, 'value'>
  readonly taint: Taints
  /** What the hub shows of itself. */
  readonly shown: Pick<HubToolRooms, 'agents' | 'models' | 'waiting' | 'findings' | 'places'>
  readonly sessions: Scopes['sessions']
  /** Asked when a tool runs: work is opened later. */
  readonly work: () => Work
  /** The login name of the owner of this hub. */
  readonly owner: string
  readonly zoneOf: ZoneOf
  /** Where the hub listens; null while it does not. */
  readonly here: { readonly address: string | null }
}

export type Families = {
  readonly tools: readonly Tool[]
  /** The guard of every request to elsewhere. */
  readonly reach: ReturnType<typeof reachOf>
  /** Reads anew what is asked for at hand: exempt origins, whether there is a search engine. */
  refresh(): Promise<void>
}

export async function openFamilies(rooms: FamilyRooms): Promise<Families> {
  const { clock, newId, lanes, secrets, taint, settings, owner, here } = rooms
  let exempt: readonly string[] = []
  let canSearch = false
  const newWord = () => randomBytes(12).toString('hex')
  const asked = { exempt: () => exempt, ownPorts: () => portsOf(here.address) }
  const searchOf = (user: string) => settings.getForUser('web.search', { user })
  const reach = { projects: rooms.projects, spot: spotFrom({ projects: rooms.projects, workers: (owner) => rooms.work().workers(owner) }) }
  const documents = { ...rooms, ...reach, taintOf: taint.ofPaths, newWord }
  const tools: readonly Tool[] = [
    ...webTools({ clock, ...asked, newWord, setting: searchOf, isConfigured: () => canSearch, secret: secrets.value }),
    ...calcTools,
    ...attachmentTools({ ...rooms, newWord }),
    ...documentTools(documents),
    ...scratchpadTools(documents),
    ...projectTools(reach),
    ...hubTools({ ...rooms, ...rooms.shown }),
    ...processTools({ ...workersOf(rooms), lanes, newId: () => newId('ent'), newWord }),
    timeWhen(rooms),
  ]
  const refresh = async () => {
    const [origins, search] = await Promise.all([settings.getForUser('web.exempt', { user: owner }), searchOf(owner)])
    exempt = Array.isArray(origins) ? origins.map(String) : []
    canSearch = search !== null
  }
  await refresh()
  return { tools, reach: reachOf(asked), refresh }
}

/** What the hub shows of itself to an agent that speaks for it. `found`: all findings of the doctor. */
export function shownBy({ agents, attention, models, places }: ShownRooms, found: () => Promise<readonly Finding[]>): FamilyRooms['shown'] {
  return {
    places,
    agents: async (scope) => listedAgents(await agents.roster(scope)).items,
    waiting: async (user) => (await attention.list({ user, status: 'PENDING', limit: 10 })).items,
    models: () => tiers.map((tier) => ({ tier, model: models.modelOf(tier) })),
    async findings() {
      const all = (await found()).filter(({ status }) => status !== 'ok')
      return all.map(({ name, detail, mend }) => `${name}: ${detail}${mend ? ` (${mend})` : ''}`)
    },
  }
}

type ShownRooms = Pick<FamilyRooms['shown'], 'places'> & {
  readonly agents: Pick<Agents, 'roster'>
  readonly attention: Pick<Attention, 'list'>
  readonly models: Pick<Models, 'modelOf'>
}

function workersOf({ work, taint }: Pick<FamilyRooms, 'work' | 'taint'>) {
  return {
    workers: (owner: ProcessId) => work().workers(owner),
    async lastReport(owner: ProcessId, worker: ProcessId) {
      const found = (await work().workers(owner)).find((one) => one.worker === worker)?.lastReport
      return found ? { type: found.type, text: found.text, taint: await taint.ofProcess(worker) } : null
    },
  }
}

function portsOf(address: string | null): readonly number[] {
  if (address === null) return []
  const { port, protocol } = new URL(address)
  return [port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)]
}
