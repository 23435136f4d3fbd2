// A roster from elsewhere becomes agents here: first a plan that says what would be made, changed and left out, and why; then, when it is
// to be, all of it in one commit. The same roster again changes nothing (A11 to A13).
// Owns: reading the foreign formats, and what becomes of each member. Leaves where documents are kept to scopes, what a routing.yaml
// means to routing, what a contract means to work.
import { InvalidInput } from '../../base/errors.ts'
import { readYaml } from '../../base/yaml.ts'
import type { Actor } from '../../protocol/actor.ts'
import { userOfHome } from '../../scopes/names.ts'
import type { Document, Documents, ScopeRef } from '../../scopes/scopes.ts'
import { type Agent, parseAgent } from '../agent.ts'
import type { Agents } from '../agents.ts'
import type { Roster } from '../roster.ts'
import { agentText } from './agent-text.ts'
import { type GivenFile, type RosterFiles, rosterFiles, type Skipped } from './files.ts'
import { type ForeignMember, readMembers } from './members.ts'
import { routingPath, routingText } from './routing-text.ts'

const mostOfContract = 64_000

export type ImportPlace = { readonly level: 'home' | 'project'; readonly scope: string }
export type ImportItem = {
  readonly kind: 'agent' | 'routing' | 'contract'
  /** The agent's name, the two of a contract, or routing.yaml. */
  readonly name: string
  readonly path: string
  readonly action: 'create' | 'update' | 'same'
  /** Of an update: the fields that become others. */
  readonly differs: readonly string[]
  /** What is taken otherwise than it stands in the roster, and what whoever uses it should know. */
  readonly notes: readonly string[]
}
export type ImportReport = {
  readonly place: ImportPlace
  readonly applied: boolean
  readonly items: readonly ImportItem[]
  readonly skipped: readonly Skipped[]
}

export type AgentImports = {
  /**
   * Looks only, unless `apply`: then everything is written in one commit, or nothing. Throws InvalidInput for what is no roster, and
   * Conflict when a document was changed between looking and writing.
   */
  roster(given: ImportOrder, by: Actor): Promise<ImportReport>
}
export type ImportOrder = {
  readonly files: readonly GivenFile[]
  readonly place: ImportPlace
  readonly user: string
  readonly apply: boolean
}

export type ImportRooms = {
  readonly documents: Pick<Documents, 'find' | 'writeAll'>
  readonly agents: Pick<Agents, 'roster' | 'check'>
}

type Planned = ImportItem & { readonly text: string; readonly before: number }

export function openImports(rooms: ImportRooms): AgentImports {
  return {
    async roster({ files, place, user, apply }, by) {
      const { planned, skipped } = await plan(rooms, rosterFiles(files), { place, user })
      const news = planned.filter(({ action }) => action !== 'same')
      if (apply && news.length > 0) {
        const documents = news.map(({ path, text, before }) => ({ path, text, expected: before }))
        await rooms.documents.writeAll({ ...place, documents }, by)
      }
      return { place, applied: apply, items: planned.map(({ text: _, before: __, ...item }) => item), skipped }
    },
  }
}

type Where = { readonly place: ImportPlace; readonly user: string }
type Plan = { readonly planned: readonly Planned[]; readonly skipped: readonly Skipped[] }

async function plan(rooms: ImportRooms, files: RosterFiles, where: Where): Promise<Plan> {
  const { members, skipped } = readMembers(files)
  const roster = await rooms.agents.roster(scopeOf(where))
  const possible = membersFor(members, { roster, place: where.place })
  if (possible.members.length === 0) throw nobody([...skipped, ...possible.skipped])
  const called = new Set(possible.members.flatMap(({ name, aliases }) => [name, ...aliases]))
  const isThere = (name: string) => called.has(name) || roster.find(name) !== null
  const agents = await planAgents(rooms, possible.members, { ...where, roster, isThere, personas: files.personas })
  const routing = await planRouting(rooms, files, { ...where, isThere })
  const contracts = await planContracts(rooms, files, where)
  const parts = [agents, routing, contracts]
  return {
    planned: parts.flatMap((part) => part.planned),
    skipped: [...skipped, ...possible.skipped, ...parts.flatMap((part) => part.skipped), ...files.skipped],
  }
}

