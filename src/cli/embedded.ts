// A section that this program keeps in somebody else's file, between two markers; everything else in the file stays byte for byte.
import { Conflict } from '../base/errors.ts'

export const beginMarker = '<!-- steward:cortex begin -->'
export const endMarker = '<!-- steward:cortex end -->'
const anyMarker = /<!--[ \t]*steward:cortex[ \t]+(begin|end)[ \t]*-->/gi

/** The text of a file with that section, whose lines end as the file's own do. null: the file is not there. Throws Conflict. */
export function withSection(content: string | null, section: string): string {
  const place = placeOf(content ?? '')
  const around = place === null ? (content ?? '') : `${place.before}${place.after}`
  const eol = endingOf(around)
  const block = [beginMarker, ...section.split('\n'), endMarker].join(eol)
  if (place !== null) return `${place.before}${block}${place.after}`
  const bare = around.startsWith(bom) ? around.slice(1) : around
  if (bare === '') return `${around}${block}${eol}`
  return bare.endsWith('\n') ? `${around}${eol}${block}${eol}` : `${around}${eol}${eol}${block}`
}

/** Without it, and without the empty line that was put before it. Throws Conflict. */
export function withoutSection(content: string): string {
  const place = placeOf(content)
  if (place === null) return content
  const { before, after } = place
  const rest = withoutFirstEnding(after)
  if (before === '' || before === bom) return `${before}${rest}`
  if (after === '') return withoutLastEnding(withoutLastEnding(before))
  const isSetOff = /\n\r?\n$/.test(before) && (rest === '' || /^\r?\n/.test(rest))
  return `${isSetOff ? withoutLastEnding(before) : before}${rest}`
}

/** The lines between the markers, with LF; null: there are no markers. Throws Conflict. */
export function sectionIn(content: string): string | null {
  const place = placeOf(content)
  return place === null ? null : place.section.replaceAll('\r\n', '\n')
}

const bom = '\ufeff'

type Place = { readonly before: string; readonly section: string; readonly after: string }

/** Throws where it is not plain which lines are ours. */
function placeOf(content: string): Place | null {
  const found = [...content.matchAll(anyMarker)].map((match) => ({
    isBegin: match[1]?.toLowerCase() === 'begin',
    from: match.index,
    to: match.index + match[0].length,
    line: lineAt(content, match.index),
  }))
  const [begin, end] = found
  if (begin === undefined) return null
  const where = found.map(({ isBegin, line }) => `${isBegin ? 'begin' : 'end'} in line ${line}`).join(', ')
  if (end === undefined || found.length > 2 || !begin.isBegin || end.isBegin) {
    throw new Conflict(
      `its markers are not one begin and one end after it: ${where.slice(0, 300)}. Mend or remove them; allowed is none, or one pair`,
    )
  }
  for (const one of [begin, end]) {
    if (!isAlone(content, one))
      throw new Conflict(`the marker in line ${one.line} does not stand alone in its line; nothing else may stand beside it`)
  }
  return { before: content.slice(0, begin.from), section: inner(content.slice(begin.to, end.from)), after: content.slice(end.to) }
}

function isAlone(content: string, { from, to }: { readonly from: number; readonly to: number }): boolean {
  const isStart = from === 0 || content.charAt(from - 1) === '\n' || (from === 1 && content.startsWith(bom))
  return isStart && (to === content.length || content.charAt(to) === '\n' || content.startsWith('\r\n', to))
}

function inner(between: string): string {
  return withoutLastEnding(withoutFirstEnding(between))
}

function lineAt(content: string, index: number): number {
  let line = 1
  for (let at = content.indexOf('\n'); at >= 0 && at < index; at = content.indexOf('\n', at + 1)) line += 1
  return line
}

/** The ending that most lines have. */
function endingOf(content: string): '\n' | '\r\n' {
  const all = content.split('\n').length - 1
  const crlf = content.split('\r\n').length - 1
  return crlf > 0 && crlf * 2 >= all ? '\r\n' : '\n'
}

function withoutFirstEnding(text: string): string {
  return text.replace(/^\r?\n/, '')
}

function withoutLastEnding(text: string): string {
  if (!text.endsWith('\n')) return text
  return text.endsWith('\r\n') ? text.slice(0, -2) : text.slice(0, -1)
}
