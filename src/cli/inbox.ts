// `steward inbox`: what needs the person, and the answers to it.
import { systemClock } from '../base/clock.ts'
import { isObject, type Json } from '../base/json.ts'
import { attentionItem, type InboxItem, inbox, itemOutcomes, itemStatuses } from '../protocol/api-inbox.ts'
import { chosen } from './chosen.ts'
import { findHub, type Hub } from './hub.ts'
import { optionIn } from './option.ts'
import { type Call, oneLine, type Result, table, WrongUsage } from './output.ts'
import { everyRow } from './paging.ts'
import { both, relative } from './when.ts'

export type InboxFilter = { readonly status?: string; readonly all?: boolean }
export type ItemAnswer = { readonly outcome?: string; readonly reason?: string }
export const inboxVerbs = ['read', 'dismiss', 'archive', 'unarchive'] as const
export type InboxVerb = (typeof inboxVerbs)[number]

/** Without a filter: what is pending. */
export async function listInbox(call: Call, filter: InboxFilter): Promise<Result> {
  const status = filter.all ? undefined : oneOf('--status', (filter.status ?? 'PENDING').toUpperCase(), itemStatuses)
  const hub = await findHub(call)
  const items = await everyRow(hub, '/api/inbox', inbox, { status })
  const now = systemClock.now()
  const cells = items.map((one) => [one.id, one.type.toLowerCase(), relative(one.at, now), stateOf(one), oneLine(one.title, 80)])
  return { value: items, text: table(['id', 'kind', 'came', 'state', 'title'], cells, 'Nothing in the inbox needs you.') }
}

export async function showItem(call: Call, id: string): Promise<Result> {
  const item = await itemNamed(await findHub(call), id)
  const head = `${item.id}  ${item.type.toLowerCase()}, ${stateOf(item)}, ${both(item.at, systemClock.now())}`
  const options = choicesOf(item).map((label, at) => `  ${at + 1}. ${label}`)
  const answered = item.answer ? [`answered by ${item.answer.by.replace(/^user:/, '')}: ${valueText(item.answer.value)}`] : []
  const body = item.body.trim() === item.title.trim() ? [] : [item.body]
  return {
    value: item,
    text: [head, item.title, ...body, ...options, ...answered, ...waysOf(item)].filter((line) => line !== '').join('\n'),
  }
}

export async function changeItem(call: Call, id: string, verb: InboxVerb): Promise<Result> {
  const hub = await findHub(call)
  const { id: exact } = await itemNamed(hub, id)
  const item = await hub.call('POST', `${pathOf(exact)}/${verb}`, attentionItem, { body: {} })
  return { value: item, text: `${item.id} is ${item.status.toLowerCase()}${item.read ? ', read' : ''}.` }
}

/** The words are read as the item's type asks: a yes or no, a number or name of a choice, an order of numbers, or a text. */
export async function answerItem(call: Call, id: string, words: string, given: ItemAnswer): Promise<Result> {
  const outcome = oneOf('--outcome', (given.outcome ?? 'DECIDED').toUpperCase().replaceAll('-', '_'), itemOutcomes)
  const hub = await findHub(call)
  const asked = await itemNamed(hub, id)
  if (outcome === 'DECIDED' && words.trim() === '') throw new WrongUsage(`The answer is empty. ${allowedFor(asked)}`)
  const value = outcome === 'DECIDED' ? { value: readAnswer(asked, words.trim()) } : {}
  const reason = given.reason === undefined ? {} : { reason: given.reason }
  const item = await hub.call('POST', `${pathOf(asked.id)}/answer`, attentionItem, { body: { outcome, ...value, ...reason } })
  return { value: item, text: `${item.id} is answered.` }
}

export async function delegateItem(call: Call, id: string, to: string, { note }: { readonly note?: string }): Promise<Result> {
  const hub = await findHub(call)
  const { id: exact } = await itemNamed(hub, id)
  const body = { to, ...(note === undefined ? {} : { note }) }
  const item = await hub.call('POST', `${pathOf(exact)}/delegate`, attentionItem, { body })
  return { value: item, text: `${item.id} is handed to ${to}.` }
}

