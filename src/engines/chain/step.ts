// One step of a chain: its agent's part, and what comes of it when that part fails. A proposal beyond somebody's authority is applied
// by the coder; a failure is escalated once, and then the chain stops (E23, E24).
import type { JsonObject } from '../../base/json.ts'
import type { Tier } from '../../models/message.ts'
import type { Contract } from '../../work/envelope/envelope.ts'
import { orchestrator, type Seat } from '../../work/envelope/own-contracts.ts'
import { scopeOf } from '../turn/route-worker.ts'
import { type Attempted, attempt, isBeyond, type Part } from './attempt.ts'
import type { Member } from './cast.ts'
import { type Charter, charterOf } from './charter.ts'
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

export async function doStep(scene: Scene, doing: Doing): Promise<StepEnd> {
  const charter = charterOf(doing.member.class)
  if (charter.writes && !(await claim(scene))) return failed('The folders of the project were never free.', doing.step)
  const first = await play(scene, { ...doing, by: doing.member, to: receiver(scene, doing), tries: charter.tries, task: null })
  if ('ok' in first) return first
  const helper = charter.escalation === null ? undefined : scene.cast.helpers[charter.escalation.to]
  const wants = whyHelp(first, doing.member)
  if (wants === null && first.was === 'done') return taken(scene, { ...doing, by: doing.member, ended: first })
  const why = wants ?? 'it failed'
  if (helper === undefined || helper.agent === doing.member.agent || isRefusedForGood(first, charter))
    return gaveUp(scene, doing, { why, first })
  return escalated(scene, doing, { charter, helper, first, why })
}

type Ended = Extract<Attempted, { was: 'done' | 'failed' }>

/** null: its part is done. */
function whyHelp(ended: Ended, member: Member): string | null {
  if (ended.was === 'failed') return ended.why
  if (isBeyond(member, ended.ledger)) return `it changed ${ended.ledger.files.length} files, which is beyond what it may do alone`
  const proposes = ended.said.performative === 'PROPOSE' && charterOf(member.class).escalation?.how === 'instead'
  return proposes ? 'it proposes what is beyond its authority' : null
}

/** What was refused stays refused; only who works for the coder hands on what it may not do. */
function isRefusedForGood(ended: Ended, { escalation }: Charter): boolean {
  return ended.was === 'failed' && ended.isRefusal && escalation?.how !== 'instead'
}

type Escalating = { readonly charter: Charter; readonly helper: Member; readonly first: Ended; readonly why: string }

async function escalated(scene: Scene, doing: Doing, { charter, helper, first, why }: Escalating): Promise<StepEnd> {
  const { member, label, tier } = doing
  tellPart(scene, { ...doing, by: member, ended: first, gist: why, path: null })
  scene.voice.say(`${label}-escalates`, { text: `${member.title}: ${why}. ${helper.title} takes it from here.` })
  const report = await handOver(scene, { ...doing, by: member, to: seatOf(helper), said: reportOf(first, why) })
  if ('ok' in report) return report
  if (charter.escalation?.how === 'instead') {
    const task = first.was === 'done' ? applying(member, why) : instead(member, why)
    if (!(await claim(scene))) return failed('The folders of the project were never free.', doing.step)
    return lastPart(scene, { ...doing, label: `${label}-b`, by: helper, task, tier: helper.tier })
  }
  const cause = await play(scene, {
    ...doing,
    label: `${label}-b`,
    by: helper,
    to: seatOf(member),
    tries: 1,
    task: finding(member, why),
    tier: helper.tier,
  })
  if ('ok' in cause) return cause
  if (cause.was === 'failed') return gaveUp(scene, doing, { why: `${helper.title} could not help: ${cause.why}`, first: cause, by: helper })
  const found = await handOver(scene, { ...doing, label: `${label}-b`, by: helper, to: seatOf(member), said: cause.said, ended: cause })
  if ('ok' in found) return found
  return lastPart(scene, { ...doing, label: `${label}-c`, by: member, task: mending(helper), tier })
}

const applying = (member: Member, why: string) =>
  `${member.title} could not do all of it alone: ${why}. Check the proposal, apply what is right of it, and prove it.`
const instead = (member: Member, why: string) => `${member.title} could not do this: ${why}. Do it yourself.`
const finding = (member: Member, why: string) => `${member.title} could not get through: ${why}. Find out why, so that it can be mended.`
const mending = (helper: Member) => `The tries before failed. ${helper.title} looked into it: go by what it found, and finish the work.`

