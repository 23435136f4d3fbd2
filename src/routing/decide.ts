// The default mode: who should do this, with all reasons. The arithmetic of the source without its known defects (docs/compatibility.md):
// no class that is asked for is lost, no question silences an order, what is refused stays refused, what is doubtful is marked. Pure.
import { clarificationFor } from './clarify.ts'
import type { CortexAnswer } from './cortex.ts'
import { deepOf, gatesOf } from './gates.ts'
import { look, type Seen } from './look.ts'
import { chainOf } from './order.ts'
import { signsOf } from './predicate.ts'
import type { Prepared } from './prepared.ts'
import { rerouted } from './refuse.ts'
import type { Dropped, Route, RouteStep, Scored } from './route.ts'
import { type Refused, refusesThat, type Seat, type Seated, seatsOf } from './seats.ts'
import { situationOf } from './situation.ts'
import type { Member, RouteContext } from './table.ts'
import { isTelling } from './topics.ts'
import type { Weight } from './weigh.ts'

type Marks = Route['marks']

/** What was decided, before it is told with all that was seen. */
type Outcome = {
  readonly decision: Route['decision']
  readonly members: readonly Member[]
  readonly chain: readonly RouteStep[]
  readonly template: string | null
  readonly confidence: number
  readonly reasons: readonly string[]
  readonly marks: Marks
  readonly clarification: CortexAnswer['clarification']
  readonly dropped: readonly Dropped[]
  readonly refusals: readonly string[]
}

/** Linear in the text, of which a very long one is looked at in part; keeps nothing between two calls. */
export function decide(prepared: Prepared, text: string, context: RouteContext): CortexAnswer {
  const seen = look(prepared, text, context)
  return told(seen, ladder(seen))
}

function ladder(seen: Seen): Outcome {
  const { prepared, context, topic, called } = seen
  const answered = context.answered === true
  if (seen.said.nobody) return left(['The answers say that nobody is to work on it; whoever leads the session answers.'])
  const change = seen.ban === null || answered ? null : changeIn(seen)
  if (change !== null && seen.ban !== null) return contradicted(seen, { change, ban: seen.ban })
  const seated = seatsOf(seen)
  const about = topic.life.length + topic.other.length > 0
  if (about && !topic.work && called.addressed.size === 0 && !speaksOf(seen)) return offTopic(seen, seated)
  const refusals = seated.refused.map(refusalText)
  if (seated.refused.length > prepared.table.thresholds.maxReroutes) return blocked(seen, refusals)
  if (seated.seats.size > 1) return chained(seen, seated)
  const [only] = seated.seats.values()
  if (only !== undefined && only.weight.scored.score >= prepared.table.thresholds.tauStandard) return single(seated, only)
  return nobody(seen, seated)
}

/** The phrase by which somebody is to change something. */
function changeIn({ weighed, prepared }: Seen): string | null {
  const { chainFloor } = prepared.table.thresholds
  const writer = weighed.weights.find(
    ({ class: kind, asserted, scored }) => (kind === 'coder' || kind === 'executor') && asserted && scored.score >= chainFloor,
  )
  return writer?.scored.matched[0] ?? null
}

function contradicted(seen: Seen, contradiction: { readonly change: string; readonly ban: string }): Outcome {
  const { change, ban } = contradiction
  const text = `The text asks for a change ("${change}") and forbids changes ("${ban}").`
  return unsure(seen, { reason: text, marks: [{ mark: 'DISPUTED', text }], contradiction })
}

/** A member's own phrase, or a signal, has a word of what the text is about: then that is its work. */
function speaksOf({ weighed, topic }: Seen): boolean {
  const { fired, boosted } = weighed.signals
  const phrases = [
    ...weighed.weights.flatMap(({ asserted, scored }) => (asserted ? scored.matched : [])),
    ...fired.flatMap(({ matched }) => (boosted.size > 0 ? matched : [])),
  ]
  return phrases.some((phrase) => isTelling(phrase) || topic.life.some((word) => phrase.toLowerCase().includes(word)))
}

