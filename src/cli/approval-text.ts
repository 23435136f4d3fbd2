// How something that waits for a yes is shown in a terminal: what, why, what comes of it, the exact preview, until when. Pure.
import { styleText } from 'node:util'
import type { ApprovalBrief } from '../protocol/shapes.ts'
import { visible } from '../protocol/visible.ts'
import { both } from './when.ts'

export type Look = {
  readonly now: number
  /** The place shows colours. */
  readonly colours: boolean
  /** Most lines of the preview; what is left out is told. */
  readonly lines?: number | undefined
}

/** Whole lines; what can't be seen in the words of others is written out. */
export function approvalText(asked: Omit<ApprovalBrief, 'text'> & { readonly text?: string }, look: Look): string {
  const { risk, capability, target, why, consequences, alternatives, scopes } = asked
  const rows: readonly (readonly [string, string])[] = [
    ['what', `${capability} ${target} (${risk}, by ${asked.tool})`],
    ['why', why],
    ['effect', consequences],
    ['instead', (alternatives ?? []).join('; ')],
    ['scopes', scopes.map((one, at) => (at === 0 ? `${one} (unless you say otherwise)` : one)).join(', ')],
    ['until', `${both(asked.expiresAt, look.now)}; no answer means no`],
  ]
  const told = rows.filter(([, text]) => text.trim() !== '').map(([label, text]) => `  ${label.padEnd(8)}${indented(text)}`)
  return [...told, ...previewLines(asked, look)].join('\n')
}

function indented(text: string): string {
  return visible(text).split('\n').join('\n          ')
}

function previewLines(asked: { readonly id: string; readonly preview?: string | undefined }, look: Look): readonly string[] {
  const { preview = '' } = asked
  if (preview.trim() === '') return []
  const all = visible(preview).replace(/\n$/, '').split('\n')
  const lines = all.slice(0, look.lines ?? all.length)
  const isDiff = look.colours && all.some((line) => line.startsWith('@@ '))
  const rest = all.length - lines.length
  const more = rest === 0 ? [] : [`  ... ${rest} more lines; see all with: steward approvals show ${asked.id}`]
  return [...lines.map((line) => `  | ${isDiff ? coloured(line) : line}`), ...more]
}

/** Head lines of a diff stay as they are. */
function coloured(line: string): string {
  if (/^(---|\+\+\+) /.test(line)) return line
  const colour = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : line.startsWith('@@') ? 'cyan' : null
  return colour === null ? line : styleText(colour, line, { validateStream: false })
}