async function itemNamed(hub: Hub, part: string): Promise<InboxItem> {
  if (/^[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}$/.test(part)) return hub.call('GET', pathOf(part), attentionItem)
  const items = await everyRow(hub, '/api/inbox', inbox)
  const pending = items.filter((one) => one.status === 'PENDING')
  const isOpen = pending.some((one) => one.id.toLowerCase().includes(part.toLowerCase()))
  return chosen(isOpen ? pending : items, part, 'item')
}

const yes = /^(y|yes|allow|approve|accept|true)$/i
const no = /^(n|no|deny|reject|false)$/i

function readAnswer(item: InboxItem, words: string): Json {
  if (item.type === 'FEEDBACK') return { text: words }
  if (item.type === 'DECISION') return choiceIn(item, words)
  if (item.type === 'ORDERING') return { order: orderIn(item, words) }
  if (item.type !== 'APPROVAL' && item.type !== 'STRUCTURE_EDIT') throw new WrongUsage(`${item.id}: ${allowedFor(item)}`)
  if (!yes.test(words) && !no.test(words)) throw new WrongUsage(`The answer is "${oneLine(words, 40)}". ${allowedFor(item)}`)
  return item.type === 'APPROVAL' ? { approved: yes.test(words) } : { accepted: yes.test(words) }
}

/** A question that somebody waits for may also be answered in own words. */
function choiceIn(item: InboxItem, words: string): Json {
  const labels = choicesOf(item).map((label) => ({ label }))
  const label = optionIn(labels, words)?.label
  return label === undefined && item.id.startsWith('ask_') ? { text: words } : { chosen: label ?? words }
}

function orderIn(item: InboxItem, words: string): string[] {
  const ids = choicesOf(item)
  return words.split(/[\s,]+/).map((word) => (/^\d+$/.test(word) ? (ids[Number(word) - 1] ?? word) : word))
}

/** What an answer names: labels of options, ids of what is to be ordered. */
function choicesOf({ type, payload }: InboxItem): readonly string[] {
  const listed = type === 'ORDERING' ? payload['items'] : payload['options']
  if (!Array.isArray(listed)) return []
  return listed.flatMap((one) => {
    if (typeof one === 'string') return [one]
    const named = isObject(one) ? one[type === 'ORDERING' ? 'id' : 'label'] : undefined
    return typeof named === 'string' ? [named] : []
  })
}

function allowedFor(item: InboxItem): string {
  const choices = choicesOf(item)
  const allowed: Readonly<Record<InboxItem['type'], string>> = {
    APPROVAL: 'Allowed are allow and deny.',
    STRUCTURE_EDIT: 'Allowed are accept and reject.',
    DECISION: `Allowed are a number or one of ${choices.join(', ')}.`,
    ORDERING: `Allowed is an order of all of them, for example ${choices.map((_, at) => at + 1).join(',') || '2,1'}.`,
    FEEDBACK: 'Allowed is any text.',
    OUTPUT_TEXT: 'It asks nothing: read, dismiss or archive it.',
    OUTPUT_IMAGE: 'It asks nothing: read, dismiss or archive it.',
    OUTPUT_DOCUMENT: 'It asks nothing: read, dismiss or archive it.',
    NOTICE: 'It asks nothing: read, dismiss or archive it.',
  }
  return allowed[item.type]
}

function waysOf(item: InboxItem): readonly string[] {
  if (item.status !== 'PENDING' || !item.requiresAction) return []
  if (item.id.startsWith('apr_')) return [`Look at it in full with: steward approvals show ${item.id}`]
  return [`Answer with: steward inbox answer ${item.id} ANSWER. ${allowedFor(item)}`]
}

function stateOf({ status, requiresAction, read }: InboxItem): string {
  if (status !== 'PENDING') return status.toLowerCase()
  return requiresAction ? 'needs you' : read ? 'read' : 'new'
}

function valueText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function oneOf<T extends string>(option: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === text)
  if (found !== undefined) return found
  throw new WrongUsage(`${option} is "${text.toLowerCase()}"; allowed are ${allowed.map((one) => one.toLowerCase()).join(', ')}.`)
}

function pathOf(id: string): string {
  return `/api/inbox/${encodeURIComponent(id)}`
}
