// Secrets: their names and grants, never their values. For a person, or a token that was given exactly this.
import { iso } from '../../base/clock.ts'
import { InvalidInput, NotFound } from '../../base/errors.ts'
import * as api from '../../protocol/api-secrets.ts'
import type { SecretInfo } from '../../secrets/secrets.ts'
import { endpoint } from '../endpoint.ts'
import { defined } from './defined.ts'

export const secretCalls = [
  endpoint({
    method: 'GET',
    path: '/api/secrets',
    summary: 'Which secrets there are, and who may use them',
    access: 'secrets',
    answers: { 200: api.secrets },
    async run({ hub }) {
      const items = (await hub.secrets.list()).map(shown)
      const { keptIn, locked } = hub.secrets
      return { status: 200, body: { items, next: null, keptIn, locked } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/secrets',
    summary: 'A new secret, or a new value of a known one',
    access: 'secrets',
    takesSecrets: true,
    body: api.newSecret,
    answers: { 200: api.secret, 201: api.secret },
    async run({ hub, caller, body }) {
      const { name, value, ...grants } = body
      const info = await hub.secrets.set({ name, value, ...defined(grants) }, caller.actor)
      return { status: info.version === 1 ? 201 : 200, body: shown(info) }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/secrets/rotate-key',
    summary: 'A new key for all values',
    access: 'secrets',
    answers: { 200: api.keyRotated },
    async run({ hub, caller }) {
      await hub.secrets.rotateKey(caller.actor)
      return { status: 200, body: { rotated: true } }
    },
  }),
  endpoint({
    method: 'PATCH',
    path: '/api/secrets/:name',
    summary: 'Which agents may use it, and towards which hosts',
    access: 'secrets',
    body: api.secretGrant,
    answers: { 200: api.secret },
    async run({ hub, caller, params, body }) {
      if (body.agents === undefined && body.hosts === undefined)
        throw new InvalidInput('say which agents or which hosts: {"agents": ["scout"]} or {"hosts": ["https://api.example.org"]}')
      return { status: 200, body: shown(await hub.secrets.grant(params['name'] ?? '', defined(body), caller.actor)) }
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/api/secrets/:name',
    summary: 'Removes it with all its versions',
    access: 'secrets',
    answers: { 204: 'text' },
    async run({ hub, caller, params }) {
      const name = params['name'] ?? ''
      if (!(await hub.secrets.remove(name, caller.actor))) throw new NotFound(`there is no secret ${JSON.stringify(name.slice(0, 64))}`)
      return { status: 204, body: null }
    },
  }),
]

function shown({ createdAt, rotatedAt, lastUsedAt, ...info }: SecretInfo) {
  const time = (ms: number | null) => (ms === null ? null : iso(ms))
  return { ...info, createdAt: iso(createdAt), rotatedAt: time(rotatedAt), lastUsedAt: time(lastUsedAt) }
}
