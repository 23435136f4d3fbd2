// The always-loaded table for a host model that is not ours: who is there, for what, and how to choose, in few words. Pure: the same members
// give the same bytes. It has two limits (reference/eidolons.md I-C4): tokens by a careful estimate, and characters / 4.
import { classOrder } from './order.ts'
import type { Member } from './table.ts'

export const mostTokens = 900
/** Of characters / 4, rounded up. */
export const mostQuarters = 850

export type CortexText = {
  /** Lines with LF, no empty line at the ends. */
  readonly text: string
  readonly tokens: number
  readonly quarters: number
  readonly agents: number
  /** Most phrases that an agent is shown with. */
  readonly phrases: number
}

export type TooLong = {
  /** How much more than allowed even the shortest form has; at least one is above 0. */
  readonly over: { readonly tokens: number; readonly quarters: number }
  /** Names of those with the longest lines, the longest first, with the tokens of each. */
  readonly longest: readonly { readonly agent: string; readonly tokens: number }[]
  readonly agents: number
}

export type CortexTextResult = ({ readonly ok: true } & CortexText) | ({ readonly ok: false } & TooLong)

type Size = { readonly triggers: number; readonly refuses: number }

/** Tried in this order; the first that fits is taken. */
const sizes: readonly Size[] = [
  { triggers: 12, refuses: 6 },
  { triggers: 10, refuses: 5 },
  { triggers: 8, refuses: 5 },
  { triggers: 7, refuses: 4 },
  { triggers: 6, refuses: 4 },
  { triggers: 5, refuses: 3 },
  { triggers: 4, refuses: 2 },
  { triggers: 3, refuses: 2 },
]

/** `others`: names of those who are called by name only. */
export function cortexText(members: readonly Member[], others: readonly string[]): CortexTextResult {
  const claims = claimsOf(members)
  const telling = new Map(members.map((member) => [member.name, tellingOf(member, claims)]))
  for (const size of members.length > mostTried ? [] : sizes) {
    const text = textOf({ members, others, telling }, size)
    const quarters = Math.ceil(text.length / 4)
    if (quarters > mostQuarters) continue
    const tokens = tokensIn(text)
    if (tokens <= mostTokens) return { ok: true, text, tokens, quarters, agents: members.length, phrases: size.triggers }
  }
  return { ok: false, ...tooLong({ members, others, telling }) }
}

/** Not even a line of nothing but a name has room for more. */
const mostTried = 150

/**
 * Tokens by estimate, rather too many than too few: a word of ASCII letters has one for each six letters, a number one for each three digits,
 * a sign, a line end and a letter of any other script one each; spaces have none.
 */
export function tokensIn(text: string): number {
  let tokens = 0
  for (const [part] of text.matchAll(/[A-Za-z]+|[0-9]+|[^A-Za-z0-9 ]/gu)) tokens += Math.ceil(part.length / lettersOf(part))
  return tokens
}

function lettersOf(part: string): number {
  const code = part.charCodeAt(0)
  if (code >= 48 && code <= 57) return 3
  return code < 128 ? 6 : 1
}

type Telling = { readonly triggers: readonly string[]; readonly refuses: readonly string[] }
type Given = {
  readonly members: readonly Member[]
  readonly others: readonly string[]
  readonly telling: ReadonlyMap<string, Telling>
}

function tooLong(given: Given): TooLong {
  const least = sizes.at(-1) ?? { triggers: 0, refuses: 0 }
  const text = textOf(given, least)
  const lines = given.members.map((member) => ({ agent: member.name, tokens: tokensIn(lineOf(member, given.telling, least)) }))
  return {
    over: { tokens: Math.max(0, tokensIn(text) - mostTokens), quarters: Math.max(0, Math.ceil(text.length / 4) - mostQuarters) },
    longest: lines.sort((a, b) => b.tokens - a.tokens).slice(0, 5),
    agents: given.members.length,
  }
}

