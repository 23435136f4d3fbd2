// The person's own words behind a turn: what they said in it, or what an agent that orders work for them passes on. What agents say to
// each other is none of it.
import type { Entry } from '../../protocol/entry.ts'

const mostWords = 10
const mostWord = 4_000

/** The newest of them, the oldest first. */
export function saidIn(entries: readonly Entry[]): readonly string[] {
  const all = entries.flatMap(({ body, from }): readonly string[] => {
    if (body.kind !== 'message') return []
    return from.startsWith('user:') ? [body.text] : (body.said ?? [])
  })
  return all.slice(-mostWords).map((text) => text.slice(0, mostWord).toWellFormed())
}
