// The inbox: what needs the person, in one list; approvals and questions that wait are in it.

import type { AttentionItem } from '../../attention/attention.ts'
import { wire } from '../../attention/open-attention.ts'
import { InvalidInput, NotFound } from '../../base/errors.ts'
import { isObject, type Json } from '../../base/json.ts'
import { newDecision } from '../../protocol/api-approvals.ts'
import * as api from '../../protocol/api-inbox.ts'
import { answerQuestion } from '../answer.ts'
import { type Caller, need } from '../caller.ts'
import { check } from '../check.ts'
import { decideApproval } from '../decide.ts'
import { endpoint } from '../endpoint.ts'
import type { Hub } from '../hub.ts'
import { defined } from './defined.ts'

const summaries = {
  read: 'Says that it was read',
  dismiss: 'Puts it away without an answer',
  archive: 'Puts it into the archive',
  unarchive: 'Takes it out of the archive: answered when it has an answer, else pending',
} as const
const verbs = ['read', 'dismiss', 'archive', 'unarchive'] as const

export const inboxCalls = [
  endpoint({
    method: 'GET',
    path: '/api/inbox',
    summary: 'What needs the person, newest first, with the counts of what is pending',
    access: 'read',
    query: api.inboxQuery,
    answers: { 200: api.inbox },
    async run({ hub, caller, query }) {
      const user = caller.user.name
      const { items, next } = await hub.attention.list({ ...defined(query), limit: query.limit, user })
      return { status: 200, body: { items: items.map(wire), next, counts: await hub.attention.counts(user) } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/inbox/:id',
    summary: 'One item of the inbox',
    access: 'read',
    answers: { 200: api.attentionItem },
    async run({ hub, caller, params }) {
      return { status: 200, body: wire(await itemOf(hub, caller, params['id'] ?? '')) }
    },
  }),
  ...verbs.map((verb) =>
    endpoint({
      method: 'POST',
      path: `/api/inbox/:id/${verb}`,
      summary: summaries[verb],
      access: 'chat',
      answers: { 200: api.attentionItem },
      async run({ hub, caller, params }) {
        return { status: 200, body: wire(await hub.attention[verb](caller.user.name, params['id'] ?? '', caller.actor)) }
      },
    }),
  ),
  endpoint({
    method: 'POST',
    path: '/api/inbox/:id/answer',
    summary: 'Answers it once; an approval or a question is answered where it is asked',
    access: 'chat',
    body: api.newItemAnswer,
    answers: { 200: api.attentionItem },
    async run({ hub, caller, params, body }) {
      const id = params['id'] ?? ''
      const item = await itemOf(hub, caller, id)
      const { outcome, reason } = body
      const given = { outcome, value: body.value ?? null, ...(reason === undefined ? {} : { reason }) }
      await answerItem(hub, caller, item, given)
      return { status: 200, body: wire(await itemOf(hub, caller, id)) }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/inbox/:id/delegate',
    summary: "Hands it to another person's inbox",
    access: 'chat',
    body: api.delegateItem,
    answers: { 200: api.attentionItem },
    async run({ hub, caller, params, body }) {
      const { to, note } = body
      const given = { to, ...(note === undefined ? {} : { note }) }
      return { status: 200, body: wire(await hub.attention.delegate(caller.user.name, params['id'] ?? '', given, caller.actor)) }
    },
  }),
]

async function itemOf(hub: Hub, caller: Caller, id: string): Promise<AttentionItem> {
  const item = await hub.attention.get(caller.user.name, id)
  if (item !== null) return item
  throw new NotFound(`there is no item ${JSON.stringify(id.slice(0, 64))} in the inbox`)
}

type Given = { readonly outcome: (typeof api.itemOutcomes)[number]; readonly value: Json; readonly reason?: string }

/** Each by its own way in, with the rights that that one asks for. */
async function answerItem(hub: Hub, caller: Caller, item: AttentionItem, given: Given): Promise<void> {
  if (item.type === 'APPROVAL') need(caller, 'approvals')
  const isAsked = item.id.startsWith('apr_') || item.id.startsWith('ask_')
  if (!isAsked) return void (await hub.attention.answer(caller.user.name, item.id, given, caller.actor))
  if (given.outcome !== 'DECIDED')
    throw new InvalidInput('/outcome: somebody waits for this, so it can only be DECIDED; leave it open, or stop its turn', {
      path: '/outcome',
    })
  if (item.id.startsWith('apr_')) await decideApproval(hub, caller, item.id, decisionIn(given))
  else await answerQuestion(hub, caller, item.id, wordsIn(given.value))
}

/** `true`, or {approved, scope?, narrow?}. */
function decisionIn({ value, reason }: Given) {
  const { approved, ...more } = isObject(value) ? value : { approved: value }
  if (typeof approved !== 'boolean') throw new InvalidInput('/value/approved must be true or false', { path: '/value/approved' })
  return check(newDecision, { ...more, decision: approved ? 'allow' : 'deny', ...(reason === undefined ? {} : { reason }) }, '/value')
}

/** A text, {text} or {chosen}. */
function wordsIn(value: Json): { readonly text: string } | { readonly option: string } {
  const { chosen, text } = isObject(value) ? value : { chosen: undefined, text: value }
  if (typeof chosen === 'string') return { option: chosen }
  if (typeof text === 'string' && text.trim() !== '') return { text: text.trim() }
  throw new InvalidInput('/value must be a text, {"text": ...} or {"chosen": ...}', { path: '/value' })
}
