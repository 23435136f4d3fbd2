// A route as a fact of the journal: the whole of it, within 8 kB (E41). What is left out is counted.
import { type JsonObject, jsonCopy } from '../../base/json.ts'
import type { Route } from '../../routing/route.ts'

/** As UTF-8. */
const mostBytes = 8_000
/** The first that fits is taken. Numbers are how many of each are kept, and characters of a text. */
const levels = [
  { scores: 12, words: 12, list: 24, text: 300 },
  { scores: 6, words: 6, list: 12, text: 160 },
  { scores: 3, words: 3, list: 6, text: 80 },
  { scores: 1, words: 1, list: 2, text: 40 },
]
type Level = (typeof levels)[number]
/** Where nobody gets anything, the best few say enough of who was looked at: this is the fact of most messages. */
const leaving: Level = { scores: 3, words: 3, list: 6, text: 300 }

export function routeFact(route: Route): JsonObject {
  for (const level of route.decision === 'leave' ? [leaving, ...levels.slice(2)] : levels) {
    const text = JSON.stringify(cut(route, level))
    if (Buffer.byteLength(text) <= mostBytes) return JSON.parse(text)
  }
  return briefFact(pickBrief(route))
}

function cut(route: Route, level: Level): object {
  const { scores, reasons, marks, gates, dropped, signals, selected, chain, clarification, thresholds } = route
  const some = <T>(list: readonly T[]) => list.slice(0, level.list)
  return {
    ...route,
    selected: some(selected),
    chain: some(chain),
    reasons: some(reasons).map((text) => short(text, level)),
    marks: some(marks).map((one) => ({ ...one, text: short(one.text, level) })),
    // Nobody gets anything, so that it matters only that they were looked at.
    gates: some(gates).map((one) => ({ ...one, text: route.decision === 'leave' && !one.holds ? '' : short(one.text, level) })),
    dropped: some(dropped).map(({ what, why }) => ({ what: short(what, level), why: short(why, level) })),
    signals: some(signals).map((one) => ({ ...one, matched: words(one.matched, level) })),
    scores: scores.slice(0, level.scores).map((one) => ({
      ...one,
      matched: words(one.matched, level),
      refused: words(one.refused, level),
      signals: some(one.signals),
    })),
    clarification: clarification && {
      questions: clarification.questions.slice(0, 3).map(({ text, options }) => ({
        text: short(text, level),
        options: words(options, level),
      })),
    },
    thresholds: Object.fromEntries(some(Object.entries(thresholds))),
    left: leftOut(route, level),
  }
}

/** How many of each are not in it. */
function leftOut({ scores, reasons, gates, dropped, signals, chain }: Route, { scores: most, list }: Level): JsonObject {
  const counts = {
    scores: scores.length - most,
    reasons: reasons.length - list,
    gates: gates.length - list,
    dropped: dropped.length - list,
    signals: signals.length - list,
    chain: chain.length - list,
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

type Brief = Pick<Route, 'decision' | 'by' | 'selected' | 'confidence' | 'reasons'> &
  Partial<Pick<Route, 'tier' | 'rosterVersion' | 'rulesVersion'>>

/** The same with nothing but the decision: of a route that is too long in every form, or of which only so much was recorded. */
export function briefFact({ selected, reasons, ...given }: Brief): JsonObject {
  const level = { scores: 0, words: 2, list: 0, text: 300 }
  const empty = { chain: [], marks: [], scores: [], signals: [], gates: [], dropped: [], thresholds: {}, context: {} }
  const none = { tier: 'standard', models: null, clarification: null, template: null, looked: null, rosterVersion: '', rulesVersion: '' }
  return jsonCopy({ ...empty, ...none, ...given, selected: words(selected, level), reasons: words(reasons, level), left: { rest: 1 } })
}

function pickBrief({ decision, by, selected, confidence, reasons, tier, rosterVersion, rulesVersion }: Route): Brief {
  return { decision, by, selected, confidence, reasons, tier, rosterVersion, rulesVersion }
}

function words(list: readonly string[], level: Level): readonly string[] {
  return list.slice(0, level.words).map((text) => short(text, level))
}

function short(text: string, { text: most }: Level): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`
}
