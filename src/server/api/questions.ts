// Questions about the work, and their answers.
import { isId } from '../../base/ids.ts'
import * as api from '../../protocol/api.ts'
import { question } from '../../protocol/shapes.ts'
import { answerQuestion } from '../answer.ts'
import { endpoint } from '../endpoint.ts'
import { fresh } from '../session-of.ts'

export const questionCalls = [
  endpoint({
    method: 'GET',
    path: '/api/questions',
    summary: 'What the person is asked',
    access: 'read',
    query: api.questionsQuery,
    answers: { 200: api.questions },
    async run({ hub, caller, query }) {
      await fresh(hub)
      const session = isId('ses', query.session) ? { session: query.session } : {}
      const status = query.status === undefined ? {} : { status: query.status }
      const items = await hub.scopes.conversation.questions({ user: caller.user.name, ...session, ...status })
      return { status: 200, body: { items, next: null } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/questions/:id',
    summary: 'Answers a question, with text or one of its options',
    access: 'chat',
    body: api.newAnswer,
    answers: { 200: question },
    async run({ hub, caller, params, body }) {
      return { status: 200, body: await answerQuestion(hub, caller, params['id'] ?? '', body) }
    },
  }),
]
