// A figure: one measured number beside its floor, what must hold, and what was accepted last.

export type Hold = { readonly most: number } | { readonly least: number }

export type Figure = {
  /** Stands in bench/accepted.json too: change it, and its history is lost. */
  readonly name: string
  readonly unit: 'µs' | 'ms' | '/s' | 'MB' | 'bytes' | '' | '%'
  readonly ours: number
  /** The same work with nothing of ours in between; null: there is none. */
  readonly floor: number | null
  readonly hold: Hold | null
  /** A few words behind the line. */
  readonly note?: string
}

export type Accepted = { readonly at: string; readonly machine: string; readonly figures: Readonly<Record<string, number>> }

/** Worse than accepted by more than this share is called a loss: runs differ by about half of it. */
const lossShare = 0.25

export function isHeld({ ours, hold }: Figure): boolean {
  if (hold === null) return true
  return 'most' in hold ? ours <= hold.most : ours >= hold.least
}

export function isLost(figure: Figure, before: number | undefined): boolean {
  if (before === undefined || before === 0) return false
  const change = figure.ours / before - 1
  return isRate(figure) ? change < -lossShare : change > lossShare
}

/** More is better. */
function isRate({ unit, hold }: Figure): boolean {
  return hold === null ? unit === '/s' : 'least' in hold
}

export const head = row(['what', 'ours', 'floor', 'ratio', 'hold', '', 'accepted'])

/** One line of the table. */
export function lineOf(figure: Figure, before: number | undefined): string {
  const { name, unit, ours, floor, hold, note } = figure
  const ratio = floor === null || floor === 0 ? '' : `${(ours / floor).toFixed(2)}x`
  const held = hold === null ? '' : isHeld(figure) ? 'ok' : 'MISSED'
  const then = before === undefined ? '-' : `${shown(before)}${isLost(figure, before) ? ' LOST' : ''}`
  const cells = [name, `${shown(ours)} ${unit}`.trim(), floor === null ? '' : shown(floor), ratio, holdText(hold), held, then]
  return `${row(cells)}${note === undefined ? '' : `  ${note}`}`
}

function row([name = '', ...rest]: readonly string[]): string {
  const widths = [12, 9, 8, 10, 6, 15]
  return `${name.padEnd(44)}${rest.map((cell, i) => cell.padStart(widths[i] ?? 0)).join('')}`
}

function holdText(hold: Hold | null): string {
  if (hold === null) return ''
  return 'most' in hold ? `<= ${shown(hold.most)}` : `>= ${shown(hold.least)}`
}

function shown(value: number): string {
  if (!Number.isFinite(value)) return '?'
  if (value !== 0 && Math.abs(value) < 10) return value.toFixed(2)
  return Math.abs(value) < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en')
}
