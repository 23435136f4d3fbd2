// One agent's part of a step as others see it: the contract of its edge, its play, what it hands over, what is told and noted of it.
import type { JsonObject } from '../../base/json.ts'
import type { Tier } from '../../models/message.ts'
import type { Contract } from '../../work/envelope/envelope.ts'
import { orchestrator, type Seat } from '../../work/envelope/own-contracts.ts'
import { scopeOf } from '../turn/route-worker.ts'
import { type Attempted, attempt, type Part } from './attempt.ts'
import type { Member } from './cast.ts'
import { claimFolders } from './claim.ts'
import { artifactFor, edgeOf, failureFor, seatOf } from './edges.ts'
import { gistOf, missingSections, type Said } from './handover.ts'
import { type Kept, keep } from './keeping.ts'
import { noCost } from './ledger.ts'
import type { Scene, Told } from './scene.ts'
import { ending } from './telling.ts'

/** `again`: the step that can be done once more, so that the chain can go on; null: none. */
export type StepEnd =
  | { readonly ok: true }
  | { readonly ok: false; readonly why: string; readonly again: number | null; readonly next: readonly string[] }

export type Doing = { readonly label: string; readonly step: number; readonly member: Member; readonly tier: Tier }

export type Ended = Extract<Attempted, { was: 'done' | 'failed' }>

type Playing = Doing & { readonly by: Member; readonly to: Seat; readonly tries: number; readonly task: string | null }

export async function play(
  scene: Scene,
  { label, step, by, to, tries, task, tier }: Playing,
): Promise<Ended | Extract<StepEnd, { ok: false }>> {
  const contract = await contractOf(scene, { name: `${label}-edge`, from: seatOf(by), to, step })
  if ('ok' in contract) return contract
  const part: Part = { label, step, member: by, tier, contract, task, tries, isLast: step === scene.steps.length - 1 }
  noteStep(scene, part, { status: 'began' })
  const ended = await attempt(scene, part)
  if (ended.was !== 'mismatch') return ended
  return mismatch(scene, part, ended)
}

function mismatch(
  scene: Scene,
  part: Part,
  { code, why, number }: Extract<Attempted, { was: 'mismatch' }>,
): Extract<StepEnd, { ok: false }> {
  const wrong = scene.kept.find((one) => one.number === number)
  noteStep(scene, part, { status: 'mismatch', artifact: wrong?.path ?? null, code })
  const what = `${wrong?.path ?? `Artifact ${number}`} (from ${wrong?.agent ?? 'a step'}) did not pass its check before ${part.member.title}: ${code}. ${why}`
  const again = wrong?.step ?? part.step
  return { ok: false, why: what, again, next: [`Do step ${again + 1} again, so that it is handed over anew.`] }
}

type Edge = { readonly name: string; readonly from: Seat; readonly to: Seat; readonly step: number }

export async function contractOf(
  { rooms, turn }: Scene,
  { name, from, to, step }: Edge,
): Promise<Contract | Extract<StepEnd, { ok: false }>> {
  const scope = await turn.read(`${name}-scope`, async () => ({ ...(await scopeOf(rooms.projects, turn.process)) }))
  const edge = await edgeOf(rooms, turn, { name, scope, from, to })
  if (edge.ok) return edge.contract
  return { ok: false, why: `UNDECLARED_EDGE: ${edge.why}`, again: step, next: ['Declare the hand-off, then do the step again.'] }
}

/** The next step's agent; the chain itself takes what the last one gives. */
export function receiver({ cast }: Scene, { step }: Doing): Seat {
  const next = cast.steps[step + 1]
  return next ? seatOf(next) : orchestrator
}

export async function claim(scene: Scene): Promise<boolean> {
  const { rooms, turn, setup, voice } = scene
  scene.hasClaim ||= await claimFolders(rooms.runs, turn, { roots: setup.roots, voice })
  return scene.hasClaim
}

// ---- what comes of a part

type Took = Doing & { readonly by: Member; readonly ended: Extract<Attempted, { was: 'done' }> }

export async function taken(scene: Scene, { ended, ...took }: Took): Promise<StepEnd> {
  const kept = await handOver(scene, { ...took, to: receiver(scene, took), said: ended.said, ended })
  if ('ok' in kept) return kept
  return { ok: true }
}

