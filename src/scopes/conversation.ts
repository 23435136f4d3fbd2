// The conversation as others read it.
import { isId } from '../base/ids.ts'
import { checkPaging } from './paging.ts'
import type { Rooms } from './rooms.ts'
import type { Conversation } from './scopes.ts'

export function openConversation({ views, journal }: Pick<Rooms, 'views' | 'journal'>): Conversation {
  const view = views.conversation
  return {
    async walk(leaf, limit) {
      if (leaf === null || limit < 1) return []
      const lines = await view.walk(leaf, limit)
      // An agent's line is there with all that it answers. A person's gets its place when it is taken, a moment later (J5).
      if (lines.length > 0 && lines.at(-1)?.role !== 'user') return lines
      await journal.passed(journal.head(), view.projection.name)
      return view.walk(leaf, limit)
    },
    branch: async (session, paging) => view.branch(session, checkPaging(paging)),
    get: async (id) => (isId('msg', id) ? view.message(id) : null),
    async past(where) {
      await journal.passed(journal.head(), view.projection.name)
      return view.past(where)
    },
    question: (id) => view.question(id),
    questions: (where) => view.questions(where),
  }
}
