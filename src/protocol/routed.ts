/**
 * Who a message was for, and why, as the view keeps it: the short form of the fact `route-decided`. Pure; it runs in the browser.
 */
import { oneOf, record, strings, text, type Untrusted } from './incoming.ts'

export const routedAs = ['decided', 'hint', 'correction'] as const
export const routeWays = ['address', 'mention', 'question', 'rule', 'keywords', 'cortex'] as const

export type Routed = {
  readonly turn: string
  /** The message that it is about. */
  readonly message: string | null
  /** Who got it. */
  readonly agent: string
  /** hint: it was advice, and who leads decided. */
  readonly as: (typeof routedAs)[number]
  /** null: nothing spoke for anybody. */
  readonly by: (typeof routeWays)[number] | null
  readonly selected: readonly string[]
  /** The one that decided first. */
  readonly reasons: readonly string[]
}

const [mostKept, mostReasons] = [200, 12]

/** The newest last; malformed data changes nothing. */
export function withRouted(routes: readonly Routed[], data: Untrusted): readonly Routed[] {
  const routed = readRouted(data)
  return routed === null ? routes : [...routes, routed].slice(-mostKept)
}

export function readRouted(data: Untrusted): Routed | null {
  const [turn, agent, as, route] = [text(data.turn), text(data.agent), oneOf(routedAs, data.as), record(data.route)]
  if (turn === null || agent === null || as === null || route === null) return null
  const [selected, reasons] = [strings(route.selected), strings(route.reasons).slice(0, mostReasons)]
  return { turn, message: text(data.message), agent, as, by: oneOf(routeWays, route.by), selected, reasons }
}

/** In one sentence: who got it, by what, or who was thought of. */
export function routedLine({ agent, as, by, selected }: Pick<Routed, 'agent' | 'as' | 'by' | 'selected'>): string {
  if (as === 'correction') return `${agent} took it as a correction.`
  if (by === null) return `Nothing in it speaks for anybody else, so ${agent} answers.`
  if (as === 'hint') return `${agent} leads here and decided; ${selected.join(' > ') || 'nobody'} was suggested ${byWords[by]}.`
  return `It went to ${agent}, ${byWords[by]}.`
}

const byWords: Readonly<Record<NonNullable<Routed['by']>, string>> = {
  address: 'because it was addressed to it',
  mention: 'because it was mentioned',
  question: 'because its question was open',
  rule: 'by a rule of yours',
  keywords: 'by its keywords',
  cortex: 'by what the words ask for',
}
