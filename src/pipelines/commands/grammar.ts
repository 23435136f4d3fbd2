// From a sentence that was taken apart to what it asks for. By place, not by which words occur: a word of a command within a name or a
// text means nothing.
import { isKnown, isNear, nearIn } from './near.ts'
import type { Act, Reading } from './reading.ts'
import { plainName, type Sentence, type Token } from './sentence.ts'
import { detail } from './slots.ts'
import {
  asksHow,
  asksMany,
  asksOthers,
  asksWhat,
  endings,
  halves,
  type Known,
  keepers,
  type Language,
  lastVerbs,
  leaders,
  openings,
  particles,
  phrases,
  refusals,
  small,
  type Talk,
  type Thing,
  things,
  type Verb,
  verbs,
} from './vocabulary.ts'

/** In a longer sentence the word is about something else. */
const mostOfModels = 8

const nothing: Reading = { act: 'unknown', language: '', about: '', name: '', text: '', answer: '', isClear: false }

export function actOf(sentence: Sentence): Reading {
  const language = languageOf(sentence)
  const talk = sentence.quoted.length === 0 && sentence.body === '' && sentence.folder === '' ? talkIn(sentence.tokens) : null
  if (talk) return { ...talk, language: talk.language || language }
  const found = commandIn(sentence)
  return { ...nothing, ...found, language }
}

type Found = Partial<Reading> & { readonly act: Act }

const actsOfTalk: Partial<Record<Talk, Act>> = { agents: 'list_agents', waiting: 'list_waiting' }

function talkIn(tokens: readonly Token[]): Reading | null {
  const words = tokens.map((one) => one.folded)
  const known = phraseOf(words) ?? phraseOf(withoutEnds(words))
  if (known === null) return null
  const { value, language } = known
  const answer = value === 'yes' || value === 'no' ? value : ''
  const act = actsOfTalk[value] ?? (value === 'agents' || value === 'waiting' ? 'unknown' : value)
  return { ...nothing, act, answer, language }
}

/** All of its words, in that order; one typing error a word, none in an answer or a way out of one word. */
function phraseOf(words: readonly string[]): Known<Talk> | null {
  if (words.length === 0 || words.length > 8) return null
  const exact = phrases.get(words.join(' '))
  if (exact) return exact
  for (const [phrase, known] of phrases) {
    if (known.value === 'yes' || known.value === 'no') continue
    const terms = phrase.split(' ')
    if (terms.length === words.length && terms.every((term, at) => isNear(words[at] ?? '', term))) return known
  }
  return null
}

function commandIn(sentence: Sentence): Found {
  const tokens = sentence.tokens
  const words = tokens.map((one) => one.folded)
  const about = firstThing(words)?.value ?? ''
  const verb = words.some((one) => nearIn(verbs, one) !== null)
  if ((about !== '' || verb) && startsWithAny(words, asksHow) > 0 && startsWithAny(words, asksMany) === 0)
    return { ...explained(about), about }
  const start = openingOf(words)
  if (isRefused(words, start)) return { act: 'refused', about }
  const end = endOf(words, start)
  const rest = tokens.slice(start, end)
  const clear = fromVerb(sentence, rest) ?? fromLastVerb(sentence, rest)
  if (clear !== null) return { ...clear, isClear: clear.act !== 'delete_what' }
  return fromThing(sentence, rest) ?? fromQuestion(sentence, tokens) ?? leftOver(words.slice(start), about)
}

function leftOver(words: readonly string[], about: Thing | ''): Found {
  if (asksOthers.has(words[0] ?? '') && words.length > 1) return { act: 'work', about: 'agent' }
  return { act: about === 'model' && words.length <= mostOfModels ? 'models' : 'unknown', about }
}

function explained(about: Thing | ''): Found {
  if (about === '') return { act: 'help' }
  const acts: Record<Thing, Act> = {
    ...{ project: 'about_projects', note: 'about_notes', agent: 'list_agents', session: 'list_sessions', waiting: 'list_waiting' },
    ...{ status: 'status', model: 'models', search: 'search', reminder: 'reminder' },
  }
  return { act: acts[about] }
}