const mostTopics = 8

function offTopic({ topic }: Seen, { seats }: Seated): Outcome {
  const about = [...topic.life, ...topic.other]
    .slice(0, mostTopics)
    .map((word) => `"${word}"`)
    .join(', ')
  const agents = [...seats.values()].map(({ member }) => member.name)
  const text = `The text speaks of ${about} and of nothing that is work on software${agents.length > 0 ? `; its verb alone would mean ${agents.join(' and ')}` : ''}.`
  return {
    ...left([`${text} Whoever leads the session answers.`]),
    marks: agents.length > 0 ? [{ mark: 'DISPUTED', text }] : [],
    dropped: agents.map((what) => ({ what, why: 'the text is about something else than its work' })),
  }
}

function single({ refused, dropped }: Pick<Seated, 'refused' | 'dropped'>, { member, weight }: Seat): Outcome {
  const score = capped(weight.scored.score)
  const refusals = refused.map(refusalText)
  const decision = refused.length > 0 ? 'refusal_reroute' : 'dispatch'
  return {
    ...empty,
    decision,
    members: [member],
    confidence: score,
    reasons: [...refusals, `${member.name} does it: ${because(weight)}.`],
    marks: refused.length > 0 ? [{ mark: 'DECISION', text: `${refusals.join(' ')} It goes to ${member.name}.` }] : [],
    refusals: [...refusals, ...leftIn(dropped)],
    dropped,
  }
}

function chained(seen: Seen, { seats, refused, unclaimed, dropped }: Seated): Outcome {
  const members = new Map([...seats].map(([kind, { member }]) => [kind, member]))
  const { prepared, weighed } = seen
  const { steps, template, missing } = chainOf(
    prepared,
    members,
    ({ name }) => weighed.refusalsOf(prepared.indexOf.get(name) ?? -1).length === 0,
  )
  const refusals = refused.map(refusalText)
  const parts = [...seats.values()].map(({ member, weight }) => `${member.class} (${member.name}: ${because(weight)})`)
  const order = template === null ? 'in the order of work' : `as in the template ${template}`
  const names = steps.map(({ agent }) => agent)
  const taken = refused.length > 0 || (seen.called.addressed.size > 0 && leftIn(dropped).length > 0)
  return {
    ...empty,
    decision: 'chain',
    members: steps.flatMap(({ agent }) => prepared.table.members[prepared.indexOf.get(agent) ?? -1] ?? []),
    chain: steps,
    template,
    confidence: Math.min(...[...seats.values()].map(({ weight }) => capped(weight.scored.score))),
    reasons: [`${seats.size} classes are asked for, one after the other ${order}: ${parts.join('; ')}.`, ...refusals],
    marks: [
      ...(taken
        ? [{ mark: 'DECISION' as const, text: `${[...refusals, ...leftIn(dropped)].join(' ')} The chain is ${names.join(', ')}.` }]
        : []),
      ...unclaimed.map((one) => ({ mark: 'GAP' as const, text: `${refusalText(one)} Nobody takes that part; it is not done.` })),
      ...missing.map((step) => ({ mark: 'GAP' as const, text: `Nobody can take the step ${step} of ${template}; it is left out.` })),
    ],
    refusals: [...refusals, ...leftIn(dropped), ...unclaimed.map(refusalText)],
    dropped,
  }
}

/** Nobody has a seat: what a refuser leaves goes to the best who has a score; then the generalist, a question, or the session's leader. */
function nobody(seen: Seen, { refused, dropped }: Seated): Outcome {
  const refusals = refused.map(refusalText)
  const [first] = refused
  if (first !== undefined) {
    const { to, passed, blocked: full } = rerouted(seen.prepared, seen.weighed.weights, first.weight)
    const member = to === null ? undefined : seen.prepared.table.members[to.member]
    if (full) return blocked(seen, [...refusals, ...passed.map((name) => `${name} refuses it too.`)])
    if (to !== null && member !== undefined) return single({ refused, dropped }, { member, weight: to })
  }
  const generalist = first === undefined ? generalistFor(seen) : null
  if (generalist !== null) return generalist
  const reason = [...refusals, `Nobody reaches ${seen.prepared.table.thresholds.tauStandard}.`].join(' ')
  const outcome = unsure(seen, {
    reason,
    marks: first === undefined ? [] : [{ mark: 'BLOCKED', text: `${refusals.join(' ')} Nobody else has a score.` }],
  })
  return { ...outcome, refusals, dropped: [...dropped, ...outcome.dropped] }
}

