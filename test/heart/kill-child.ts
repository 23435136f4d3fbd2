// A hub on a real file that is killed from outside: node kill-child.ts FOLDER SEED LIFE work|calm [wal].
// It says 'up' when the file is open and 'on' when the lanes have started. What it did to the world and what it acknowledged it
// writes to files of their own, flushed before it goes on. Time runs fifty times as fast.
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../src/base/clock.ts'
import { type LaneId, type NodeId, type ProcessId, type SessionId, ulids } from '../../src/base/ids.ts'
import { silent } from '../../src/base/log.ts'
import { openJournal } from '../../src/journal/journal.ts'
import type { ProcessInfo } from '../../src/lanes/engine.ts'
import { openLanes } from '../../src/lanes/lanes.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { whole } from './kill.ts'
import { calmDown, type Effect, outside, tick } from './outside.ts'
import { answerOne, type Crowd, control, deeds, pickOf } from './people.ts'
import { programmed } from './program.ts'
import { watch } from './watch.ts'

const [folder = '', seed = '1', number = '1', mode = 'work', wal = ''] = process.argv.slice(2)
const speed = 50
const began = Date.now()
const first = Date.UTC(2026, 0, 1)
const clock: Clock = {
  now: () => Math.floor(first + Number(number) * 3_600_000 + (Date.now() - began) * speed),
  after(ms, ring) {
    const timer = setTimeout(ring, ms / speed)
    return { cancel: () => clearTimeout(timer) }
  },
}

/** Appends a line that is on the disk when it returns. What a kill cut is ended first, so that no line is glued to it. */
function book(name: string): (line: string) => void {
  const path = join(folder, name)
  const isCut = existsSync(path) && !/(^|\n)$/.test(readFileSync(path, 'utf8'))
  const file = openSync(path, 'a')
  if (isCut) writeSync(file, '\n')
  process.on('exit', () => closeSync(file))
  return (line) => {
    writeSync(file, `${line}\n`)
    fsyncSync(file)
  }
}

const world = outside(Number(seed) * 1000 + Number(number))
const effects = join(folder, 'effects')
if (existsSync(effects)) world.effects.push(...linesOf(effects))
const write = book('effects')
world.note = (effect) => {
  world.effects.push(effect)
  write(JSON.stringify(effect))
}
world.nonces = Number(number) * 1_000_000

function linesOf(file: string): Effect[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => whole<Effect>(line))
}

const opened = await openSqliteStore({ file: join(folder, 'steward.db'), now: clock.now })
if (wal) opened.db.exec('PRAGMA wal_autocheckpoint = 0')
process.stdout.write('up\n')
const raw = opened.journal
const store = new Proxy(raw, {
  get(target, key) {
    if (key !== 'apply') return Reflect.get(target, key)
    return async (group: Parameters<typeof raw.apply>[0]) => {
      const applied = await raw.apply(group)
      world.durable = Math.max(world.durable, ...applied.events.map((event) => event.cursor))
      return applied
    }
  },
})
world.durable = await store.last()
const newId = ulids(clock.now)
const journal = await openJournal({ store, clock, log: silent })
const lanes = openLanes({ journal, store, clock, newId, node: newId('nod') as NodeId, log: silent, maxOpen: world.random.pick([2, 1000]) })
const processes = Array.from({ length: 5 }, (_, i): ProcessInfo => processOf(i))
const names = processes.map((each) => each.id as string as LaneId)
const life = { number: Number(number), alive: true }
lanes.registerEngine(programmed({ world, life, lanes: () => names }))
await lanes.start()
process.stdout.write('on\n')
for (const each of processes) if ((await store.head(each.id as string as LaneId)) === null) await lanes.create(each, 'user:ada')

function processOf(i: number): ProcessInfo {
  const id = `prc_${String(i + 1).padStart(26, '0')}` as ProcessId
  const session = `ses_${String(i + 1).padStart(26, '0')}` as SessionId
  const rest = { tenant: 'default', project: 'shop', agent: 'script', engine: 'script', params: {}, user: 'ada', parent: null }
  return { id, session, ...rest, facesPerson: i < 2 }
}

const acknowledge = book('acks')
const crowd: Crowd = {
  world,
  newId,
  seen: watch(store),
  processes,
  lanes: names,
  posted: [],
  acked: new Map(),
  door: () => lanes,
  onAck: (key, content) => acknowledge(JSON.stringify([key, content])),
}

if (mode === 'work') for (;;) await work()
calmDown(world)
const deadline = Date.now() + 20_000
while (!(await isQuiet())) {
  if (Date.now() > deadline) {
    process.stdout.write(`stuck: ${[...crowd.seen.turns].join(' ')}\n`)
    process.exit(3)
  }
}
if (world.problems.length > 0) appendFileSync(join(folder, 'problems'), `${world.problems.join('\n')}\n`)
await lanes.stop()
await journal.close()
await opened.close()
process.exit(0)

async function work(): Promise<void> {
  await crowd.seen.look()
  // A process that is closed stays so: here nobody closes one.
  const deed = pickOf(deeds.slice(0, 13), world.random.next())
  deed(crowd)
  for (let left = world.random.int(6); left > 0; left--) await tick()
  if (world.problems.length > 0) appendFileSync(join(folder, 'problems'), `${world.problems.splice(0).join('\n')}\n`)
}

/** Does what people would do; true when nothing is left to do. */
async function isQuiet(): Promise<boolean> {
  await new Promise((go) => setTimeout(go, 20))
  const { seen } = crowd
  await seen.look()
  for (const [ask, { lane, kind }] of seen.open) if (kind === 'question') answerOne(crowd, ask, lane)
  for (const [turn, lane] of seen.paused) control(crowd, lane, { kind: 'resume', turn })
  for (const lane of seen.suspended) control(crowd, lane, { kind: 'wake' })
  for (const [lane, turn] of seen.turns)
    if (seen.parked.has(turn) && ![...seen.open.values()].some((ask) => ask.lane === lane)) control(crowd, lane, { kind: 'stop', turn })
  if (seen.turns.size + seen.suspended.size > 0 || (await store.nextDue()) !== null) return false
  return (await store.unfinished('nod_any' as NodeId, 10)).length === 0
}
