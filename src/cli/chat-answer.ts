// What a typed line says about something that waits for a yes. Pure. A line counts only where the prompt asked for it; words that are no
// plain decision are a message like any other.
import type { OpenApproval, View } from '../protocol/view.ts'
import { oneLine } from './output.ts'

export type Decided = { readonly decision: 'allow'; readonly scope?: string } | { readonly decision: 'deny'; readonly reason?: string }

/** What the next prompt asks about: the oldest, unless a question stands open, which a line answers first. */
export function askedNext(view: View): OpenApproval | null {
  return view.questions.length > 0 ? null : (view.approvals[0] ?? null)
}

/** Where several wait the prompt says which one it asks about: what stands right above it may be another. */
export function promptFor(asked: OpenApproval | null, view: View): string {
  if (asked === null) return view.questions.length > 0 ? 'answer > ' : '> '
  const [, ...wider] = asked.scopes
  const which = view.approvals.length > 1 ? ` ${oneLine(`${asked.capability} ${asked.target}`, 40)}` : ''
  return `allow${which}? y, n${wider.length > 0 ? `, or for longer: ${wider.join(', ')}` : ''} > `
}

/** null: it is no decision. A scope's name alone is a yes for that long. */
export function readDecision(line: string, scopes: readonly string[]): Decided | null {
  const said = line.trim()
  const [first = '', ...rest] = said.toLowerCase().split(/\s+/)
  if (rest.length === 0 && /^(y|yes|allow)$/.test(first)) return { decision: 'allow' }
  if (rest.length === 0 && /^(n|no|deny)$/.test(first)) return { decision: 'deny' }
  const scope = /^(y|yes|allow)$/.test(first) && rest.length === 1 ? rest[0] : rest.length === 0 ? first : undefined
  if (scope !== undefined && scopes.includes(scope)) return { decision: 'allow', scope }
  if (first === 'deny') return { decision: 'deny', reason: said.slice(first.length).trim() }
  return null
}
