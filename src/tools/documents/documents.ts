// The documents family: texts and structured documents of the cascade, over scopes. Others import this door.
// Owns: which project and level a call is about, and what a change has to know. Leaves versions and the cascade to scopes.
//
// T46 A document is changed only by who knows its newest version; what is shown to a person is what is written, or nothing is.
// T47 Items of structured documents have ids. A change by id is checked as a whole, done once, and survives another one's change.
// T48 A worker reaches only its own project, a project only itself, the home all of the person's.
// T49 Taint goes into a document with who writes it and comes out with who reads it; documents that steer the hub are a matter of safety.
import type { Tool } from '../tool.ts'
import type { DocumentRooms } from './document-place.ts'
import { documentTextTools } from './document-tools.ts'
import { listTools } from './lists.ts'
import { recordTools } from './records.ts'
import { treeTools } from './trees.ts'

export function documentTools(rooms: DocumentRooms): readonly Tool[] {
  return [...documentTextTools(rooms), ...listTools(rooms), ...treeTools(rooms), ...recordTools(rooms)]
}

export { type DocumentRooms, documentKey } from './document-place.ts'
