// A whole text as a file: a new one, or another content of one that is there.
import { z } from 'zod'
import { type ChangeMeans, changeTool } from './changing.ts'
import { lineEndOf, withLineEnd } from './edits.ts'
import { textOf } from './preview.ts'
import { meant } from './references.ts'
import { findTarget } from './target.ts'

const mostCharacters = 5_000_000
const bom = '\ufeff'

export const fileWrite = (means: ChangeMeans) =>
  changeTool(means, {
    name: 'file_write',
    description:
      'Writes a text file of the project: a new one with the folders it needs, or the whole content of one that is there. For a part of ' +
      'a file use file_edit. Line ends and rights of a file that is there stay; what was there can be brought back with file_undo.',
    labels: ['write', 'files'],
    input: z.strictObject({
      path: z.string().min(1).describe('Relative to the project folder'),
      text: z.string().max(mostCharacters).describe('All of the new content'),
    }),
    async want({ path, text }, context) {
      const target = await findTarget(path, context)
      if ('why' in target) return target
      const { present, shown } = target
      if (present.kind === 'folder') return { code: 'invalid', why: `${shown} is a folder; name a file.` }
      if (!text.isWellFormed()) return { code: 'invalid', why: '"text" holds half a character; send whole ones.' }
      const old = present.kind === 'file' ? textOf(present.bytes) : null
      if (old === null) return { op: 'write', target, after: Buffer.from(text) }
      const [whole = text] = await meant([text], old, means.seal)
      return { op: 'write', target, after: Buffer.from(alike(whole, old)) }
    },
  })

/** With the line ends and the mark at the beginning that the present content has. */
function alike(text: string, old: string): string {
  const marked = old.startsWith(bom) && !text.startsWith(bom) ? bom + text : text
  return old.includes('\r\n') && lineEndOf(old) === '\r\n' && !text.includes('\r\n') ? withLineEnd(marked, '\r\n') : marked
}
