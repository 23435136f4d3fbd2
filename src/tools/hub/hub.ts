// What the hub shows of itself to an agent that speaks for it, as JSON that a configuration can put into its own words; and what changes
// projects beyond making an empty one. For agents whose pledge says so; those with a model have their own ways.
//
// A project over a folder, and putting a project away, are asked about each time; a folder is one that the person's hub may show.
import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import type { ListedAgent } from '../../protocol/api-agents.ts'
import { isPath } from '../../scopes/document-path.ts'
import { homeOf, quote } from '../../scopes/names.ts'
import { type RootRules, rootFolder } from '../../scopes/root-folder.ts'
import type { Documents, Projects, ScopeRef, Sessions } from '../../scopes/scopes.ts'
import { guarded } from '../guarded.ts'
import { defineTool, done, refused, type Tool, type ToolContext } from '../tool.ts'
import { nearest } from './nearest.ts'

export type HubToolRooms = {
  readonly projects: Pick<Projects, 'list' | 'get' | 'create' | 'remove'>
  readonly sessions: Pick<Sessions, 'list'>
  readonly documents: Pick<Documents, 'list' | 'find'>
  /** What waits in that person's inbox, the newest first. */
  readonly waiting: (
    user: string,
  ) => Promise<readonly { readonly type: string; readonly title: string; readonly requiresAction: boolean }[]>
  readonly agents: (scope: ScopeRef) => Promise<readonly Pick<ListedAgent, 'name' | 'title' | 'class' | 'triggers'>[]>
  /** The model of each tier; null: it has none. */
  readonly models: () => readonly { readonly tier: string; readonly model: string | null }[]
  /** What is not as it should be, in sentences. */
  readonly findings: () => Promise<readonly string[]>
  readonly places: RootRules
}

const mostShown = 30
const mostSearched = 200
const notes = 'notes/'

export function hubTools(rooms: HubToolRooms): readonly Tool[] {
  return [look(rooms), find(rooms), openProject(rooms), archiveProject(rooms)]
}

type Look = (rooms: HubToolRooms, context: ToolContext, name: string) => Promise<Json>

const looks: { readonly [what: string]: Look } = {
  projects: async ({ projects }, { process }) => {
    const { items: all, next } = await projects.list({ limit: mostShown })
    const items = all.filter(({ name }) => name !== homeOf(process.user))
    return { items: items.map(({ name, title, roots }) => ({ name, title, folders: [...roots] })), more: next !== null }
  },
  notes: async ({ documents }, { process }) => {
    const all = await documents.list(notes, scopeOf(process))
    const items = all.slice(0, mostShown).map(({ path, text }) => ({ name: nameOf(path), first: firstLine(text) }))
    return { items, more: all.length > mostShown }
  },
  agents: async ({ agents }, { process }, wanted) => {
    const all = (await agents(scopeOf(process))).filter(({ name }) => wanted === '' || name === wanted)
    const items = all.map(({ name, title, class: kind, triggers }) => ({
      name,
      title,
      kind,
      words: triggers.slice(0, wanted === '' ? 3 : 12).join(', '),
    }))
    return { items, more: false }
  },
  sessions: async ({ sessions }, { process }) => {
    const { items, next } = await sessions.list({ user: process.user, limit: 10 })
    return { items: items.map(({ title, project, agent, status }) => ({ title, project, agent, status })), more: next !== null }
  },
  waiting: async ({ waiting }, { process }) => {
    const items = await waiting(process.user)
    return { items: items.map(({ type, title, requiresAction }) => ({ type, title, asks: requiresAction })), more: false }
  },
  status: async (rooms, context) => {
    const models = rooms.models().map(({ tier, model }) => ({ tier, model }))
    return {
      models,
      hasModel: models.some(({ model }) => model !== null),
      findings: [...(await rooms.findings())],
      tools: [...context.allowed],
    }
  },
}

function look(rooms: HubToolRooms): Tool {
  return defineTool({
    name: 'hub_look',
    description: 'Shows what there is, as JSON: projects, notes, agents, sessions, what waits for the person, or how the hub is.',
    labels: ['read-only', 'hub'],
    capability: 'hub.read',
    effect: 'replayable',
    input: z.strictObject({
      what: z.enum(['projects', 'notes', 'agents', 'sessions', 'waiting', 'status']),
      name: z.string().max(200).optional(),
    }),
    run: ({ what, name = '' }, context) => guarded(async () => done(JSON.stringify(await looks[what]?.(rooms, context, name)))),
  })
}

