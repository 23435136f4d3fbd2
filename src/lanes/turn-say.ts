// What leaves a turn without an answer: lines, posts, facts; and the time (L4, T11).
import type { LaneId, MessageId } from '../base/ids.ts'
import type { Entry, Work } from '../protocol/entry.ts'
import { type Draft, draft } from './draft.ts'
import type { NewFact, NewLine } from './engine.ts'
import { arrival, overLimits } from './post.ts'
import { type Run, subMark } from './running.ts'
import { lineOf } from './settle.ts'

/** A line longer than this is said in parts, so that no event grows over what the journal keeps inline. */
const lineLimit = 60_000

export function say(run: Run, name: string, line: NewLine): MessageId {
  const found = run.enter(name, 'say')
  run.said(line.text)
  const parts = partsOf(line.text)
  if (found?.kind === 'say') return found.message
  let id: MessageId | null = null
  for (const [i, text] of parts.entries()) {
    // The first part carries the name last, so that a crash between them can't be: all are one commit.
    const own = i === parts.length - 1 ? name : `${name}${subMark}part-${i + 1}`
    id = appendLine(run, own, { ...line, text })
  }
  if (line.streamed !== undefined) run.core.live.end(run.core.id, line.streamed)
  if (!id) throw new Error('a line has at least one part')
  return id
}

function appendLine(run: Run, name: string, line: NewLine): MessageId {
  const { core } = run
  const turn = run.turn()
  const id = core.newId('msg')
  const agent = line.agent === undefined ? {} : { agent: line.agent }
  const message = {
    ...lineOf(core.state(), { id, parent: turn.tip, text: line.text, status: 'settled', ...agent }),
    ...(line.info !== undefined && { info: line.info }),
    ...(line.options && { options: [...line.options] }),
  }
  const streamed = line.streamed === undefined ? {} : { step: line.streamed }
  void core.write({ events: [draft('chat-message-appended', { message, turn: turn.id, name, ...streamed })] })
  return id
}

function partsOf(text: string): readonly string[] {
  if (text.length <= lineLimit) return [text]
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + lineLimit)
    const code = text.charCodeAt(end - 1)
    if (end < text.length && code >= 0xd800 && code < 0xdc00) end -= 1
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

export function post(run: Run, given: { readonly name: string; readonly lane: LaneId; readonly work: Work }): void {
  if (run.enter(given.name, 'post')) return
  const { core } = run
  const turn = run.turn()
  const chain = { ...turn.chain, hops: turn.chain.hops + 1 }
  const entry: Entry = {
    lane: given.lane,
    id: core.newId('ent'),
    from: `process:${core.id}`,
    body: given.work,
    chain,
    at: core.clock.now(),
    ...(given.work.kind === 'message' && { ref: core.newId('msg') }),
    ...(overLimits(chain, core.limits()) !== null && { held: true }),
  }
  void core.write({
    events: [draft('posted', { turn: turn.id, name: given.name, lane: given.lane, entry: entry.id })],
    posts: [{ entry, event: arrival(entry, core.newId) }],
  })
}

export function note(run: Run, name: string, fact: NewFact): void {
  if (run.enter(name, 'note')) return
  const event: Draft = {
    type: fact.type,
    visibility: fact.visibility ?? 'user-detail',
    data: { ...fact.data, turn: run.turn().id, name, noted: true },
  }
  void run.core.write({ events: [event] })
}

export function now(run: Run, name: string): number {
  const found = run.enter(name, 'now')
  if (found?.kind === 'now') return found.at
  const at = run.core.clock.now()
  void run.core.write({ events: [draft('clock-read', { turn: run.turn().id, name, at })] })
  return at
}
