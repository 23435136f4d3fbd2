// Corrections: a person's "that should have gone to X" becomes a proposal that shows what it would change, and with a yes a rule in the
// `routing.yaml` of the project (or of the home). The document is the truth; events tell who changed it.
import { Conflict, Forbidden, InvalidInput, NotFound } from '../base/errors.ts'
import { sha256 } from '../base/hash.ts'
import { canonical } from '../base/json.ts'
import { type Actor, userOf } from '../protocol/actor.ts'
import { homeOf, userOfHome } from '../scopes/names.ts'
import type { Conversation, Documents, ScopeRef } from '../scopes/scopes.ts'
import { type PlacedRule, placeName, type RoutingRules } from './cascade.ts'
import { asWritten } from './keywords.ts'
import { routeAt, whoIsThere } from './ladder.ts'
import { beginningOf, openPhrases } from './phrases.ts'
import type { Place } from './place.ts'
import { type Proposals, personOf, type RulePlace } from './proposals.ts'
import type { Correction, Corrections, LearnedRule, RuleProposal } from './routing.ts'
import { withoutRule, withRule } from './rule-document.ts'
import { mostRules, parseRouting, plainPhrase, routingFile, ruleIdOf } from './rules.ts'
import { tellingWords } from './telling.ts'

/** Past messages that a proposal is tried on, and those it shows. */
const mostPast = 500
const mostShown = 20
const shownCharacters = 200
const mostTries = 8

/** A place with what it was made of, and the same place with one rule more. */
export type Corrected = {
  readonly place: Place
  readonly rules: RoutingRules
  /** Trigger phrases of that agent. */
  triggers(agent: string): readonly string[]
  with(rule: PlacedRule): Place
}

export type CorrectionRooms = {
  readonly documents: Pick<Documents, 'find' | 'write'>
  readonly conversation: Pick<Conversation, 'past'>
  readonly proposals: Proposals
  readonly now: () => number
  readonly at: (scope: ScopeRef) => Promise<Corrected>
}

export function openCorrections(rooms: CorrectionRooms): Corrections {
  return {
    propose: (given, by) => propose(rooms, given, by),
    accept: (proposal, by) => accept(rooms, proposal, by),
    list: async (scope) => (await rooms.at(scope)).rules.rules.map(ruleOf),
    undo: (rule, scope, by) => undo(rooms, { rule, scope }, by),
  }
}

// ---- proposing

async function propose(rooms: CorrectionRooms, given: Correction, by: Actor): Promise<RuleProposal> {
  const user = personOf(by, given.scope.user)
  if (user === null) throw new InvalidInput('A correction is a person’s: say whose.', { path: '/scope' })
  const here = await rooms.at(given.scope)
  const to = here.place.find(given.to)
  if (to === null) {
    const message = `Nobody here is called ${quote(given.to)}; here are ${whoIsThere(here.place)}.`
    throw new NotFound(message, { path: '/to' })
  }
  const refused = here.place.refused(to, given.text)
  if (refused.length > 0) {
    const message = `${to} refuses such a text, because of ${refused.slice(0, 5).map(quote).join(', ')}; no rule can send it there.`
    throw new InvalidInput(message, { path: '/to' })
  }
  const when = given.when === undefined ? tellingIn(given.text, to, here) : checkWhen(given.when, given.text)
  const rule: LearnedRule = { id: ruleIdOf(when, to), when, to, from: given.message, at: rooms.now(), by }
  const place = writtenTo(given.scope, user)
  const tried = await tryOn(rooms, { here, rule, place, user })
  const id = `proposal-${sha256(canonical([user, place, rule.id])).slice(0, 12)}`
  await rooms.proposals.proposed(user, { proposal: id, rule: { ...rule, when: [...when] }, ...place }, by)
  return { id, rule, ...tried }
}

function tellingIn(text: string, to: string, { place, triggers }: Corrected): readonly string[] {
  const known = new Set(triggers(to).flatMap((phrase) => plainPhrase(phrase).split(' ')))
  const words = tellingWords(text, { isName: (word) => place.find(word) !== null, isKnown: (word) => known.has(word) })
  if (words.length > 0) return words
  const message = 'No word of that text tells it from others; say which words the rule is to ask for.'
  throw new InvalidInput(message, { path: '/when' })
}

/** One to eight phrases that occur in the text as whole words. */
function checkWhen(given: readonly string[], text: string): readonly string[] {
  const phrases = [...new Set(given.map(plainPhrase))].filter((phrase) => phrase !== '')
  if (phrases.length === 0 || phrases.length > 8 || phrases.some((phrase) => phrase.length > 100)) {
    throw new InvalidInput('A rule asks for one to eight words or phrases of at most 100 characters.', { path: '/when' })
  }
  const there = openPhrases(phrases, asWritten).in(beginningOf(text).text)
  const missing = phrases.filter((_, index) => !there.has(index))
  if (missing.length === 0) return phrases
  throw new InvalidInput(`The text itself does not have ${missing.map(quote).join(', ')} as whole words.`, { path: '/when' })
}

