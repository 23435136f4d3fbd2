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
  const tokens = merged(cut(lowerAscii(text)))
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
  const { verb, target, acceptance: isDone, bounded } = signsOf(text)
  return verb && target && isDone && bounded
}

type Token = {
  /** Without signs at its edges and without backticks around it; two words that belong together are joined by "_". */
  readonly core: string
  /** Two words that were joined are no target. */
  readonly isPair: boolean
  readonly isFenced: boolean
  /** Its last sign as it was written. */
  readonly last: string
}

function tokenOf(raw: string): Token {
  const edged = stripped(raw)
  const isFenced = edged.length >= 2 && edged.startsWith('`') && edged.endsWith('`')
  return { core: isFenced ? edged.slice(1, -1) : edged, isPair: false, isFenced, last: raw.charAt(raw.length - 1) }
}

/** At spaces, tabs and line ends, and nowhere else. */
function cut(text: string): readonly Token[] {
  const tokens: Token[] = []
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? 0x20 : text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x09 && code !== 0x0a) continue
    if (at > start) tokens.push(tokenOf(text.slice(start, at)))
    start = at + 1
  }
  return tokens
}

function merged(tokens: readonly Token[]): readonly Token[] {
  const out: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    const next = tokens[at + 1]
    if (token === undefined) break
    if (next !== undefined && pairs.get(token.core)?.has(next.core)) {
      out.push({ core: `${token.core}_${next.core}`, isPair: true, isFenced: false, last: next.last })
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
  const first = core.charCodeAt(0)
  if (!(first >= 0x30 && first <= 0x39)) return false
  if (/^[0-9]+%$/.test(core)) return true
  return /^[0-9]+$/.test(core) && next !== undefined && /^[a-z]/.test(next)
}

function isTarget({ core, isPair, isFenced }: Token): boolean {
  if (isPair) return false
  if (core.includes('/') && /[a-z]/.test(core)) return true
  return isKnownFile(core) || (isFenced && /^(--)?[a-z_][a-z0-9_-]*$/.test(core))
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
