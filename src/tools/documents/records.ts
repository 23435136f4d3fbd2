// Records: rows with ids and named, typed fields. Small tables: contacts, expenses, inventories.
import { z } from 'zod'
import { InvalidInput } from '../../base/errors.ts'
import { defineTool, type Tool } from '../tool.ts'
import type { DocumentRooms } from './document-place.ts'
import { includes, part, placeOf } from './lists.ts'
import {
  cell,
  checked,
  checkIds,
  type Field,
  field,
  itemOf,
  newItemId,
  placed,
  type RecordsState,
  type Row,
  recordsSchema,
  type Structure,
} from './structure.ts'
import { edited, expected, planChange, readOut, structuredReading, structuredWriting, where } from './structured.ts'

type Cell = z.infer<typeof cell>
type Values = Row['values']

export const records: Structure<RecordsState> = {
  kind: 'records',
  empty: () => ({ kind: 'records', fields: [], rows: [] }),
  read(value) {
    const state = checked(recordsSchema, value)
    checkIds(state.rows)
    const names = new Set(state.fields.map((one) => one.name))
    if (names.size < state.fields.length) throw new InvalidInput('Two fields have the same name.')
    for (const row of state.rows) checkValues(state.fields, row.values)
    return state
  },
  write: (state) => state,
}

const id = z.string().describe('Id of a row')
const values = z.record(z.string(), cell).describe('Field names with their values; null for none')
const after = z.string().optional().describe('Id of the row to put it behind; "start" for the first place')
const searchHint = 'a table kept as a document: rows with named fields; read, filter, sort, add, change, move and remove records'

export function recordTools(rooms: DocumentRooms): readonly Tool[] {
  return [
    recordsGet(rooms),
    recordsQuery(rooms),
    recordsAdd(rooms),
    recordsUpdate(rooms),
    recordsMove(rooms),
    recordsRemove(rooms),
    recordsFields(rooms),
  ]
}

function recordsGet(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredReading,
    name: 'records_get',
    searchHint,
    description: 'Reads the fields and rows of a records document, each row with its id.',
    input: z.strictObject({ ...where, from: z.int().min(1).default(1), count: z.int().min(1).max(300).default(100) }),
    run: ({ from, count, ...given }, context) =>
      readOut(rooms, {
        structure: records,
        given,
        context,
        text({ fields, rows }) {
          const { lines, notes } = part(
            rows.map((row) => shown(row)),
            { from, count },
          )
          return { lines: [fieldsLine(fields), ...lines], notes }
        },
      }),
  })
}

const comparisons = ['is', 'is-not', 'contains', 'above', 'below', 'empty'] as const
const condition = z.strictObject({ field: z.string(), is: z.enum(comparisons).default('is'), value: cell.optional() })
type Condition = z.infer<typeof condition>

function recordsQuery(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredReading,
    name: 'records_query',
    searchHint,
    description: 'Finds rows of a records document that meet all conditions, sorted by a field if one is named.',
    input: z.strictObject({
      ...where,
      conditions: z.array(condition).max(20).default([]),
      sort: z.string().optional().describe('A field; "-price" for the highest first'),
      from: z.int().min(1).default(1),
    }),
    run: ({ conditions, sort, from, ...given }, context) =>
      readOut(rooms, {
        structure: records,
        given,
        context,
        text({ fields, rows }) {
          for (const one of conditions) fieldOf(fields, one.field)
          const found = rows.filter((row) => conditions.every((one) => meets(row.values[one.field] ?? null, one)))
          const { lines, notes } = part(sorted(found, fields, sort).map(shown), { from, count: 100 })
          return { lines: [fieldsLine(fields), ...lines], notes: [`${found.length} of ${rows.length} rows`, ...notes] }
        },
      }),
  })
}

function recordsAdd(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'records_add',
    searchHint,
    description: 'Adds rows to a records document. One that is missing is made, with the fields given.',
    input: z.strictObject({
      ...where,
      rows: z.array(values).min(1).max(100),
      fields: z.array(field).max(60).optional().describe('Of a new document; types are text, number, boolean and date (2026-11-30)'),
      after,
      expected,
    }),
    plan: planChange(rooms),
    run: ({ rows, fields = [], after: behind, ...given }, context) =>
      edited(rooms, {
        structure: records,
        given,
        context,
        makes: true,
        change(state) {
          const known = new Set(state.rows.map((one) => one.id))
          const all = state.fields.length > 0 ? state.fields : fields
          const made = rows.map((one, at) => ({ id: newItemId(context.key, at), values: one })).filter((one) => !known.has(one.id))
          for (const one of made) checkValues(all, one.values)
          return {
            state: { ...state, fields: all, rows: [...placed(state.rows, made, placeOf(behind))] },
            said: `added ${made.map((one) => one.id).join(', ') || 'before'}.`,
          }
        },
      }),
  })
}

function recordsUpdate(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'records_update',
    searchHint,
    description: 'Changes fields of one row of a records document; fields that are not named stay.',
    input: z.strictObject({ ...where, id, values, expected }),
    plan: planChange(rooms),
    run: ({ id: wanted, values: changed, ...given }, context) =>
      edited(rooms, {
        structure: records,
        given,
        context,
        change(state) {
          const before = itemOf(state.rows, wanted)
          const now = { ...before, values: { ...before.values, ...changed } }
          checkValues(state.fields, now.values)
          return { state: { ...state, rows: state.rows.map((one) => (one === before ? now : one)) }, said: `it is now ${shown(now)}` }
        },
      }),
  })
}

