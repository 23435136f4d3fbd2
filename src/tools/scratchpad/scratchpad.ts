// The scratchpad: an agent's own notes, kept as documents of its process. They outlive a restart and a summary of the conversation,
// hide nothing of the project's, and go nowhere else.
import { z } from 'zod'
import type { Document, Documents } from '../../scopes/scopes.ts'
import { type DocumentRooms, documentKey } from '../documents/documents.ts'
import { fenced } from '../fence.ts'
import { guarded } from '../guarded.ts'
import { defineTool, done, type Outcome, refused, type Tool, type ToolContext } from '../tool.ts'

export type ScratchpadRooms = { readonly documents: Documents } & Pick<DocumentRooms, 'taintOf' | 'newWord'>

const folder = 'scratchpad/'
const longest = 20_000
const mostNotes = 100
const title = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
  .describe('Lower case letters, digits, "-" and "_"')
const shared = { capability: null, deferred: true, searchHint: 'keep notes of your own across a long piece of work' } as const
const reading = { ...shared, labels: ['read-only', 'scratchpad'], effect: 'replayable' } as const
const writing = { ...shared, labels: ['write', 'scratchpad'], effect: 'idempotent' } as const

export function scratchpadTools(rooms: ScratchpadRooms): readonly Tool[] {
  return [set(rooms), get(rooms), list(rooms), remove(rooms)]
}

function set(rooms: ScratchpadRooms): Tool {
  return defineTool({
    ...writing,
    name: 'scratchpad_set',
    description: 'Keeps a note of yours under a title, in place of the one that was there.',
    input: z.strictObject({ title, content: z.string().min(1).max(longest) }),
    writes: async ({ title: name }, { process }) => ({ paths: [documentKey({ level: 'process', scope: process.id, path: pathOf(name) })] }),
    run: ({ title: name, content }, context) =>
      guarded(async () => {
        const notes = await all(rooms, context)
        const isNew = !notes.some((one) => one.path === pathOf(name))
        if (isNew && notes.length >= mostNotes) return refused('full', `There are ${mostNotes} notes already; delete some first.`)
        const { process } = context
        const by = `process:${process.id}` as const
        const { value } = await rooms.documents.write({ path: pathOf(name), level: 'process', scope: process.id, text: content }, by)
        return done(`The note "${name}" is kept (${content.length} characters).`, { wrote: [documentKey(value)] })
      }),
  })
}

function get(rooms: ScratchpadRooms): Tool {
  return defineTool({
    ...reading,
    name: 'scratchpad_get',
    description: 'Reads a note of yours.',
    input: z.strictObject({ title }),
    run: ({ title: name }, context) =>
      guarded(async () => {
        const found = (await all(rooms, context)).find((one) => one.path === pathOf(name))
        return found ? shown(rooms, found) : missing(name)
      }),
  })
}

function list(rooms: ScratchpadRooms): Tool {
  return defineTool({
    ...reading,
    name: 'scratchpad_list',
    description: 'Names your notes.',
    input: z.strictObject({}),
    run: (_, context) =>
      guarded(async () => {
        const lines = (await all(rooms, context)).map(
          (one) => `${one.path.slice(folder.length, -3)}: ${one.text.length} characters, ${one.at}`,
        )
        return done(lines.length === 0 ? 'There are no notes.' : lines.join('\n'))
      }),
  })
}

function remove(rooms: ScratchpadRooms): Tool {
  return defineTool({
    ...writing,
    name: 'scratchpad_delete',
    description: 'Takes a note of yours away.',
    input: z.strictObject({ title }),
    run: ({ title: name }, context) =>
      guarded(async () => {
        const { id } = context.process
        const found = (await all(rooms, context)).find((one) => one.path === pathOf(name))
        if (!found) return missing(name)
        await rooms.documents.remove(found.path, 'process', id, `process:${id}`)
        return done(`The note "${name}" is gone.`)
      }),
  })
}

/** Only what lies at the process itself: outer levels may hold documents under the same path. */
async function all(rooms: ScratchpadRooms, { process }: ToolContext): Promise<readonly Document[]> {
  return (await rooms.documents.list(folder, { process: process.id })).filter((one) => one.level === 'process' && one.scope === process.id)
}

async function shown(rooms: ScratchpadRooms, found: Document): Promise<Outcome> {
  const key = documentKey(found)
  const isForeign = (await rooms.taintOf([key])) === 'foreign'
  return done(isForeign ? fenced({ source: 'a note made from what came from outside', text: found.text }, rooms.newWord()) : found.text, {
    read: [key],
  })
}

function missing(name: string): Outcome {
  return refused('not_found', `There is no note "${name}"; scratchpad_list names them.`)
}

function pathOf(name: string): string {
  return `${folder}${name}.md`
}
