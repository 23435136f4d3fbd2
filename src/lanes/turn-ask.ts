// Asks: a question, a delegation and a timer are one thing that is opened in one commit and waited for (T12, T30).
import { type AskId, approvalOf } from '../base/ids.ts'
import type { Post, Timer } from '../journal/commit.ts'
import type { Chain, Entry } from '../protocol/entry.ts'
import { timerOf } from './control.ts'
import { type Draft, draft } from './draft.ts'
import type { Answer, Arrived, Opening } from './engine.ts'
import { arrival, overLimits } from './post.ts'
import type { Run } from './running.ts'
import { answered } from './state.ts'
import type { Write } from './write.ts'

export function open(run: Run, name: string, what: Opening): AskId {
  const found = run.enter(name, 'open')
  if (found?.kind === 'open') return found.ask
  const ask = run.core.newId('ask')
  void run.core.write(opening(run, { name, ask, what }))
  return ask
}

export async function wait(
  run: Run,
  given: { readonly name: string; readonly asks: readonly AskId[]; readonly wake?: boolean },
): Promise<Answer | Arrived> {
  const { name, asks } = given
  const found = run.enter(name, 'wait')
  if (found?.kind === 'wait') return answerOf(run, found.ask)
  if (found?.kind === 'arrivals') return { kind: 'arrived', entries: found.entries.map((id) => run.core.body(id)) }
  for (const ask of asks) if (!run.turn().asks[ask]) throw new Error(`"${name}" waits for ${ask}, which this turn did not open`)
  const wake = given.wake ?? run.core.state().process?.facesPerson ?? false
  if (asks.length === 0 && !wake) throw new Error(`"${name}" waits for nothing: name an ask, or let new work wake it`)
  return new Promise((resolve, reject) => run.wait({ name, asks, wake, resolve, reject }))
}

export async function ask(run: Run, name: string, given: { readonly what: Opening; readonly wake?: boolean }): Promise<Answer | Arrived> {
  const opened = open(run, name, given.what)
  const options = given.wake === undefined ? {} : { wake: given.wake }
  return wait(run, { name: `${name}:wait`, asks: [opened], ...options })
}

function answerOf(run: Run, ask: AskId): Answer {
  const answer = answered(run.turn(), [ask])
  if (!answer) throw new Error(`the wait for ${ask} is recorded, its answer is not`)
  return answer
}

type Named = { readonly name: string; readonly ask: AskId; readonly what: Opening }

function opening(run: Run, { name, ask, what }: Named): Write {
  const { id: turn } = run.turn()
  if (what.kind === 'delegation') return delegating(run, { name, ask, what })
  const due = dueOf(run, what)
  const setTimers = due === null ? [] : [timerFor(run, ask, due)]
  if (what.kind === 'timer') return { events: [draft('timer-set', { turn, name, ask, due: due ?? 0 })], setTimers }
  if (what.kind === 'approval') {
    const { text, request } = what
    return {
      events: [draft('approval-requested', { turn, name, ask, approval: approvalOf(ask), text, request, due: due ?? 0 })],
      setTimers,
    }
  }
  const options = what.options ? { options: what.options } : {}
  const asked = draft('question-asked', { turn, name, ask, text: what.text, ...options, ...(due !== null && { due }) })
  return { events: [asked], setTimers }
}

function dueOf(run: Run, what: Opening): number | null {
  const ms = what.kind === 'timer' ? what.afterMs : what.timeoutMs
  return ms === undefined ? null : run.core.clock.now() + Math.max(0, ms)
}

function timerFor(run: Run, ask: AskId, due: number): Timer {
  const { core } = run
  const id = timerOf(ask)
  const entry: Entry = {
    lane: core.id,
    // The slot: two tickers post one timeout.
    id: `ent_${ask.slice(4)}` as Entry['id'],
    from: 'system',
    body: { kind: 'timeout', ask },
    chain: run.turn().chain,
    at: due,
  }
  return { id, lane: core.id, due, entry }
}

/** The request and the ask are one commit. Over the limits the request is kept as held, and the ask is answered so at once (L10). */
function delegating(run: Run, { name, ask, what }: Named & { what: Extract<Opening, { kind: 'delegation' }> }): Write {
  if (run.core.id === what.lane) run.fail(`"${name}" delegates to the process that it is`)
  const turn = run.turn()
  const post = requestFor(run, ask, what)
  const due = dueOf(run, what)
  const events: Draft[] = [
    draft('delegated', { turn: turn.id, name, ask, lane: what.lane, entry: post.entry.id, ...(due !== null && { due }) }),
  ]
  if (post.entry.held) {
    const answer: Answer = { kind: 'answer', ask, outcome: 'held', value: null, by: 'system' }
    events.push(draft('ask-answered', { turn: turn.id, answer }))
  }
  const setTimers = due === null || post.entry.held ? [] : [timerFor(run, ask, due)]
  return { events, posts: [post], setTimers }
}

function requestFor(run: Run, ask: AskId, what: Extract<Opening, { kind: 'delegation' }>): Post {
  const { core } = run
  const turn = run.turn()
  const chain: Chain = { root: turn.chain.root, depth: turn.chain.depth + 1, hops: turn.chain.hops + 1 }
  const entry: Entry = {
    lane: what.lane,
    id: core.newId('ent'),
    from: `process:${core.id}`,
    body: { kind: 'request', text: what.text, ...(what.data && { data: what.data }) },
    replyTo: { lane: core.id, ask },
    chain,
    at: core.clock.now(),
    ...(overLimits(chain, core.limits()) !== null && { held: true }),
  }
  return { entry, event: arrival(entry, core.newId) }
}
