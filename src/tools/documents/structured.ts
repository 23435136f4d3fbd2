// The way of every change of a structured document: read, check, change, write under the version that was read (rule T47).
import { z } from 'zod'
import { Conflict, InvalidInput, NotFound } from '../../base/errors.ts'
import type { Document } from '../../scopes/scopes.ts'
import { guarded } from '../guarded.ts'
import { done, type Outcome, type ToolContext } from '../tool.ts'
import { type DocumentRooms, keyOf, type Spot, spotOf, toChange, writer } from './document-place.ts'
import { framed, headOf } from './document-shown.ts'
import { planOf } from './document-tools.ts'
import { parseStructure, type Structure, writeStructure } from './structure.ts'

export const structuredReading = {
  labels: ['read-only', 'document', 'structured'],
  capability: 'documents.read',
  effect: 'replayable',
  deferred: true,
} as const
export const structuredWriting = {
  labels: ['write', 'document', 'structured'],
  capability: 'documents.write',
  effect: 'idempotent',
  risk: 'R1',
  deferred: true,
} as const

/** What every such tool is told. */
export const where = {
  path: z.string().describe('The document, like lists/shopping.yaml; it ends with .yaml or .json'),
  project: z.string().optional().describe('Another project; the present one when left out'),
}
export const expected = z
  .int()
  .min(0)
  .optional()
  .describe('The version that you read: then a change by somebody else meanwhile is a conflict')

export type Where = { readonly path: string; readonly project?: string | undefined }
export type Change<S> = { readonly state: S; readonly said: string }

/** Another one's change between reading and writing is met by reading again, a few times; ids make that safe. */
const mostTries = 4

export type Editing<S> = {
  readonly structure: Structure<S>
  readonly given: Where & { readonly expected?: number | undefined }
  readonly context: ToolContext
  /** Whether a document that is missing is made. */
  readonly makes?: boolean
  /** Throws InvalidInput for what can't be. Pure: may be called again. */
  change(state: S): Change<S>
}

export function edited<S>(rooms: DocumentRooms, editing: Editing<S>): Promise<Outcome> {
  return guarded(async () => {
    const { given, context, structure } = editing
    const spot = await spotOf(rooms, context.process, given)
    checkEnding(spot)
    for (let tries = 1; ; tries++) {
      const now = await toChange(rooms, spot, context)
      const before = stateOf(structure, spot, { now, makes: editing.makes ?? false, expected: given.expected })
      const { state, said } = editing.change(before)
      const text = writeStructure(structure, spot.path, state)
      parseStructure(structure, spot.path, text)
      const written = await tryPut(rooms, spot, { text, context, now })
      if (written) return done(`${headOf(written)}: ${said}`, { read: [keyOf(spot)], wrote: [keyOf(spot)] })
      if (tries >= mostTries || given.expected !== undefined)
        throw new Conflict(`${spot.path} is being changed by somebody else at this moment. Read it again.`)
    }
  })
}

/** `text`: of what was read, in lines that start with ids. */
export function readOut<S>(
  rooms: DocumentRooms,
  reading: {
    readonly structure: Structure<S>
    readonly given: Where
    readonly context: ToolContext
    text(state: S): { readonly lines: readonly string[]; readonly notes: readonly string[] }
  },
): Promise<Outcome> {
  return guarded(async () => {
    const { structure, given, context, text } = reading
    const spot = await spotOf(rooms, context.process, given)
    const found = await rooms.documents.find(spot.path, spot.scope)
    if (found === null) throw missing(spot)
    const { lines, notes } = text(parseStructure(structure, spot.path, found.text))
    return framed(rooms, found, { head: `${headOf(found)}:`, text: lines.join('\n'), more: notes.map((note) => `[${note}]`) })
  })
}

/** The plan of a change: which document, without a preview of its text, since the arguments say it all. */
export function planChange(rooms: DocumentRooms) {
  return async <G extends Where>(given: G, context: ToolContext) => {
    const { binding: _, ...plan } = await planOf(rooms, context, { ...given, after: null })
    return plan
  }
}

type Before = { readonly now: Document | null; readonly makes: boolean; readonly expected: number | undefined }

function stateOf<S>(structure: Structure<S>, spot: Spot, { now, makes, expected: wanted }: Before): S {
  if (wanted !== undefined && wanted !== (now?.version ?? 0)) {
    throw new Conflict(`${spot.path} is at version ${now?.version ?? 0}, not ${wanted}. Read it again.`)
  }
  if (now !== null) return parseStructure(structure, spot.path, now.text)
  if (makes) return structure.empty()
  throw missing(spot)
}

type Putting = { readonly text: string; readonly context: ToolContext; readonly now: Document | null }

/** null: somebody else wrote in between. */
async function tryPut(rooms: DocumentRooms, spot: Spot, { text, context, now }: Putting): Promise<Document | null> {
  const given = { path: spot.path, level: spot.level, scope: spot.at, text, ...(now === null ? {} : { expected: now.version }) }
  try {
    return (await rooms.documents.write(given, writer(context))).value
  } catch (thrown) {
    if (thrown instanceof Conflict) return null
    throw thrown
  }
}

function checkEnding({ path }: Spot): void {
  if (/\.(ya?ml|json)$/.test(path)) return
  throw new InvalidInput(`${path} must end with .yaml, .yml or .json: such documents are kept in one of these forms.`)
}

function missing({ path, at }: Spot): NotFound {
  return new NotFound(`There is no document "${path}" in ${at}.`)
}
