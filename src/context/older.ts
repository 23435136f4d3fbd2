// The indexes over older lines (excerpts.ts), one for each process that was used lately. An index holds the lines of one branch from
// its root on, and grows with it; for another branch it is built anew.
import { isId, type MessageId } from '../base/ids.ts'
import type { Message } from '../protocol/message.ts'
import type { Conversation } from '../scopes/scopes.ts'
import { type Found, namedLines, type OlderLines, openOlderLines, quotation, wholeLine } from './excerpts.ts'

export type Older = {
  /**
   * Lines of the branch that fit the question, among those up to `last`, the best first. `walked`: the newest lines of the branch,
   * `last` among them; what is in them is not read again. `count`: how many lines there are up to `last`.
   */
  find(wanted: Wanted): Promise<{ readonly found: readonly Found[]; readonly count: number }>
}
export type Wanted = {
  readonly process: string
  readonly last: Message
  readonly walked: readonly Message[]
  readonly question: string
  /** Lines that are given anyway. */
  readonly except: ReadonlySet<string>
}

/** Processes whose lines are kept in mind, and the lines of one that are looked through. */
const mostHeld = 50
const mostLines = 20_000
const mostFound = 12

export function openOlder({ walk, get }: Pick<Conversation, 'walk' | 'get'>): Older {
  const held = new Map<string, OlderLines>()

  async function indexTo({ process, last, walked }: Wanted): Promise<OlderLines> {
    const present = held.get(process)
    const upto = walked.findIndex((line) => line.id === last.id) + 1
    const from = present?.last === last.id ? upto : walked.findIndex((line) => line.id === present?.last) + 1
    const isGrowing = present !== undefined && from > 0 && from <= upto
    const index = isGrowing ? present : openOlderLines()
    index.add(isGrowing ? walked.slice(from, upto) : await walk(messageId(last.id), mostLines))
    held.delete(process)
    held.set(process, index)
    for (const oldest of held.keys()) if (held.size > mostHeld) held.delete(oldest)
    return index
  }

  return {
    async find(wanted) {
      const index = await indexTo(wanted)
      const named = namedLines(wanted.question).filter((id) => index.has(id))
      const ids = [...new Set([...named, ...index.find(wanted.question, mostFound + wanted.except.size)])]
      const chosen = ids.filter((id) => !wanted.except.has(id)).slice(0, mostFound)
      const lines = await Promise.all(chosen.map((id) => getLine(get, id)))
      const found = lines.flatMap((line) => {
        if (line === null || line.text.trim() === '') return []
        return [named.includes(line.id) ? wholeLine(line) : quotation(line, wanted.question)]
      })
      return { found, count: index.count }
    },
  }
}

async function getLine(get: Conversation['get'], id: string): Promise<Message | null> {
  const known = messageId(id)
  return known === null ? null : get(known)
}

/** null for what is no id of a message. */
export function messageId(id: string): MessageId | null {
  return isId('msg', id) ? id : null
}
