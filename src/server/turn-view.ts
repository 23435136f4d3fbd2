// The fold of a turn's events to what is shown of it: steps with the calls that they were, approvals, cost. Pure.
import { iso } from '../base/clock.ts'
import { isJsonObject, isObject, type Json } from '../base/json.ts'
import type { SpentSum } from '../policy/budget.ts'
import { routeView } from '../protocol/api-routing.ts'
import type { CausedBy, ModelCall, TurnApproval, TurnRoute, TurnStep, TurnToolCall, TurnView } from '../protocol/api-turns.ts'
import { readApproval } from '../protocol/asked-approval.ts'
import type { Event } from '../protocol/event.ts'
import { readRouted } from '../protocol/routed.ts'

const shownResult = 2_000
const taints = ['none', 'content', 'foreign']

export type TurnFacts = {
  /** Recorded values that are kept apart, by their reference. */
  readonly bodies: ReadonlyMap<string, string>
  readonly detail: boolean
  readonly currency: string
  /** Of all that came of the same request. */
  readonly run: SpentSum
  readonly causes: readonly CausedBy[]
}

/** The recorded values of steps that are kept apart from their events. */
export async function largeValues(
  events: readonly Event[],
  read: (hash: string) => Promise<string | null>,
): Promise<ReadonlyMap<string, string>> {
  const refs = events.flatMap(({ type, data }) => (type === 'step-done' && typeof data['ref'] === 'string' ? [data['ref']] : []))
  const found = new Map<string, string>()
  for (const ref of refs) found.set(ref, (await read(ref)) ?? 'null')
  return found
}

/** `events`: those of the turn in their order, its start first. */
export function viewOf(id: string, events: readonly Event[], facts: TurnFacts): TurnView {
  const [start] = events
  if (!start) throw new Error(`turn ${id} has no start`)
  const settled = events.find((event) => event.type === 'turn-settled')
  const isParked = events.findLast((event) => event.type.startsWith('turn-'))?.type === 'turn-parked'
  const error = settled?.data['error']
  return {
    id,
    process: start.lane,
    session: start.session ?? '',
    status: outcomeOf(settled?.data['outcome']) ?? (isParked ? 'waiting' : 'running'),
    startedAt: iso(start.at),
    endedAt: settled ? iso(settled.at) : null,
    reply: typeof settled?.data['reply'] === 'string' ? settled.data['reply'] : null,
    ...(typeof error === 'string' ? { error } : {}),
    unknown: Array.isArray(settled?.data['unknown']) ? settled.data['unknown'].map(String) : [],
    steps: stepsOf(events, facts),
    approvals: approvalsOf(events, settled !== undefined),
    routes: routesOf(events),
    taint:
      taints[Math.max(0, ...events.map(({ type, data }) => (type === 'taint-raised' ? taints.indexOf(String(data['taint'])) : 0)))] ??
      'none',
    cost: costOf(events, facts.currency),
    run: { micros: facts.run.cost, currency: facts.currency, calls: facts.run.calls, unpriced: facts.run.unpriced },
    cause: { ...chainOf(start), chain: [...facts.causes] },
  }
}

function stepsOf(events: readonly Event[], facts: TurnFacts): TurnStep[] {
  const values = new Map<string, Json>()
  const steps = new Map<string, TurnStep>()
  for (const event of events) {
    const { type, data } = event
    const name = String(data['name'])
    if (type === 'step-started') steps.set(name, startedStep(name, event))
    const step = steps.get(name)
    if (type === 'step-done') values.set(name, recordedIn(data, facts.bodies))
    if (step && (type === 'step-done' || type === 'step-failed')) steps.set(name, endedStep(step, event))
  }
  const extras = { ...facts, values, notes: notesOf(events), asked: askedOf(events) }
  return [...steps.values()].map((step) => ({ ...step, ...extrasOf(step.name, extras) }))
}

function startedStep(name: string, { data, at }: Event): TurnStep {
  return { name, kind: String(data['kind']), state: 'started', attempt: Number(data['attempt']), startedAt: iso(at), endedAt: null }
}

function endedStep(step: TurnStep, { type, data, at }: Event): TurnStep {
  if (type === 'step-failed') return { ...step, state: 'failed', endedAt: iso(at), error: String(data['message']) }
  return { ...step, state: stateOf(data['outcome']) ?? 'done', endedAt: iso(at) }
}

type Extras = TurnFacts & {
  readonly values: ReadonlyMap<string, Json>
  /** What a call of a model cost, and what it was given, by its step. */
  readonly notes: { readonly spent: ReadonlyMap<string, Event['data']>; readonly manifests: ReadonlyMap<string, Event['data']> }
  readonly asked: ReadonlyMap<string, string>
}

function extrasOf(name: string, extras: Extras): Pick<TurnStep, 'model' | 'tool' | 'approval'> {
  const model = modelOf(name, extras)
  const tool = toolOf(name, extras.values)
  const approval = extras.asked.get(name)
  return { ...(model && { model }), ...(tool && { tool }), ...(approval === undefined ? {} : { approval }) }
}

/** What the call was given, in the record of its step. */
function givenBy(value: Json | undefined): Event['data'] {
  const given = isJsonObject(value) ? value['given'] : undefined
  return given === undefined ? {} : { given }
}

function modelOf(step: string, { notes, detail, values }: Extras): ModelCall | null {
  const [spent, manifest] = [notes.spent.get(step), notes.manifests.get(step)]
  const known = spent ?? manifest
  if (known === undefined) return null
  const tokens = (field: string) => numberOr(spent?.[field], null)
  const finish = manifest?.['finish']
  return {
    model: String(known['model']),
    ...(typeof finish === 'string' ? { finish } : {}),
    ...{ input: tokens('input'), output: tokens('output'), cached: tokens('cached') },
    cost: numberOr(spent?.['cost'], null),
    lost: numberOr(spent?.['lost'], 0),
    ...(detail && manifest ? { manifest: { ...givenBy(values.get(step)), ...manifest } } : {}),
  }
}

