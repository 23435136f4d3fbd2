// The hub itself: alive, ready, what is wrong, how it is configured.
import * as api from '../../protocol/api.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Hub } from '../hub.ts'

export const hubCalls: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/health/live',
    summary: 'Whether the hub answers',
    access: 'anyone',
    answers: { 200: api.health },
    run: async () => ({ status: 200, body: { status: 'ok' } }),
  },
  {
    method: 'GET',
    path: '/health/ready',
    summary: 'Whether the hub can do its work; 503 when not',
    access: 'anyone',
    answers: { 200: api.health, 503: api.health },
    async run({ hub }) {
      const why = faults(hub)
      return why.length === 0 ? { status: 200, body: { status: 'ok' } } : { status: 503, body: { status: 'failing', why } }
    },
  },
  endpoint({
    method: 'GET',
    path: '/api/doctor',
    summary: 'What is wrong and how to mend it',
    access: 'read',
    answers: { 200: api.doctor },
    async run({ hub }) {
      const items = [...ownFindings(hub), ...(await hub.doctor())]
      const worst = (['fail', 'warn'] as const).find((status) => items.some((item) => item.status === status)) ?? 'ok'
      return { status: 200, body: { status: worst, items } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/config',
    summary: 'Effective settings and where they came from, secrets masked',
    access: 'read',
    answers: { 200: api.config },
    async run({ hub }) {
      return { status: 200, body: { items: await hub.config(), next: null } }
    },
  }),
]

function faults(hub: Hub): readonly string[] {
  const health = hub.journal.health()
  const stopped = health.projections.filter((projection) => projection.stopped !== null)
  return [
    ...(hub.closing() ? ['it is shutting down'] : []),
    ...(health.readOnly === null ? [] : [`nothing can be stored: ${health.readOnly}`]),
    ...stopped.map((projection) => `the table ${projection.name} stopped: ${projection.stopped}`),
  ]
}

function ownFindings(hub: Hub): readonly api.Finding[] {
  const health = hub.journal.health()
  return [
    health.readOnly === null
      ? { name: 'journal', status: 'ok', detail: `stores events, the newest is ${hub.journal.head()}` }
      : {
          name: 'journal',
          status: 'fail',
          detail: `stores nothing: ${health.readOnly}`,
          mend: 'make room on the disk or bring the database back; the hub goes on by itself',
        },
    ...health.projections.map((projection): api.Finding => {
      const name = `table ${projection.name}`
      if (projection.stopped === null) return { name, status: 'ok', detail: `is at ${projection.position}` }
      return {
        name,
        status: 'fail',
        detail: `stopped: ${projection.stopped}`,
        mend: 'update Steward and start it again; the lanes go on meanwhile',
      }
    }),
    hub.trustLoopback
      ? {
          name: 'trust loopback',
          status: 'warn',
          detail: 'every program on this machine acts as the owner',
          mend: 'unset STEWARD_TRUST_LOOPBACK',
        }
      : { name: 'trust loopback', status: 'ok', detail: 'off: every request needs a credential' },
  ]
}
