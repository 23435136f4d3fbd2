// Where a call finds a document and where it writes one.
import { Conflict } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import type { ProcessInfo } from '../../lanes/engine.ts'
import type { Taint } from '../../policy/decision.ts'
import { checkPath } from '../../scopes/document-path.ts'
import { homeOf, quote } from '../../scopes/names.ts'
import type { Document, Documents, ScopeRef } from '../../scopes/scopes.ts'
import { projectFor, type ReachRooms } from '../reach.ts'
import type { ToolContext } from '../tool.ts'

export type DocumentRooms = ReachRooms & {
  readonly documents: Documents
  /** What lies on documents, by their keys (`documentKey`). */
  readonly taintOf: (keys: readonly string[]) => Promise<Taint>
  /** At least 16 fresh random characters. */
  readonly newWord: () => string
}

/** Where writing goes. `scope`: for finding, through the cascade. */
export type Spot = {
  readonly path: string
  readonly level: 'home' | 'project' | 'process'
  readonly at: string
  readonly scope: ScopeRef
}

/** Throws InvalidInput, Forbidden, NotFound. */
export async function spotOf(
  rooms: DocumentRooms,
  process: ProcessInfo,
  given: { readonly path: string; readonly project?: string | undefined },
): Promise<Spot> {
  const project = await projectFor(rooms, process, given.project)
  const level = project.name === homeOf(process.user) ? 'home' : 'project'
  const own = project.name === process.project ? { process: process.id } : {}
  return { path: checkPath(given.path), level, at: project.name, scope: { user: process.user, project: project.name, ...own } }
}

/** The document at exactly that spot; null: none there, although an outer level may show one. */
export async function ownAt(rooms: DocumentRooms, { path, level, at, scope }: Spot): Promise<Document | null> {
  const own = level === 'process' && scope.process !== undefined ? { process: scope.process } : { project: at }
  const found = await rooms.documents.find(path, own)
  return found !== null && found.level === level && found.scope === at ? found : null
}

/** What is to be changed. Throws Conflict when it is not what was shown to who let the change through. */
export async function toChange(rooms: DocumentRooms, spot: Spot, { binding }: Pick<ToolContext, 'binding'>): Promise<Document | null> {
  const now = await ownAt(rooms, spot)
  if (binding === undefined || binding === bindingOf(now)) return now
  throw new Conflict(`The document ${quote(spot.path)} is another than when this change was looked at. Read it again.`)
}

export function bindingOf(now: Document | null): string {
  return sha256(now?.text ?? '')
}

/** The name under which a document's taint is known. */
export function documentKey(one: { readonly level: string; readonly scope: string; readonly path: string }): string {
  return `document:${one.level}/${one.scope}/${one.path}`
}

export function keyOf({ level, at, path }: Spot): string {
  return documentKey({ level, scope: at, path })
}

export function writer({ process }: Pick<ToolContext, 'process'>): `process:${string}` {
  return `process:${process.id}`
}

/** What steers the hub itself: agents, skills, rules and the like. Changing one is a matter of the person's safety. */
const steering =
  /^(agents?|skills?|prompts?|rules|policy|policies|pipelines?|workflows?|schedules?|hooks|tools|models|voice|roster|routing|settings|forms)(\/|$|\.)/i

export function isSteering(path: string): boolean {
  return steering.test(path)
}
