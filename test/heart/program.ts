// An engine whose program is drawn from the seed in its first entry: every run of a turn must go the same way, whatever happened
// in between. What it does to the world depends on all that it was given, so that a replay that lies is seen in the world.
import { type LaneId, laneOf } from '../../src/base/ids.ts'
import type { Json } from '../../src/base/json.ts'
import { seeded } from '../../src/base/testing.ts'
import { type Act, type Answer, type Arrived, type Engine, NotDone, StepFailed, Stopped, type Turn } from '../../src/lanes/engine.ts'
import type { Entry } from '../../src/protocol/entry.ts'
import { digest, hang, never, type Outside, type Random, ticks } from './outside.ts'

export type Life = {
  readonly number: number
  alive: boolean
  /** Where nodes share a store: when this one's lease ends, as the store last said, ms. */
  leaseUntil?: number
}
/** How long before the end of a lease nothing may begin, ms. */
const marginMs = 1_000

export type Scene = {
  readonly world: Outside
  readonly life: Life
  readonly lanes: () => readonly LaneId[]
  readonly now?: () => number
}

type Branch = Scene & {
  /** The newest cursor that was durable when this run began. */
  readonly begun: number
  readonly turn: Turn
  readonly random: Random
  readonly path: string
  readonly fuel: number
  /** Ids of the entries that this branch knows of. */
  readonly read: Set<string>
  seen: string
  count: number
  /** Swallows what it should let through. */
  readonly sloppy: boolean
}

export function programmed(scene: Scene, version = 1, accepts: readonly number[] = []): Engine {
  return { name: 'script', version, accepts, run: (turn) => run(scene, turn) }
}

/** `seed/fuel` */
export const orders = (seed: number, fuel: number): string => `${seed}/${fuel}`

function ordersOf(entry: Entry): { seed: number; fuel: number } {
  const { body } = entry
  const text = 'text' in body && typeof body.text === 'string' ? body.text : body.kind === 'note' ? String(body.data['orders']) : '1/0'
  const [seed, fuel] = text.split('/').map(Number)
  return { seed: seed || 1, fuel: fuel || 0 }
}

async function run(scene: Scene, turn: Turn): Promise<void> {
  const [first] = turn.entries
  if (!first) throw new Error('a turn without entries')
  const { seed, fuel } = ordersOf(first)
  const random = seeded(seed)
  const branch: Branch = {
    ...scene,
    begun: scene.world.durable,
    turn,
    random,
    fuel,
    path: '',
    read: new Set(turn.entries.map((e) => e.id)),
    seen: '',
    count: 0,
    sloppy: random.next() < 0.15,
  }
  branch.seen = digest(...branch.read)
  for (let left = random.int(4); left > 0; left--) await attempt(branch)
  await talk(branch)
  if (random.next() < 0.05) throw new Error('the engine gave up')
}

/** The end of every program: a model reads all there is, until nothing new came in. */
async function talk(b: Branch): Promise<void> {
  for (let round = 0; round < 6; round++) {
    await effect(b, `model-${round}`, 'replayable')
    const entries = b.turn.arrivals(`look-${round}`)
    take(b, entries)
    if (entries.length === 0) break
  }
  if (b.random.next() < 0.7) b.turn.say('reply', { text: `reply ${b.seen}` })
}

async function attempt(b: Branch): Promise<void> {
  const op = b.random.pick(ops)
  const name = `${b.path}${b.count++}`
  if (!b.sloppy) return op(b, name)
  try {
    await op(b, name)
  } catch (thrown) {
    if (!(thrown instanceof Stopped || thrown instanceof StepFailed)) throw thrown
  }
}

type Op = (b: Branch, name: string) => Promise<void>

const ops: readonly Op[] = [
  (b, name) => effect(b, name, 'replayable'),
  (b, name) => effect(b, name, 'idempotent'),
  unrepeatable,
  unrepeatable,
  parallel,
  parallel,
  question,
  question,
  delegation,
  race,
  timer,
  async (b, name) => take(b, b.turn.arrivals(name)),
  conversation,
  conversation,
  async (b, name) => void b.turn.say(name, { text: `said ${b.seen}` }),
  async (b, name) => b.turn.note(name, { type: 'noted-fact', data: { seen: b.seen } }),
  async (b, name) => see(b, name, b.turn.now(name)),
  post,
  async (b, name) => {
    if (b.random.next() < 0.3) heard(b, name, await b.turn.wait(name, [], { wake: true }))
  },
]

