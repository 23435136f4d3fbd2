// The conversation as others read it.
import { isId } from '../base/ids.ts'
import type { Rooms } from './rooms.ts'
import type { Conversation } from './scopes.ts'

export function openConversation({ views }: Pick<Rooms, 'views'>): Conversation {
  const view = views.conversation
  return {
    walk: async (leaf, limit) => (leaf === null || limit < 1 ? [] : view.walk(leaf, limit)),
    branch: (session, paging) => view.branch(session, paging),
    get: async (id) => (isId('msg', id) ? view.message(id) : null),
    question: (id) => view.question(id),
    questions: (where) => view.questions(where),
  }
}