/** Without those whose name can't be, or is another file's here already. */
function membersFor(members: readonly ForeignMember[], { roster, place }: { readonly roster: Roster; readonly place: ImportPlace }) {
  const skipped: Skipped[] = []
  const kept = members.filter((member) => {
    const why = whyNotNamed(member, roster, place)
    if (why !== null)
      skipped.push({ what: member.name.slice(0, 64), file: member.file, why: `${member.file}, line ${member.line}: ${why}.` })
    return why === null
  })
  return { members: kept, skipped }
}

function whyNotNamed({ name }: ForeignMember, roster: Roster, place: ImportPlace): string | null {
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(name)) return 'its name is none here; allowed is a lower case letter, then letters, digits, - and _'
  if (name === 'readme') return 'a file of that name is never read as an agent'
  const holder = roster.agents.find((agent) => agent.name === name && isAt(agent.source, place))
  const isOther = holder !== undefined && holder.source.path !== pathOf(name)
  return isOther ? `the name belongs to ${holder.source.path} here; rename one of the two first` : null
}

type Around = Where & {
  readonly roster: Roster
  readonly isThere: (name: string) => boolean
  readonly personas: ReadonlyMap<string, GivenFile>
}

async function planAgents(rooms: ImportRooms, members: readonly ForeignMember[], around: Around): Promise<Plan> {
  const texts = members.map((member) => {
    const persona = around.personas.get(member.name)?.text ?? null
    return { member, ...agentText(member, { isThere: around.isThere, persona: persona === null ? null : bodyOf(persona) }) }
  })
  const skipped: Skipped[] = []
  const planned: Planned[] = []
  const faults = await rooms.agents.check(
    texts.map(({ member, text }) => ({ ...around.place, path: pathOf(member.name), text })),
    scopeOf(around),
  )
  for (const { member, text, notes } of texts) {
    const path = pathOf(member.name)
    const own = faults.filter((fault) => fault.path === path && isAt(fault, around.place))
    const error = own.find(({ severity }) => severity === 'error')
    if (error) skipped.push({ what: member.name, file: member.file, why: `Its file would not be read. ${error.message}` })
    else {
      const told = [...notes, ...own.map(({ message }) => message), ...hiddenBy(member, around)]
      planned.push(await plannedAs(rooms, around.place, { kind: 'agent', name: member.name, path, text, notes: told }))
    }
  }
  return { planned, skipped }
}

/** A home is further in than a project: what the person has there wins for them. */
function hiddenBy({ name }: ForeignMember, { place, roster }: Around): readonly string[] {
  const found = roster.find(name)
  if (place.level === 'home' || found?.name !== name || found.source.level !== 'home') return []
  return [`Your own ${found.source.path} (${found.source.scope}) has that name too and wins for you.`]
}

async function planRouting(rooms: ImportRooms, files: RosterFiles, around: Where & Pick<Around, 'isThere'>): Promise<Plan> {
  const present = await documentAt(rooms, routingPath, around.place)
  const made = routingText(files.routing, present?.text ?? null, around.isThere)
  if (made === null) return { planned: [], skipped: [] }
  const { signals, templates, thresholds } = made.parts
  const notes = [
    `Signals: ${signals.join(', ') || 'none'}.`,
    `Templates: ${templates.join(', ') || 'none'}.`,
    `Thresholds: ${thresholds.join(', ') || 'none'}.`,
  ]
  const item = { kind: 'routing', name: routingPath, path: routingPath, text: made.text, notes } as const
  return { planned: [await plannedAs(rooms, around.place, item)], skipped: made.skipped }
}

