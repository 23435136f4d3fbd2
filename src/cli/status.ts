// `steward status`: what runs, and what waits behind what.

import { health, processView, sessions } from '../protocol/api.ts'
import { approvals } from '../protocol/api-approvals.ts'
import type { Session } from '../protocol/shapes.ts'
import { findHub, type Hub } from './hub.ts'
import { type Call, exitCodes, oneLine, type Result } from './output.ts'
import { everyRow } from './paging.ts'

type Busy = { readonly session: Session; readonly process: ReturnType<typeof processView.parse> }

export async function status(call: Call): Promise<Result> {
  const hub = await findHub(call)
  const ready = await readiness(hub)
  const all = await everyRow(hub, '/api/sessions', sessions)
  const { items: waiting } = await hub.call('GET', '/api/approvals', approvals, { query: { status: 'requested' } })
  const busy = await Promise.all(all.filter(isBusy).map((session) => look(hub, session)))
  const { address, pid, version } = hub.runtime
  const value = { address, pid, version, home: hub.home, ...ready, sessions: all.length, busy, approvals: waiting }
  const head = [`Steward ${version} at ${address} (process ${pid}), data in ${hub.home}`]
  const notice = ready.why.map((why) => `! ${why}`)
  const rest = busy.length === 0 ? ['Nothing runs and nothing waits.'] : busy.flatMap(describe)
  const asks = waiting.map((one) => `? ${one.capability} ${oneLine(one.target, 60)} needs your yes (steward approvals show ${one.id})`)
  return { value, text: [...head, ...notice, ...rest, ...asks].join('\n'), code: ready.status === 'ok' ? exitCodes.done : exitCodes.failed }
}

/** A hub that is not ready says why with a 503; that is an answer here. */
async function readiness(hub: Hub): Promise<{ readonly status: string; readonly why: readonly string[] }> {
  const { status, why } = await hub.call('GET', '/health/ready', health, { accept: 503 })
  return { status, why: why ?? [] }
}

function isBusy(one: Session): boolean {
  return one.openQuestions.length > 0 || !['IDLE', 'CLOSED', 'SUSPENDED', 'INIT'].includes(one.processStatus)
}

async function look(hub: Hub, session: Session): Promise<Busy> {
  return { session, process: await hub.call('GET', `/api/processes/${session.process}`, processView) }
}

function describe({ session, process }: Busy): string[] {
  const asks = session.openQuestions.map((one) => `  asks you: ${oneLine(one.text)} (steward sessions answer ${one.id} TEXT)`)
  const turn = process.turn ? [`  turn ${process.turn.id} (${process.turn.engine})${stepsOf(process.turn.steps)}`] : []
  const queue = process.queue.map((one) => `  ${one.kind} ${one.message ?? one.entry} waits behind ${one.behind}`)
  return [
    `${session.id}  ${process.agent} in ${session.project}, ${process.status.toLowerCase()}: ${oneLine(session.title, 60)}`,
    ...turn,
    ...asks,
    ...queue,
  ]
}

function stepsOf(steps: unknown): string {
  if (!Array.isArray(steps)) return ''
  const running = steps.flatMap((step: unknown) => (isStep(step) && step.state === 'started' ? [step.name] : []))
  return running.length === 0 ? '' : `: ${running.join(', ')}`
}

function isStep(value: unknown): value is { readonly name: string; readonly state: string } {
  return typeof value === 'object' && value !== null && 'name' in value && 'state' in value
}
