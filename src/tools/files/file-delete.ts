// A file goes, and can come back.
import { z } from 'zod'
import { type ChangeMeans, changeTool } from './changing.ts'
import { findTarget } from './target.ts'

export const fileDelete = (means: ChangeMeans) =>
  changeTool(means, {
    name: 'file_delete',
    description: 'Deletes one file of the project. It is kept aside: file_undo brings it back. Folders are not deleted.',
    labels: ['write', 'files'],
    input: z.strictObject({ path: z.string().min(1).describe('Relative to the project folder') }),
    async want({ path }, context) {
      const target = await findTarget(path, context)
      if ('why' in target) return target
      const { present, shown } = target
      if (present.kind === 'none') return { code: 'not_found', why: `${shown} does not exist.` }
      if (present.kind === 'folder') return { code: 'invalid', why: `${shown} is a folder; name its files one by one.` }
      return { op: 'delete', target, after: null }
    },
  })
