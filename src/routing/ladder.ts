// The order in which a route is found (DESIGN section 7): address, mention, the session's open question, learned rules, keywords, cortex.
// The first that knows somebody decides; what the others would have said stands among what was dropped. Pure.
import type { CortexAnswer } from './cortex.ts'
import type { KeywordScore } from './keywords.ts'
import { mentionsIn } from './mention.ts'
import type { Place } from './place.ts'
import type { Dropped, Route, Way } from './route.ts'
import type { Asked } from './routing.ts'

export type Question = Omit<Asked, 'scope'>

/** What a way found. `agent` null: it is decided, and nobody is there for it. */
type Found = {
  readonly by: Way
  readonly agent: string | null
  readonly confidence: number
  readonly reason: string
}
/** A place, a question, and a list that grows by what is dropped on the way. */
type Search = { readonly place: Place; readonly asked: Question; readonly dropped: Dropped[] }

const mostDropped = 40
const mostShown = 10

/** Linear in the text; the same place and question give the same bytes. */
export function routeAt(place: Place, asked: Question): Route {
  const answer = place.cortex.decide(asked.text, asked.context ?? {})
  const search: Search = { place, asked, dropped: [] }
  const found = byAddress(search) ?? byMention(search) ?? byQuestion(search) ?? byRule(search) ?? byKeywords(search)
  const route = found === null ? ofCortex(search, answer) : ofWay(search, found, answer)
  const { keywordThreshold, rosterVersion, rulesVersion } = place
  return {
    ...route,
    dropped: route.dropped.slice(0, mostDropped),
    thresholds: { ...answer.thresholds, ...(keywordThreshold === null ? {} : { keywords: keywordThreshold }) },
    context: asked.context ?? {},
    rosterVersion,
    rulesVersion,
  }
}

function byAddress({ place, asked: { to } }: Search): Found | null {
  if (to === null || to === undefined || to.trim() === '') return null
  const agent = place.find(to)
  const reason =
    agent === null ? `It is addressed to ${quote(to)}, and nobody here is called so; here are ${whoIsThere(place)}.` : addressed(to)
  return { by: 'address', agent, confidence: 1, reason }
}

function byMention({ place, asked: { text }, dropped }: Search): Found | null {
  const written = mentionsIn(text, (name) => place.find(name) !== null)
  const agents = [...new Set(written.flatMap((name) => place.find(name) ?? []))]
  const [agent, ...others] = agents
  if (agent === undefined) return null
  for (const other of others.slice(0, mostShown)) dropped.push({ what: other, why: 'it is mentioned too, and the first mention decides' })
  return { by: 'mention', agent, confidence: 1, reason: `The text mentions @${written[0]}.` }
}

function byQuestion({ place, asked: { asking } }: Search): Found | null {
  const agent = asking === null || asking === undefined ? null : place.find(asking)
  if (agent === null) return null
  return { by: 'question', agent, confidence: 1, reason: `A question of ${agent} stands open here, and this is its answer.` }
}

function byRule({ place, asked: { text }, dropped }: Search): Found | null {
  for (const { id, when, to } of place.rules.fulfilled(text)) {
    const agent = place.find(to)
    const refused = agent === null ? [] : place.refused(agent, text)
    if (agent === null) dropped.push({ what: `rule ${id}`, why: `nobody here is called ${quote(to)}` })
    else if (refused.length > 0) dropped.push({ what: `rule ${id}`, why: `${agent} refuses such a text: ${list(refused)}` })
    else return { by: 'rule', agent, confidence: 1, reason: `The rule ${id} sends texts with ${list(when)} to ${agent}.` }
  }
  return null
}

