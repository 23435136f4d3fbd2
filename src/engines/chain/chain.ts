// The chain engine: a route becomes work. Its steps are workers in the project, one after the other; each hands over an artifact with
// an envelope, which is checked before the next one builds on it. Owns: the order of steps, hand-overs, escalation, who may change the
// project meanwhile. Leaves who should do it to routing, envelopes and contracts to work, what a worker does to its own engine.
//
// E20  A step has its agent, its tier, and no more capabilities than its class: who only reads can change nothing.
// E21  Nothing is built on that was not read back and checked; what does not match stops the chain, and going on is no choice.
// E23  A failing step is escalated once. E25  One chain at a time changes a folder. E26  A kill does nothing twice.
import type { Engine, Turn } from '../../lanes/engine.ts'
import type { Entry } from '../../protocol/entry.ts'
import { hearTaint, mindOf } from '../turn/mind.ts'
import { scopeOf } from '../turn/route-worker.ts'
import { setupOf } from '../turn/setup.ts'
import { voiceOf } from '../turn/voice.ts'
import { type Cast, castFor } from './cast.ts'
import { decided } from './decide.ts'
import { mayCost } from './estimate.ts'
import { folderOf } from './keeping.ts'
import { orderIn, type Plan, stepsOf } from './order.ts'
import type { ChainRooms, Scene } from './scene.ts'
import { summary } from './telling.ts'
import { walk } from './walk.ts'

export type { ChainRooms } from './scene.ts'

export function chainEngine(rooms: ChainRooms): Engine {
  return { name: 'chain', version: 1, accepts: [1], run: (turn) => run(rooms, turn) }
}

async function run(rooms: ChainRooms, turn: Turn): Promise<void> {
  const setup = await setupOf(rooms, turn)
  const voice = voiceOf(turn, setup.agent.name)
  const mind = mindOf(turn, rooms.minds, setup.taint ?? 'none')
  hearTaint(mind, turn.entries)
  const text = orderIn(turn.entries, [setup.agent.name, turn.process.agent])
  // Reports and notes are no order.
  if (text === null) return
  const found = await decided(rooms, turn, text)
  if ('say' in found) return void voice.say('no-chain', { text: found.say })
  const { plan, order } = found
  const cast = await castOf(rooms, turn, plan)
  if ('missing' in cast) return void voice.say('no-cast', { text: `Nothing was begun. ${cast.missing.join(' ')}` })
  await turn.step('began', 'idempotent', async () => {
    await rooms.runs.began({ turn: turn.id, process: turn.process.id, project: turn.process.project, title: order.slice(0, 120) })
    return null
  })
  const entries: Entry[] = [...turn.entries]
  const lists = { heard: [], kept: [], messages: [], told: [], hasClaim: false }
  const scene: Scene = {
    rooms,
    turn,
    setup,
    mind,
    voice,
    order,
    plan,
    steps: stepsOf(plan),
    cast,
    folder: folderOf(turn),
    entries,
    ...lists,
  }
  const going = plan.tier === 'trance' ? await mayCost(scene) : 'plain'
  if (going === 'stop') return void voice.say('too-much', { text: 'Nothing was begun.' })
  const { stopped, next } = await walk(going === 'deep' ? scene : { ...scene, plan: { ...plan, tier: 'standard' } })
  voice.say('summary', { text: summary({ told: scene.told, of: scene.steps.length, stopped, next }) })
}

function castOf(rooms: ChainRooms, turn: Turn, plan: Plan): Promise<Cast | { readonly missing: readonly string[] }> {
  return turn.read<Cast | { readonly missing: readonly string[] }>('cast', async () =>
    castFor(rooms.agents, await scopeOf(rooms.projects, turn.process), stepsOf(plan)),
  )
}
