// Budgets in plain words, and what was spent.
import { NotFound } from '../../base/errors.ts'
import type { Budget, Micros } from '../../policy/budget.ts'
import * as api from '../../protocol/api-budgets.ts'
import { endpoint } from '../endpoint.ts'

export const budgetCalls = [
  endpoint({
    method: 'GET',
    path: '/api/budgets',
    summary: 'What may be spent, and what was spent by day and model',
    access: 'read',
    query: api.budgetsQuery,
    answers: { 200: api.budgets },
    async run({ hub, caller, query }) {
      const { name } = caller.user
      const items = (await hub.budgets.list(name)).map(({ spent, ...budget }) => ({ ...shown(budget), spent: units(spent) }))
      const spending = (await hub.budgets.spending(name, query.days)).map((row) => ({ ...row, cost: units(row.cost) }))
      return { status: 200, body: { items, next: null, spending } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/budgets',
    summary: 'Sets one in plain words, like "3 EUR a day"; one for the same replaces the one that there is',
    access: 'budgets',
    body: api.newBudget,
    answers: { 201: api.budget },
    async run({ hub, caller, body }) {
      return { status: 201, body: shown(await hub.budgets.set(caller.user.name, body.text)) }
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/api/budgets/:id',
    summary: 'Removes one',
    access: 'budgets',
    answers: { 204: 'text' },
    async run({ hub, caller, params }) {
      const id = params['id'] ?? ''
      if (await hub.budgets.remove(caller.user.name, id)) return { status: 204, body: null }
      throw new NotFound(`there is no budget ${JSON.stringify(id.slice(0, 150))}`)
    },
  }),
]

function shown({ id, scope, of, limit, currency, text }: Budget) {
  return { id, scope, of, limit: units(limit), currency, text }
}

function units(micros: Micros): number {
  return micros / 1_000_000
}
