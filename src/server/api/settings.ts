// Settings through their cascade: those of a project, or of the person's own home.
import { Forbidden, NotFound } from '../../base/errors.ts'
import * as api from '../../protocol/api.ts'
import { checkText } from '../body.ts'
import { endpoint } from '../endpoint.ts'
import { fresh, seen } from '../session-of.ts'
import { placeOf } from './documents.ts'

export const settingCalls = [
  endpoint({
    method: 'GET',
    path: '/api/settings',
    summary: "Settings that apply in the project, or without one in the person's home",
    access: 'read',
    query: api.documentsQuery,
    answers: { 200: api.settings },
    async run({ hub, caller, query }) {
      await fresh(hub)
      const { scope: project } = await placeOf(hub, caller, query.project)
      const found = await hub.scopes.settings.list(query.prefix ?? '', { project })
      return { status: 200, body: { items: Object.entries(found).map(([key, value]) => ({ key, value })), next: null } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/settings/:key',
    summary: 'A setting as it applies there, from the innermost place that has it',
    access: 'read',
    query: api.documentQuery,
    answers: { 200: api.setting },
    async run({ hub, caller, params, query }) {
      const key = keyIn(params)
      await fresh(hub)
      const { scope: project } = await placeOf(hub, caller, query.project)
      const value = await hub.scopes.settings.get(key, { project })
      if (value !== null) return { status: 200, body: { key, value } }
      throw new NotFound(`the setting ${JSON.stringify(key.slice(0, 200))} is set nowhere that applies here`)
    },
  }),
  endpoint({
    method: 'PUT',
    path: '/api/settings/:key',
    summary: "Sets it for the project, or without one in the person's home; null takes it away there",
    access: 'person',
    query: api.documentQuery,
    body: api.settingPut,
    answers: { 200: api.setting },
    async run({ hub, caller, params, query, body }) {
      const key = keyIn(params)
      if (caller.scopes !== null) throw new Forbidden('settings are changed by a person, not by a token')
      const place = await placeOf(hub, caller, query.project)
      await seen(hub, hub.scopes.settings.set({ ...place, key, value: body.value }, caller.actor))
      return { status: 200, body: { key, value: body.value } }
    },
  }),
]

/** Throws InvalidInput for what is no text; what a key may be the scopes know. */
function keyIn(params: Readonly<Record<string, string>>): string {
  const key = params['key'] ?? ''
  checkText(key, '/key')
  return key
}