/** It begins with what is to be done. */
function fromVerb(sentence: Sentence, rest: readonly Token[]): Found | null {
  const { verb, length } = verbAt(rest)
  if (verb === null) return null
  const after = withoutParticle(rest[0]?.folded ?? '', rest.slice(length))
  const at = thingAt(after)
  if (at < 0) return withoutThing(sentence, { verb, first: rest[0]?.folded ?? '', after })
  const thing = nearIn(things, after[at]?.folded ?? '')?.value
  return thing === undefined
    ? null
    : detail(sentence, { verb, thing, before: after.slice(0, at), word: after[at]?.folded ?? '', after: after.slice(at + 1) })
}

/** "add a ...", "please make me a new ...": small words and adjectives stand before the thing, or its name, as in "delete my beans note". */
function thingAt(after: readonly Token[]): number {
  for (const [at, { folded }] of after.entries()) {
    if (at > 6) break
    const known = nearIn(things, folded)
    if (known !== null && (known.value === 'project' || known.value === 'note' || after.slice(0, at).every((one) => isKnown(one.folded))))
      return at
  }
  return -1
}

/** "lege ... an", "wirf ... weg": the verb's other half stands last. */
function withoutParticle(verb: string, after: readonly Token[]): readonly Token[] {
  return halves.has(verb) && particles.has(after.at(-1)?.folded ?? '') ? after.slice(0, -1) : after
}

type Bare = { readonly verb: Verb; readonly first: string; readonly after: readonly Token[] }

/** "remember to buy milk" is a note; "write a poem" is none. */
function withoutThing({ quoted, body }: Sentence, { verb, first, after }: Bare): Found | null {
  if (keepers.has(first)) {
    const words = leaders.has(after[0]?.folded ?? '') ? after.slice(1) : after
    const said = words.map((one) => one.raw).join(' ')
    if (body === '') return { act: 'new_note', about: 'note', text: quoted[0] ?? said }
    return { act: 'new_note', about: 'note', name: quoted[0] ?? plainName(said), text: body }
  }
  if (verb === 'delete' || verb === 'archive') return { act: 'delete_what', about: '' }
  return null
}

function verbAt(rest: readonly Token[]): { readonly verb: Verb | null; readonly length: number } {
  const [first, second, third] = rest.map((one) => one.folded)
  if (first === undefined) return { verb: null, length: 0 }
  const three = verbs.get(`${first} ${second ?? ''} ${third ?? ''}`)
  if (three) return { verb: three.value, length: 3 }
  const two = verbs.get(`${first} ${second ?? ''}`)
  if (two) return { verb: two.value, length: 2 }
  return { verb: nearIn(verbs, first)?.value ?? null, length: 1 }
}

/** "die Notiz Bohnen löschen", "Projekt Garten anlegen". */
function fromLastVerb(sentence: Sentence, rest: readonly Token[]): Found | null {
  const last = rest.at(-1)
  if (last === undefined || !lastVerbs.has(last.folded)) return null
  const verb = verbs.get(last.folded)?.value
  const before = rest.slice(0, -1)
  const at = before.findIndex((one) => nearIn(things, one.folded) !== null)
  if (verb === undefined || at < 0 || at > 3) return null
  if (!before.slice(0, at).every((one) => isKnown(one.folded))) return null
  const word = before[at]?.folded ?? ''
  const thing = nearIn(things, word)?.value
  return thing === undefined ? null : detail(sentence, { verb, thing, before: [], word, after: before.slice(at + 1) })
}

/** "notes", "note beans: water them", "status please". */
function fromThing(sentence: Sentence, rest: readonly Token[]): Found | null {
  const at = rest.findIndex((one) => !small.has(one.folded))
  const word = rest[at]?.folded ?? ''
  const thing = at < 0 || at > 3 ? undefined : nearIn(things, word)?.value
  if (thing === undefined) return null
  const after = rest.slice(at + 1)
  const isNoted = thing === 'note' && (sentence.body !== '' || after[0]?.folded === 'that')
  if (isNoted) return detail(sentence, { verb: 'write', thing, before: [], word, after })
  const isNamed = after.some((one) => !isKnown(one.folded)) || sentence.quoted.length > 0
  if (thing === 'search' || thing === 'reminder') return detail(sentence, { verb: 'show', thing, before: [], word, after })
  if (isNamed && (thing !== 'note' || after.length > 4)) return null
  if (!isNamed && after.length > 6) return null
  return detail(sentence, { verb: 'show', thing, before: [], word, after })
}

