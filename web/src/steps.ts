// What a turn did: a quiet line that opens to its steps, each with what it was given, what came of it, how long it took and its cost.

import type { TurnStep, TurnView } from '../../src/protocol/api-turns.ts'
import { el, keep, type Piece, say } from './dom.ts'
import { type IconName, icon } from './icons.ts'
import type { State } from './state.ts'
import { costWords, lasted, words } from './words.ts'

export type StepActs = { readonly readTurn: (turn: string) => void }

/** Made once and brought up to date, so that it stays open. Its steps are read when it is opened. */
export function turnPiece(turn: string, state: State, acts: StepActs): Piece {
  const known = state.turns.get(turn)
  const make = () => {
    const node = el('details', { class: 'steps over' }, el('summary', { 'data-focus': `turn ${turn}` }, words.stepsAndCost), el('ul', {}))
    node.addEventListener('toggle', () => node.open && acts.readTurn(turn))
    return node
  }
  const update = (node: HTMLElement) => {
    const [head, list] = [node.querySelector('summary'), node.querySelector('ul')]
    if (head && known !== undefined) say(head, typeof known === 'string' ? words.stepsAndCost : headOf(known))
    if (list) keep(list, typeof known === 'string' ? [row('why', 'unknown', known, '')] : rowsOf(known))
  }
  return { key: `turn ${turn}`, sign: '', make, update }
}

function headOf({ steps, cost, run, startedAt, endedAt }: TurnView): string {
  const took = endedAt === null ? '' : lasted(Date.parse(endedAt) - Date.parse(startedAt))
  const all = run.calls > cost.calls ? words.withWorkers(costWords(run)) : ''
  return [words.steps(steps.length), took, costWords(cost), all].filter((part) => part !== '').join(' · ')
}

function rowsOf(turn: TurnView | undefined): readonly Piece[] {
  if (turn === undefined) return [row('loading', 'waits', words.loading, '')]
  const why = turn.cause.chain.map((one) => one.actor.replace(/^[a-z]+:/, '')).join(', ')
  const cause = why === '' ? [] : [row('cause', 'home', words.because(why), '')]
  return [...cause, ...turn.steps.map((step) => row(step.name, pictures[step.state], whatOf(step), moreOf(step)))]
}

const pictures: Readonly<Record<TurnStep['state'], IconName>> = {
  started: 'working',
  done: 'done',
  failed: 'failed',
  assumed: 'unknown',
  abandoned: 'stop',
}

function row(key: string, picture: IconName, text: string, more: string): Piece {
  const make = () => el('li', {}, icon(picture), el('span', { dir: 'auto' }, text), el('span', { class: 'much', dir: 'auto' }, more))
  return { key, sign: JSON.stringify([picture, text, more]), make }
}

function whatOf({ name, tool, model }: TurnStep): string {
  if (model) return model.model
  if (!tool) return name
  const first = Object.values(tool.input ?? {}).find((value) => typeof value === 'string' && value !== '')
  return first === undefined ? tool.name : `${tool.name} ${String(first).slice(0, 200)}`
}

function moreOf({ startedAt, endedAt, model, tool, error }: TurnStep): string {
  const took = endedAt === null ? '' : lasted(Date.parse(endedAt) - Date.parse(startedAt))
  const cost = model ? costWords({ micros: model.cost ?? 0, currency: 'USD', unpriced: model.cost === null ? 1 : 0, calls: 1 }) : ''
  const result = error ?? (tool?.result && !tool.result.ok ? tool.result.text.slice(0, 200) : '')
  return [result, took, cost].filter((part) => part !== '').join(' · ')
}
