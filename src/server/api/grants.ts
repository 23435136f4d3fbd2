// Grants: permissions that last, given by an approval or in advance; revoked they are gone at the next look.
import { iso } from '../../base/clock.ts'
import { NotFound } from '../../base/errors.ts'
import type { Grant } from '../../policy/policy.ts'
import * as api from '../../protocol/api-approvals.ts'
import { endpoint } from '../endpoint.ts'
import { fresh } from '../session-of.ts'
import { defined } from './defined.ts'

export const grantCalls = [
  endpoint({
    method: 'GET',
    path: '/api/grants',
    summary: 'Permissions that last; with ?ended=true also those that expired or were revoked',
    access: 'read',
    query: api.grantsQuery,
    answers: { 200: api.grants },
    async run({ hub, caller, query }) {
      await fresh(hub)
      const found = await hub.policy.grants.list({ ...defined(query), user: caller.user.name })
      return { status: 200, body: { items: found.map(shownGrant), next: null } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/grants',
    summary: 'Gives a permission in advance, for a project or always',
    access: 'grants',
    body: api.newGrant,
    answers: { 201: api.grant },
    async run({ hub, caller, body }) {
      const { expiresInMs, ...rest } = body
      const expires = expiresInMs === undefined ? {} : { expiresAt: hub.clock.now() + expiresInMs }
      const { capability, scope } = body
      const given = { ...defined(rest), ...expires, capability, scope, user: caller.user.name }
      const grant = await hub.policy.grants.add(given, caller.actor)
      await fresh(hub)
      return { status: 201, body: shownGrant(grant), headers: { Location: `/api/grants/${grant.id}` } }
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/api/grants/:id',
    summary: 'Takes a permission back; what runs meets it at its next call',
    access: 'grants',
    answers: { 204: 'text' },
    async run({ hub, caller, params }) {
      const id = params['id'] ?? ''
      if (!(await hub.policy.grants.revoke(id, caller.user.name, caller.actor)))
        throw new NotFound(`there is no grant ${JSON.stringify(id.slice(0, 64))} that still holds`)
      return { status: 204, body: null }
    },
  }),
]

function shownGrant({ user: _, createdAt, expiresAt, revokedAt, ...rest }: Grant) {
  const isoOrNull = (at: number | null) => (at === null ? null : iso(at))
  return { ...rest, createdAt: iso(createdAt), expiresAt: isoOrNull(expiresAt), revokedAt: isoOrNull(revokedAt) }
}
