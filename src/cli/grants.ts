// `steward grants`: permissions that last: list, give in advance, take back.
import { systemClock } from '../base/clock.ts'
import { grant, grants } from '../protocol/api-approvals.ts'
import { chosen } from './chosen.ts'
import { findHub, nothing } from './hub.ts'
import { type Call, oneLine, type Result, table, WrongUsage } from './output.ts'
import { exactly, lengthOf, relative } from './when.ts'

type Grant = ReturnType<typeof grant.parse>
export type NewGrant = {
  readonly agent?: string
  readonly resource?: string
  readonly project?: string
  readonly always?: boolean
  readonly maxRisk?: string
  readonly for?: string
}

const risks = ['R0', 'R1', 'R2', 'R3', 'R4', 'R5']

export async function listGrants(call: Call, { all }: { readonly all?: boolean }): Promise<Result> {
  const hub = await findHub(call)
  const { items } = await hub.call('GET', '/api/grants', grants, { query: { ended: all } })
  const now = systemClock.now()
  const cells = items.map((one) => [
    one.id,
    whose(one),
    one.capability,
    where(one),
    `up to ${one.maxRisk}`,
    stateOf(one, now),
    one.resource,
  ])
  const empty = 'No grants. They come of an approval with a longer scope, or with: steward grants add CAPABILITY --project NAME'
  return { value: items, text: table(['id', 'agent', 'may', 'where', 'risk', 'state', 'for'], cells, empty) }
}

/** Where it holds must be said: nothing lasts everywhere by leaving something out. */
export async function addGrant(call: Call, capability: string, given: NewGrant): Promise<Result> {
  const { agent, resource, project, always, maxRisk } = given
  if ((project === undefined) === (always !== true))
    throw new WrongUsage('Say where it holds: --project NAME for one project, or --always for all of them.')
  if (maxRisk !== undefined && !risks.includes(maxRisk))
    throw new WrongUsage(`--max-risk is "${maxRisk}"; allowed are ${risks.join(', ')}.`)
  const length = given.for === undefined ? {} : { expiresInMs: lengthOf('--for', given.for) }
  const hub = await findHub(call)
  const body = {
    ...{ capability, scope: always ? 'always' : 'project', ...length },
    ...Object.fromEntries(Object.entries({ subject: agent, resource, project, maxRisk }).filter(([, value]) => value !== undefined)),
  }
  const made = await hub.call('POST', '/api/grants', grant, { body })
  return {
    value: made,
    text: `${made.id}: ${whose(made)} may ${made.capability} ${oneLine(made.resource, 100)} ${where(made)}, up to ${made.maxRisk}.`,
  }
}

export async function revokeGrant(call: Call, id: string): Promise<Result> {
  const hub = await findHub(call)
  const { items } = await hub.call('GET', '/api/grants', grants)
  const found = chosen(items, id, 'grant that holds')
  await hub.call('DELETE', `/api/grants/${encodeURIComponent(found.id)}`, nothing)
  return { value: { id: found.id, revoked: true }, text: `${found.id} is revoked; what runs meets that at its next call.` }
}

function whose({ subject }: Grant): string {
  return subject === '*' ? 'every agent' : subject
}

function where({ scope, within }: Grant): string {
  return within === null ? scope : `${scope} ${within}`
}

function stateOf({ expiresAt, revokedAt }: Grant, now: number): string {
  if (revokedAt !== null) return `revoked ${exactly(revokedAt)}`
  if (expiresAt === null) return 'no end'
  return `${Date.parse(expiresAt) > now ? 'until' : 'ended'} ${relative(expiresAt, now)}`
}