function byKeywords({ place, asked: { text }, dropped }: Search): Found | null {
  const threshold = place.keywordThreshold ?? 1
  let found: Found | null = null
  for (const one of place.keywords.scores(text)) {
    const { agent, score } = one
    const refused = place.refused(agent, text)
    if (score < threshold) dropped.push({ what: agent, why: `${told(one)}, below ${threshold}` })
    else if (refused.length > 0) dropped.push({ what: agent, why: `${told(one)}, but it refuses such a text: ${list(refused)}` })
    else if (found !== null) dropped.push({ what: agent, why: `${told(one)}, and another has as many or comes first` })
    else found = { by: 'keywords', agent, confidence: rounded(score), reason: `${agent}: ${told(one)}, at least ${threshold}.` }
  }
  return found
}

type Unfinished = Omit<Route, 'thresholds' | 'context' | 'rosterVersion' | 'rulesVersion'>

function ofCortex({ place, asked, dropped }: Search, answer: CortexAnswer): Unfinished {
  const leader = nameOf(place, asked.leader)
  const by = answer.decision === 'leave' ? null : 'cortex'
  const route: Unfinished = { ...answer, by, dropped: [...dropped, ...answer.dropped] }
  const isLeaders = answer.selected.length === 1 && answer.selected[0] === leader
  if (!isLeaders) return route
  return { ...route, decision: 'leave', selected: [], chain: [], template: null, reasons: [leads(leader), ...answer.reasons] }
}

/** Whoever leads is never chosen by score: what would be theirs is left to them. */
function ofWay({ place, asked, dropped }: Search, { by, agent, confidence, reason }: Found, answer: CortexAnswer): Unfinished {
  const isLeft = agent === null || (by === 'keywords' && agent === nameOf(place, asked.leader))
  const refused = agent === null || isLeft ? [] : place.refused(agent, asked.text)
  const against = `${agent} refuses texts with ${list(refused)}, and was chosen by name all the same.`
  const other = wouldBe(answer, agent)
  const { tier, models, scores, signals, gates, looked } = answer
  return {
    ...{ decision: isLeft ? 'leave' : 'dispatch', by, selected: agent === null || isLeft ? [] : [agent], chain: [], confidence },
    ...{ tier, models, scores, signals, gates, looked, template: null, clarification: null },
    reasons: isLeft && agent !== null ? [leads(agent), reason] : [reason],
    marks: [
      ...(agent === null ? [{ mark: 'BLOCKED', text: reason } as const] : []),
      ...(refused.length > 0 ? [{ mark: 'DISPUTED', text: against } as const] : []),
    ],
    dropped: [...dropped, ...(other === null ? [] : [other]), ...answer.dropped],
  }
}

/** What the cortex says to it, when that is something else. */
function wouldBe({ decision, selected, confidence, reasons }: CortexAnswer, agent: string | null): Dropped | null {
  if (decision === 'leave' || (selected.length === 1 && selected[0] === agent)) return null
  const what = selected.length === 0 ? `cortex: ${decision}` : `cortex: ${decision} ${selected.join(', ')} (${rounded(confidence)})`
  return { what, why: `it is asked last${reasons[0] === undefined ? '' : `: ${reasons[0]}`}` }
}

function nameOf(place: Place, called: string | null | undefined): string | null {
  return called === null || called === undefined ? null : place.find(called)
}

function addressed(to: string): string {
  return `It is addressed to ${to.trim()}.`
}

function leads(leader: string | null): string {
  return `${leader} leads here already, and answers.`
}

function told({ matched, of, score }: KeywordScore): string {
  return `${matched.length} of ${of} keywords (${list(matched)}), ${rounded(score)}`
}

export function whoIsThere({ names }: Pick<Place, 'names'>): string {
  const shown = names.slice(0, 40).join(', ')
  return names.length > 40 ? `${shown} and ${names.length - 40} more` : shown || 'none'
}

function list(phrases: readonly string[]): string {
  const shown = phrases.slice(0, mostShown).map((phrase) => quote(phrase))
  return phrases.length > mostShown ? `${shown.join(', ')} and ${phrases.length - mostShown} more` : shown.join(', ')
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
