// The projects family: what projects there are, and a new one without folders. Folders come from the person alone, by the hub's own way.
import { z } from 'zod'
import { Conflict } from '../../base/errors.ts'
import type { Project } from '../../protocol/shapes.ts'
import { homeOf, quote } from '../../scopes/names.ts'
import type { Projects } from '../../scopes/scopes.ts'
import { guarded } from '../guarded.ts'
import { projectFor, type ReachRooms } from '../reach.ts'
import { defineTool, done, type Tool } from '../tool.ts'

export type ProjectRooms = ReachRooms & { readonly projects: Pick<Projects, 'resolve' | 'list' | 'create' | 'get'> }

const mostListed = 100

export function projectTools(rooms: ProjectRooms): readonly Tool[] {
  return [list(rooms), get(rooms), create(rooms)]
}

const reading = { labels: ['read-only', 'project'], capability: 'projects.read', effect: 'replayable' } as const

function list({ projects }: ProjectRooms): Tool {
  return defineTool({
    ...reading,
    name: 'project_list',
    description: 'Names the projects of the person, with what they are and when something last happened in them.',
    input: z.strictObject({
      after: z.string().optional().describe('What the answer before said, to read on'),
      closed: z.boolean().default(false),
    }),
    run: ({ after, closed }, { process }) =>
      guarded(async () => {
        // What another project is called is that project's own knowledge.
        const isHome = process.project === homeOf(process.user)
        if (!isHome) return done(lineOf(await projectFor({ projects }, process, undefined)))
        const page = await projects.list({ limit: mostListed, closed, ...(after === undefined ? {} : { after }) })
        const more = page.next === null ? [] : [`[more follows: after=${JSON.stringify(page.next)}]`]
        return done(page.items.length === 0 ? 'There are no projects yet.' : [...page.items.map(lineOf), ...more].join('\n'))
      }),
  })
}

function get(rooms: ProjectRooms): Tool {
  return defineTool({
    ...reading,
    name: 'project_get',
    description: 'Tells about one project: title, group, status, folders.',
    input: z.strictObject({ project: z.string().optional().describe('Its name; the present one when left out') }),
    run: ({ project }, { process }) =>
      guarded(async () => {
        const found = await projectFor(rooms, process, project)
        return done([lineOf(found), `folders: ${found.roots.join(', ') || 'none'}`].join('\n'))
      }),
  })
}

function create({ projects }: ProjectRooms): Tool {
  return defineTool({
    name: 'project_create',
    description: 'Makes a project without folders. A project over folders is made by the hub, and only for folders that the person named.',
    labels: ['write', 'project'],
    capability: 'projects.write',
    effect: 'idempotent',
    risk: 'R1',
    input: z.strictObject({
      name: z.string().describe('Lower case letters, digits, "-" and "_"'),
      title: z.string().optional(),
      type: z.enum(['project', 'area']).default('project').describe('An area has no end'),
    }),
    plan: async ({ name }) => ({
      target: `project:${name.slice(0, 64)}`,
      risk: 'R1',
      outward: false,
      destructive: false,
      consequences: `A project named ${quote(name)} is made, without folders.`,
    }),
    run: ({ name, title = name, type }, { process }) =>
      guarded(async () => {
        try {
          const { value } = await projects.create({ name, title, type }, `process:${process.id}`)
          return done(`Made: ${lineOf(value)}`)
        } catch (thrown) {
          if (!(thrown instanceof Conflict)) throw thrown
          const there = await projects.get(name)
          throw new Conflict(
            `There is a project ${quote(name)} already${there ? `: ${lineOf(there)}` : ''}. Use it, or choose another name.`,
          )
        }
      }),
  })
}

function lineOf({ name, title, type, status, group, lastActivityAt }: Project): string {
  return `${name}: ${JSON.stringify(title)}, ${type} in ${group}, ${status}${lastActivityAt === null ? '' : `, last used ${lastActivityAt}`}`
}
