// Documents as texts: list, read, write, versions, restore, remove. Every write is a version, so each can be taken back.
import { z } from 'zod'
import type { Document } from '../../scopes/scopes.ts'
import { previewOf } from '../files/preview.ts'
import { guarded } from '../guarded.ts'
import { defineTool, done, type Outcome, refused, type Tool, type ToolContext } from '../tool.ts'
import { bindingOf, type DocumentRooms, isSteering, keyOf, ownAt, type Spot, spotOf, toChange, writer } from './document-place.ts'
import { headOf, shown } from './document-shown.ts'

const mostListed = 300
const mostPreview = 20_000
const path = z.string().describe('Like notes/plan.md: parts with "/" between them')
const project = z.string().optional().describe('Another project; the present one when left out')

export function documentTextTools(rooms: DocumentRooms): readonly Tool[] {
  return [list(rooms), read(rooms), write(rooms), versions(rooms), restore(rooms), remove(rooms)]
}

const reading = { labels: ['read-only', 'document'], capability: 'documents.read', effect: 'replayable' } as const
const writing = { labels: ['write', 'document'], capability: 'documents.write', effect: 'idempotent', risk: 'R1' } as const

function list(rooms: DocumentRooms): Tool {
  return defineTool({
    ...reading,
    name: 'document_list',
    description: 'Names the documents that are seen here: of the project, and what the person and the hub add to it.',
    input: z.strictObject({ prefix: z.string().max(512).default('').describe('Only paths that start so, like notes/'), project }),
    run: ({ prefix, project: named }, { process }) =>
      guarded(async () => {
        const { scope } = await spotOf(rooms, process, { path: 'any', project: named })
        const all = await rooms.documents.list(prefix, scope)
        if (all.length === 0) return done(`There are no documents${prefix === '' ? '' : ` whose path starts with "${prefix}"`}.`)
        const lines = all.slice(0, mostListed).map((one) => `${headOf(one)}, ${one.text.length} characters, ${one.at}`)
        const more = all.length > mostListed ? [`[${all.length - mostListed} more; name a longer prefix]`] : []
        return done([...lines, ...more].join('\n'), { taint: 'content' })
      }),
  })
}

function read(rooms: DocumentRooms): Tool {
  return defineTool({
    ...reading,
    name: 'document_read',
    description: 'Reads a document by lines, with its version, which document_write wants to know.',
    outputLimit: 50_000,
    input: z.strictObject({ path, project, from: z.int().min(1).default(1), lines: z.int().min(1).max(2000).default(500) }),
    run: ({ path: at, project: named, from, lines }, { process }) =>
      guarded(async () => {
        const spot = await spotOf(rooms, process, { path: at, project: named })
        const found = await rooms.documents.find(spot.path, spot.scope)
        return found ? shown(rooms, found, { from, lines }) : missing(spot)
      }),
  })
}

const writeInput = z.strictObject({
  path,
  text: z.string().describe('All of it, at most 1 MB'),
  expected: z.int().min(0).optional().describe('The version that you read; wanted when the document exists'),
  project,
})

function write(rooms: DocumentRooms): Tool {
  return defineTool({
    ...writing,
    name: 'document_write',
    description: 'Writes a whole document as a new version. Read it first: a document that somebody changed meanwhile is not overwritten.',
    input: writeInput,
    plan: (given, context) => planOf(rooms, context, { ...given, after: given.text }),
    run: ({ path: at, project: named, text, expected }, context) =>
      guarded(async () => {
        const spot = await spotOf(rooms, context.process, { path: at, project: named })
        const now = await toChange(rooms, spot, context)
        // Done before, perhaps by this very call before a crash.
        if (now?.text === text) return written(now, spot)
        if (now && expected === undefined) return conflict(now, 'Read it and give its version as "expected"')
        if (now && expected !== now.version) return conflict(now, 'Read it again')
        return put(rooms, spot, { text, context, ...(now ? { expected: now.version } : {}) })
      }),
  })
}

function versions(rooms: DocumentRooms): Tool {
  return defineTool({
    ...reading,
    name: 'document_versions',
    description: 'Lists the versions of a document, the newest first; document_restore brings one back.',
    deferred: true,
    searchHint: 'history of a document, who changed it and when',
    input: z.strictObject({ path, project }),
    run: ({ path: at, project: named }, { process }) =>
      guarded(async () => {
        const spot = await spotOf(rooms, process, { path: at, project: named })
        const all = await rooms.documents.versions(spot.path, spot.level, spot.at)
        if (all.length === 0) return missing(spot)
        const lines = all
          .slice(-100)
          .reverse()
          .map((one) => `version ${one.version}, ${one.at}, by ${one.by}, ${one.text.length} characters`)
        return done([`${spot.path} (${spot.level} ${spot.at}):`, ...lines].join('\n'))
      }),
  })
}

