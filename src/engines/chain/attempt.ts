// One agent's part in a step: what it builds on is checked, it is hired and asked, and its answer is read as a hand-over. A missing
// section is asked for once; a try that came to nothing is made again as often as its class allows.

import { laneOf } from '../../base/ids.ts'
import type { Json } from '../../base/json.ts'
import type { Tier } from '../../models/message.ts'
import type { Contract, VerifyFailure } from '../../work/envelope/envelope.ts'
import { askedAgain, briefed, triedAgain } from './briefing.ts'
import type { Member } from './cast.ts'
import { type Artifact, mostFilesOfExecutor, readingOf } from './charter.ts'
import { artifactFor } from './edges.ts'
import { missingSections, readSaid, type Said } from './handover.ts'
import { hear } from './heard.ts'
import { check, usualBudget } from './keeping.ts'
import { type Ledger, ledgerOf, noCost } from './ledger.ts'
import type { Scene } from './scene.ts'
import { watchOf } from './watch.ts'
import { askWorker, type ForGood, type Hired, hire, type Worker } from './worker.ts'

export type Part = {
  /** Begins the names of all its steps. */
  readonly label: string
  /** From 0. */
  readonly step: number
  readonly member: Member
  readonly tier: Tier
  /** Of what it hands over. */
  readonly contract: Contract
  readonly task: string | null
  readonly tries: number
  readonly isLast: boolean
  readonly roots?: readonly string[]
  /** It only reads, whatever its class may do. */
  readonly bound?: 'reading'
}

export type Attempted =
  | { readonly was: 'done'; readonly said: Said; readonly artifact: Artifact; readonly ledger: Ledger; readonly handles: readonly string[] }
  /** `said`: its own last words, where there were any. */
  | { readonly was: 'failed'; readonly why: string; readonly said: Said | null; readonly ledger: Ledger; readonly forGood: ForGood }
  /** What it was to build on is not what was handed over. */
  | { readonly was: 'mismatch'; readonly why: string; readonly code: VerifyFailure; readonly number: number }

export async function attempt(scene: Scene, part: Part): Promise<Attempted> {
  const { rooms, turn, kept, messages, folder, order, heard } = scene
  const { label, member, contract } = part
  const budget = kept.at(-1)?.contract.tokenBudgetMax ?? usualBudget
  const checked = await check(rooms, turn, { name: `${label}-check`, folder, kept, messages: [...messages], budget })
  if (!checked.ok) return { was: 'mismatch', why: checked.why, code: checked.code, number: checked.number }
  const recalled = await recall(scene, part)
  const artifact = artifactFor(member, contract)
  const place = `${member.title} in the project ${scene.setup.project.title}`
  const artifacts = kept.map((one, at) => ({ ...one, text: checked.texts[at] ?? null }))
  const { text, handles } = briefed({ artifact, order, since: [...heard], place, artifacts, recalled, task: part.task })
  const worker = await hired(scene, part)
  if ('why' in worker) return { was: 'failed', ledger: { cost: noCost, files: [] }, why: worker.why, said: null, forGood: 'refused' }
  const asked = await ask(scene, part, { worker, text, artifact })
  const ledger = await close(scene, part, worker)
  if (asked.ok) return { was: 'done', said: asked.said, artifact, ledger, handles }
  return { was: 'failed', ledger, why: asked.why, said: asked.said, forGood: asked.forGood }
}

async function recall({ rooms, turn, order }: Scene, { label, member }: Part): Promise<readonly string[]> {
  const { user, project } = turn.process
  return turn.read(`recall-${label}`, async () => [...(await rooms.memory.recall({ user, project, agent: member.agent, text: order }))])
}

async function hired(scene: Scene, { label, member, tier, step, roots, bound }: Part): Promise<Hired> {
  const { rooms, turn, setup, mind, order, steps } = scene
  const all = setup.agent.pledge ?? []
  const held = bound === 'reading' ? readingOf(all) : all
  const title = `${step + 1}/${steps.length} ${order.replace(/\s+/g, ' ')}`
  const worker = await hire(rooms, turn, { name: label, member, tier, title, held, ...(roots ? { roots } : {}) })
  if ('worker' in worker) mind.pass(worker.worker, [`process:${turn.process.id}`])
  return worker
}

