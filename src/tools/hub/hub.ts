// What the hub shows of itself to an agent that speaks for it, as JSON that a configuration can put into its own words; and what changes
// projects beyond making an empty one. For agents whose pledge says so; those with a model have their own ways.
//
// A project over a folder, and putting a project away, are asked about each time; a folder is one that the person's hub may show.
import { z } from 'zod'
import type { Json } from '../../base/json.ts'
import type { ListedAgent } from '../../protocol/api-agents.ts'
import { homeOf, quote } from '../../scopes/names.ts'
import { type RootRules, rootFolder } from '../../scopes/root-folder.ts'
import type { Documents, Projects, ScopeRef, Sessions } from '../../scopes/scopes.ts'
import { guarded } from '../guarded.ts'
import { defineTool, done, refused, type Tool, type ToolContext } from '../tool.ts'

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
const notes = 'notes/'

export function hubTools(rooms: HubToolRooms): readonly Tool[] {
  return [look(rooms), readNote(rooms), openProject(rooms), archiveProject(rooms)]
}

const looks: { readonly [what: string]: (rooms: HubToolRooms, context: ToolContext) => Promise<Json> } = {
  projects: async ({ projects }) => {
    const { items, next } = await projects.list({ limit: mostShown })
    return { items: items.map(({ name, title, roots }) => ({ name, title, folders: [...roots] })), more: next !== null }
  },
  notes: async ({ documents }, { process }) => {
    const all = await documents.list(notes, scopeOf(process))
    const items = all.slice(0, mostShown).map(({ path, text }) => ({ name: nameOf(path), first: firstLine(text) }))
    return { items, more: all.length > mostShown }
  },
  agents: async ({ agents }, { process }) => {
    const all = await agents(scopeOf(process))
    const items = all.map(({ name, title, class: kind, triggers }) => ({ name, title, kind, words: triggers.slice(0, 3).join(', ') }))
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
    input: z.strictObject({ what: z.enum(['projects', 'notes', 'agents', 'sessions', 'waiting', 'status']) }),
    run: ({ what }, context) => guarded(async () => done(JSON.stringify(await looks[what]?.(rooms, context)))),
  })
}

function readNote({ documents }: HubToolRooms): Tool {
  return defineTool({
    name: 'note_read',
    description: 'Reads one of the notes by its name, as JSON with its version.',
    labels: ['read-only', 'hub'],
    capability: 'hub.read',
    effect: 'replayable',
    input: z.strictObject({ name: z.string().max(200) }),
    run: ({ name }, { process }) =>
      guarded(async () => {
        const found = await documents.find(`${notes}${name}.md`, scopeOf(process))
        if (found === null) return refused('not_found', `There is no note ${quote(name.slice(0, 60))}.`)
        return done(JSON.stringify({ name, text: found.text, version: found.version }))
      }),
  })
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
