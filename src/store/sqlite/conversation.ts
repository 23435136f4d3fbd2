// Sessions and conversations in SQLite (scopes/conversation-store.ts): one projection, so that a list of sessions and their last
// lines never disagree.
import type { ConversationStore } from '../../scopes/conversation-store.ts'
import { messageHandlers, messageReads, messageTables, questionReads } from './conversation-messages.ts'
import { type ProjectionSpec, sqliteProjection } from './projection.ts'
import { sessionHandlers, sessionReads, sessionTables } from './scopes-sessions.ts'
import type { SqliteStore } from './sqlite.ts'

const conversationSpec: ProjectionSpec = {
  name: 'conversation',
  version: 1,
  tables: { ...sessionTables, ...messageTables },
  on: both(sessionHandlers, messageHandlers),
}

export function sqliteConversation(store: SqliteStore): ConversationStore {
  const { db } = store
  const messages = messageReads(db, store.journal.generation)
  const questions = questionReads(db)
  const sessions = sessionReads(db, { messages, questions })
  return {
    projection: sqliteProjection(store, conversationSpec),
    walk: async (leaf, limit) => messages.walk(leaf, limit),
    async branch(session, paging) {
      const chosen = sessions.chosen(session)
      return chosen === null ? { items: [], next: null } : messages.branch(chosen.process, chosen.leaf, paging)
    },
    message: async (id) => messages.message(id),
    past: async (where) => messages.past(where),
    question: async (id) => questions.question(id),
    questions: async (where) => questions.questions(where),
    session: async (id) => sessions.session(id),
    sessions: async (wanted) => sessions.sessions(wanted),
    sessionsOf: async (project) => sessions.sessionsOf(project),
    process: async (id) => sessions.process(id),
    processes: async (session) => sessions.processes(session),
    asleep: async () => sessions.asleep(),
    idle: async (now, limit) => sessions.idle(now, limit),
    overdue: async (now, limit) => sessions.overdue(now, limit),
  }
}

/** Where both know a type, the first one's handler runs first. */
function both(one: ProjectionSpec['on'], other: ProjectionSpec['on']): ProjectionSpec['on'] {
  const all = { ...one }
  for (const [type, handle] of Object.entries(other)) {
    const first = one[type]
    all[type] = (db, event, t) => {
      first?.(db, event, t)
      handle(db, event, t)
    }
  }
  return all
}
