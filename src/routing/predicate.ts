// Whether a text says enough for somebody to begin: five signs, each yes or no, over closed lists (reference/eidolons.md 1.10). What is
// unsure is no. English only.
import {
  acceptance,
  clauseMarkers,
  deliverables,
  determiners,
  extensions,
  genericScopes,
  limiters,
  pairs,
  verbs,
} from './lexicon-predicate.ts'
import { lowerAscii } from './phrases.ts'

export type Signs = {
  /** S1: an order, at the start of a clause. */
  readonly verb: boolean
  /** S2: something that can be delivered. */
  readonly deliverable: boolean
  /** S3: a path, a file's name, or an identifier in backticks. */
  readonly target: boolean
  /** S4: how one will see that it is done. */
  readonly acceptance: boolean
  /** S5: not everything everywhere, or that limited to a target. */
  readonly bounded: boolean
}

/** Pure; linear in the text. */
export function signsOf(text: string): Signs {
  const tokens = merged(
    lowerAscii(text)
      .split(/[ \t\n]+/)
      .filter((raw) => raw !== '')
      .map(tokenOf),
  )
  const has = (list: ReadonlySet<string>): boolean => tokens.some(({ core }) => list.has(core))
  const target = tokens.some(isTarget)
  return {
    verb: tokens.some((token, at) => verbs.has(token.core) && startsClause(tokens[at - 1])),
    deliverable: target || has(deliverables),
    target,
    acceptance: has(acceptance) || tokens.some(({ core }, at) => isMeasure(core, tokens[at + 1]?.core)),
    bounded: !has(genericScopes) || (has(limiters) && target),
  }
}

export function isActionable(text: string): boolean {
  const { verb, deliverable, target, acceptance: isDone, bounded } = signsOf(text)
  return verb && deliverable && target && isDone && bounded
}

type Token = {
  /** Without signs at its edges and without backticks around it; two words that belong together are joined by "_". */
  readonly core: string
  /** null for two words that were joined. */
  readonly raw: string | null
  /** Its last sign as it was written. */
  readonly last: string
}

function tokenOf(raw: string): Token {
  return { core: unfenced(stripped(raw)), raw, last: raw.charAt(raw.length - 1) }
}

function merged(tokens: readonly Token[]): readonly Token[] {
  const out: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    const next = tokens[at + 1]
    if (token === undefined) break
    const pair = next === undefined ? '' : `${token.core}_${next.core}`
    if (next !== undefined && pairs.has(pair)) {
      out.push({ core: pair, raw: null, last: next.last })
      at++
    } else out.push(token)
  }
  return out
}

function startsClause(before: Token | undefined): boolean {
  if (before === undefined) return true
  return (clauseMarkers.has(before.core) || ',;:.'.includes(before.last)) && !determiners.has(before.core)
}

/** "95%", or a number of something: "3 times". */
function isMeasure(core: string, next: string | undefined): boolean {
  if (/^[0-9]+%$/.test(core)) return true
  return /^[0-9]+$/.test(core) && next !== undefined && /^[a-z]/.test(next)
}

function isTarget({ raw }: Token): boolean {
  if (raw === null) return false
  const edged = stripped(raw)
  const core = unfenced(edged)
  if (core.includes('/') && /[a-z]/.test(core)) return true
  return isKnownFile(core) || (core !== edged && /^(--)?[a-z_][a-z0-9_-]*$/.test(core))
}

function isKnownFile(core: string): boolean {
  const dot = core.lastIndexOf('.')
  if (dot <= 0 || !extensions.has(core.slice(dot + 1))) return false
  const stem = core.slice(0, dot)
  return /^[a-z0-9_.-]+$/.test(stem) && /[a-z]/.test(stem)
}

const closing = `,;:.!?)]}'"`
const opening = `([{'"`

function stripped(raw: string): string {
  let start = 0
  let end = raw.length
  while (end > start && closing.includes(raw.charAt(end - 1))) end--
  while (start < end && opening.includes(raw.charAt(start))) start++
  return raw.slice(start, end)
}

function unfenced(token: string): string {
  return token.length >= 2 && token.startsWith('`') && token.endsWith('`') ? token.slice(1, -1) : token
}
