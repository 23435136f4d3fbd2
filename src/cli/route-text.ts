// A route as a person reads it: the decision first, then why, then what else there was.
import type { RouteView, StrictRoute } from '../protocol/api-routing.ts'

const width = 12
const mostRows = 12

export function routeText(route: RouteView): string {
  const { decision, by, selected, chain, confidence, tier, models, template } = route
  const steps = chain.length > 0 ? chain.map((step) => `${step.agent} (${step.class}, ${step.tier})`).join(' -> ') : selected.join(', ')
  const who = decision === 'leave' && steps === '' ? 'who leads the session' : steps
  const deep = tier === 'trance' ? `deep${models === null ? '' : `: ${models.lead} leads, ${models.workers} work`}` : ''
  const lines = [
    row(words[decision], who),
    row(
      '',
      [by === null ? '' : ways[by], `confidence ${confidence.toFixed(2)}`, template ?? '', deep].filter((part) => part !== '').join(', '),
    ),
  ]
  return [
    lines,
    rows('why', route.reasons),
    rows(
      '',
      route.marks.map(({ mark, text }) => `${mark}: ${text}`),
    ),
    rows(
      'asks',
      (route.clarification?.questions ?? []).map(({ text, options }) => `${text}${options.length > 0 ? ` (${options.join(' | ')})` : ''}`),
    ),
    rows('scores', route.scores.map(scoreText)),
    rows(
      'signals',
      route.signals.map(({ id, matched }) => `${id}${matched.length > 0 ? `: ${quoted(matched)}` : ''}`),
    ),
    rows(
      'dropped',
      route.dropped.map(({ what, why }) => `${what}: ${why}`),
    ),
    rows(
      'gates',
      route.gates.filter(({ holds }) => holds).map(({ id, text }) => `${id}: ${text}`),
    ),
    rows('made from', [
      `roster ${route.rosterVersion}, rules ${route.rulesVersion}`,
      ...(route.looked === null ? [] : [`the first ${route.looked} characters of the text`]),
    ]),
  ]
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')
}

/** The ancestor's answer under its own names. */
export function strictText(answer: StrictRoute): string {
  const told = Object.entries(answer).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
  const wide = Math.max(...told.map(([key]) => key.length)) + 2
  return told.flatMap(([key, value]) => plain(value).map((line, at) => `${(at === 0 ? key : '').padEnd(wide)}${line}`)).join('\n')
}

const words: Readonly<Record<RouteView['decision'], string>> = {
  dispatch: 'goes to',
  chain: 'chain',
  refusal_reroute: 'rerouted to',
  clarify: 'unclear',
  leave: 'left to',
}
const ways: Readonly<Record<NonNullable<RouteView['by']>, string>> = {
  address: 'by its address',
  mention: 'by a mention',
  question: 'by the open question',
  rule: 'by a rule',
  keywords: 'by keywords',
  cortex: 'by the cortex',
}

function scoreText({ agent, score, matched, named, signals, refused }: RouteView['scores'][number]): string {
  const parts = [
    ...(matched.length > 0 ? [quoted(matched)] : []),
    ...(named ? ['named'] : []),
    ...signals.map(({ id, boost }) => `${boost < 0 ? '' : '+'}${boost} ${id}`),
    ...(refused.length > 0 ? [`refuses ${quoted(refused)}`] : []),
  ]
  return `${agent.padEnd(width)}${score.toFixed(2).padStart(5)}  ${parts.join('; ')}`.trimEnd()
}

/** The first line has the heading, the others stand below it; a long list is counted. */
function rows(heading: string, lines: readonly string[]): readonly string[] {
  const more = lines.length > mostRows ? [`and ${lines.length - mostRows} more`] : []
  return [...lines.slice(0, mostRows), ...more].map((line, at) => row(at === 0 ? heading : '', line))
}

function row(heading: string, text: string): string {
  return `${heading.padEnd(width)}${text.replace(/\s+/g, (run) => (run.includes('\n') ? ' ' : run))}`.trimEnd()
}

function quoted(phrases: readonly string[]): string {
  return phrases.map((phrase) => JSON.stringify(phrase)).join(', ')
}

/** A list of names in one line, a list of records with one each, a record as its members: `name scout, score 0.8`. */
function plain(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [shortly(value)]
  const isPlain = value.every((one) => typeof one !== 'object' || one === null)
  return isPlain ? [value.map(shortly).join(', ')] : value.map(shortly)
}

function shortly(value: unknown): string {
  if (value === null) return 'none'
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([key, one]) => `${key} ${typeof one === 'object' ? JSON.stringify(one) : String(one)}`)
    .join(', ')
}