function see(b: Branch, name: string, value: Json, acted = false): void {
  const text = JSON.stringify(value)
  b.world.sights.push({ turn: b.turn.id, name, value: text, acted, begun: b.begun })
  b.seen = digest(b.seen, name, text)
}

function take(b: Branch, entries: readonly Entry[]): void {
  for (const { id } of entries) b.read.add(id)
  if (entries.length > 0) b.seen = digest(b.seen, ...entries.map((e) => e.id))
}

function heard(b: Branch, name: string, what: Answer | Arrived): void {
  if (what.kind === 'arrived') return take(b, what.entries)
  see(b, name, { ask: what.ask, outcome: what.outcome, value: what.value })
}

async function effect(b: Branch, name: string, kind: 'replayable' | 'idempotent'): Promise<void> {
  let acted = false
  const input = digest(b.seen, [...b.read].join())
  const read = [...b.read]
  try {
    const value = await b.turn.step(name, kind, async (act) => {
      acted = true
      mayBegin(b, name)
      const { world } = b
      await dawdle(b)
      const nonce = touch(b, act, { kind, input })
      await dawdle(b)
      if (!world.calm && world.random.next() < 0.06) throw new Error(`boom ${nonce}`)
      return { nonce, read, ...(world.random.next() < 0.01 && { large: 'x'.repeat(70_000) }) }
    })
    see(b, name, value, acted)
  } catch (thrown) {
    if (!(thrown instanceof StepFailed)) throw thrown
    see(b, name, { failed: thrown.message }, acted)
    if (name.startsWith('model')) throw thrown
  }
}

/** Looks for new words between one piece of work and the next, as a chat does. */
async function conversation(b: Branch, name: string): Promise<void> {
  for (let i = 0; i < 3; i++) {
    take(b, b.turn.arrivals(`${name}-look-${i}`))
    await effect(b, `${name}-work-${i}`, 'replayable')
  }
}

async function unrepeatable(b: Branch, name: string): Promise<void> {
  const input = b.seen
  const looks = b.random.next() < 0.4
  const { world } = b
  let acted = false
  const act = async (a: Act) => {
    acted = true
    mayBegin(b, name)
    await dawdle(b)
    const luck = world.calm ? 1 : world.random.next()
    if (luck < 0.08) throw new NotDone('not sent')
    if (luck < 0.14) throw new Error('no answer')
    const nonce = touch(b, a, { kind: 'once', input })
    await dawdle(b)
    if (luck < 0.22) throw new Error('sent, then the line broke')
    return { nonce }
  }
  const reconcile = async ({ key }: Act) => {
    await dawdle(b)
    if (!world.calm && world.random.next() < 0.3) return { found: 'unknown' as const }
    if (!world.calm && world.random.next() < 0.05) throw new Error('could not look')
    const happened = world.effects.find((e) => e.key === key)
    return happened ? { found: 'done' as const, value: { nonce: happened.nonce } } : { found: 'not-done' as const }
  }
  try {
    see(b, name, await b.turn.once(name, act, looks ? { reconcile } : {}), acted)
  } catch (thrown) {
    if (!(thrown instanceof StepFailed)) throw thrown
    see(b, name, { failed: thrown.message }, acted)
  }
}

/** Takes its time; some acts hang and hear no abort; a dead machine does nothing more. */
async function dawdle(b: Branch): Promise<void> {
  const { world } = b
  await ticks(3, world.random)
  if (!world.calm && world.random.next() < 0.02) await hang(world)
  if (!b.life.alive) await never()
}

/** L7. */
function mayBegin(b: Branch, name: string): void {
  const until = b.life.leaseUntil ?? Number.POSITIVE_INFINITY
  const now = b.now?.() ?? 0
  if (now >= until - marginMs) b.world.problems.push(`${b.turn.id}/${name} began ${until - now} ms before the end of the lease`)
}

/** What a request on its way does when its machine was cut off: it is late, and nobody can say what became of it. */
function isLate(b: Branch): boolean {
  return (b.now?.() ?? 0) >= (b.life.leaseUntil ?? Number.POSITIVE_INFINITY)
}