function textOf({ members, others, telling }: Given, size: Size): string {
  const rows = members.map((member) => lineOf(member, telling, size))
  const head =
    members.length === 0
      ? ['No agent is chosen by what is said.']
      : ['Who does what. Name (class, tier): what it is for; what it refuses; whom it hands on to.']
  const called = others.length === 0 ? [] : [`Only by name: ${listed(others)}.`]
  return [...head, ...rows, ...called, '', 'How to choose:', ...protocolOf(members)].join('\n')
}

function lineOf(member: Member, telling: ReadonlyMap<string, Telling>, { triggers, refuses }: Size): string {
  const own = telling.get(member.name)
  const shown = (own?.triggers ?? []).slice(0, triggers)
  const refused = (own?.refuses ?? []).slice(0, refuses)
  const parts = [
    shown.length > 0 ? shown.join(', ') : 'only by name',
    ...(refused.length > 0 ? [`not ${refused.join(', ')}`] : []),
    ...(member.handsOff.length > 0 ? [`then ${member.handsOff.join(', ')}`] : []),
  ]
  return `- ${member.name} (${plain(member.class)}, ${member.tier}): ${parts.join('; ')}`
}

/** The same order of asking as the hub's own cortex (DESIGN section 7). */
function protocolOf(members: readonly Member[]): readonly string[] {
  const there = new Set(members.map((member) => member.class))
  const order = classOrder.filter((kind) => there.has(kind))
  const chain = order.length > 1 ? `in the order ${order.join(', ')}` : 'in the order of the list'
  return [
    '1. A name that is addressed decides. Else take everybody whose words the request means, in any form and language; not words that are quoted, ruled out or only told.',
    '2. Who refuses a part of it does not get that part: take the next who is meant, else ask.',
    `3. One agent does it. Several: one step for each class, ${chain}; each gets what the one before found.`,
    '4. Nobody, or an order and a ban that exclude each other: ask one to three short questions, once.',
    '5. Say who it is and why in one line before the work begins.',
  ]
}

const mostNames = 20

function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(', ')
  return names.length <= mostNames ? shown : `${shown} and ${names.length - mostNames} more`
}

/** In the writer's own order: what nobody else claims first, and nothing that a shown phrase says already. */
function tellingOf({ triggers, refuses }: Member, claims: ReadonlyMap<string, number>): Telling {
  const isShared = (phrase: string) => (claims.get(phrase) ?? 0) > 1
  const own = triggers.filter((phrase) => !isShared(phrase))
  const shared = triggers.filter(isShared)
  return { triggers: distinct([...own, ...shared]), refuses: distinct(refuses) }
}

/** How many members have a phrase. */
function claimsOf(members: readonly Member[]): ReadonlyMap<string, number> {
  const claims = new Map<string, number>()
  for (const { triggers } of members) for (const phrase of new Set(triggers)) claims.set(phrase, (claims.get(phrase) ?? 0) + 1)
  return claims
}

/** So many are looked at: more are never shown. */
const mostShown = 12

function distinct(phrases: readonly string[]): readonly string[] {
  const kept: string[] = []
  for (const phrase of phrases.map(plain)) {
    if (kept.length >= mostShown) break
    if (phrase !== '' && !kept.some((one) => says(phrase, one))) kept.push(phrase)
  }
  return kept
}

/** "add the" beside "add", "trade-offs" beside "trade-off", "analyse" beside "analyze". */
function says(phrase: string, shown: string): boolean {
  return phrase.startsWith(`${shown} `) || stem(phrase) === stem(shown)
}

function stem(phrase: string): string {
  return phrase
    .replace(/yse$/, 'yze')
    .replace(/ise$/, 'ize')
    .replace(/(?<=[a-z]{3})s$/, '')
}

/** One line, and nothing that could be taken for a marker or that is not seen. */
function plain(text: string): string {
  return text
    .replace(/[\p{C}<>]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
