// Who did not make something judges it, and it is mended as long as there is something to mend, three times at most (E32). A plan is
// judged by a reasoner; what was built by a reviewer, or by a debugger where there is none. A text of sections is revised once.
import type { Tier } from '../../models/message.ts'
import { orchestrator } from '../../work/envelope/own-contracts.ts'
import { scopeOf } from '../turn/route-worker.ts'
import { attempt } from './attempt.ts'
import type { Member } from './cast.ts'
import { edgeOf, seatOf } from './edges.ts'
import type { Said } from './handover.ts'
import { type Doing, gaveUp, play, receiver, type StepEnd, taken, tellPart } from './part.ts'
import type { Scene } from './scene.ts'

type Judging = {
  readonly judge: Member
  readonly task: string
  readonly isBinding: boolean
  /** How often it is mended. */
  readonly rounds: number
}

const mostRounds = 3

/** `isBinding`: what still does not hold after the last round stops the chain; a plan goes on with what was found. */
function judgingOf({ plan, cast: { helpers } }: Scene, { member }: Doing): Judging | null {
  const { reasoner, reviewer, debugger: checker } = helpers
  const holds = (id: string) => plan.gates.find((one) => one.id === id)?.holds
  const reader = reviewer ?? reasoner
  if (member.class === 'scriber' && holds('G5') && reader)
    return {
      judge: reader,
      rounds: 1,
      isBinding: false,
      task: 'Judge the text against the order and the sections it was made of: is everything in it that was asked for, is each statement borne out, does it contradict itself?',
    }
  if (member.class === 'planner' && holds('G3') !== false && reasoner)
    return {
      judge: reasoner,
      rounds: mostRounds,
      isBinding: false,
      task: 'Judge the plan against the order: does it say what is wanted, is each step clear, can its acceptance be checked?',
    }
  const judge = reviewer ?? checker
  if (member.class === 'coder' && judge)
    return {
      judge,
      rounds: mostRounds,
      isBinding: true,
      task: 'Judge what was built against the order and the plan: does it do what is wanted, do its checks hold?',
    }
  return null
}

export async function perfected(scene: Scene, doing: Doing): Promise<StepEnd> {
  const judging = judgingOf(scene, doing)
  if (judging === null || judging.judge.agent === doing.member.agent) return { ok: true }
  const { label, step, member } = doing
  const { judge, isBinding, rounds } = judging
  for (let round = 1; ; round++) {
    const verdict = await judged(scene, { ...judging, label: `${label}-j${round}`, step })
    if (verdict.ok) return { ok: true }
    scene.voice.say(`${label}-j${round}-found`, { text: `${judge.title}: ${verdict.why}` })
    if (round > rounds) return isBinding ? stillWrong(judge, verdict, step) : { ok: true }
    const task = `${judge.title} judged what you handed over and found what has to be mended:\n\n${verdict.said?.text ?? verdict.why}\n\nMend it, and hand over the whole anew.`
    const mended = { ...doing, label: `${label}-m${round}`, by: member }
    const ended = await play(scene, { ...mended, to: receiver(scene, doing), tries: 1, task })
    if ('ok' in ended) return ended
    if (ended.was === 'failed') return gaveUp(scene, mended, { why: ended.why, first: ended })
    const end = await taken(scene, { ...mended, ended })
    if (!end.ok) return end
  }
}

function stillWrong(judge: Member, { why }: Extract<Verdict, { ok: false }>, step: number): StepEnd {
  return {
    ok: false,
    why: `${judge.title} is not satisfied after ${mostRounds} rounds: ${why}.`,
    again: step,
    next: [`Do step ${step + 1} again.`],
  }
}

type Verdict = { readonly ok: true } | { readonly ok: false; readonly why: string; readonly said: Said | null }
type Asking = { readonly label: string; readonly step: number; readonly judge: Member; readonly task: string }

/** Where no contract lets it answer, or it can't, nothing was found: who judges holds up nobody. */
async function judged(scene: Scene, { label, step, judge, task }: Asking): Promise<Verdict> {
  const { rooms, turn } = scene
  const scope = await turn.read(`${label}-scope`, async () => ({ ...(await scopeOf(rooms.projects, turn.process)) }))
  const edge = await edgeOf(rooms, turn, { name: `${label}-edge`, scope, from: seatOf(judge), to: orchestrator })
  if (!edge.ok) return { ok: true }
  const asked = { ...judge, artifact: { kind: 'answer', sections: ['Verdict'] } }
  const tier: Tier = judge.tier
  const part = { label, step, member: asked, tier, contract: edge.contract, task: `${task} ${howToJudge}`, tries: 1, isLast: true }
  const ended = await attempt(scene, part)
  if (ended.was === 'mismatch') return { ok: false, why: `${ended.code}: ${ended.why}`, said: null }
  const isFine = ended.was === 'failed' || ended.said.performative !== 'CRITIQUE'
  const why = ended.was === 'failed' ? `it could not judge: ${ended.why}` : isFine ? 'it holds' : ended.said.front || 'it found faults'
  tellPart(scene, { label, step, member: judge, tier, by: judge, ended, gist: why, path: null, ok: true })
  if (ended.was === 'failed') scene.voice.say(`${label}-none`, { text: `${judge.title} could not judge it: ${ended.why}.` })
  return isFine ? { ok: true } : { ok: false, why, said: ended.was === 'done' ? ended.said : null }
}

const howToJudge =
  'You did not make it. Look for yourself, run what can be run, change nothing. Is something wrong that has to be mended, begin with "CRITIQUE:" and the ' +
  'worst of it, and list below "## Verdict" what is wrong and where. Is it good, say so below "## Verdict", and how you know.'
