// The building step of a deep run: parts that a planner named are built side by side, each in a folder of its own; the lead brings them
// together, and who did not build it checks it (E30, E31, E32).

import type { Tier } from '../../models/message.ts'
import type { Contract } from '../../work/envelope/envelope.ts'
import { scopeOf } from '../turn/route-worker.ts'
import type { Attempted, Part } from './attempt.ts'
import { type Branches, makeBranches, removeBranches } from './branches.ts'
import type { Member } from './cast.ts'
import { markCopies } from './copies.ts'
import { type Edge, edgeOf, seatOf } from './edges.ts'
import { check } from './keeping.ts'
import { type Merged, mergeBranches, stillOpen } from './merge.ts'
import type { Scene } from './scene.ts'
import { sideBySide } from './sides.ts'
import { mostStories, type Story, storiesIn } from './stories.ts'

/** Tokens of a plan that are looked through for parts. */
const wholePlan = 100_000

/** Parts of the newest plan that can be built at once; [] when the run is no deep one, its gate is shut, or nothing was named. */
export async function storiesFor(scene: Scene, label: string): Promise<readonly Story[]> {
  const { plan, kept, rooms, turn, folder, messages, cast } = scene
  const gate = plan.gates.find(({ id }) => id === 'G4')
  if (plan.tier !== 'trance' || gate?.holds === false) return []
  const spec = kept.findLast(({ step }) => cast.steps[step]?.class === 'planner')
  if (spec === undefined) return []
  const checked = await check(rooms, turn, { name: `${label}-plan`, folder, kept: [spec], messages: [...messages], budget: wholePlan })
  return checked.ok ? storiesIn(checked.texts[0] ?? '').slice(0, mostStories) : []
}

export type Side = { readonly story: Story; readonly ended: Attempted }
/** `merged` null: nothing was built side by side; why. */
export type Built = { readonly sides: readonly Side[]; readonly merged: Merged; readonly run: string } | { readonly why: string }

export type Building = { readonly label: string; readonly step: number; readonly member: Member; readonly stories: readonly Story[] }

/** At most so many at once as the thresholds allow; more are built in batches. */
export async function buildAside(scene: Scene, { label, step, member, stories }: Building): Promise<Built> {
  const { turn, setup } = scene
  const { roots } = setup
  const run = `${runOf(scene)}-${label}`
  if (roots.length === 0) return { why: 'the project has no folders' }
  const making = { roots, run, count: stories.length }
  const edge = await partEdge(scene, { label, member })
  if (!edge.ok) return { why: edge.why }
  const made: Branches = await turn.step(`${label}-branches`, 'idempotent', async ({ signal }) => {
    const branches = await makeBranches(making, signal)
    if (branches.ok) await markCopies(scene.rooms.taint, turn.process, making)
    return branches
  })
  if (!made.ok) return { why: made.why }
  const { without } = made
  const parts = stories.map((story, at) => ({
    name: story.name,
    part: part(scene, {
      label: `${label}-p${at + 1}`,
      step,
      member,
      story,
      contract: edge.contract,
      roots: made.folders[at] ?? [],
      without,
    }),
  }))
  const ended = await sideBySide(scene, label, parts)
  const sides = ended.map((one, at) => ({ story: stories[at] ?? { name: '', text: '' }, ended: one }))
  return { sides, run, merged: await merged(scene, { label, ...making }) }
}

type Aside = {
  readonly label: string
  readonly step: number
  readonly member: Member
  readonly story: Story
  readonly contract: Contract
  readonly roots: readonly string[]
  readonly without: readonly string[]
}

/** Each step has its own folders: done again, it begins from the project as it is then. */
export function runOf({ folder }: Pick<Scene, 'folder'>): string {
  return folder.path.split('/').at(-1) ?? folder.path
}

/** Of what the parts hand to who leads. */
async function partEdge({ rooms, turn }: Scene, { label, member }: Pick<Building, 'label' | 'member'>): Promise<Edge> {
  const scope = await turn.read(`${label}-parts-scope`, async () => ({ ...(await scopeOf(rooms.projects, turn.process)) }))
  return edgeOf(rooms, turn, { name: `${label}-parts-edge`, scope, from: seatOf(member), to: seatOf(member) })
}