async function planContracts(rooms: ImportRooms, { contracts }: RosterFiles, { place }: Where): Promise<Plan> {
  const planned: Planned[] = []
  const skipped: Skipped[] = []
  const seen = new Set<string>()
  for (const file of contracts) {
    const name = `${file.from}-to-${file.to}`
    const why = seen.has(name) ? 'another file has the same contract' : whyNoContract(file)
    seen.add(name)
    if (why !== null) skipped.push({ what: name, file: file.path, why: `${file.path}: ${why}.` })
    else planned.push(await plannedAs(rooms, place, { kind: 'contract', name, path: `contracts/${name}.yaml`, text: file.text, notes: [] }))
  }
  return { planned, skipped }
}

function whyNoContract({ text, from, to }: RosterFiles['contracts'][number]): string | null {
  const yaml = readYaml(text, { mostCharacters: mostOfContract })
  if (!('value' in yaml)) return `line ${yaml.line}: ${yaml.message}`
  const { value } = yaml
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not a list of "key: value"'
  const said = ['from', 'to'].map((key) => (Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined))
  if (said[0] === from && said[1] === to) return null
  return `it says from ${JSON.stringify(said[0])} to ${JSON.stringify(said[1])}, and its name says from "${from}" to "${to}"`
}

type Wanted = Pick<ImportItem, 'kind' | 'name' | 'path' | 'notes'> & { readonly text: string }

async function plannedAs(rooms: ImportRooms, place: ImportPlace, wanted: Wanted): Promise<Planned> {
  const present = await documentAt(rooms, wanted.path, place)
  const action = present === null ? 'create' : present.text === wanted.text ? 'same' : 'update'
  const differs = action === 'update' && present !== null && wanted.kind === 'agent' ? fieldsThatDiffer(present, wanted.text) : []
  return { ...wanted, action, differs, before: present?.version ?? 0 }
}

/** The document of exactly that place. */
async function documentAt({ documents }: ImportRooms, path: string, place: ImportPlace): Promise<Document | null> {
  const user = userOfHome(place.scope)
  const found = await documents.find(path, user === null ? { project: place.scope } : { user })
  return found !== null && isAt(found, place) ? found : null
}

const compared = [
  ...['aliases', 'title', 'class', 'engine', 'triggers', 'refuses', 'handsOff', 'routing', 'tier', 'pledge'],
  ...['unveil', 'tools', 'params', 'schedule', 'profiles', 'persona'],
]

function fieldsThatDiffer(present: Document, text: string): readonly string[] {
  const before: Agent | null = parseAgent(present).agent
  const after = parseAgent({ ...present, text }).agent
  if (before === null || after === null) return ['all: what is there now can not be read']
  return compared.filter((field) => JSON.stringify(Reflect.get(before, field)) !== JSON.stringify(Reflect.get(after, field)))
}

/** Its text without front matter: the roster's own may say what isn't taken. */
function bodyOf(persona: string): string {
  return persona.replace(/^\ufeff/, '').replace(/^---[ \t]*\r?\n[\s\S]*?\n---[ \t]*(\r?\n|$)/, '')
}

function scopeOf({ place, user }: Where): ScopeRef {
  return place.level === 'home' ? { user } : { user, project: place.scope }
}

function isAt(one: { readonly level: string; readonly scope: string }, place: ImportPlace): boolean {
  return one.level === place.level && one.scope === place.scope
}

function pathOf(name: string): string {
  return `agents/${name}.md`
}

function nobody(skipped: readonly Skipped[]): InvalidInput {
  const why = skipped.slice(0, 5).map((one) => `${one.what}: ${one.why}`)
  const told = why.length === 0 ? 'routing.yaml names nobody under "eidolons"' : `nobody of it can be taken. ${why.join(' ')}`
  return new InvalidInput(`The roster can't be taken: ${told.replace(/\.$/, '')}.`, { path: '/files' })
}
