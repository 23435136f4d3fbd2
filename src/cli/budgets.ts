// `steward budgets`: list, set in plain words, remove.

import { budget, budgets } from '../protocol/api-budgets.ts'
import { chosen } from './chosen.ts'
import { findHub, nothing } from './hub.ts'
import { type Call, type Result, table, WrongUsage } from './output.ts'

export async function listBudgets(call: Call, { days }: { readonly days?: string }): Promise<Result> {
  if (days !== undefined && !/^\d{1,3}$/.test(days)) throw new WrongUsage(`--days is "${days}"; allowed is a whole number from 1 to 400.`)
  const hub = await findHub(call)
  const found = await hub.call('GET', '/api/budgets', budgets, { query: { days } })
  const limits = found.items.map((one) => [one.id, one.text, `${one.spent} of ${one.limit} ${one.currency}`])
  const spent = found.spending.map((row) => [row.day, row.model, String(row.calls), `${row.cost} USD`])
  const parts = [
    table(['id', 'budget', 'spent'], limits, 'No budgets. Set one with: steward budgets set "3 USD a day"'),
    ...(spent.length === 0 ? [] : [table(['day', 'model', 'calls', 'cost'], spent, '')]),
  ]
  return { value: { budgets: found.items, spending: found.spending }, text: parts.join('\n\n') }
}

export async function setBudget(call: Call, text: string): Promise<Result> {
  const hub = await findHub(call)
  const made = await hub.call('POST', '/api/budgets', budget, { body: { text } })
  return { value: made, text: `Budget ${made.id}: ${made.limit} ${made.currency} ${meant(made)}.` }
}

export async function removeBudget(call: Call, id: string): Promise<Result> {
  const hub = await findHub(call)
  const { items } = await hub.call('GET', '/api/budgets', budgets)
  const found = chosen(items, id, 'budget')
  await hub.call('DELETE', `/api/budgets/${encodeURIComponent(found.id)}`, nothing)
  return { value: { id: found.id, removed: true }, text: `Budget ${found.id} is removed: ${found.text}` }
}

function meant({ scope, of }: { readonly scope: string; readonly of: string | null }): string {
  return of === null ? `for each ${scope}` : `for ${scope} ${of}`
}
