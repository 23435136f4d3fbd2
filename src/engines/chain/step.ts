// One step of a chain: its agent's part, and what comes of it when that part fails. A proposal beyond somebody's authority is applied
// by the coder; a failure is escalated once, and then the chain stops (E23, E24). In a deep run parts of it are built side by side, and
// somebody else judges what was made (E30, E32).
import { isBeyond } from './attempt.ts'
import type { Member } from './cast.ts'
import { type Charter, charterOf } from './charter.ts'
import { type Built, bringingTogether, buildAside, keepCopies, storiesFor, tidy } from './deep.ts'
import { seatOf } from './edges.ts'
import { type Fanned, fanOut } from './fan.ts'
import type { Said } from './handover.ts'
import { perfected } from './judging.ts'
import { claim, type Doing, type Ended, failed, gaveUp, handOver, play, receiver, type StepEnd, taken, tellPart } from './part.ts'
import type { Scene } from './scene.ts'
import { storiesTask } from './stories.ts'

export async function doStep(scene: Scene, doing: Doing): Promise<StepEnd> {
  const { member, label } = doing
  const charter = charterOf(member.class)
  if (charter.writes && !(await claim(scene))) return failed(neverFree, doing.step)
  const aside = member.class === 'coder' ? await builtAside(scene, doing) : null
  if (aside && 'ok' in aside) return aside
  const fanned = await fanOut(scene, doing)
  if (fanned && 'ok' in fanned) return fanned
  const own = isDeep(scene) && member.class === 'planner' ? storiesTask : null
  const task = aside ? bringingTogether(aside) : (fanned?.task ?? own)
  const end = await ownPart(scene, doing, { charter, task, fanned })
  // What was not brought together stays where it was made.
  if (aside && end.ok) await tidy(scene, label, aside)
  return aside && !end.ok ? kept(scene, { label, end, run: aside.run }) : end
}

type Keeping = { readonly label: string; readonly end: Extract<StepEnd, { ok: false }>; readonly run: string }

/** What is not brought together yet stays for the person, and for a chain that they send to it. */
async function kept(scene: Scene, { label, end, run }: Keeping): Promise<StepEnd> {
  await keepCopies(scene, label)
  const where = `The parts lie in .steward/${run} of the project until the next chain there has ended.`
  return { ...end, next: [...end.next, where] }
}

const neverFree = 'The folders of the project were never free.'
const isDeep = ({ plan }: Scene) => plan.tier === 'trance'

type Own = { readonly charter: Charter; readonly task: string | null; readonly fanned: Fanned | null }

async function ownPart(scene: Scene, doing: Doing, { charter, task, fanned }: Own): Promise<StepEnd> {
  const { member } = doing
  const first = await play(scene, { ...doing, by: member, to: receiver(scene, doing), tries: charter.tries, task })
  if ('ok' in first) return first
  const helper = charter.escalation === null ? undefined : scene.cast.helpers[charter.escalation.to]
  const wants = whyHelp(first, member)
  if (wants === null && first.was === 'done') {
    const ended = fanned ? { ...first, said: fanned.whole(first.said) } : first
    const end = await taken(scene, { ...doing, by: member, ended })
    return end.ok && isDeep(scene) ? perfected(scene, doing) : end
  }
  const why = wants ?? 'it failed'
  if (helper === undefined || helper.agent === member.agent || isOverForGood(first, charter)) return gaveUp(scene, doing, { why, first })
  return escalated(scene, doing, { charter, helper, first, why })
}

type Aside = Extract<Built, { run: string }>

/** null: it is built in one piece. */
async function builtAside(scene: Scene, doing: Doing): Promise<Aside | Extract<StepEnd, { ok: false }> | null> {
  const { label, step, member, tier } = doing
  const stories = await storiesFor(scene, label)
  if (stories.length === 0) return null
  const built = await buildAside(scene, { label, step, member, stories })
  if ('why' in built) {
    scene.voice.say(`${label}-one-piece`, { text: `It is built in one piece: ${built.why}.` })
    return null
  }
  for (const [at, { story, ended }] of built.sides.entries()) {
    const part = { label: `${label}-p${at + 1}`, step, tier, member, by: member }
    if (ended.was === 'mismatch') return failed(`${story.name}: ${ended.code}. ${ended.why}`, step)
    if (ended.was === 'failed') tellPart(scene, { ...part, ended, gist: `${story.name}: ${ended.why}`, path: null })
    else {
      const kept = await handOver(scene, { ...part, to: seatOf(member), said: ended.said, ended, isAside: true })
      if ('ok' in kept) return kept
    }
  }
  const { conflicts } = built.merged
  if (conflicts.length > 0) scene.voice.say(`${label}-conflicts`, { text: told(conflicts) })
  return built
}

function told(conflicts: Aside['merged']['conflicts']): string {
  const shown = conflicts.slice(0, 20).map(({ path, why }) => `- ${path}: ${why}`)
  const more = conflicts.length > shown.length ? [`- and ${conflicts.length - shown.length} more`] : []
  return [
    'These files could not be brought together by themselves; the lead does it, and nothing of them is lost meanwhile:',
    ...shown,
    ...more,
  ].join('\n')
}

/** null: its part is done. */
function whyHelp(ended: Ended, member: Member): string | null {
  if (ended.was === 'failed') return ended.why
  if (isBeyond(member, ended.ledger)) return `it changed ${ended.ledger.files.length} files, which is beyond what it may do alone`
  const proposes = ended.said.performative === 'PROPOSE' && charterOf(member.class).escalation?.how === 'instead'
  return proposes ? 'it proposes what is beyond its authority' : null
}

/** What was refused stays refused; only who works for the coder hands on what it may not do. What a person stopped goes to nobody. */
function isOverForGood(ended: Ended, { escalation }: Charter): boolean {
  if (ended.was !== 'failed') return false
  return ended.forGood === 'stopped' || (ended.forGood === 'refused' && escalation?.how !== 'instead')
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
    if (!(await claim(scene))) return failed(neverFree, doing.step)
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

/** What a failed part hands on: its own words, or what is known about why there are none. */
function reportOf(ended: Ended, why: string): Said {
  if (ended.was === 'done') return { ...ended.said, performative: 'PROPOSE', front: why }
  return { performative: 'ESCALATE', front: why.slice(0, 200).toWellFormed(), text: ended.said?.text ?? why }
}
