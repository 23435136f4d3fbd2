// `steward turn ID`: what a turn did, step by step, with cost and cause; `steward sessions turns ID`: the turns of a session.
import { systemClock } from '../base/clock.ts'
import { events, type WireEvent } from '../protocol/api.ts'
import { type TurnCost, type TurnStep, type TurnView, turnView } from '../protocol/api-turns.ts'
import { routedLine } from '../protocol/routed.ts'
import { findHub } from './hub.ts'
import { type Call, exitCodes, oneLine, type Result, table, WrongUsage } from './output.ts'
import { everyRow } from './paging.ts'
import { both, lasted, relative } from './when.ts'

export type TurnOptions = { readonly full?: boolean }

/** Ends with 4 while it waits for a person. */
export async function showTurn(call: Call, id: string, { full }: TurnOptions): Promise<Result> {
  if (!/^trn_\w+$/.test(id))
    throw new WrongUsage(`"${oneLine(id, 40)}" is no turn; allowed is an id like trn_01J... (steward sessions turns SESSION lists them).`)
  const hub = await findHub(call)
  const turn = await hub.call('GET', `/api/turns/${encodeURIComponent(id)}`, turnView)
  const isWaiting = turn.status === 'waiting'
  return {
    value: turn,
    text: turnText(turn, { now: systemClock.now(), full: full === true }),
    code: isWaiting ? exitCodes.waiting : exitCodes.done,
  }
}

export async function listTurns(call: Call, session: string): Promise<Result> {
  const hub = await findHub(call)
  const all = await everyRow(hub, `/api/sessions/${encodeURIComponent(session)}/events`, events)
  const rows = turnsIn(all)
  const now = systemClock.now()
  const cells = rows.map((one) => [
    one.id,
    one.status,
    relative(one.startedAt, now),
    one.endedAt === null ? '' : lasted(Date.parse(one.endedAt) - Date.parse(one.startedAt)),
    one.process,
  ])
  const text = table(['id', 'status', 'began', 'took', 'process'], cells, 'No turn ran in that session.')
  return { value: rows, text: rows.length === 0 ? text : `${text}\n\nLook at one with: steward turn ID` }
}

type Row = {
  readonly id: string
  readonly process: string
  readonly status: string
  readonly startedAt: string
  readonly endedAt: string | null
}

/** What is asked and not answered makes a turn wait. */
function turnsIn(all: readonly WireEvent[]): readonly Row[] {
  const rows = new Map<string, Row>()
  const asks = new Map<string, string>()
  for (const { type, data, at, process } of all) {
    const id = String(data['turn'])
    const known = rows.get(id)
    if (type === 'turn-started') rows.set(id, { id, process: process ?? '', status: 'running', startedAt: at, endedAt: null })
    if (known && type === 'turn-settled') rows.set(id, { ...known, status: String(data['outcome']), endedAt: at })
    if (type === 'approval-requested' || type === 'question-asked') asks.set(String(data['ask']), id)
    if (type === 'approval-decided' || type === 'question-answered') asks.delete(askIn(data['answer']))
  }
  const waiting = new Set(asks.values())
  return [...rows.values()].map((row) => (row.endedAt === null && waiting.has(row.id) ? { ...row, status: 'waiting' } : row))
}

function askIn(answer: unknown): string {
  return typeof answer === 'object' && answer !== null && 'ask' in answer ? String(answer.ask) : ''
}

type Look = { readonly now: number; readonly full: boolean }

export function turnText(turn: TurnView, { now, full }: Look): string {
  const took = turn.endedAt === null ? '' : `, took ${lasted(Date.parse(turn.endedAt) - Date.parse(turn.startedAt))}`
  const head = `${turn.id}  ${turn.status}, began ${both(turn.startedAt, now)}${took}`
  const cells = turn.steps.map((step) => [stateMarks[step.state], whatOf(step), timeOf(step), costOf(step), resultOf(step)])
  return [
    head,
    `session ${turn.session}, process ${turn.process}`,
    ...causeLines(turn),
    ...turn.routes.map(({ agent, as, route }) => `route: ${routedLine({ ...route, agent, as })}${reasonOf(route.reasons)}`),
    '',
    table(['', 'step', 'took', 'cost', 'result'], cells, 'It has no steps.'),
    '',
    costLine(turn),
    ...(turn.taint === 'none' ? [] : [`It has read what others wrote (${turn.taint}).`]),
    ...turn.approvals.map(approvalLine),
    ...turn.unknown.map((name) => `! It is not known whether this happened: ${name}`),
    ...(turn.error === undefined ? [] : [`! ${turn.error}`]),
    ...(full ? turn.steps.flatMap(inFull) : []),
  ].join('\n')
}

