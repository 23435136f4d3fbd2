// The conversation as others read it.
import { isId } from '../base/ids.ts'
import { checkPaging } from './paging.ts'
import type { Rooms } from './rooms.ts'
import type { Conversation } from './scopes.ts'

export function openConversation({ views, journal }: Pick<Rooms, 'views' | 'journal'>): Conversation {
  const view = views.conversation
  // A turn walks from a leaf whose line was committed a moment ago: the view must have passed it (J5).
  const caughtUp = () => journal.passed(journal.head(), view.projection.name)
  return {
    async walk(leaf, limit) {
      if (leaf === null || limit < 1) return []
      await caughtUp()
      return view.walk(leaf, limit)
    },
    branch: async (session, paging) => view.branch(session, checkPaging(paging)),
    get: async (id) => (isId('msg', id) ? view.message(id) : null),
    question: (id) => view.question(id),
    questions: (where) => view.questions(where),
  }
}
