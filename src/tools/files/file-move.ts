// Another name or another folder for a file.
import { z } from 'zod'
import { type ChangeMeans, changeTool } from './changing.ts'
import { isInside } from './place.ts'
import { findTarget } from './target.ts'

export const fileMove = (means: ChangeMeans) =>
  changeTool(means, {
    name: 'file_move',
    description: 'Moves or renames a file or folder of the project. Nothing is overwritten; file_undo moves it back.',
    labels: ['write', 'files'],
    input: z.strictObject({
      path: z.string().min(1).describe('What is there now, relative to the project folder'),
      to: z.string().min(1).describe('Its new path, with its name'),
    }),
    async want({ path, to: goal }, context) {
      const target = await findTarget(path, context)
      if ('why' in target) return target
      if (target.present.kind === 'none') return { code: 'not_found', why: `${target.shown} does not exist.` }
      const to = await findTarget(goal, context)
      if ('why' in to) return to
      if (to.present.kind !== 'none')
        return { code: 'invalid', why: `${to.shown} is there already; nothing is overwritten. Name a path that is free.` }
      if (isInside(to.real, target.real)) return { code: 'invalid', why: `${target.shown} can't be moved into itself.` }
      return { op: 'move', target, after: null, to }
    },
  })
