// What a person reads of a chain: a short line when a step begins and ends, and at the end what each step gave, where it lies, and
// what it cost. Pure.
import { added, costText, noCost } from './ledger.ts'
import type { Told } from './scene.ts'

export function beginning(at: number, of: number, title: string): string {
  return of === 1 ? `${title} begins.` : `Step ${at + 1} of ${of}: ${title} begins.`
}

export function ending({ title, gist, path, ok }: Told): string {
  const where = path === null ? '' : `\n\nIt lies in \`${path}\`.`
  return ok ? `${title} is done: ${gist || 'nothing to tell in a line'}${where}` : `${title} did not get through: ${gist}`
}

export type Ending = {
  readonly told: readonly Told[]
  readonly of: number
  /** Why it stopped before its end; null: it did not. */
  readonly stopped: string | null
  /** What can be done now. */
  readonly next: readonly string[]
}

export function summary({ told, of, stopped, next }: Ending): string {
  // The last part of a step says how it ended.
  const done = [...new Map(told.map(({ step, ok }) => [step, ok])).values()].filter((ok) => ok).length
  const head = stopped === null ? `Done: ${of === 1 ? 'one step' : `all ${of} steps`}.` : `Stopped after ${done} of ${of} steps. ${stopped}`
  const whole = told.reduce((sum, { cost }) => added(sum, cost), noCost)
  return [
    head,
    ...(told.length > 0 ? [told.map(lineOf).join('\n')] : []),
    ...(next.length > 0 ? [`What can be done: ${next.join(' ')}`] : []),
    `Cost: ${costText(whole)}.`,
  ].join('\n\n')
}

function lineOf({ step, title, gist, path, cost, ok }: Told): string {
  const where = path === null ? '' : ` (\`${path}\`)`
  return `${step + 1}. **${title}**${ok ? '' : ' (not done)'}: ${gist || 'done'}${where}. ${costText(cost)}`
}
