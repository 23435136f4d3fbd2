// The files family: looking into a project's folders and changing what is there. place.ts decides what may be seen, target.ts what
// may be changed (rules T5, T6, T7, T10, T11 of tools.ts); past.ts keeps what was there before.
// Others also use `unveiled` of place.ts and past.ts, by way of this door.
import type { Tool } from '../tool.ts'
import type { ChangeMeans } from './changing.ts'
import { fileDelete } from './file-delete.ts'
import { fileEdit } from './file-edit.ts'
import { fileList } from './file-list.ts'
import { fileMove } from './file-move.ts'
import { fileRead } from './file-read.ts'
import { fileSearch } from './file-search.ts'
import { fileUndo } from './file-undo.ts'
import { fileWrite } from './file-write.ts'

export { folderPast, type Past } from './past.ts'
export { unveiled } from './place.ts'

/** Those that only look. */
export const fileTools: readonly Tool[] = [fileList, fileRead, fileSearch]

/** Those that change files. */
export function changingFileTools(means: ChangeMeans): readonly Tool[] {
  return [fileWrite, fileEdit, fileMove, fileDelete, fileUndo].map((make) => make(means))
}
