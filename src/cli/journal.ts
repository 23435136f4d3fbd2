// `steward journal`: the events, one a line, ours or in the format of outheis.

import { setTimeout as pause } from 'node:timers/promises'
import { toOutheis } from '../journal/export.ts'
import { events, type WireEvent } from '../protocol/api.ts'
import { parseCursor } from '../protocol/cursor.ts'
import { findHub, type Hub } from './hub.ts'
import { type Call, type Result, WrongUsage } from './output.ts'

export type JournalOptions = { readonly after?: string; readonly follow?: boolean; readonly format?: string }

/** How long a follower waits before it asks again when there was nothing new. */
const followEveryMs = 250
const formats: Readonly<Record<string, (event: WireEvent) => unknown>> = { jsonl: (event) => event, outheis: toOutheis }

/** Lines are written as they come; with --json (never with --follow) all of them are one list. */
export async function journal(call: Call, options: JournalOptions): Promise<Result> {
  const format = options.format ?? 'jsonl'
  const translate = Object.hasOwn(formats, format) ? formats[format] : undefined
  if (!translate) throw new WrongUsage(`--format is "${format}"; allowed are ${Object.keys(formats).join(', ')}.`)
  if (options.after !== undefined && parseCursor(options.after) === null) {
    throw new WrongUsage(`--after is "${options.after}"; allowed is a cursor, for example 1.207.`)
  }
  if (call.json && options.follow)
    throw new WrongUsage('--follow never ends and --json is one value: use --format jsonl, which is one JSON value a line.')
  const hub = await findHub(call)
  const list: unknown[] = []
  for await (const event of read(hub, options)) {
    const record = translate(event)
    if (record === null) continue
    if (call.json) list.push(record)
    else await write(`${JSON.stringify(record)}\n`)
  }
  return { value: list, text: '' }
}

async function* read(hub: Hub, { after, follow }: JournalOptions): AsyncGenerator<WireEvent> {
  let cursor = after
  for (;;) {
    const page = await hub.call('GET', '/api/events', events, { query: { limit: 500, after: cursor } })
    yield* page.items
    cursor = page.next ?? page.items.at(-1)?.cursor ?? cursor
    const isEnd = page.next === null || page.items.length === 0
    if (isEnd && !follow) return
    if (isEnd) await pause(followEveryMs)
  }
}

/** Waits for a slow reader. */
function write(line: string): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(line, (error) => (error ? reject(error) : resolve())))
}
