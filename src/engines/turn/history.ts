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
/** The usual turn (a line, its answer) ends with the second line before; nearly all say fewer lines than the other number. */
const fewLines = [3, 16]
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

  function keep(leaf: string, walked: Kept): readonly Message[] {
    const { lines } = walked
    drop(leaf)
    kept.set(leaf, walked)
    size += walked.size
    for (const oldest of kept.keys()) {
      if (size <= mostKept || oldest === leaf) break
      drop(oldest)
    }
    return lines
  }

  /** The newest lines joined with a kept walk that ends at one of them; null when there is none. */
  function joined(newest: readonly Message[]): Kept | null {
    const at = newest.findLastIndex((line) => kept.has(line.id))
    const known = newest[at] && kept.get(newest[at].id)
    if (!known || !newest[at]) return null
    // The branch goes on from here: its shorter walk is of no more use.
    drop(newest[at].id)
    const fresh = newest.slice(at + 1)
    const gone = Math.max(0, known.lines.length + fresh.length - mostLines)
    const size = known.size + sizeOf(fresh) - sizeOf(known.lines.slice(0, gone))
    return { lines: [...known.lines.slice(gone), ...fresh], size }
  }

  return {
    async walk(leaf) {
      if (leaf === null) return []
      for (const few of fewLines) {
        const newest = await walk(leaf, few)
        const all = newest.length < few ? measured(newest) : joined(newest)
        if (all !== null) return keep(leaf, all)
      }
      return keep(leaf, measured(await walk(leaf, mostLines)))
    },
  }
}

function measured(lines: readonly Message[]): Kept {
  return { lines, size: sizeOf(lines) }
}

function sizeOf(lines: readonly Message[]): number {
  return lines.reduce((sum, line) => sum + line.text.length + 200, 0)
}
