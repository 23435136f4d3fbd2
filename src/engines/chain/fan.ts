// One step of a deep run by several who only read: the lead names the parts, each is looked at by a worker of its own, and the lead
// makes one hand-over of what they bring (E34). Where there is nothing to share out, the lead does it alone.
import { orchestrator } from '../../work/envelope/own-contracts.ts'
import { type Attempted, attempt, type Part } from './attempt.ts'
import { seatOf } from './edges.ts'
import { type Fan, fanOf, namingTask, partTask, sidesOf, voteOf, voteText } from './fans.ts'
import type { Said } from './handover.ts'
import { contractOf, type Doing, failed, handOver, type StepEnd, tellPart } from './part.ts'
import type { Scene } from './scene.ts'
import { sideBySide } from './sides.ts'
import { itemsBelow, type Story } from './stories.ts'

/** `task`: what the lead is told then. `whole`: its hand-over, with what it must not leave out. */
export type Fanned = { readonly task: string; readonly whole: (said: Said) => Said }
type Failed = Extract<StepEnd, { ok: false }>

/** null: the step is one worker's. */
export async function fanOut(scene: Scene, doing: Doing): Promise<Fanned | Failed | null> {
  const fan = fanOf(scene.plan, doing.member.class)
  if (fan === null) return null
  const items = await namedParts(scene, doing, fan)
  if ('ok' in items) return items
  if (items.length < 2) return null
  const sides = await sidesFor(scene, doing, { fan, items })
  if ('ok' in sides) return sides
  const ended = await sideBySide(scene, doing.label, sides)
  const wrong = await handedOver(scene, doing, { sides, ended })
  if (wrong) return wrong
  if (ended.every(({ was }) => was !== 'done')) return null
  return fan.isVote ? voted(scene, doing, { fan, items, ended }) : gathered(fan, { sides, ended })
}

/** What the lead names; fewer than two: it is done in one piece, and that is said. */
async function namedParts(scene: Scene, doing: Doing, fan: Fan): Promise<readonly Story[] | Failed> {
  const { member, step, tier } = doing
  const label = `${doing.label}-n`
  const contract = await contractOf(scene, { name: `${label}-edge`, from: seatOf(member), to: orchestrator, step })
  if ('ok' in contract) return contract
  const asked = { ...member, artifact: { kind: 'answer', sections: [fan.heading] } }
  const ended = await attempt(scene, {
    ...{ label, step, member: asked, tier, contract, task: namingTask(fan), tries: 1, isLast: true, bound: 'reading' },
  })
  if (ended.was === 'mismatch') return failed(`${ended.code}: ${ended.why}`, step)
  const items = ended.was === 'done' ? itemsBelow(ended.said.text, new Set([fan.heading.toLowerCase()])).slice(0, fan.most) : []
  const why = ended.was === 'failed' ? ended.why : 'there is nothing to share out'
  const gist = items.length < 2 ? `in one piece: ${why}` : `${fan.heading}: ${items.map(({ name }) => name).join(', ')}`
  tellPart(scene, { ...doing, label, by: member, ended, gist, path: null, ok: true })
  if (items.length < 2) scene.voice.say(`${label}-one-piece`, { text: `It is done in one piece: ${why}.` })
  return items
}

type Sharing = { readonly fan: Fan; readonly items: readonly Story[] }
type FanSide = { readonly name: string; readonly part: Part }

async function sidesFor(scene: Scene, doing: Doing, { fan, items }: Sharing): Promise<readonly FanSide[] | Failed> {
  const { plan } = scene
  const { label, step, member } = doing
  const contract = await contractOf(scene, { name: `${label}-sides-edge`, from: seatOf(member), to: orchestrator, step })
  if ('ok' in contract) return contract
  const tier = plan.models?.workers ?? member.tier
  return Array.from({ length: sidesOf(plan, fan, items.length) }, (_, at) => ({
    name: fan.isVote ? `trace ${at + 1}` : (items[at]?.name ?? ''),
    part: {
      ...{ label: `${label}-f${at + 1}`, step, member, tier, contract, tries: 1, isLast: true, bound: 'reading' as const },
      task: partTask(fan, { items, at }),
    },
  }))
}

type Ended = { readonly sides: readonly FanSide[]; readonly ended: readonly Attempted[] }

/** Only when all are back, so that none is led by another. */
async function handedOver(scene: Scene, doing: Doing, { sides, ended }: Ended): Promise<Failed | null> {
  const { member, step } = doing
  for (const [at, one] of ended.entries()) {
    const { name, part } = sides[at] ?? {}
    if (part === undefined) continue
    const line = { label: part.label, step, member, by: member, tier: part.tier }
    if (one.was === 'mismatch') return failed(`${name}: ${one.code}. ${one.why}`, step)
    if (one.was === 'failed') tellPart(scene, { ...line, ended: one, gist: `${name}: ${one.why}`, path: null })
    else {
      const kept = await handOver(scene, { ...line, to: orchestrator, said: one.said, ended: one, isAside: true })
      if ('ok' in kept) return kept
    }
  }
  return null
}

function gathered({ together }: Fan, { sides, ended }: Ended): Fanned {
  const lines = sides.map(({ name }, at) => `${at + 1}. ${name}: ${stateOf(ended[at])}`)
  return {
    task: `You lead this. ${sides.length} parts of it were done side by side:\n${lines.join('\n')}\n\n${together} What was NOT done you do yourself.`,
    whole: (said) => said,
  }
}

function stateOf(ended: Attempted | undefined): string {
  if (ended?.was === 'done') return 'done'
  const isStopped = ended?.was === 'failed' && ended.forGood === 'stopped'
  return isStopped ? 'stopped by a person, and left out' : `NOT done (${ended?.why ?? 'it was never asked'})`
}

/** The verdict is the vote's, and how it came about stands in the hand-over, whatever the lead writes. */
function voted({ voice }: Scene, { label }: Doing, { fan, items, ended }: Sharing & { readonly ended: readonly Attempted[] }): Fanned {
  const names = items.map(({ name }) => name)
  const vote = voteOf(
    names,
    ended.map((one) => (one.was === 'done' && one.said.performative === 'DECIDE' ? one.said.front : null)),
  )
  const text = voteText(vote)
  voice.say(`${label}-vote`, { text })
  const verdict =
    vote.chosen === null
      ? 'They do not agree: decide between what they say, and say in the verdict that there was no consensus.'
      : `The verdict is "${vote.chosen}"; it is not decided anew.`
  return {
    task: `You lead this. ${vote.of} decided it side by side, each alone. ${text} ${verdict} ${fan.together}`,
    whole: (said) => ({ ...said, text: `${said.text}\n\n## Vote\n\n${text}` }),
  }
}