/** `tool-<round>.<number>-<name>`, as engines name the step of a call; `-asked` once more when a rule asked about it. */
const toolStep = /^tool-(\d+)\.\d+-([a-z0-9_]+?)(?:-asked)*$/

function toolOf(step: string, values: Extras['values']): TurnToolCall | null {
  const [, round, name] = toolStep.exec(step) ?? []
  if (round === undefined || name === undefined) return null
  return { name, input: inputOf(step, { round, name, values }), result: resultOf(values.get(step)) }
}

/** What the model called it with: of the calls of that tool in that round, the one that stands where the step does. */
function inputOf(
  step: string,
  { round, name, values }: { readonly round: string; readonly name: string; readonly values: Extras['values'] },
): TurnToolCall['input'] {
  const calls = [...values].flatMap(([key, value]) => (isRound(key, round) && isObject(value) ? listOf(value['toolCalls']) : []))
  const ofName = calls.filter((call) => call['name'] === name)
  const number = Number(/^tool-\d+\.(\d+)-/.exec(step)?.[1])
  const exact = calls[number - 1]
  const found = exact?.['name'] === name ? exact : ofName[0]
  return isObject(found?.['input']) ? found['input'] : null
}

function isRound(step: string, round: string): boolean {
  return step === `model-${round}` || step.startsWith(`model-${round}-raised-`)
}

function resultOf(value: unknown): TurnToolCall['result'] {
  if (!isObject(value) || typeof value['text'] !== 'string') return null
  const { text, code, size } = value
  const length = numberOr(size, text.length)
  return { ok: value['ok'] === true, ...(typeof code === 'string' ? { code } : {}), text: text.slice(0, shownResult), size: length }
}

function notesOf(events: readonly Event[]): Extras['notes'] {
  const of = (type: string) => new Map(events.flatMap((event) => (event.type === type ? [[String(event.data['step']), event.data]] : [])))
  return { spent: of('model-spent'), manifests: of('manifest') }
}

/** Approvals by the step that they are for: `approve-<step>`. */
function askedOf(events: readonly Event[]): ReadonlyMap<string, string> {
  const asked = events.filter((event) => event.type === 'approval-requested')
  return new Map(asked.map(({ data }) => [String(data['name']).replace(/^approve-/, ''), String(data['approval'])]))
}

function approvalsOf(events: readonly Event[], isOver: boolean): TurnApproval[] {
  const decided = new Map(
    events.flatMap(({ type, data }) => (type === 'approval-decided' ? [[String(data['approval']), data['answer']]] : [])),
  )
  return events.flatMap(({ type, data }) => {
    const asked = type === 'approval-requested' ? readApproval(data) : null
    if (asked === null) return []
    const { id, text, risk, target } = asked
    return [{ id, text, risk, target, ...becameOf(decided.get(id), isOver) }]
  })
}

function routesOf(events: readonly Event[]): TurnRoute[] {
  return events.flatMap(({ type, data }): TurnRoute[] => {
    if (type !== 'route-decided') return []
    const [short, route] = [readRouted(data), routeView.safeParse(data['route']).data]
    return short && route ? [{ message: short.message, agent: short.agent, as: short.as, route }] : []
  })
}

function becameOf(answer: unknown, isOver: boolean): Pick<TurnApproval, 'status' | 'scope' | 'by'> {
  if (!isObject(answer)) return { status: isOver ? 'revoked' : 'requested' }
  if (answer['outcome'] !== 'answered') return { status: answer['outcome'] === 'revoked' ? 'revoked' : 'expired' }
  const value = isObject(answer['value']) ? answer['value'] : {}
  const isAllowed = value['decision'] === 'allow'
  const scope = isAllowed && typeof value['scope'] === 'string' ? { scope: value['scope'] } : {}
  return { status: isAllowed ? 'approved' : 'rejected', ...scope, by: String(answer['by']) }
}

function costOf(events: readonly Event[], currency: string): TurnView['cost'] {
  const spent = events.filter((event) => event.type === 'model-spent').map(({ data }) => data)
  const micros = spent.reduce((sum, data) => sum + numberOr(data['cost'], 0) + numberOr(data['lost'], 0), 0)
  return { micros, currency, calls: spent.length, unpriced: spent.filter((data) => typeof data['cost'] !== 'number').length }
}

/** Of a turn's start. */
export function chainOf({ data }: Event): { readonly root: string; readonly depth: number; readonly hops: number } {
  const chain = isObject(data['chain']) ? data['chain'] : {}
  return { root: String(chain['root']), depth: numberOr(chain['depth'], 0), hops: numberOr(chain['hops'], 0) }
}

function recordedIn(data: Event['data'], bodies: TurnFacts['bodies']): Json {
  const ref = data['ref']
  return typeof ref === 'string' ? JSON.parse(bodies.get(ref) ?? 'null') : (data['value'] ?? null)
}

function listOf(value: unknown): readonly { readonly [key: string]: unknown }[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function numberOr<T>(value: unknown, other: T): number | T {
  return typeof value === 'number' ? value : other
}

const outcomes = ['done', 'failed', 'stopped'] as const
const outcomeOf = (value: unknown) => outcomes.find((one) => one === value)
const states = ['done', 'assumed', 'abandoned'] as const
const stateOf = (value: unknown) => states.find((one) => one === value)
