// Figures for Prometheus. A registry of its own for each hub, so that two in one process don't mix.
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Event } from '../protocol/event.ts'
import type { Rooms } from './hub.ts'

export type Metrics = {
  /** `path` is the pattern, never the address: no id becomes a label. */
  request(given: { readonly method: string; readonly path: string; readonly status: number; readonly ms: number }): void
  readonly contentType: string
  text(): Promise<string>
}

export type Counts = {
  readonly sockets: () => number
  readonly streams: () => number
  readonly waits: () => number
  readonly feedPosition: () => number
}

type MetricRooms = Pick<Rooms, 'lanes' | 'journal' | 'version' | 'people' | 'policy' | 'attention' | 'models'>

/** `spent` hears of each call of a model, as it is journalled. */
export function openMetrics(rooms: MetricRooms, counts: Counts & { readonly spent: (hear: (event: Event) => void) => void }): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'steward_http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'path', 'status'],
    registers,
  })
  const duration = new Histogram({
    name: 'steward_http_request_seconds',
    help: 'Time from the request to its answer; event streams and waiting calls included',
    labelNames: ['method', 'path'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 600],
    registers,
  })
  new Gauge({ name: 'steward_info', help: 'Version of the hub', labelNames: ['version'], registers }).set({ version: rooms.version }, 1)
  gauges(registers, rooms, counts)
  waiting(registers, rooms)
  counts.spent(modelCounters(registers, rooms))
  return {
    request({ method, path, status, ms }) {
      requests.inc({ method, path, status })
      duration.observe({ method, path }, ms / 1000)
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}

function gauges(registers: Registry[], { lanes, journal }: Pick<Rooms, 'lanes' | 'journal'>, counts: Counts): void {
  const one = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  one('steward_lanes_open', 'Lanes in memory', () => lanes.stats().open)
  one('steward_turns_running', 'Turns at work', () => lanes.stats().running)
  one('steward_entries_waiting', 'Entries in mailboxes', () => lanes.stats().waiting)
  one('steward_turns_started', 'Turns started since the hub started', () => lanes.stats().turns)
  one('steward_lanes_quarantined', 'Lanes that can not commit', () => lanes.stats().quarantined.length)
  one('steward_journal_cursor', 'The newest event', () => journal.head())
  one('steward_journal_pending', 'Commits on their way', () => journal.health().pending)
  one('steward_journal_read_only', '1 while nothing can be stored', () => (journal.readOnly ? 1 : 0))
  one('steward_feed_lag', 'Events not yet handed to readers', () => Math.max(0, journal.head() - counts.feedPosition()))
  one('steward_sockets', 'WebSocket connections', counts.sockets)
  one('steward_streams', 'Event streams', counts.streams)
  one('steward_waiting_calls', 'Calls that wait for a reply', counts.waits)
  one('steward_memory_rss_bytes', 'Resident memory of the process', () => process.memoryUsage.rss())
  one('steward_memory_heap_bytes', 'Used heap', () => process.memoryUsage().heapUsed)
  one('steward_uptime_seconds', 'Since the process started', () => process.uptime())
  new Gauge({
    name: 'steward_projection_lag',
    help: 'Events that a table has not passed yet',
    labelNames: ['name'],
    registers,
    collect() {
      for (const { name, position } of journal.health().projections) this.set({ name }, Math.max(0, journal.head() - position))
    },
  })
}

/** What waits for persons, over all of them: asked when somebody looks. */
function waiting(registers: Registry[], { people, policy, attention }: Pick<MetricRooms, 'people' | 'policy' | 'attention'>): void {
  const sum = (name: string, help: string, of: (user: string) => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const counted = await Promise.all((await people.users()).map((user) => of(user.name)))
        this.set(counted.reduce((all, one) => all + one, 0))
      },
    })
  const requested = async (user: string) => (await policy.approvals.list({ user, status: 'requested' })).length
  sum('steward_approvals_waiting', 'Approvals that nobody has decided', requested)
  sum('steward_inbox_pending', 'Items of inboxes that are pending', async (user) => (await attention.counts(user)).pending)
}

function modelCounters(registers: Registry[], { models }: Pick<MetricRooms, 'models'>): (event: Event) => void {
  const labelNames = ['model']
  const calls = new Counter({ name: 'steward_model_calls_total', help: 'Calls of models that were answered', labelNames, registers })
  const cost = new Counter({ name: 'steward_model_cost_micros_total', help: 'What they cost, in millionths', labelNames, registers })
  const fallbacks = new Counter({
    name: 'steward_model_fallbacks_total',
    help: 'Calls that went on to another model',
    labelNames,
    registers,
  })
  const tokens = new Counter({ name: 'steward_model_tokens_total', help: 'Tokens', labelNames: ['model', 'kind'], registers })
  new Gauge({
    name: 'steward_models_resting',
    help: 'Models that rest after a failure',
    registers,
    collect() {
      const resting = models.list().tiers.flatMap(({ chain }) => chain.filter((one) => one.rest !== null).map((one) => one.model))
      this.set(new Set(resting).size)
    },
  })
  return ({ data }) => {
    const model = String(data['model'])
    calls.inc({ model })
    cost.inc({ model }, numberIn(data['cost']) + numberIn(data['lost']))
    for (const kind of ['input', 'output', 'cached']) tokens.inc({ model, kind }, numberIn(data[kind]))
    for (const first of Array.isArray(data['fellBack']) ? data['fellBack'] : []) fallbacks.inc({ model: String(first) })
  }
}

function numberIn(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0
}