function recordsMove(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'records_move',
    searchHint,
    description: 'Moves a row of a records document to another place.',
    input: z.strictObject({ ...where, id, after, expected }),
    plan: planChange(rooms),
    run: ({ id: wanted, after: behind, ...given }, context) =>
      edited(rooms, {
        structure: records,
        given,
        context,
        change(state) {
          const moved = itemOf(state.rows, wanted)
          const rest = state.rows.filter((one) => one !== moved)
          const rows = behind === wanted ? state.rows : [...placed(rest, [moved], placeOf(behind))]
          return { state: { ...state, rows }, said: `${wanted} is row ${rows.indexOf(moved) + 1} now.` }
        },
      }),
  })
}

function recordsRemove(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'records_remove',
    searchHint,
    description: 'Removes rows of a records document.',
    input: z.strictObject({ ...where, ids: z.array(id).min(1).max(100), expected }),
    plan: planChange(rooms),
    run: ({ ids, ...given }, context) =>
      edited(rooms, {
        structure: records,
        given,
        context,
        change(state) {
          for (const one of ids) itemOf(state.rows, one)
          const rows = state.rows.filter((one) => !ids.includes(one.id))
          return { state: { ...state, rows }, said: `removed ${ids.join(', ')}; ${rows.length} rows are left.` }
        },
      }),
  })
}

function recordsFields(rooms: DocumentRooms): Tool {
  return defineTool({
    ...structuredWriting,
    name: 'records_fields',
    searchHint,
    description: 'Adds fields to a records document, or takes fields with all their values out of it.',
    input: z.strictObject({ ...where, add: z.array(field).max(60).default([]), remove: z.array(z.string()).max(60).default([]), expected }),
    plan: planChange(rooms),
    run: ({ add, remove, ...given }, context) =>
      edited(rooms, {
        structure: records,
        given,
        context,
        makes: true,
        change(state) {
          for (const name of remove) fieldOf(state.fields, name)
          const kept = state.fields.filter((one) => !remove.includes(one.name) && !add.some((fresh) => fresh.name === one.name))
          const fields = [...kept, ...add]
          const rows = state.rows.map((row) => ({
            ...row,
            values: Object.fromEntries(Object.entries(row.values).filter(([name]) => !remove.includes(name))),
          }))
          for (const row of rows) checkValues(fields, row.values)
          return { state: { ...state, fields, rows }, said: fieldsLine(fields) }
        },
      }),
  })
}

const types: Record<Field['type'], { fits(value: Cell): boolean; readonly named: string }> = {
  text: { fits: (value) => typeof value === 'string', named: 'a text' },
  number: { fits: (value) => typeof value === 'number' && Number.isFinite(value), named: 'a number' },
  boolean: { fits: (value) => typeof value === 'boolean', named: 'true or false' },
  date: { fits: (value) => typeof value === 'string' && isDate(value), named: 'a date like 2026-11-30' },
}

/** Throws InvalidInput that names the field, and what it takes. */
function checkValues(fields: readonly Field[], given: Values): void {
  for (const [name, value] of Object.entries(given)) {
    const { type } = fieldOf(fields, name)
    if (value !== null && !types[type].fits(value)) {
      throw new InvalidInput(`The field "${name}" takes ${types[type].named}, not ${JSON.stringify(value).slice(0, 60)}.`)
    }
  }
  const lacking = fields.find((one) => one.required && (given[one.name] ?? null) === null)
  if (lacking) throw new InvalidInput(`The field "${lacking.name}" is required.`)
}

function fieldOf(fields: readonly Field[], name: string): Field {
  const found = fields.find((one) => one.name === name)
  if (found) return found
  throw new InvalidInput(`There is no field "${name.slice(0, 64)}"; fields are: ${fields.map((one) => one.name).join(', ') || 'none yet'}.`)
}

function isDate(text: string): boolean {
  const form = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  return form !== null && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true
}

function meets(value: Cell, { is, value: wanted = null }: Condition): boolean {
  const tests: Record<Condition['is'], () => boolean> = {
    is: () => value === wanted || (typeof value === 'string' && typeof wanted === 'string' && value.toLowerCase() === wanted.toLowerCase()),
    'is-not': () => !meets(value, { field: '', is: 'is', value: wanted }),
    contains: () => includes(String(value ?? ''), String(wanted ?? '')),
    above: () => value !== null && wanted !== null && compare(value, wanted) > 0,
    below: () => value !== null && wanted !== null && compare(value, wanted) < 0,
    empty: () => value === null || value === '',
  }
  return tests[is]()
}

function sorted(rows: readonly Row[], fields: readonly Field[], sort: string | undefined): readonly Row[] {
  if (sort === undefined) return rows
  const name = fieldOf(fields, sort.replace(/^-/, '')).name
  const sign = sort.startsWith('-') ? -1 : 1
  return [...rows].sort((a, b) => sign * compare(a.values[name] ?? null, b.values[name] ?? null))
}

/** None before all others; numbers by size, texts by the alphabet. */
function compare(a: Cell, b: Cell): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b), 'en', { numeric: true })
}

function fieldsLine(fields: readonly Field[]): string {
  const words = fields.map(({ name, type, required }) => `${name} (${type}${required ? ', required' : ''})`)
  return `fields: ${words.join(', ') || 'none yet'}`
}

function shown({ id: own, values: cells }: Row): string {
  return `${own} ${JSON.stringify(cells)}`
}
