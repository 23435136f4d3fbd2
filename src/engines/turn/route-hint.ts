// A route in words: a short hint among the hub's facts for the model that leads (E45), and what a person is told of it. Where the words
// come from (agents' names, phrases of their files, the person's own text) they are data: one line, short, without marks.
import type { Route } from '../../routing/route.ts'
import type { Decided } from './route-case.ts'

/** Characters of the whole hint. */
const mostHint = 400
const mostWhy = 160
const mostOthers = 4

/** Of a decision that is more than "ask" or "leave it": who, why, and who else. null: there is nothing to hint at. */
export function hintOf({ decision, by, agents, why, others, confidence, goes, alone }: Decided, how: string): string | null {
  const isAdvice = by === 'keywords' || by === 'cortex'
  if (!isAdvice || goes.to !== 'leader' || alone || agents.length === 0) return null
  if (decision === 'leave' || decision === 'clarify') return null
  const who = decision === 'chain' ? `a chain of ${agents.join(' > ')}` : (agents[0] ?? '')
  const instead = decision === 'refusal_reroute' ? ', because whom the words fit best refuses such work' : ''
  const more = others.length === 0 ? '' : ` Others: ${others.join(', ')}.`
  const reason = why === '' || /[.!?…]$/.test(why) ? why : `${why}.`
  const head = `${who} fits (confidence ${confidence.toFixed(2)}${instead}). `
  const tail = `${more} ${how}`
  return `${head}${cut(reason, Math.max(0, mostHint - head.length - tail.length - 1))}${tail}`.slice(0, mostHint).toWellFormed()
}

/** The sentence that decided. */
export function firstReason({ reasons }: Pick<Route, 'reasons'>): string {
  return cut(line(reasons[0] ?? ''), mostWhy)
}

/** Who else was looked at, the best first. */
export function alternatives({ scores, selected }: Pick<Route, 'scores' | 'selected'>): readonly string[] {
  const others = scores.filter(({ agent, score }) => score > 0 && !selected.includes(agent))
  return others.slice(0, mostOthers).map(({ agent, score }) => `${agent} ${Math.round(score * 100) / 100}`)
}

function line(text: string): string {
  return text.replace(/[<>]/g, ' ').replace(/\s+/g, ' ').trim()
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).toWellFormed()}…`
}
