// Judges a run by the journal and the world's own book alone. Every line it returns is something that must never be.
import type { LaneId } from '../../src/base/ids.ts'
import { canonical } from '../../src/base/json.ts'
import type { JournalStore } from '../../src/journal/journal-store.ts'
import { load } from '../../src/lanes/open.ts'
import { emptyLane, evolve, restingOf, statusOf } from '../../src/lanes/state.ts'
import type { Entry } from '../../src/protocol/entry.ts'
import type { Event } from '../../src/protocol/event.ts'
import type { Outside } from './outside.ts'
import { dataOf, entryOf } from './watch.ts'

type Say = (problem: string) => void
type Given = {
  readonly events: readonly Event[]
  readonly world: Outside
  readonly acked: ReadonlyMap<string, string>
  /** Several nodes wrote: one that was replaced may have seen what never became true. */
  readonly isShared?: boolean
}

/** What an engine does. */
const deeds = [
  'step-started',
  'step-done',
  'step-failed',
  'arrivals-taken',
  'question-asked',
  'delegated',
  'timer-set',
  'wait-ended',
  'clock-read',
  'posted',
  'chat-message-appended',
  'noted-fact',
]
const workKinds = ['message', 'request', 'note']

export async function judge(store: JournalStore, given: Given): Promise<readonly string[]> {
  const problems: string[] = []
  const say: Say = (problem) => problems.length < 12 && problems.push(problem)
  const lanes = new Map<LaneId, Event[]>()
  for (const event of given.events) lanes.set(event.lane, [...(lanes.get(event.lane) ?? []), event])
  order(given.events, say)
  for (const [lane, events] of lanes) {
    mail(lane, events, say)
    turns(lane, events, say)
    await rebuilt(store, { lane, events }, say)
  }
  acknowledged(given, say)
  requests(given.events, say)
  effects(given, say)
  if (!given.isShared) sights(given, say)
  return problems
}

function order(events: readonly Event[], say: Say): void {
  const seqs = new Map<LaneId, number>()
  let cursor = 0
  for (const event of events) {
    if (event.cursor <= cursor) say(`cursor ${event.cursor} after ${cursor}`)
    cursor = event.cursor
    if (event.seq === 0) continue
    const before = seqs.get(event.lane) ?? 0
    if (event.seq !== before + 1) say(`${event.lane}: seq ${event.seq} after ${before}`)
    seqs.set(event.lane, event.seq)
  }
}

/** L1, L2: work is taken as a prefix of what waits, once, or refused once; control is carried out or refused once. */
function mail(lane: LaneId, events: readonly Event[], say: Say): void {
  let line: string[] = []
  const held = new Set<string>()
  const control = new Set<string>()
  const seen = new Map<string, Entry>()
  const out = (id: string, how: string) => {
    if (line.includes(id)) line = line.filter((other) => other !== id)
    else if (!held.delete(id) && !control.delete(id)) say(`${lane}: ${id} was ${how} and does not wait`)
  }
  for (const event of events) {
    const entry = entryOf(event)
    if (entry) {
      if (seen.has(entry.id)) say(`${lane}: ${entry.id} came in twice`)
      seen.set(entry.id, entry)
      if (entry.held) held.add(entry.id)
      else if (workKinds.includes(entry.body.kind)) line.push(entry.id)
      else control.add(entry.id)
    }
    if (event.type === 'turn-started' || event.type === 'arrivals-taken') {
      const ids = dataOf(event, 'turn-started').taken.map((t) => t.entry)
      if (ids.some((id, i) => line[i] !== id)) say(`${lane}: ${event.type} took ${ids.join()} while ${line.slice(0, 5).join()} waited`)
      for (const id of ids) out(id, 'taken')
      if (event.type === 'turn-started' && new Set(ids.map((id) => seen.get(id)?.from)).size > 1) say(`${lane}: a turn of several senders`)
      if (event.type === 'turn-started' && ids.length > 1 && ids.some((id) => seen.get(id)?.replyTo))
        say(`${lane}: a request was not taken alone`)
    }
    if (event.type === 'entry-refused' || event.type === 'entry-done') out(dataOf(event, 'entry-refused').entry, event.type)
    if (event.type === 'entry-released') {
      const { entry: id } = dataOf(event, 'entry-released')
      if (held.delete(id)) line.push(id)
      else say(`${lane}: ${id} was released and not held`)
    }
  }
  for (const id of line) say(`${lane}: ${id} was never taken or refused`)
  for (const id of control) say(`${lane}: control ${id} was never carried out or refused`)
}