type Handing = Doing & {
  readonly by: Member
  readonly to: Seat
  readonly said: Said
  /** It is one of several of its step: the others count beside it. */
  readonly isAside?: boolean
  /** Present: its part is told as done. */
  readonly ended?: Extract<Attempted, { was: 'done' }>
}

export async function handOver(scene: Scene, handing: Handing): Promise<Kept | Extract<StepEnd, { ok: false }>> {
  const { rooms, turn, kept, messages, folder, order, plan } = scene
  const { label, step, by, to, ended, tier } = handing
  const contract = await contractOf(scene, { name: `${label}-out`, from: seatOf(by), to, step })
  if ('ok' in contract) return contract
  const artifact = handing.said.performative === 'ESCALATE' ? failureFor(by, contract) : artifactFor(by, contract)
  const said = { ...handing.said, text: withSections(handing.said, artifact.sections) }
  const number = messages.length + 1
  const last = messages.at(-1)
  const made = await keep(rooms, turn, {
    ...{ folder, number, step, from: by, kind: artifact.kind, to: to.name, said, contract, order, tier: plan.tier, model: tier },
    after: last ?? null,
    handles: ended?.handles ?? [],
    taint: scene.mind.taint,
  })
  // What the same agent handed over in this step before is replaced by it.
  if (ended && !handing.isAside) forget(scene, (one) => one.step === step && one.agent === by.agent)
  kept.push(made)
  messages.push({ message_id: made.message, thread_id: made.thread })
  if (ended) await told(scene, handing, { made, ended })
  return made
}

async function told(
  scene: Scene,
  handing: Handing,
  { made, ended }: { readonly made: Kept; readonly ended: Extract<Attempted, { was: 'done' }> },
) {
  const { rooms, turn, order } = scene
  const { user, project } = turn.process
  const { path, sha256, number, agent } = made
  await turn.step(`ingest-${number}`, 'idempotent', async ({ key }) => {
    await rooms.memory.ingest({ user, project, agent, text: order, path, sha256, key })
    return null
  })
  const line = tellPart(scene, { ...handing, ended, gist: made.gist, path })
  noteStep(scene, { ...handing, member: handing.by }, { status: 'done', artifact: path, hash: sha256, cost: { ...ended.ledger.cost } })
  scene.voice.say(`${handing.label}-ends`, { text: ending(line) })
}

/** What was handed over counts no more; it stays where it lies. */
export function forget({ kept }: Scene, which: (kept: Kept) => boolean): void {
  kept.splice(0, kept.length, ...kept.filter((one) => !which(one)))
}

type Line = Doing & {
  readonly by: Member
  readonly ended: Ended
  readonly gist: string
  readonly path: string | null
  readonly ok?: boolean
}

export function tellPart({ told: lines }: Scene, { step, by, ended, gist, path, ok = path !== null }: Line): Told {
  const line: Told = { step, title: by.title, gist, path, cost: ended.ledger.cost, ok }
  lines.push(line)
  return line
}

type GivingUp = { readonly why: string; readonly first: Ended; readonly by?: Member }

export function gaveUp(scene: Scene, doing: Doing, { why, first, by = doing.member }: GivingUp): StepEnd {
  tellPart(scene, { ...doing, by, ended: first, gist: why, path: null })
  noteStep(scene, { ...doing, member: by }, { status: 'failed', why: why.slice(0, 500), cost: { ...first.ledger.cost } })
  return { ...failed(`${by.title}: ${why}.`, doing.step) }
}

export function failed(why: string, step: number): Extract<StepEnd, { ok: false }> {
  return { ok: false, why, again: step, next: [`Do step ${step + 1} again.`] }
}

/** A report of a failure need not have the form of a result: what its sections lack is said in each. */
function withSections({ text, front }: Said, sections: readonly string[]): string {
  const lacking = missingSections(text, sections)
  return [text, ...lacking.map((one) => `## ${one}\n\n${front || gistOf(text)}`)].join('\n\n')
}

type Noted = { readonly label: string; readonly step: number; readonly member: Member; readonly tier: Tier }

export function noteStep(
  { turn, folder, steps }: Scene,
  { label, step, member, tier }: Noted,
  more: JsonObject & { readonly status: string },
): void {
  const facts = { run: folder.path, step: step + 1, of: steps.length, agent: member.agent, class: member.class, tier }
  turn.note(`${label}-${more.status}`, { type: 'chain-step', visibility: 'user-summary', data: { ...facts, cost: { ...noCost }, ...more } })
}
