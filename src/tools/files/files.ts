// The files family: looking into a project's folders. place.ts decides what may be seen (rules T5, T6, T7 of tools.ts).
// Leaves changing files to a family of its own. Others also use `unveiled` of place.ts, by way of this door.
import type { Tool } from '../tool.ts'
import { fileList } from './file-list.ts'
import { fileRead } from './file-read.ts'
import { fileSearch } from './file-search.ts'

export { unveiled } from './place.ts'

export const fileTools: readonly Tool[] = [fileList, fileRead, fileSearch]