/** L11, L4: one settle for each start; names once; what was taken was read before it was settled as done (T9). */
function turns(lane: LaneId, events: readonly Event[], say: Say): void {
  let open: string | null = null
  let stopping: string | null = null
  let fruitless = 0
  const answers = new Set<string>()
  let unread = new Set<string>()
  const used = new Set<string>()
  const once = (turn: unknown, name: unknown, what: string) => {
    const key = `${what} ${String(turn)} ${String(name)}`
    if (used.has(key)) say(`${lane}: ${key} twice`)
    used.add(key)
  }
  const started = new Map<string, string>()
  for (const event of events) {
    if (event.seq === 0) continue
    const { data, type } = event
    if (type === 'turn-started') {
      if (open !== null) say(`${lane}: a turn started while ${open} was open`)
      open = dataOf(event, 'turn-started').turn
      once(open, '', 'turn-started')
      unread = new Set()
    } else if (typeof data['turn'] === 'string' && 'name' in data && open !== data['turn'])
      say(`${lane}: ${type} of ${String(data['turn'])} outside it`)
    if (type === 'turn-started' || type === 'arrivals-taken') for (const { entry } of dataOf(event, 'turn-started').taken) unread.add(entry)
    if (type === 'step-started' && data['kind'] === 'once') started.set(String(data['name']), String(data['turn']))
    if (type === 'step-started' && used.has(`record of step ${String(data['turn'])} ${String(data['name'])}`))
      say(`${lane}: ${String(data['name'])} began again after its record`)
    if (['step-done', 'step-failed'].includes(type)) {
      once(data['turn'], data['name'], 'record of step')
      started.delete(String(data['name']))
      const { value } = data as { value?: { read?: readonly string[] } }
      for (const id of value?.read ?? []) unread.delete(id)
      if ('ref' in data) unread.clear()
    }
    if (type === 'question-answered' || type === 'ask-answered') answers.add(dataOf(event, 'ask-answered').answer.ask)
    if (type === 'turn-parked')
      for (const ask of dataOf(event, 'turn-parked').waits.flatMap((w) => w.asks))
        if (answers.has(ask)) say(`${lane}: ${open} parked on ${ask}, which was answered`)
    if (type === 'turn-stopping') stopping = open
    else if (
      stopping === open &&
      deeds.includes(type) &&
      !['step-done', 'step-failed'].includes(type) &&
      !String(data['name']).startsWith('?kept')
    )
      say(`${lane}: ${type} after ${open} was stopped`)
    fruitless = type === 'turn-resumed' ? fruitless + 1 : deeds.includes(type) && type !== 'step-started' ? 0 : fruitless
    if (fruitless > 3) say(`${lane}: ${open} was restarted ${fruitless} times with nothing new`)
    if (type === 'step-failed' && data['kind'] === 'once' && data['code'] !== 'not_done')
      say(`${lane}: ${String(data['name'])} may have happened, and failed`)
    if (type === 'chat-message-appended') once(data['turn'], data['name'], 'line')
    if (['posted', 'wait-ended', 'arrivals-taken', 'clock-read', 'noted-fact', 'question-asked', 'delegated', 'timer-set'].includes(type))
      once(data['turn'], data['name'], type === 'arrivals-taken' ? 'wait-ended' : type)
    if (type !== 'turn-settled') continue
    const { turn, outcome, code, unknown, error } = dataOf(event, 'turn-settled')
    if (turn !== open) say(`${lane}: ${turn} settled while ${open ?? 'none'} was open`)
    open = null
    stopping = null
    fruitless = 0
    if (outcome === 'done' && unread.size > 0) say(`${lane}: ${turn} is done and never read ${[...unread].join()}`)
    if (code === 'diverged' || error?.includes('not at hand')) say(`${lane}: ${turn} settled as ${code}: ${error}`)
    for (const name of started.keys()) if (!unknown.includes(name)) say(`${lane}: ${turn} does not say that ${name} is unknown`)
    for (const name of unknown) if (!started.has(name)) say(`${lane}: ${turn} says that ${name} is unknown, and it isn't`)
    started.clear()
  }
  if (open !== null) say(`${lane}: ${open} never settled`)
}

async function rebuilt(store: JournalStore, { lane, events }: { lane: LaneId; events: readonly Event[] }, say: Say): Promise<void> {
  const own = events.filter((e) => e.seq > 0)
  const state = own.reduce(evolve, emptyLane)
  const loaded = await load(store, lane)
  if (canonical(loaded.state) !== canonical(state)) say(`${lane}: snapshot and journal give different states`)
  const head = await store.head(lane)
  if (head?.resting !== restingOf(state)) say(`${lane}: rests as ${head?.resting}, should be ${restingOf(state)}`)
  if (head?.resting === 'running') say(`${lane}: still runs`)
  const last = own.findLast((e) => e.type === 'process-status-changed')
  if (last && last.data['status'] !== statusOf(state)) say(`${lane}: status ${String(last.data['status'])}, is ${statusOf(state)}`)
  if (state.halted === 'closed' && !head?.closed) say(`${lane}: closed, and its mailbox takes entries`)
  if (loaded.waiting.length > 0) say(`${lane}: ${loaded.waiting.length} entries wait for ever`)
}

function acknowledged({ events, acked }: Given, say: Say): void {
  const there = new Set(events.flatMap((e) => entryOf(e)?.id ?? []).map((id) => String(id)))
  for (const key of acked.keys()) if (!there.has(key.split(' ')[1] ?? '')) say(`${key} was acknowledged and is lost`)
}

