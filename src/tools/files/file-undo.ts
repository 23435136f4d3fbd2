// Takes back one change that a tool made, as long as nobody changed the file since.
import { z } from 'zod'
import type { ToolContext } from '../tool.ts'
import { type ChangeMeans, changeTool, type Wanted } from './changing.ts'
import type { Change, Past } from './past.ts'
import { findTarget, type NoTarget, type Target } from './target.ts'

export const fileUndo = (means: ChangeMeans) =>
  changeTool(means, {
    name: 'file_undo',
    description:
      'Takes back one change of file_write, file_edit, file_move or file_delete, by the id in its answer. Only while the file is as that ' +
      'change left it: take back later changes of the same file first. An undo can be taken back too.',
    labels: ['write', 'files'],
    input: z.strictObject({ id: z.string().min(1).max(64).describe('As in the answer to the change: chg_...') }),
    async want({ id }, context) {
      const made = await means.past.find(id)
      const { user, project } = context.process
      if (made === null || made.user !== user || made.project !== project)
        return { code: 'not_found', why: `There is no change "${id}" in this project.` }
      return made.to === null ? restored(means.past, made, context) : movedBack(made, context)
    },
  })

async function restored(past: Past, made: Change, context: ToolContext): Promise<Wanted | NoTarget> {
  const target = await findTarget(made.path, context)
  if ('why' in target) return target
  if (!isAs(target, made.after)) return changedSince(target)
  if (made.before === null) return { op: 'undo', target, after: null }
  const after = await past.bytes(made.before)
  return after === null
    ? { code: 'not_found', why: `What ${target.shown} was before is not kept any more.` }
    : { op: 'undo', target, after, mode: made.mode }
}

async function movedBack(made: Change, context: ToolContext): Promise<Wanted | NoTarget> {
  const target = await findTarget(made.to ?? '', context)
  if ('why' in target) return target
  const to = await findTarget(made.path, context)
  if ('why' in to) return to
  const isSame = made.after === null ? target.present.kind === 'folder' : isAs(target, made.after)
  if (!isSame) return changedSince(target)
  if (to.present.kind !== 'none') return { code: 'invalid', why: `${to.shown} is taken by something else now; move that first.` }
  return { op: 'undo', target, after: null, to }
}

function isAs({ present }: Target, hash: string | null): boolean {
  return hash === null ? present.kind === 'none' : present.kind === 'file' && present.hash === hash
}

function changedSince({ shown }: Target): NoTarget {
  return { code: 'stale', why: `${shown} was changed after that; take back the later changes first, or edit the file.` }
}
