// Lists: lines with ids, each perhaps done.
import { z } from 'zod'
import { defineTool, type Tool } from '../tool.ts'
import type { DocumentRooms } from './document-place.ts'
import {
  checked,
  checkIds,
  itemOf,
  type ListItem,
  type ListState,
  listSchema,
  longestText,
  newItemId,
  placed,
  type Structure,
} from './structure.ts'
import { edited, expected, planChange, readOut, structuredReading, structuredWriting, where } from './structured.ts'

const lists: Structure<ListState> = {
  kind: 'list',
  empty: () => ({ kind: 'list', items: [] }),
  read(value) {
    const list = checked(listSchema, value)
    checkIds(list.items)
    return list
  },
  write: (state) => state,
}

const id = z.string().describe('Id of an item')
const text = z.string().min(1).max(longestText)
const after = z.string().optional().describe('Id of the item to put it behind; "start" for the first place')
const searchHint = 'a list kept as a document: read, find, add, change, move and remove items; shopping lists, todo lists, check lists'

export function listTools(rooms: DocumentRooms): readonly Tool[] {
  return [listGet(rooms), listFind(rooms), listAdd(rooms), listUpdate(rooms), listMove(rooms), listRemove(rooms)]
}

function listGet(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredReading,
    name: 'list_get',
    searchHint,
    description: 'Reads the items of a list document, each with its id.',
    input: z.strictObject({ ...where, from: z.int().min(1).default(1), count: z.int().min(1).max(500).default(200) }),
    run: ({ from, count, ...given }, context) =>
      readOut(rooms, {
        structure: lists,
        given,
        context,
        text: ({ items }) => part(items.map(shown), { from, count }),
      }),
  })
}

function listFind(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredReading,
    name: 'list_find',
    searchHint,
    description: 'Finds items of a list document by their words, or by whether they are done.',
    input: z.strictObject({ ...where, text: z.string().optional(), done: z.boolean().optional() }),
    run: ({ text: words = '', done, ...given }, context) =>
      readOut(rooms, {
        structure: lists,
        given,
        context,
        text({ items }) {
          const fits = (one: ListItem) => includes(one.text, words) && (done === undefined || (one.done ?? false) === done)
          const found = items.filter(fits)
          return { ...part(found.map(shown), { from: 1, count: 200 }), notes: [`${found.length} of ${items.length} items`] }
        },
      }),
  })
}

function listAdd(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'list_add',
    searchHint,
    description: 'Adds items to a list document, at its end unless "after" says otherwise. A list that is missing is made.',
    input: z.strictObject({ ...where, texts: z.array(text).min(1).max(100), after, expected }),
    plan: planChange(rooms),
    run: ({ texts, after: behind, ...given }, context) =>
      edited(rooms, {
        structure: lists,
        given,
        context,
        makes: true,
        change(list) {
          const known = new Set(list.items.map((one) => one.id))
          const items = texts.map((words, at) => ({ id: newItemId(context.key, at), text: words })).filter((one) => !known.has(one.id))
          return {
            state: { ...list, items: [...placed(list.items, items, placeOf(behind))] },
            said: `added ${items.map((one) => one.id).join(', ') || 'before'}.`,
          }
        },
      }),
  })
}

function listUpdate(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'list_update',
    searchHint,
    description: 'Changes the words of an item of a list document, or marks it as done or not.',
    input: z.strictObject({ ...where, id, text: text.optional(), done: z.boolean().optional(), expected }),
    plan: planChange(rooms),
    run: ({ id: wanted, text: words, done, ...given }, context) =>
      edited(rooms, {
        structure: lists,
        given,
        context,
        change(list) {
          const before = itemOf(list.items, wanted)
          const now = { ...before, ...(words !== undefined && { text: words }), ...(done !== undefined && { done }) }
          return { state: { ...list, items: list.items.map((one) => (one === before ? now : one)) }, said: `it is now ${shown(now)}` }
        },
      }),
  })
}

function listMove(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'list_move',
    searchHint,
    description: 'Moves an item of a list document to another place.',
    input: z.strictObject({ ...where, id, after, expected }),
    plan: planChange(rooms),
    run: ({ id: wanted, after: behind, ...given }, context) =>
      edited(rooms, {
        structure: lists,
        given,
        context,
        change(list) {
          const moved = itemOf(list.items, wanted)
          const rest = list.items.filter((one) => one !== moved)
          const items = behind === wanted ? list.items : [...placed(rest, [moved], placeOf(behind))]
          return { state: { ...list, items }, said: `${wanted} is item ${items.indexOf(moved) + 1} now.` }
        },
      }),
  })
}

function listRemove(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'list_remove',
    searchHint,
    description: 'Removes items from a list document.',
    input: z.strictObject({ ...where, ids: z.array(id).min(1).max(100), expected }),
    plan: planChange(rooms),
    run: ({ ids, ...given }, context) =>
      edited(rooms, {
        structure: lists,
        given,
        context,
        change(list) {
          for (const one of ids) itemOf(list.items, one)
          const items = list.items.filter((one) => !ids.includes(one.id))
          return { state: { ...list, items }, said: `removed ${ids.join(', ')}; ${items.length} items are left.` }
        },
      }),
  })
}

function shown(item: ListItem): string {
  return `${item.id} ${item.done === undefined ? '-' : item.done ? '[x]' : '[ ]'} ${item.text}`
}

export function placeOf(after: string | undefined): string | null | undefined {
  return after === 'start' ? null : after
}

export function includes(text: string, words: string): boolean {
  return text.toLowerCase().includes(words.toLowerCase())
}

/** A part of the lines, and what is left out. */
export function part(lines: readonly string[], { from, count }: { readonly from: number; readonly count: number }) {
  const some = lines.slice(from - 1, from - 1 + count)
  const end = from - 1 + some.length
  return {
    lines: some,
    notes: end < lines.length ? [`${end} of ${lines.length}; more follows: from=${end + 1}`] : [`${lines.length} in all`],
  }
}