/** L11: who asked is answered, once. An ask is answered at most once. */
function requests(events: readonly Event[], say: Say): void {
  const asked = new Map<string, Entry>()
  const replies = new Map<string, number>()
  const answers = new Set<string>()
  const pending = new Set<string>()
  for (const event of events) {
    const entry = entryOf(event)
    if (entry?.body.kind === 'request' && entry.replyTo) asked.set(entry.replyTo.ask, entry)
    if (event.type === 'entry-released')
      for (const [ask, e] of asked) if (e.id === dataOf(event, 'entry-released').entry) asked.set(ask, { ...e, held: false })
    if (entry?.body.kind === 'answer' && !entry.from.startsWith('user:'))
      replies.set(entry.body.ask, (replies.get(entry.body.ask) ?? 0) + 1)
    if (['question-asked', 'delegated', 'timer-set'].includes(event.type)) pending.add(String(event.data['ask']))
    if (event.type === 'question-answered' || event.type === 'ask-answered') {
      const { ask } = dataOf(event, 'ask-answered').answer
      if (answers.has(ask)) say(`${ask} was answered twice`)
      if (!pending.has(ask)) say(`${ask} was answered and never asked`)
      answers.add(ask)
    }
  }
  const closed = new Set(events.filter((e) => e.type === 'process-closed').map((e) => e.lane))
  for (const [ask, request] of asked) {
    const count = replies.get(ask) ?? 0
    const most = closed.has(request.replyTo?.lane as LaneId) ? 0 : 1
    if (count > 1 || (!request.held && count < most)) say(`the request of ${ask} to ${request.lane} got ${count} answers`)
  }
}

/** L5: what happened in the world. */
function effects({ events, world }: Given, say: Say): void {
  const starts = new Map<string, number>()
  const again = new Map<string, number>()
  const names = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'step-started') {
      const { turn, name, attempt } = dataOf(event, 'step-started')
      starts.set(`${turn}/${name} ${attempt}`, event.cursor)
    }
    if (event.type === 'question-asked') {
      const { ask, turn, name } = dataOf(event, 'question-asked')
      if (name.includes('?asked')) names.set(ask, `${turn}/${name.split('?')[0]}`)
    }
    if (event.type === 'question-answered') {
      const { answer } = dataOf(event, 'question-answered')
      const key = names.get(answer.ask)
      if (key && answer.value === 'No, do it again') again.set(key, (again.get(key) ?? 0) + 1)
    }
  }
  const counts = new Map<string, number>()
  const inputs = new Map<string, string>()
  for (const effect of world.effects) {
    const start = starts.get(`${effect.key} ${effect.attempt}`)
    if (start === undefined || start > effect.durable) say(`${effect.key} acted before its start was committed`)
    const count = (counts.get(effect.key) ?? 0) + 1
    counts.set(effect.key, count)
    if (effect.kind === 'once' && count > 1 + (again.get(effect.key) ?? 0)) say(`${effect.key} happened ${count} times`)
    const input = inputs.get(effect.key)
    if (input !== undefined && input !== effect.input) say(`${effect.key} was repeated with another input`)
    inputs.set(effect.key, effect.input)
  }
}

/** L4: a run that began after something was recorded is given what was recorded. */
function sights({ events, world }: Given, say: Say): void {
  const records = recordsIn(events)
  for (const { turn, name, value, acted, begun } of world.sights) {
    const record = records.get(`${turn} ${name}`)
    if (!record || record.cursor > begun) continue
    if (acted) say(`${turn} ${name} was done again after it was recorded`)
    else if (value !== record.value) say(`${turn} ${name} was ${value.slice(0, 60)}, recorded ${record.value.slice(0, 60)}`)
  }
}

function recordsIn(events: readonly Event[]): ReadonlyMap<string, { readonly value: string; readonly cursor: number }> {
  const records = new Map<string, { value: string; cursor: number }>()
  const asks = new Map<string, string>()
  for (const event of events) {
    const value = recordIn(event, asks)
    if (value !== null) records.set(`${String(event.data['turn'])} ${String(event.data['name'])}`, { value, cursor: event.cursor })
  }
  return records
}

/** The text of what the event recorded under its name; null when it is no record that a replay is given. */
function recordIn(event: Event, asks: Map<string, string>): string | null {
  if (event.type === 'question-answered' || event.type === 'ask-answered') {
    const { ask, outcome, value } = dataOf(event, 'ask-answered').answer
    asks.set(ask, JSON.stringify({ ask, outcome, value }))
  }
  if (event.type === 'clock-read') return JSON.stringify(event.data['at'])
  if (event.type === 'wait-ended') return asks.get(String(event.data['ask'])) ?? 'no answer'
  if (event.type !== 'step-done') return null
  const data = dataOf(event, 'step-done')
  if (!('value' in data)) return null
  const { kind, outcome, value } = data
  return JSON.stringify(kind !== 'once' ? value : outcome === 'done' ? { was: 'done', value } : { was: outcome })
}