/** The text says what, where, and when it is done, and no specialist speaks up. */
function generalistFor(seen: Seen): Outcome | null {
  const { prepared, weighed, text } = seen
  const at = (prepared.byClass.get('generalist') ?? []).find(
    (member) => !weighed.weights.some((one) => one.member === member && one.refusals.length > 0),
  )
  const member = at === undefined ? undefined : prepared.table.members[at]
  if (member === undefined) return null
  const { verb, target, acceptance, bounded } = signsOf(text)
  if (!verb || !target || !acceptance || !bounded) return null
  const why = 'the text names an act, a target, a border and a way to see that it is done, and no specialist speaks up'
  return { ...empty, decision: 'dispatch', members: [member], confidence: topOf(seen), reasons: [`${member.name} does it: ${why}.`] }
}

type Doubt = {
  readonly reason: string
  readonly marks: Marks
  readonly contradiction?: { readonly change: string; readonly ban: string }
}

/** Questions, once; after their answers the best of what is there, or nobody. Nothing that asks for work at all is left to the leader. */
function unsure(seen: Seen, { reason, marks, contradiction }: Doubt): Outcome {
  const speaking = seen.weighed.weights.filter(({ scored }) => scored.matched.length > 0 || scored.signals.some(({ boost }) => boost > 0))
  if (seen.context.answered === true) return { ...afterAnswers(seen, reason), marks }
  if (marks.length === 0 && speaking.length === 0 && !seen.workAsked)
    return left(['Nothing in the text speaks for anybody; whoever leads the session answers.'])
  const signs = signsOf(seen.text)
  const clarification = clarificationFor({
    german: seen.scene.german,
    signs,
    ranked: speaking,
    contradiction: contradiction ?? null,
    unbounded: seen.weighed.signals.unbounded,
    onlyAsked: !seen.workAsked || speaking.every(({ asserted, addressed }) => !asserted && !addressed),
  })
  return { ...empty, decision: 'clarify', confidence: topOf(seen), reasons: [reason], marks, clarification }
}

function afterAnswers(seen: Seen, reason: string): Outcome {
  const best = seen.weighed.weights.find(({ scored, refusals }) => scored.score > 0 && scored.matched.length > 0 && refusals.length === 0)
  const member = best === undefined ? undefined : seen.prepared.table.members[best.member]
  if (best === undefined || member === undefined) return left([reason, 'It was asked once already; whoever leads the session answers.'])
  const why = `${member.name} does it: it was asked once already, and ${because(best)}.`
  return { ...empty, decision: 'dispatch', members: [member], confidence: capped(best.scored.score), reasons: [reason, why] }
}

function blocked(seen: Seen, refusals: readonly string[]): Outcome {
  const text = `${refusals.join(' ')} It is passed on ${seen.prepared.table.thresholds.maxReroutes} times at most.`
  return { ...unsure(seen, { reason: text, marks: [{ mark: 'BLOCKED', text }] }), refusals }
}

function left(reasons: readonly string[]): Outcome {
  return { ...empty, decision: 'leave', reasons }
}

const empty: Omit<Outcome, 'decision'> = {
  ...{ members: [], chain: [], template: null, confidence: 0, reasons: [], marks: [], clarification: null, dropped: [], refusals: [] },
}

function refusalText({ weight, says }: Refused): string {
  return `${weight.scored.agent} refuses ${says.map((phrase) => `"${phrase}"`).join(', ')}.`
}

function leftIn(dropped: readonly Dropped[]): readonly string[] {
  return dropped.filter(({ why }) => why.startsWith(refusesThat)).map(({ what, why }) => `${what}: ${why}.`)
}