function part({ plan }: Scene, { label, step, member, story, contract, roots, without }: Aside): Part {
  const tier: Tier = plan.models?.workers ?? member.tier
  const task =
    `You build one part of it, in a copy of the project of your own, while others build the other parts: "${story.text}". Build this part and nothing else. ` +
    'There is no repository in your copy; what you change is brought together with the rest afterwards.' +
    packagesMissing(without)
  return { label, step, member, tier, contract, task, tries: 2, isLast: true, roots }
}

/** A link to them would let a part change what all of them use, and would lead out of what it may see. */
function packagesMissing(without: readonly string[]): string {
  if (without.length === 0) return ''
  return ` Installed packages (${without.join(', ')}) are not in it: install none. What needs them you don't run; say under what you checked that it is left to who brings the parts together.`
}

/** What is brought back carries what its makers had on their minds. */
async function merged(
  { rooms, turn, setup, mind }: Scene,
  { label, run, count }: { readonly label: string; readonly run: string; readonly count: number },
): Promise<Merged> {
  const { roots } = setup
  return turn.step(`${label}-merge`, 'idempotent', async ({ signal }) => {
    const { id: process, session } = turn.process
    const written = await rooms.taint.writing({ process, session, paths: roots, taint: mind.taint })
    const done = await mergeBranches({ roots, run, count }, signal)
    await written.wrote({ paths: [...done.taken, ...done.removed], taint: mind.taint, sources: [`process:${process}`] })
    return done
  })
}

/** When the step is done. What the lead left as it was is lost with the copies, so then they stay and that is said. */
export async function tidy(scene: Scene, label: string, { merged, run }: Extract<Built, { run: string }>): Promise<void> {
  const open = await scene.turn.read(`${label}-open`, async () => [...(await stillOpen(merged.conflicts))])
  if (open.length === 0) return remove(scene, label)
  await keepCopies(scene, label)
  const files = open.slice(0, 20).map((path) => `- ${path}`)
  const head = `The lead left these files as they were; what the parts made of them lies in .steward/${run} of the project until the next chain there has ended:`
  scene.voice.say(`${label}-left`, { text: [head, ...files, ...(open.length > 20 ? [`- and ${open.length - 20} more`] : [])].join('\n') })
}

/** Until the next chain there has ended. */
export async function keepCopies({ rooms, turn }: Scene, label: string): Promise<void> {
  await turn.step(`${label}-keeps`, 'idempotent', async () => {
    await rooms.runs.keeps(turn.id)
    return null
  })
}

/** Also what earlier tries of the step left. */
async function remove(scene: Scene, label: string): Promise<void> {
  await scene.turn.step(`${label}-tidy`, 'idempotent', async () => {
    await removeBranches(scene.setup.roots, runOf(scene))
    return null
  })
}

/** What the lead is told when the parts are back. */
export function bringingTogether({ sides, run, merged: { taken, removed, conflicts } }: Extract<Built, { run: string }>): string {
  const lines = sides.map(({ story, ended }, at) => `${at + 1}. ${story.name}: ${becameOf(ended)}`)
  const open = conflicts.map(
    ({ path, branches, why }) =>
      `- ${path}: ${why}${branches.length > 0 ? `, by part ${branches.map((one) => one + 1).join(' and ')}` : ''}`,
  )
  return [
    `You lead this work. ${sides.length} parts of it were built side by side:\n${lines.join('\n')}`,
    `${taken.length} files of them are in the project now${removed.length > 0 ? `, ${removed.length} were removed` : ''}.`,
    ...(open.length > 0
      ? [
          `These could not be brought together by themselves, and the project has its old version of them:\n${open.join('\n')}\n` +
            `Each part is in its own folder .steward/${run}/<number of the part>/ of the project; the paths in it are the same. Bring these files together so that nothing of either is lost.`,
        ]
      : []),
    'Build what was not built, but nothing that a person stopped; make sure that the whole holds together, run the checks, and hand over one report of the whole.',
  ].join('\n\n')
}

function becameOf(ended: Attempted): string {
  if (ended.was === 'done') return 'built'
  const isStopped = ended.was === 'failed' && ended.forGood === 'stopped'
  return isStopped ? 'stopped by a person, and left out' : `NOT built (${ended.why})`
}
