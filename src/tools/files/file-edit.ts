// Parts of a file, replaced where they stand.
import { z } from 'zod'
import { type ChangeMeans, changeTool } from './changing.ts'
import { type Edit, edited } from './edits.ts'
import { textOf } from './preview.ts'
import { meant, type Seal } from './references.ts'
import { findTarget, type NoTarget } from './target.ts'

const text = z.string().max(1_000_000)
const input = z.strictObject({
  path: z.string().min(1).describe('Relative to the project folder'),
  old: text.optional().describe('What stands in the file now, exactly, and only once'),
  new: text.optional().describe('What shall stand there instead; nothing when left out'),
  all: z.boolean().optional().describe('Replaces every place where "old" stands'),
  edits: z
    .array(z.strictObject({ old: text, new: text.default(''), all: z.boolean().optional() }))
    .max(100)
    .optional()
    .describe('Instead of old and new: several, done in their order, all or none'),
})
type Input = z.infer<typeof input>

export const fileEdit = (means: ChangeMeans) =>
  changeTool(means, {
    name: 'file_edit',
    description:
      'Replaces parts of a text file of the project. Each "old" must stand in it exactly once, with its spaces and without the line ' +
      'numbers that file_read shows. The answer is the difference; file_undo brings back what was there.',
    labels: ['write', 'files'],
    input,
    async want(given, context) {
      const edits = editsOf(given)
      if ('why' in edits) return edits
      const target = await findTarget(given.path, context)
      if ('why' in target) return target
      const { present, shown } = target
      if (present.kind !== 'file') {
        return present.kind === 'folder'
          ? { code: 'invalid', why: `${shown} is a folder; name a file.` }
          : { code: 'not_found', why: `${shown} does not exist; file_write makes it.` }
      }
      const before = textOf(present.bytes)
      if (before === null) return { code: 'invalid', why: `${shown} is no UTF-8 text and can't be edited as such.` }
      const result = edited(before, await meantBy(edits, before, means.seal))
      return 'why' in result ? { code: 'invalid', why: `${shown}: ${result.why}` } : { op: 'edit', target, after: Buffer.from(result.text) }
    },
  })

async function meantBy(edits: readonly Edit[], file: string, seal: Seal | undefined): Promise<readonly Edit[]> {
  const texts = await meant(
    edits.flatMap((one) => [one.old, one.new]),
    file,
    seal,
  )
  return edits.map((one, at) => ({ ...one, old: texts[2 * at] ?? one.old, new: texts[2 * at + 1] ?? one.new }))
}

function editsOf(given: Input): readonly Edit[] | NoTarget {
  const { edits = [], old, all } = given
  if (edits.length > 0 && old !== undefined) return { code: 'invalid', why: 'Give either edits, or old and new, not both.' }
  const list = old === undefined ? edits : [{ old, new: given.new ?? '', ...(all === undefined ? {} : { all }) }]
  if (list.length === 0) return { code: 'invalid', why: 'Say what to replace: old and new, or edits.' }
  if (!list.every((one) => one.old.isWellFormed() && one.new.isWellFormed()))
    return { code: 'invalid', why: 'A text holds half a character; send whole ones.' }
  return list
}
