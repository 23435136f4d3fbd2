// `steward approvals`: what waits for a yes, in full, and the yes or no to it.
import { systemClock } from '../base/clock.ts'
import { type Approval, approval, approvalStatuses, approvals } from '../protocol/api-approvals.ts'
import { approvalText } from './approval-text.ts'
import { chosen } from './chosen.ts'
import { findHub, type Hub } from './hub.ts'
import { type Call, hasColours, oneLine, type Result, table, WrongUsage } from './output.ts'
import { both, lengthOf, relative } from './when.ts'

export type ApprovalFilter = { readonly session?: string; readonly status?: string; readonly all?: boolean }
export type Decision = { readonly scope?: string; readonly narrow?: string; readonly for?: string; readonly reason?: string }

/** Without a filter: what waits. */
export async function listApprovals(call: Call, filter: ApprovalFilter): Promise<Result> {
  const status = filter.all ? undefined : statusIn(filter.status ?? 'requested')
  const hub = await findHub(call)
  const { items } = await hub.call('GET', '/api/approvals', approvals, { query: { status, session: filter.session } })
  const now = systemClock.now()
  const cells = items.map((one) => [one.id, one.risk, stateOf(one, now), `${one.capability} ${oneLine(one.target, 80)}`])
  const empty = status === 'requested' ? 'Nothing waits for your yes.' : 'No approvals.'
  const hint = items.some((one) => one.status === 'requested') ? '\n\nLook at one with: steward approvals show ID' : ''
  return { value: items, text: table(['id', 'risk', 'state', 'what'], cells, empty) + hint }
}

export async function showApproval(call: Call, id: string): Promise<Result> {
  const hub = await findHub(call)
  const one = await approvalNamed(hub, id)
  const now = systemClock.now()
  const text = (colours: boolean): string => [headOf(one, now), approvalText(one, { now, colours }), ...waysOf(one)].join('\n')
  return { value: one, text: text(false), ...(hasColours(process.stdout) ? { painted: text(true) } : {}) }
}

export async function allowApproval(call: Call, id: string, given: Decision): Promise<Result> {
  const hub = await findHub(call)
  const { id: exact, scopes } = await approvalNamed(hub, id)
  if (given.scope !== undefined && !scopes.some((one) => one === given.scope))
    throw new WrongUsage(`--scope is "${given.scope}"; this may be allowed for ${scopes.join(', ')}.`)
  const narrow = {
    ...(given.narrow === undefined ? {} : { resource: given.narrow }),
    ...(given.for === undefined ? {} : { expiresInMs: lengthOf('--for', given.for) }),
  }
  const body = {
    decision: 'allow',
    ...(given.scope === undefined ? {} : { scope: given.scope }),
    ...(Object.keys(narrow).length === 0 ? {} : { narrow }),
  }
  const decided = await hub.call('POST', pathOf(exact), approval, { body })
  return { value: decided, text: `Allowed${forHow(decided)}: ${what(decided)}` }
}

export async function denyApproval(call: Call, id: string, { reason }: Decision): Promise<Result> {
  const hub = await findHub(call)
  const { id: exact } = await approvalNamed(hub, id)
  const body = { decision: 'deny', ...(reason === undefined ? {} : { reason }) }
  const decided = await hub.call('POST', pathOf(exact), approval, { body })
  return { value: decided, text: `Denied: ${what(decided)}` }
}

/** By its id or a part of it: among those that wait, else among all. */
export async function approvalNamed(hub: Hub, part: string): Promise<Approval> {
  if (/^apr_[0-9A-HJKMNP-TV-Z]{26}$/.test(part)) return hub.call('GET', pathOf(part), approval)
  const { items } = await hub.call('GET', '/api/approvals', approvals)
  const open = items.filter((one) => one.status === 'requested')
  const isOpen = open.some((one) => one.id.toLowerCase().includes(part.toLowerCase()))
  return chosen(isOpen ? open : items, part, 'approval')
}

function statusIn(text: string): string {
  if (approvalStatuses.some((one) => one === text)) return text
  throw new WrongUsage(`--status is "${text}"; allowed are ${approvalStatuses.join(', ')}.`)
}

function stateOf(one: Approval, now: number): string {
  return one.status === 'requested' ? `until ${relative(one.expiresAt, now)}` : `${one.status}${forHow(one)}`
}

function headOf(one: Approval, now: number): string {
  const by = one.decidedBy === undefined ? '' : ` by ${one.decidedBy.replace(/^user:/, '')}`
  const asked = `asked ${both(one.requestedAt, now)}`
  return `${one.id}  ${one.status === 'requested' ? 'waits for you' : one.status + forHow(one) + by}, ${asked}, in session ${one.session}`
}

function waysOf({ id, status }: Approval): readonly string[] {
  return status === 'requested' ? ['', `steward approvals allow ${id}`, `steward approvals deny ${id} --reason TEXT`] : []
}

function forHow({ scope, status }: Approval): string {
  return scope === undefined || status !== 'approved' ? '' : ` (${scope})`
}

function what({ capability, target }: Approval): string {
  return `${capability} ${oneLine(target, 200)}`
}

function pathOf(id: string): string {
  return `/api/approvals/${encodeURIComponent(id)}`
}
