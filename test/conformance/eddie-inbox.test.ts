// Items of the inbox over the recorded facts about the ancestor's.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AttentionItem, NewItem } from '../../src/attention/attention.ts'
import { Conflict } from '../../src/base/errors.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { type Desk, openDesk } from '../attention/desk.ts'
import { describeShared } from '../shared.ts'

type Row = { readonly id: string; readonly op: string; readonly input?: unknown; readonly expect: unknown }
type Facts = { readonly item: AttentionItem | null; readonly events: readonly string[] }

const by = 'user:alice'
let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

const words: Readonly<Record<string, string>> = { 'inbox-item-added': 'created' }

/** What an event of ours is called there. */
async function eventsAfter(cursor: number): Promise<readonly string[]> {
  const { events } = await desk.heart.journal.read({ after: cursor, limit: 100 })
  return events.map((event) => words[event.type] ?? (event.data['answer'] === undefined ? 'updated' : 'answered'))
}

const fresh = (id: string, given: Partial<NewItem> = {}): Promise<AttentionItem> =>
  desk.attention.add({ user: 'alice', type: 'DECISION', title: id, body: '', key: id, ...given }, 'system')

/** In words of ours: `ANSWERED then ARCHIVED` and the like are made step by step. */
async function standing(id: string, input: unknown): Promise<AttentionItem> {
  const text = (typeof input === 'string' ? input : JSON.stringify(input ?? '')).toUpperCase()
  const words: readonly string[] = text.match(/PENDING|ANSWERED|DISMISSED|ARCHIVED/g) ?? []
  const isBoth = words.includes('ARCHIVED') && (words.includes('ANSWERED') || /WITH ANSWER|"ANSWER":(?!NULL|FALSE)/.test(text))
  if (!isBoth) return standingAs(id, words[0] ?? 'PENDING')
  const { id: item } = await standingAs(id, 'ANSWERED')
  return desk.attention.archive('alice', item, by)
}

/** An item of that status, made by what leads there. */
async function standingAs(id: string, status: string): Promise<AttentionItem> {
  const { id: item } = await fresh(id)
  if (status === 'ANSWERED') return desk.attention.answer('alice', item, { outcome: 'DECIDED', value: 'yes' }, by)
  if (status === 'DISMISSED') return desk.attention.dismiss('alice', item, by)
  if (status === 'ARCHIVED') return desk.attention.archive('alice', item, by)
  return desk.attention.read('alice', item, by)
}

const operations: Readonly<Record<string, (row: Row) => Promise<void>>> = {
  async create({ id, input, expect: wanted }) {
    const from = desk.heart.journal.head()
    const { type, criticality, requiresAction, payload } = input as Partial<NewItem> & { readonly payload: JsonObject }
    const given = { ...(type && { type }), ...(criticality && { criticality }), ...(requiresAction !== undefined && { requiresAction }) }
    await holds(wanted, { item: await fresh(id, { ...given, payload }), events: await eventsAfter(from) })
  },
  async answer({ id, input, expect: wanted }) {
    if (input === 'missing') {
      await expect(desk.attention.answer('alice', `ntf_${id}`, { outcome: 'DECIDED', value: 'x' }, by)).rejects.toMatchObject({
        code: 'not_found',
      })
      return
    }
    const before = await standing(id, input)
    const from = desk.heart.journal.head()
    const item = await unlessRefused(desk.attention.answer('alice', before.id, { outcome: 'DECIDED', value: 'other' }, by), before)
    await holds(wanted, { item, events: await eventsAfter(from) }, before)
  },
  archive: (row) => repeated(row, (id) => desk.attention.archive('alice', id, by)),
  unarchive: (row) => repeated(row, (id) => desk.attention.unarchive('alice', id, by)),
  dismiss: (row) => repeated(row, (id) => desk.attention.dismiss('alice', id, by)),
  async delegate(row) {
    const { from, to } = row.input as { readonly from: string; readonly to: string }
    const before = await standing(row.id, 'PENDING')
    const cursor = desk.heart.journal.head()
    const item = await desk.attention.delegate('alice', before.id, { to: to === from ? 'alice' : 'bob' }, by)
    if (to === from) return holds(row.expect, { item, events: await eventsAfter(cursor) }, before)
    // An item of its own in the other inbox (docs/compatibility.md).
    expect(item).toMatchObject({ status: 'DISMISSED', resolvedBy: 'USER' })
    expect((await desk.attention.list({ user: 'bob', limit: 500 })).items).toContainEqual(
      expect.objectContaining({ title: item.title, status: 'PENDING' }),
    )
  },
  async countPending(row) {
    await fresh(`${row.id} asks`)
    await fresh(`${row.id} tells`, { type: 'OUTPUT_TEXT' })
    const { items } = await desk.attention.list({ user: 'alice', status: 'PENDING', limit: 500 })
    const asking = items.filter((item) => item.requiresAction)
    expect(await desk.attention.counts('alice')).toEqual({ pending: items.length, requiresAction: asking.length })
    expect(asking.length).toBeLessThan(items.length)
  },
}

/** What is silently nothing there is a conflict here that says why (docs/compatibility.md); nothing changes either way. */
function unlessRefused(changed: Promise<AttentionItem>, before: AttentionItem): Promise<AttentionItem> {
  return changed.catch((thrown: unknown) => {
    if (thrown instanceof Conflict) return before
    throw thrown
  })
}

async function repeated(row: Row, verb: (id: string) => Promise<AttentionItem>): Promise<void> {
  const before = await standing(row.id, row.input)
  const cursor = desk.heart.journal.head()
  const item = await unlessRefused(verb(before.id), before)
  await holds(row.expect, { item, events: await eventsAfter(cursor) }, before)
}

/** `noop`: nothing changed and nothing was said. */
async function holds(wanted: unknown, { item, events }: Facts, before?: AttentionItem): Promise<void> {
  if (wanted === 'noop') {
    expect(item).toEqual(before)
    expect(events).toEqual([])
    return
  }
  const { status, resolvedBy, answeredBy, noop, event, events: said } = wanted as Record<string, unknown>
  if (status !== undefined) expect(item?.status).toBe(status)
  if (resolvedBy !== undefined) expect(item?.resolvedBy).toBe(resolvedBy)
  if (answeredBy !== undefined) expect(item?.answer?.by).toBe(answeredBy)
  if (noop === true) expect(item).toEqual(before)
  if (event !== undefined) expect(events.includes('answered')).toBe(event)
  if (said !== undefined) expect(events).toEqual(said)
}

describeShared('the inbox of Eddie', 'eddie/inbox.json', ({ rows }) => {
  test.each(rows as readonly Row[])('[I1, I2, I4, I5, I6] $id', async (row) => {
    const run = operations[row.op]
    if (run === undefined) throw new Error(`there is no operation ${row.op} here: ${Object.keys(operations).join(', ')}`)
    await run(row)
  })
})
