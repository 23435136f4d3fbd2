// Files that came along with messages, read by pages.
import { z } from 'zod'
import type { Attachments } from '../../scopes/attachments/attachments.ts'
import { fenced, oneLine } from '../fence.ts'
import { defineTool, done, refused, type Tool } from '../tool.ts'

export type AttachmentToolRooms = {
  readonly attachments: Pick<Attachments, 'get' | 'text'>
  /** At least 16 fresh random characters. */
  readonly newWord: () => string
}

/** Whoever was told its id may read it: it is of the person that the agent works for. */
export function attachmentTools({ attachments, newWord }: AttachmentToolRooms): readonly Tool[] {
  return [
    defineTool({
      name: 'attachment_read',
      description: 'Reads a text file that was attached to a message, by its id, from a character on. Not for pictures and other files.',
      labels: ['read-only', 'attachment'],
      capability: null,
      effect: 'replayable',
      taint: 'foreign',
      deferred: true,
      searchHint: 'attached files, uploads, att_ ids',
      input: z.strictObject({
        id: z.string().describe('As it stands in the message: att_...'),
        from: z.int().min(0).default(0).describe('First character, from 0'),
        characters: z.int().min(1).max(25_000).default(20_000),
      }),
      async run({ id, from, characters }, { process }) {
        const found = await attachments.get(process.user, id)
        if (found === null) return refused('not_found', `There is no attachment "${oneLine(id, 64)}"; it may have been removed.`)
        const what = `${oneLine(found.name, 200)} (${found.mime}, ${found.size} bytes)`
        const page = await attachments.text(found, from, characters)
        if (page === null) return refused('invalid', `${what} is no text: it can't be read here.`)
        if (page.text === '' && from > 0) return refused('invalid', `${what} has no character ${from}: it ends before.`)
        const rest = page.more === null ? 'that is the end' : `more follows from ${page.more}`
        const body = fenced({ source: `the attached file ${what}`, text: page.text }, newWord())
        return done(`${body}\n[from character ${from}; ${rest}]`, { taint: 'foreign', read: [`attachment:${found.id}`] })
      },
    }),
  ]
}
