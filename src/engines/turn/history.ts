// The lines before a turn. A walk from a leaf gives the same lines for ever, so what the last turn of a branch walked is kept and
// only what was said since is read.
import type { MessageId } from '../../base/ids.ts'
import type { Message } from '../../protocol/message.ts'
import type { Conversation } from '../../scopes/scopes.ts'

export type History = {
  /** At most `mostLines` lines that end with the leaf, oldest first. */
  walk(leaf: MessageId | null): Promise<readonly Message[]>
}

const mostLines = 200
/** A usual turn says fewer lines than this. */
const fewLines = 12
/** Of text, over all branches. */
const mostKept = 4_000_000

type Kept = { readonly lines: readonly Message[]; readonly size: number }

export function openHistory({ walk }: Pick<Conversation, 'walk'>): History {
  const kept = new Map<string, Kept>()
  let size = 0

  function drop(leaf: string): void {
    size -= kept.get(leaf)?.size ?? 0
    kept.delete(leaf)
  }

  function keep(leaf: string, lines: readonly Message[]): readonly Message[] {
    drop(leaf)
    const own = lines.reduce((sum, line) => sum + line.text.length + 200, 0)
    kept.set(leaf, { lines, size: own })
    size += own
    for (const oldest of kept.keys()) {
      if (size <= mostKept || oldest === leaf) break
      drop(oldest)
    }
    return lines
  }

  /** The newest lines joined with a kept walk that ends at one of them; null when there is none. */
  function joined(newest: readonly Message[]): readonly Message[] | null {
    const at = newest.findLastIndex((line) => kept.has(line.id))
    const known = newest[at] && kept.get(newest[at].id)
    if (!known || !newest[at]) return null
    // The branch goes on from here: its shorter walk is of no more use.
    drop(newest[at].id)
    return [...known.lines, ...newest.slice(at + 1)].slice(-mostLines)
  }

  return {
    async walk(leaf) {
      if (leaf === null) return []
      const newest = await walk(leaf, fewLines)
      if (newest.length < fewLines) return keep(leaf, newest)
      return keep(leaf, joined(newest) ?? (await walk(leaf, mostLines)))
    },
  }
}
