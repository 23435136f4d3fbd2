// A fact of the conversation as a note of the turn; one that is too long for an event is recorded apart and named.
import type { Turn } from '../../lanes/engine.ts'
import { apartPrefix, type Fact, factType, packed } from '../../pipelines/conversations/conversations.ts'

/** Characters; below the journal's limit, with room for what surrounds it. */
const longestNote = 48_000

export async function noteFact(turn: Turn, name: string, fact: Fact): Promise<void> {
  const data = packed(fact)
  if (JSON.stringify(data).length <= longestNote) return turn.note(name, { type: factType, data, visibility: 'operator' })
  const apart = `${apartPrefix}${name}`
  await turn.read(apart, async () => data)
  turn.note(name, { type: factType, data: { apart }, visibility: 'operator' })
}
