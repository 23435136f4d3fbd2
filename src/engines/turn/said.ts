// The person's own words behind a turn: what they said in it, or what an agent that orders work for them passes on. What agents say to
// each other is none of it.
import type { Json } from '../../base/json.ts'
import type { Entry } from '../../protocol/entry.ts'

const mostWords = 10
const mostWord = 4_000

/** The newest of them, the oldest first. */
export function saidIn(entries: readonly Entry[]): readonly string[] {
  const all = entries.flatMap(({ body, from }): readonly string[] => {
    if (body.kind === 'request') return textsIn(body.data?.['said'])
    if (body.kind !== 'message') return []
    return from.startsWith('user:') ? [body.text] : (body.said ?? [])
  })
  return all.slice(-mostWords).map((text) => text.slice(0, mostWord).toWellFormed())
}

/** Of a request, which only the hub's own engines make. */
function textsIn(given: Json | undefined): readonly string[] {
  return Array.isArray(given) ? given.filter((one): one is string => typeof one === 'string') : []
}