function because({ scored, addressed }: Weight): string {
  const parts = [
    addressed ? 'it is addressed by name' : null,
    scored.matched.length > 0 ? scored.matched.map((phrase) => `"${phrase}"`).join(', ') : null,
    ...scored.signals.filter(({ boost }) => boost > 0).map(({ id }) => `the signal ${id}`),
  ]
  return parts.filter((part) => part !== null).join(' and ')
}

/** Of those who refuse nothing. */
function topOf({ weighed }: Seen): number {
  return capped(weighed.weights.find(({ refusals }) => refusals.length === 0)?.scored.score ?? 0)
}

function capped(score: number): number {
  return Math.max(0, Math.min(1, score))
}

const mostScores = 100
const mostDropped = 40

function told(seen: Seen, outcome: Outcome): CortexAnswer {
  const { prepared, weighed, scene } = seen
  const gaps = gapsOf(seen, outcome)
  const classes = outcome.members.map((member) => member.class)
  const chosen = weighed.weights.filter(({ scored }) => outcome.members.some(({ name }) => name === scored.agent))
  const stakes = weighed.signals.fired.find((signal) => signal.stakes)
  const situation = situationOf(scene, {
    context: seen.context,
    hits: seen.hits,
    classes: classes.length,
    stakes: stakes?.matched[0] ?? stakes?.id ?? null,
  })
  const disputed = outcome.marks.some(({ mark }) => mark === 'DISPUTED')
  const score = Math.max(0, ...chosen.map(({ scored }) => scored.score))
  const judged = {
    situation,
    table: prepared.table,
    classes,
    score,
    refusals: outcome.refusals,
    gaps: gaps.map(({ text }) => text),
    disputed,
  }
  const deep = deepOf(judged)
  const cost = { mark: 'DECISION', text: 'A deep run may cost five to fifteen times a standard one.' } as const
  return {
    decision: outcome.decision,
    selected: outcome.members.map(({ name }) => name),
    chain: outcome.chain,
    tier: deep.deep ? 'trance' : 'standard',
    models: deep.deep ? prepared.table.trance : null,
    confidence: outcome.confidence,
    reasons: [
      ...outcome.reasons,
      ...(weighed.byWeak ? ['No clear order is there, so what may be one was taken.'] : []),
      howSure(outcome),
      deep.why,
    ],
    marks: [...outcome.marks, ...gaps, ...(deep.deep ? [cost] : [])],
    clarification: outcome.clarification,
    scores: weighed.weights
      .map(({ scored }) => scored)
      .filter(speaks)
      .slice(0, mostScores),
    signals: weighed.signals.fired.map(({ id, matched }) => ({ id, matched })),
    template: outcome.template,
    gates: gatesOf(judged, deep),
    dropped: [...outcome.dropped, ...weighed.dropped].slice(0, mostDropped),
    thresholds: { ...prepared.table.thresholds },
    looked: seen.looked,
  }
}

function speaks({ matched, named, signals }: Scored): boolean {
  return matched.length > 0 || named || signals.length > 0
}

/** Classes that are asked for and have nobody here, and what is done instead. */
function gapsOf({ weighed }: Seen, { members, decision }: Outcome): readonly { readonly mark: 'GAP'; readonly text: string }[] {
  const instead =
    members.length > 0 ? `${members.map(({ name }) => name).join(' and ')} works without it` : 'whoever leads the session answers'
  return [...weighed.lacking].map(([kind, says]) => ({
    mark: 'GAP' as const,
    text: `"${says}" asks for a ${kind}, and nobody here is one; ${decision === 'clarify' ? 'the question is asked all the same' : instead}.`,
  }))
}

function howSure({ decision, confidence }: Outcome): string {
  const least = decision === 'chain' ? 'the least sure step of the chain' : 'the best score'
  return `Confidence ${confidence} is ${least}: one phrase is 0.8, two 0.9, three 0.97, a name 0.5 more, signals as the table says, 1 at most.`
}