type Asking = { readonly worker: Worker; readonly text: string; readonly artifact: Artifact }
type Asked =
  | { readonly ok: true; readonly said: Said }
  | { readonly ok: false; readonly why: string; readonly said: Said | null; readonly forGood: ForGood }

async function ask(scene: Scene, part: Part, { worker, text, artifact }: Asking): Promise<Asked> {
  let failed: Asked = { ok: false, why: 'it was never asked', said: null, forGood: null }
  let words = text
  for (let at = 1; at <= part.tries; at++) {
    const asked = await askOnce(scene, part, { worker, text: words, artifact, name: `${part.label}-${at}` })
    if (asked.ok || asked.isFinal) return asked
    failed = asked
    words = triedAgain(asked.why)
  }
  return part.tries > 1 && !failed.ok ? { ...failed, why: `${failed.why} (after ${part.tries} tries)` } : failed
}

type Once = Asked & { readonly isFinal?: boolean }

async function askOnce(scene: Scene, part: Part, { worker, text, artifact, name }: Asking & { readonly name: string }): Promise<Once> {
  const first = await words(scene, part, { worker, text, name })
  if (!first.ok) return { ok: false, why: first.why, said: null, forGood: first.forGood, isFinal: first.final }
  if (isTooLarge(first.text)) return { ok: false, why: tooLarge, said: null, forGood: null }
  const said = readSaid(first.text)
  const ended = endedBy(said)
  if (ended) return ended
  const missing = missingSections(said.text, artifact.sections)
  if (missing.length === 0) return { ok: true, said }
  const again = await words(scene, part, { worker, text: askedAgain(missing, artifact), name: `${name}-again` })
  if (!again.ok && again.forGood) return { ok: false, why: again.why, said, forGood: again.forGood, isFinal: true }
  const second = again.ok && !isTooLarge(again.text) ? readSaid(again.text) : said
  const left = missingSections(second.text, artifact.sections)
  if (left.length === 0)
    return endedBy(second) ?? { ok: true, said: second.front === '' ? { ...second, performative: said.performative } : second }
  const why = `what it handed over lacks ${left.join(', ')} (MISSING_REQUIRED_SECTION), also after it was asked once more`
  return { ok: false, why, said: second, forGood: null, isFinal: true }
}

function endedBy(said: Said): Once | null {
  const { performative, front } = said
  if (performative !== 'REFUSE' && performative !== 'ESCALATE') return null
  const verb = performative === 'REFUSE' ? 'refused it' : 'asked for somebody else'
  return {
    ok: false,
    isFinal: true,
    why: `it ${verb}: ${front || said.text.slice(0, 200)}`,
    said,
    forGood: performative === 'REFUSE' ? 'refused' : null,
  }
}

/** A document holds 1 MB; sections that are added and secrets that are taken out need room too. */
const mostBytes = 1_000_000
const tooLarge = `what it handed over is larger than ${mostBytes / 1_000_000} MB`

function isTooLarge(text: string): boolean {
  return Buffer.byteLength(text) > mostBytes
}

/** What the person writes meanwhile goes to the step after this one; beside the last step it starts a turn of its own. */
function words(scene: Scene, { isLast, member }: Part, { worker, text, name }: Omit<Asking, 'artifact'> & { readonly name: string }) {
  return askWorker(scene.turn, worker, {
    ...{ name, text, entries: scene.entries, watch: watchOf(scene, { name, who: member.title, worker: worker.worker }) },
    ...(isLast ? {} : { heard: (more, at) => hear(scene, more, { name: `heard-${at}`, who: member.title }) }),
  })
}

/** What it cost, which files it changed, and what it had on its mind. */
async function close({ rooms, turn, mind }: Scene, { label }: Part, worker: Worker): Promise<Ledger> {
  const found = await turn.read(`${label}-ledger`, async () => {
    const ledger = await ledgerOf(rooms.events, laneOf(worker.worker))
    const given: { readonly ledger: Ledger; readonly taint: Awaited<ReturnType<typeof rooms.minds.of>> } = {
      ledger: { ...ledger, files: ledger.files.slice(0, 50) },
      taint: await rooms.minds.of(worker.worker),
    }
    return given satisfies Json
  })
  mind.raise(found.taint, [`process:${worker.worker}`])
  return found.ledger
}

/** An executor that changed more files than it may. */
export function isBeyond({ class: kind }: Member, { files }: Ledger): boolean {
  return kind === 'executor' && files.length > mostFilesOfExecutor
}
