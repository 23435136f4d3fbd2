// Texts that came along with a message, as lines for the model: between marks, as content that somebody may have written anywhere (E9).
// Files that are no texts stand in the message's own line, by name, type and size (context/lines.ts).
import { randomBytes } from 'node:crypto'
import type { Turn } from '../../lanes/engine.ts'
import type { Entry } from '../../protocol/entry.ts'
import { type Attachments, attachmentLimits } from '../../scopes/attachments/attachments.ts'
import { fenced, oneLine } from '../../tools/fence.ts'
import type { OwnLine } from './ask.ts'
import type { Mind } from './mind.ts'

export type AttachedRooms = {
  /** Absent: messages have no files. */
  readonly files?: Pick<Attachments, 'get' | 'text'>
}

type Read = { readonly text: string; readonly from: readonly string[] }

/** Read once and recorded with the turn, so that a call can be built again; `mind` is foreign from then on. Each entry once a turn. */
export async function attachedLines(
  { files }: AttachedRooms,
  { turn, mind }: { readonly turn: Turn; readonly mind: Mind },
  entries: readonly Entry[],
): Promise<readonly OwnLine[]> {
  const lines: OwnLine[] = []
  for (const { id, body } of entries) {
    if (!files || body.kind !== 'message' || !body.attachments || body.attachments.length === 0) continue
    const ids = body.attachments.map((one) => one.id)
    const step = `attached-${id}`
    const read = await turn.read<Read>(step, () => readAll(files, turn.process.user, ids))
    if (read.from.length === 0) continue
    mind.raise('foreign', read.from)
    lines.push({ role: 'user', text: read.text, from: { step } })
  }
  return lines
}

/** All files of a message together have the room of one. */
async function readAll(files: Pick<Attachments, 'get' | 'text'>, user: string, ids: readonly string[]): Promise<Read> {
  const texts: string[] = []
  const from: string[] = []
  let left: number = attachmentLimits.characters
  for (const id of ids) {
    const found = await files.get(user, id)
    const part = found && left > 0 ? await files.text(found, 0, left).catch(() => null) : null
    if (!found || !part) continue
    left -= part.text.length
    const more = part.more === null ? '' : `\n[cut here: read on with attachment_read, id ${id}, from ${part.more}]`
    const source = `the attached file ${oneLine(found.name, 200)}`
    texts.push(`${fenced({ source, text: part.text }, randomBytes(12).toString('hex'))}${more}`)
    from.push(`attachment:${id}`)
  }
  return { text: texts.join('\n\n'), from }
}