type Trial = { readonly here: Corrected; readonly rule: LearnedRule; readonly place: RulePlace; readonly user: string }

/** Only messages that the rule speaks of are decided again: no other one can change. */
async function tryOn(
  { conversation }: CorrectionRooms,
  { here, rule, place, user }: Trial,
): Promise<Pick<RuleProposal, 'changes' | 'looked'>> {
  const project = place.level === 'home' ? homeOf(user) : place.scope
  const past = await conversation.past({ user, project, limit: mostPast })
  const phrases = openPhrases(rule.when, asWritten)
  const after = here.with({ ...rule, ...place })
  const changes: RuleProposal['changes'][number][] = []
  for (const { id, text } of past) {
    if (changes.length >= mostShown) break
    if (phrases.in(beginningOf(text).text).size < rule.when.length) continue
    const [was = null] = routeAt(here.place, { text }).selected
    const [would] = routeAt(after, { text }).selected
    if (would !== undefined && would !== was) changes.push({ message: id, text: text.slice(0, shownCharacters), was, would })
  }
  return { changes, looked: past.length }
}

// ---- accepting and undoing

async function accept(rooms: CorrectionRooms, proposal: string, by: Actor): Promise<LearnedRule> {
  const user = personIn(by)
  const found = await rooms.proposals.find(user, proposal)
  if (found === null) throw new NotFound(`There is no proposal ${quote(proposal)} any more; make the correction again.`)
  const given: LearnedRule = { ...found.rule, at: rooms.now(), by }
  const rule = await change(rooms, found.place, by, (text) => {
    const rules = text === null ? [] : rulesIn(text, found.place)
    const present = rules.find(({ id }) => id === given.id)
    if (present) return { text: null, value: present }
    if (rules.length >= mostRules) throw new Conflict(`${placeName(found.place)} has ${mostRules} rules already; take one away first.`)
    return { text: withRule(text, given), value: given }
  })
  await rooms.proposals.added(user, { proposal, rule: { ...rule, when: [...rule.when] }, ...found.place }, by)
  return rule
}

async function undo(rooms: CorrectionRooms, what: { readonly rule: string; readonly scope: ScopeRef }, by: Actor): Promise<boolean> {
  const user = personIn(by)
  const rule = (await rooms.at(what.scope)).rules.rules.find(({ id }) => id === what.rule)
  if (rule === undefined) return false
  const { level, scope } = rule
  if (level !== 'project' && level !== 'home') throw new Conflict(`The rule stands in ${placeName(rule)}; it is taken out there.`)
  const place: RulePlace = { level, scope }
  const isGone = await change(rooms, place, by, (text) => {
    const without = text === null ? null : withoutRule(text, rule.id)
    return { text: without, value: without !== null }
  })
  if (isGone) await rooms.proposals.removed(user, { proposal: null, rule: { ...ruleOf(rule), when: [...rule.when] }, ...place }, by)
  return isGone
}

type Edit<T> = { readonly text: string | null; readonly value: T }

/** Edits the document that shows at that place; again when somebody else was first. `text` null: nothing is written. */
async function change<T>(rooms: CorrectionRooms, place: RulePlace, by: Actor, edit: (text: string | null) => Edit<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    const found = await rooms.documents.find(routingFile, scopeOf(place))
    const own = found !== null && found.level === place.level && found.scope === place.scope ? found : null
    const { text, value } = edit(own?.text ?? null)
    if (text === null) return value
    try {
      await rooms.documents.write({ path: routingFile, ...place, text, expected: own?.version ?? 0 }, by)
      return value
    } catch (thrown) {
      const isLate = thrown instanceof Conflict && thrown.code === 'version' && tried < mostTries
      if (!isLate) throw thrown
    }
  }
}

/** Throws Conflict for a document with a fault: what can't be read is not written over. */
function rulesIn(text: string, place: RulePlace): readonly LearnedRule[] {
  const { document, faults } = parseRouting(text, placeName(place))
  if (document !== null) return document.rules
  throw new Conflict(`The rule can't be added before this is mended: ${faults[0]?.message ?? placeName(place)}`)
}

// ---- small pieces

/** What a person corrects in a project holds there; in their home, for themselves. */
function writtenTo({ project }: ScopeRef, user: string): RulePlace {
  const isHome = project === undefined || userOfHome(project) !== null
  return isHome ? { level: 'home', scope: homeOf(user) } : { level: 'project', scope: project }
}

function scopeOf({ level, scope }: RulePlace): ScopeRef {
  return level === 'project' ? { project: scope } : { user: userOfHome(scope) ?? '' }
}

/** Only a person makes and removes rules: an agent must not change who gets what. */
function personIn(by: Actor): string {
  const user = userOf(by)
  if (user !== null) return user
  throw new Forbidden('Routing rules are made and taken back by a person, and by nobody else.')
}

function ruleOf({ id, when, to, from, at, by }: PlacedRule): LearnedRule {
  return { id, when, to, from, at, by }
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