function touch(b: Branch, act: Act, given: { kind: 'replayable' | 'idempotent' | 'once'; input: string }): number {
  const { world } = b
  act.signal.throwIfAborted()
  if (isLate(b)) throw new Error('too late')
  const nonce = ++world.nonces
  world.note({ key: act.key, attempt: act.attempt, nonce, life: b.life.number, durable: world.durable, ...given })
  return nonce
}

async function parallel(b: Branch, name: string): Promise<void> {
  if (b.path.split('.').length > 2) return effect(b, name, 'replayable')
  const branches = Array.from(
    { length: 2 + b.random.int(2) },
    (_, i): Branch => ({
      ...b,
      random: seeded(b.random.int(1e9)),
      path: `${name}-${i}.`,
      read: new Set(b.read),
      count: 0,
    }),
  )
  const counts = branches.map(() => 1 + b.random.int(3))
  await Promise.all(
    branches.map(async (branch, i) => {
      for (let left = counts[i] ?? 1; left > 0; left--) await attempt(branch)
    }),
  )
  for (const branch of branches) {
    for (const id of branch.read) b.read.add(id)
    b.seen = digest(b.seen, branch.seen)
  }
}

async function question(b: Branch, name: string): Promise<void> {
  const timeout = b.random.next() < 0.3 ? { timeoutMs: 1 + b.random.int(5000) } : {}
  const ask = b.turn.open(name, { kind: 'question', text: 'which?', ...timeout })
  const wakes = b.random.int(3)
  if (b.random.next() < 0.3) await effect(b, `${name}-between`, 'replayable')
  for (let i = 0; ; i++) {
    const what = await b.turn.wait(`${name}-wait-${i}`, [ask], { wake: i < wakes })
    heard(b, `${name}-wait-${i}`, what)
    if (what.kind === 'answer') return
  }
}

function delegationOf(b: Branch) {
  // Only downwards: two that wait for each other would do so for ever, and that is no fault of the heart.
  const others = b.lanes().slice(b.lanes().indexOf(laneOf(b.turn.process.id)) + 1)
  const timeout = b.random.next() < 0.2 ? { timeoutMs: 1 + b.random.int(20_000) } : {}
  const lane = b.random.next() < 0.03 || others.length === 0 ? ('prc_nowhere' as LaneId) : b.random.pick(others)
  return { kind: 'delegation' as const, lane, text: orders(b.random.int(1e9), b.fuel - 1), ...timeout }
}

async function delegation(b: Branch, name: string): Promise<void> {
  if (b.fuel <= 0) return effect(b, name, 'replayable')
  const ask = b.turn.open(name, delegationOf(b))
  heard(b, `${name}-wait`, await b.turn.wait(`${name}-wait`, [ask], { wake: false }))
}

/** The first of two or three; what comes next is named after who won. */
async function race(b: Branch, name: string): Promise<void> {
  const asks = Array.from({ length: 2 + b.random.int(2) }, (_, i) => {
    const luck = b.random.next()
    const what =
      luck < 0.4
        ? ({ kind: 'question', text: 'race' } as const)
        : luck < 0.6 && b.fuel > 0
          ? delegationOf(b)
          : ({ kind: 'timer', afterMs: 1 + b.random.int(3000) } as const)
    return b.turn.open(`${name}-${i}`, what)
  })
  const all = b.random.next() < 0.5
  const left = [...asks]
  for (let round = 0; left.length > 0; round++) {
    const what = await b.turn.wait(`${name}-first-${round}`, left, { wake: false })
    if (what.kind !== 'answer') continue
    const at = left.indexOf(what.ask)
    heard(b, `${name}-first-${round}`, what)
    left.splice(at, 1)
    await effect(b, `${name}-won-${asks.indexOf(what.ask)}`, 'replayable')
    if (!all) return
  }
}

async function timer(b: Branch, name: string): Promise<void> {
  const ask = b.turn.open(name, { kind: 'timer', afterMs: 1 + b.random.int(4000) })
  heard(b, `${name}-wait`, await b.turn.wait(`${name}-wait`, [ask], { wake: false }))
}

async function post(b: Branch, name: string): Promise<void> {
  if (b.fuel <= 0) return effect(b, name, 'idempotent')
  const lane = b.random.pick(b.lanes())
  b.turn.post(name, lane, { kind: 'note', topic: 'orders', data: { orders: orders(b.random.int(1e9), b.fuel - 1), seen: b.seen } })
}