function restore(rooms: DocumentRooms): Tool {
  return defineTool({
    ...writing,
    name: 'document_restore',
    description: 'Writes an earlier version of a document again, as its newest. Nothing is lost by it.',
    deferred: true,
    searchHint: 'undo a change of a document, bring an earlier version or a removed document back',
    input: z.strictObject({ path, version: z.int().min(1), project }),
    async plan({ path: at, version, project: named }, context) {
      const old = await versionOf(rooms, context, { path: at, version, project: named }).catch(() => null)
      return planOf(rooms, context, { path: at, project: named, after: old?.text ?? '' })
    },
    run: ({ path: at, version, project: named }, context) =>
      guarded(async () => {
        const spot = await spotOf(rooms, context.process, { path: at, project: named })
        const old = await versionOf(rooms, context, { path: at, version, project: named })
        if (!old) return refused('not_found', `${spot.path} has no version ${version}; document_versions lists them.`)
        const now = await toChange(rooms, spot, context)
        return now?.text === old.text ? written(now, spot) : put(rooms, spot, { text: old.text, context })
      }),
  })
}

function remove(rooms: DocumentRooms): Tool {
  return defineTool({
    ...writing,
    name: 'document_remove',
    description: 'Takes a document away. Its versions stay, and document_restore brings it back.',
    deferred: true,
    searchHint: 'delete a document',
    input: z.strictObject({ path, project }),
    plan: (given, context) => planOf(rooms, context, { ...given, after: '' }),
    run: ({ path: at, project: named }, context) =>
      guarded(async () => {
        const spot = await spotOf(rooms, context.process, { path: at, project: named })
        const now = await toChange(rooms, spot, context)
        if (!now) return missing(spot)
        await rooms.documents.remove(spot.path, spot.level, spot.at, writer(context))
        return done(`${spot.path} was taken away; version ${now.version} can be brought back.`, { wrote: [keyOf(spot)] })
      }),
  })
}

type Named = { readonly path: string; readonly project?: string | undefined }

async function versionOf(
  rooms: DocumentRooms,
  { process }: ToolContext,
  given: Named & { readonly version: number },
): Promise<Document | null> {
  const spot = await spotOf(rooms, process, given)
  const all = await rooms.documents.versions(spot.path, spot.level, spot.at)
  return all.find((one) => one.version === given.version) ?? null
}

/** Also of the structured tools. `after`: the whole text as it would be, for the preview. */
export async function planOf(rooms: DocumentRooms, { process }: ToolContext, given: Named & { readonly after: string | null }) {
  const spot = await spotOf(rooms, process, given).catch(() => null)
  const now = spot && (await ownAt(rooms, spot))
  const isRisky = isSteering(given.path)
  const why = 'It steers the hub or its agents.'
  return {
    target: spot ? keyOf(spot) : `document:${given.path.slice(0, 512)}`,
    risk: isRisky ? ('R4' as const) : ('R1' as const),
    outward: false,
    destructive: false,
    ...(isRisky ? { why } : {}),
    consequences: `The document ${given.path.slice(0, 512)} is changed; every earlier version stays.`,
    ...(given.after === null ? {} : { preview: previewOf(versionsOf(given.path, now, given.after), mostPreview) }),
    binding: bindingOf(now),
  }
}

function versionsOf(shown: string, now: Document | null, after: string) {
  return { shown, before: now === null ? null : Buffer.from(now.text), after: Buffer.from(after) }
}

type Put = { readonly text: string; readonly context: ToolContext; readonly expected?: number }

export async function put(rooms: DocumentRooms, spot: Spot, { text, context, expected }: Put): Promise<Outcome> {
  const { path: at, level, at: scope } = spot
  const given = { path: at, level, scope, text, ...(expected === undefined ? {} : { expected }) }
  const { value } = await rooms.documents.write(given, writer(context))
  return written(value, spot)
}

function written(document: Document, spot: Spot): Outcome {
  return done(`${headOf(document)} is written.`, { wrote: [keyOf(spot)] })
}

function missing({ path: at, at: where }: Spot): Outcome {
  return refused('not_found', `There is no document "${at}" in ${where}; document_list names those that are there.`)
}

function conflict(now: Document, what: string): Outcome {
  return refused('conflict', `${headOf(now)} exists, and was last written by ${now.by}. ${what}.`)
}