const stateMarks: Readonly<Record<TurnStep['state'], string>> = { started: '…', done: '✓', failed: '✗', assumed: '?', abandoned: '-' }

/** The nearest first. */
function causeLines({ cause }: TurnView): readonly string[] {
  return cause.chain.map(({ actor, turn, session, message }, at) => {
    const where = [turn, message].filter((part) => part !== undefined).join(', ')
    return `${at === 0 ? 'because of' : '        of'} ${actor}${where === '' ? '' : ` (${where}${session === undefined ? '' : ` in ${session}`})`}`
  })
}

function reasonOf([first]: readonly string[]): string {
  return first === undefined ? '' : ` ${oneLine(first, 160)}`
}

function whatOf({ name, kind, tool, model }: TurnStep): string {
  if (model) return `${model.model}${model.finish === undefined ? '' : ` (${model.finish})`}`
  if (!tool) return kind === '' ? name : `${name} (${kind})`
  const first = Object.values(tool.input ?? {}).find((value) => typeof value === 'string' && value !== '')
  return `${tool.name}${first === undefined ? '' : ` ${oneLine(String(first), 60)}`}`
}

function timeOf({ startedAt, endedAt }: TurnStep): string {
  return endedAt === null ? '' : lasted(Date.parse(endedAt) - Date.parse(startedAt))
}

function costOf({ model }: TurnStep): string {
  if (!model) return ''
  const tokens = model.input === null && model.output === null ? '' : ` (${model.input ?? '?'} in, ${model.output ?? '?'} out)`
  return `${model.cost === null ? 'no price' : money(model.cost)}${tokens}`
}

function resultOf({ tool, error, approval }: TurnStep): string {
  const asked = approval === undefined ? '' : `asked as ${approval}; `
  if (error !== undefined) return asked + oneLine(error, 80)
  if (!tool?.result) return asked
  const { ok, code, text } = tool.result
  return `${asked}${ok ? '' : `${code ?? 'refused'}: `}${oneLine(text, 70)}`
}

/** What the turn cost, and what all that came of the same request did when that is more. */
export function costLine({ cost, run }: Pick<TurnView, 'cost' | 'run'>): string {
  const all = run.calls > cost.calls ? `\nAll that came of the same request, other agents included: ${spentText(run)}` : ''
  return `Cost: ${spentText(cost)}${all}`
}

function spentText({ micros, currency, calls, unpriced }: TurnCost): string {
  const without = unpriced === 0 ? '' : `, ${unpriced} of them without a price`
  return `${money(micros)} ${currency} for ${calls} ${calls === 1 ? 'call' : 'calls'} of models${without}`
}

/** Millionths as an amount with as many digits as are needed, at least two. */
export function money(micros: number): string {
  return (micros / 1_000_000).toFixed(6).replace(/(\.\d\d\d*?)0+$/, '$1')
}

function approvalLine({ id, status, scope, by, text }: TurnView['approvals'][number]): string {
  const who = by === undefined ? '' : ` by ${by.replace(/^user:/, '')}`
  const what = `${oneLine(text, 100)}`
  if (status === 'requested') return `It waits for you: ${what}\n  steward approvals allow ${id}`
  return `${status}${scope === undefined ? '' : ` (${scope})`}${who}: ${what} (${id})`
}

function inFull({ name, tool }: TurnStep): readonly string[] {
  if (!tool) return []
  const size = tool.result ? `, ${tool.result.size} characters` : ''
  return ['', `${name}  ${tool.name} ${JSON.stringify(tool.input)}${size}`, ...(tool.result ? [tool.result.text] : [])]
}
