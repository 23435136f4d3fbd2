// What came in, as lines for the model. What another process wrote stands between marks and is escaped: it can't end them, nor
// look like the hub or the person (E9).
import { textOfEntry } from '../../context/lines.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { OwnLine } from './ask.ts'

/** `tokens`: how the model names a report in this turn (ev1, ev2), by the entry's id. */
export function linesFrom(entries: readonly Entry[], tokens: ReadonlyMap<string, string> = new Map()): readonly OwnLine[] {
  return entries.flatMap((entry): OwnLine[] => {
    const text = textOf(entry, tokens.get(entry.id))
    if (text === null) return []
    // A note is given in other words than it is recorded in, so that it can't be named by its entry.
    return [{ role: 'user', text, ...(entry.body.kind === 'note' ? {} : { from: { entry: entry.id } }) }]
  })
}

/** Nothing in it can be read as a mark. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function textOf(entry: Entry, token: string | undefined): string | null {
  return entry.body.kind === 'note' ? noteText(entry.body, entry.from, token) : textOfEntry(entry)
}

function noteText(body: Extract<Entry['body'], { kind: 'note' }>, from: string, token: string | undefined): string {
  const { data, topic } = body
  if (topic !== 'worker-report')
    return `<note topic="${attribute(topic)}" from="${attribute(from)}">\n${escaped(JSON.stringify(data))}\n</note>`
  const worker = isRecord(data['worker']) ? data['worker'] : {}
  const marks = [
    ...(token === undefined ? [] : [`id="${token}"`]),
    `type="${attribute(data['type'])}"`,
    `agent="${attribute(worker['agent'])}"`,
    `project="${attribute(worker['project'])}"`,
    `title="${attribute(worker['title'])}"`,
  ]
  return `<worker-report ${marks.join(' ')}>\n${escaped(String(data['text'] ?? ''))}\n</worker-report>`
}

function attribute(value: unknown): string {
  return escaped(typeof value === 'string' ? value : '')
    .replaceAll('"', '&quot;')
    .replace(/\s+/g, ' ')
    .slice(0, 200)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