function find(rooms: HubToolRooms): Tool {
  return defineTool({
    name: 'hub_find',
    description: 'Finds one note or project by its name, as JSON: a note with its text and version; else the names that are near.',
    labels: ['read-only', 'hub'],
    capability: 'hub.read',
    effect: 'replayable',
    input: z.strictObject({ what: z.enum(['note', 'project']), name: z.string().max(200) }),
    run: ({ what, name }, context) =>
      guarded(async () =>
        done(JSON.stringify(what === 'note' ? await noteCalled(rooms, name, context) : await projectCalled(rooms, name, context))),
      ),
  })
}

async function noteCalled({ documents }: HubToolRooms, name: string, { process }: ToolContext): Promise<Json> {
  const path = `${notes}${name}.md`
  const found = isPath(path) ? await documents.find(path, scopeOf(process)) : null
  if (found !== null) return { found: true, name, title: firstLine(found.text) || name, text: found.text, version: found.version }
  const all = await documents.list(notes, scopeOf(process))
  return {
    found: false,
    near: [
      ...nearest(
        name,
        all.map((one) => nameOf(one.path)),
      ),
    ],
  }
}

async function projectCalled({ projects }: HubToolRooms, name: string, { process }: ToolContext): Promise<Json> {
  const { items } = await projects.list({ limit: mostSearched })
  const own = items.filter((one) => one.name !== homeOf(process.user))
  const found = own.find((one) => one.name === name) ?? own.find((one) => one.title.toLowerCase() === name.toLowerCase())
  if (found) return { found: true, name: found.name, title: found.title, folders: [...found.roots] }
  return {
    found: false,
    near: [
      ...nearest(
        name,
        own.map((one) => one.name),
      ),
    ],
  }
}

function openProject({ projects, places }: HubToolRooms): Tool {
  return defineTool({
    name: 'project_open_folder',
    description: 'Makes a project over a folder that the person named. Its agents may then read and change what is in there.',
    labels: ['write', 'hub'],
    capability: 'hub.write',
    effect: 'idempotent',
    risk: 'R4',
    input: z.strictObject({ name: z.string().max(64), title: z.string().max(200), folder: z.string().max(4096) }),
    plan: async ({ name, folder }) => ({
      ...{ target: `project:${name}`, risk: 'R4', outward: false, destructive: false },
      consequences: `A project named ${quote(name)} is made over the folder ${quote(folder)}: its agents may read and change what is in there.`,
    }),
    run: ({ name, title, folder }, { process }) =>
      guarded(async () => {
        const found = await rootFolder(folder, places)
        if (!found.ok) return refused('invalid', `The folder ${found.why}`)
        const { value } = await projects.create({ name, title, roots: [found.root] }, `process:${process.id}`)
        return done(JSON.stringify({ name: value.name, title: value.title, folder: found.root }))
      }),
  })
}

function archiveProject({ projects }: HubToolRooms): Tool {
  return defineTool({
    name: 'project_archive',
    description: 'Puts a project away: its sessions end, and nothing of it is deleted.',
    labels: ['write', 'hub'],
    capability: 'hub.write',
    effect: 'idempotent',
    risk: 'R2',
    input: z.strictObject({ name: z.string().max(64) }),
    plan: async ({ name }) => ({
      ...{ target: `project:${name}`, risk: 'R2', outward: false, destructive: false },
      consequences: `The project ${quote(name)} is put away: its sessions end, its folders and documents stay.`,
    }),
    run: ({ name }, { process }) =>
      guarded(async () => {
        const found = await projects.get(name)
        if (found === null || found.name === homeOf(process.user)) return refused('not_found', `There is no project ${quote(name)}.`)
        await projects.remove(name, `process:${process.id}`)
        return done(JSON.stringify({ name, title: found.title }))
      }),
  })
}

function scopeOf({ user, project }: ToolContext['process']): ScopeRef {
  return { user, project }
}

function nameOf(path: string): string {
  return path.slice(notes.length).replace(/\.[a-z]+$/, '')
}

function firstLine(text: string): string {
  const line = text.split('\n', 20).find((one) => one.trim() !== '') ?? ''
  return line.replace(/^#+\s*/, '').slice(0, 80)
}