/** "which projects are there?", "do I have notes?", "what can scout do?" */
function fromQuestion(sentence: Sentence, tokens: readonly Token[]): Found | null {
  const words = tokens.map((one) => one.folded)
  const asked = agentAsked(tokens)
  if (asked !== '') return { act: 'show_agent', about: 'agent', name: asked }
  if (!asksWhat.has(words[0] ?? '')) return null
  const at = words.findIndex((one) => nearIn(things, one) !== null)
  if (at < 0 || words.slice(0, at).some((one) => !isKnown(one))) return null
  const thing = nearIn(things, words[at] ?? '')?.value
  const after = tokens.slice(at + 1)
  const unknown = after.filter((one) => !isKnown(one.folded))
  if (thing === undefined || (unknown.length > 0 && thing !== 'note') || unknown.length > 4) return null
  return detail(sentence, { verb: 'show', thing, before: [], word: words[at] ?? '', after: unknown })
}

const agentQuestions: readonly { readonly before: readonly string[]; readonly after: readonly string[] }[] = [
  { before: ['what', 'can'], after: ['do'] },
  { before: ['what', 'does'], after: ['do'] },
  { before: ['who', 'is'], after: [] },
  { before: ['tell', 'me', 'about'], after: [] },
  { before: ['was', 'kann'], after: ['tun'] },
  { before: ['was', 'kann'], after: ['machen'] },
  { before: ['was', 'kann'], after: [] },
  { before: ['was', 'macht'], after: [] },
  { before: ['wer', 'ist'], after: [] },
]

/** One word, the name of an agent perhaps. */
function agentAsked(tokens: readonly Token[]): string {
  const words = tokens.map((one) => one.folded)
  for (const { before, after } of agentQuestions) {
    if (words.length !== before.length + after.length + 1) continue
    const name = tokens[before.length]
    if (!before.every((one, at) => words[at] === one) || !after.every((one, at) => words[before.length + 1 + at] === one)) continue
    if (name !== undefined && !isKnown(name.folded)) return name.folded.replace(/^@/, '')
  }
  return ''
}

function firstThing(words: readonly string[]): Known<Thing> | null {
  for (const word of words) {
    const known = nearIn(things, word)
    if (known !== null) return known
  }
  return null
}

function startsWithAny(words: readonly string[], all: readonly (readonly string[])[]): number {
  return all.find((one) => one.every((word, at) => words[at] === word))?.length ?? 0
}

/** How many words are only a way of asking. */
function openingOf(words: readonly string[]): number {
  let at = 0
  for (let length = 1; length > 0 && at < words.length; at += length) length = startsWithAny(words.slice(at), openings)
  return at
}

function isRefused(words: readonly string[], start: number): boolean {
  const isBefore = startsWithAny(words, refusals) > 0 || startsWithAny(words.slice(start), refusals) > 0
  const isAfter = words.at(-1) === 'nicht' && words.length > 2
  return (isBefore || isAfter) && words.some((one) => nearIn(verbs, one) !== null)
}

/** Where the ways of asking at the end begin. */
function endOf(words: readonly string[], start: number): number {
  let end = words.length
  while (end > start + 1 && endings.has(words[end - 1] ?? '')) end--
  return end
}

function withoutEnds(words: readonly string[]): readonly string[] {
  const start = openingOf(words)
  return words.slice(start, endOf(words, start))
}

/** By words that only one of them has; '' where nothing tells. */
function languageOf({ tokens, body }: Sentence): Language | '' {
  const counts = { en: 0, de: 0 }
  for (const { folded, raw } of tokens) {
    const language = small.get(folded) ?? (nearIn(verbs, folded) ?? nearIn(things, folded))?.language ?? ''
    if (language !== '') counts[language]++
    else if (/[äöüß]/i.test(raw)) counts.de++
  }
  if (counts.en === counts.de) return counts.en === 0 || body !== '' ? '' : lastTold(tokens)
  return counts.en > counts.de ? 'en' : 'de'
}

function lastTold(tokens: readonly Token[]): Language | '' {
  return (nearIn(verbs, tokens[0]?.folded ?? '') ?? nearIn(things, tokens[0]?.folded ?? ''))?.language ?? ''
}