/** After this one nobody else is asked. */
async function lastPart(scene: Scene, given: Doing & { readonly by: Member; readonly task: string }): Promise<StepEnd> {
  const ended = await play(scene, { ...given, to: receiver(scene, given), tries: 1 })
  if ('ok' in ended) return ended
  if (ended.was === 'failed') return gaveUp(scene, given, { why: ended.why, first: ended, by: given.by })
  return taken(scene, { ...given, ended })
}

// ---- one part

type Playing = Doing & { readonly by: Member; readonly to: Seat; readonly tries: number; readonly task: string | null }

async function play(scene: Scene, { label, step, by, to, tries, task, tier }: Playing): Promise<Ended | Extract<StepEnd, { ok: false }>> {
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

async function contractOf({ rooms, turn }: Scene, { name, from, to, step }: Edge): Promise<Contract | Extract<StepEnd, { ok: false }>> {
  const scope = await turn.read(`${name}-scope`, async () => ({ ...(await scopeOf(rooms.projects, turn.process)) }))
  const edge = await edgeOf(rooms, turn, { name, scope, from, to })
  if (edge.ok) return edge.contract
  return { ok: false, why: `UNDECLARED_EDGE: ${edge.why}`, again: step, next: ['Declare the hand-off, then do the step again.'] }
}

/** The next step's agent; the chain itself takes what the last one gives. */
function receiver({ cast }: Scene, { step }: Doing): Seat {
  const next = cast.steps[step + 1]
  return next ? seatOf(next) : orchestrator
}

async function claim(scene: Scene): Promise<boolean> {
  const { rooms, turn, setup, voice } = scene
  scene.hasClaim ||= await claimFolders(rooms.runs, turn, { roots: setup.roots, voice })
  return scene.hasClaim
}

// ---- what comes of a part

type Took = Doing & { readonly by: Member; readonly ended: Extract<Attempted, { was: 'done' }> }

async function taken(scene: Scene, { ended, ...took }: Took): Promise<StepEnd> {
  const kept = await handOver(scene, { ...took, to: receiver(scene, took), said: ended.said, ended })
  if ('ok' in kept) return kept
  return { ok: true }
}

type Handing = Doing & {
  readonly by: Member
  readonly to: Seat
  readonly said: Said
  /** Present: its part is told as done. */
  readonly ended?: Extract<Attempted, { was: 'done' }>
}

async function handOver(scene: Scene, handing: Handing): Promise<Kept | Extract<StepEnd, { ok: false }>> {
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
  })
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

type Line = Doing & { readonly by: Member; readonly ended: Ended; readonly gist: string; readonly path: string | null }

function tellPart({ told: lines }: Scene, { step, by, ended, gist, path }: Line): Told {
  const line: Told = { step, title: by.title, gist, path, cost: ended.ledger.cost, ok: path !== null }
  lines.push(line)
  return line
}

type GivingUp = { readonly why: string; readonly first: Ended; readonly by?: Member }

function gaveUp(scene: Scene, doing: Doing, { why, first, by = doing.member }: GivingUp): StepEnd {
  tellPart(scene, { ...doing, by, ended: first, gist: why, path: null })
  noteStep(scene, { ...doing, member: by }, { status: 'failed', why: why.slice(0, 500), cost: { ...first.ledger.cost } })
  return { ...failed(`${by.title}: ${why}.`, doing.step) }
}

function failed(why: string, step: number): Extract<StepEnd, { ok: false }> {
  return { ok: false, why, again: step, next: [`Do step ${step + 1} again.`] }
}

/** What a failed part hands on: its own words, or what is known about why there are none. */
function reportOf(ended: Ended, why: string): Said {
  if (ended.was === 'done') return { ...ended.said, performative: 'PROPOSE', front: why }
  return { performative: 'ESCALATE', front: why.slice(0, 200).toWellFormed(), text: ended.said?.text ?? why }
}

/** A report of a failure need not have the form of a result: what its sections lack is said in each. */
function withSections({ text, front }: Said, sections: readonly string[]): string {
  const lacking = missingSections(text, sections)
  return [text, ...lacking.map((one) => `## ${one}\n\n${front || gistOf(text)}`)].join('\n\n')
}

type Noted = { readonly label: string; readonly step: number; readonly member: Member; readonly tier: Tier }

function noteStep(
  { turn, folder, steps }: Scene,
  { label, step, member, tier }: Noted,
  more: JsonObject & { readonly status: string },
): void {
  const facts = { run: folder.path, step: step + 1, of: steps.length, agent: member.agent, class: member.class, tier }
  turn.note(`${label}-${more.status}`, { type: 'chain-step', visibility: 'user-summary', data: { ...facts, cost: { ...noCost }, ...more } })
}
