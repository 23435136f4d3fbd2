// "That should have gone to scout": a person corrects a decision in the conversation (E47). Recognised by its form alone, in English and
// German; what it would change is shown, and only a yes makes it a rule.
import type { Agents } from '../../agents/agents.ts'
import { NotFound } from '../../base/errors.ts'
import type { MessageId } from '../../base/ids.ts'
import { jsonCopy } from '../../base/json.ts'
import { StepFailed, type Turn } from '../../lanes/engine.ts'
import type { Actor } from '../../protocol/actor.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { Option } from '../../protocol/message.ts'
import type { Language } from '../../routing/clarify.ts'
import type { Corrections, LearnedRule, RuleProposal } from '../../routing/routing.ts'
import type { Conversation, ScopeRef } from '../../scopes/scopes.ts'
import { gateAnswer } from '../action/answer.ts'
import { textIn } from './model.ts'
import type { Corrected } from './route-case.ts'
import { type Told, told } from './route-words.ts'
import type { Voice } from './voice.ts'

export type CorrectionRooms = {
  readonly agents: Pick<Agents, 'find'>
  readonly conversation: Pick<Conversation, 'walk'>
  readonly routing: { readonly corrections: Corrections }
}

export type Correcting = {
  readonly turn: Turn
  readonly voice: Voice
  readonly corrected: Corrected
  /** Ends the names of its steps. */
  readonly label: string
  readonly by: Actor
  readonly language: Language
}

/** `give`: the agent is to have that message now. `arrived`: what the person said instead of answering. */
export type Outcome = { readonly give: boolean; readonly arrived: readonly Entry[] }

const linesBack = 60

/** null: it corrects nothing. Looks only. */
export async function correctedBy(
  { agents, conversation }: CorrectionRooms,
  given: { readonly text: string; readonly from: Actor; readonly scope: ScopeRef; readonly before: MessageId | null },
): Promise<Corrected | null> {
  const called = calledIn(given.text)
  if (called === null) return null
  const found = await agents.find(called, given.scope)
  if (found === null) return null
  const lines = await conversation.walk(given.before, linesBack)
  const meant = lines.findLast(({ role, actor, text }) => role === 'user' && actor === given.from && isRequest(text))
  if (!meant) return null
  return { agent: found.name, title: found.title, message: meant.id as MessageId, text: meant.text, scope: given.scope }
}

/** Neither an answer to a question nor a correction itself. */
function isRequest(text: string): boolean {
  return text.trim() !== '' && gateAnswer({ type: 'APPROVAL', text }) === null && !isChoice(text) && calledIn(text) === null
}

type Choice = 'yes' | 'rule' | 'no'
/** What each choice is called; the order is that of the question. */
const choices: Readonly<Record<Language, readonly (Option & { readonly means: Choice })[]>> = {
  en: [
    { means: 'yes', label: 'Yes', description: 'keep the rule, and give it that message now' },
    { means: 'rule', label: 'Only the rule', description: 'it holds from the next message on' },
    { means: 'no', label: 'No', description: 'change nothing' },
  ],
  de: [
    { means: 'yes', label: 'Ja', description: 'die Regel behalten, und die Nachricht jetzt dorthin geben' },
    { means: 'rule', label: 'Nur die Regel', description: 'sie gilt ab der nächsten Nachricht' },
    { means: 'no', label: 'Nein', description: 'nichts ändern' },
  ],
}

/** The turn stands behind the question, so it does not stand for ever; silence changes nothing. */
const timeoutMs = 3_600_000

export async function correct(rooms: CorrectionRooms, { turn, voice, corrected, label, by, language }: Correcting): Promise<Outcome> {
  const { agent: to, title, message, text, scope } = corrected
  const { corrections } = rooms.routing
  const say = told[language]
  const options = choices[language].map(({ label: one, description }) => ({ label: one, ...(description ? { description } : {}) }))
  const step = (name: string) => `correct-${name}-${label}`
  try {
    const proposal = await turn.step(step('propose'), 'idempotent', async () =>
      plainProposal(await corrections.propose({ text, message, to, scope }, by)),
    )
    const asked = await turn.ask(step('ask'), { kind: 'question', text: questionFor(proposal, title, say), options, timeoutMs })
    const choice = asked.kind === 'answer' ? choiceIn(asked.outcome === 'answered' ? textIn(asked.value) : '') : choiceAmong(asked.entries)
    if (choice === null || choice === 'no') {
      voice.say(step('left'), { text: say.untouched })
      return { give: false, arrived: choice === null && asked.kind === 'arrived' ? asked.entries : [] }
    }
    const rule = await turn.step(step('accept'), 'idempotent', () => accept(corrections, { proposal, by, corrected }))
    const give = choice === 'yes'
    voice.say(step('kept'), { text: say.kept(phrases(rule.when, say.and), title, give), info: say.undo(rule.id) })
    return { give, arrived: [] }
  } catch (thrown) {
    if (!(thrown instanceof StepFailed)) throw thrown
    voice.say(step('refused'), { text: say.refused(thrown.message) })
    return { give: false, arrived: [] }
  }
}

type Rule = Pick<LearnedRule, 'id' | 'to'> & { readonly when: readonly string[] }
type Proposal = {
  readonly id: string
  readonly when: readonly string[]
  readonly changes: RuleProposal['changes']
  readonly looked: number
}

function plainProposal({ id, rule, changes, looked }: RuleProposal): Proposal {
  return jsonCopy({ id, when: rule.when, changes: changes.slice(0, 20).map((one) => ({ ...one, text: one.text.slice(0, 200) })), looked })
}

/** A proposal that is gone, because many others were made since, is made once more. */
async function accept(
  corrections: Corrections,
  { proposal, by, corrected }: { readonly proposal: Proposal; readonly by: Actor; readonly corrected: Corrected },
): Promise<Rule> {
  const { text, message, agent: to, scope } = corrected
  try {
    return ruleOf(await corrections.accept(proposal.id, by))
  } catch (thrown) {
    if (!(thrown instanceof NotFound)) throw thrown
    const again = await corrections.propose({ text, message, to, scope, when: proposal.when }, by)
    return ruleOf(await corrections.accept(again.id, by))
  }
}

function ruleOf({ id, when, to }: LearnedRule): Rule {
  return { id, when: [...when], to }
}

// ---- words

const shownChanges = 3
const shownText = 100

function questionFor({ when, changes, looked }: Proposal, title: string, say: Told): string {
  const lines = changes.slice(0, shownChanges).map(({ text, was }) => `- ${quoted(text)}${was === null ? '' : say.went(was)}`)
  const list = changes.length > shownChanges ? [...lines, `- ${say.more(changes.length - shownChanges)}`] : lines
  const head = say.question(phrases(when, say.and), title, { looked, changed: changes.length })
  return `${head}${list.length === 0 ? '' : `\n\n${list.join('\n')}\n`}\n${say.keep}`
}

function phrases(when: readonly string[], and: string): string {
  return when.map((phrase) => `“${phrase}”`).join(and)
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return `“${line.length <= shownText ? line : `${line.slice(0, shownText).toWellFormed()}…`}”`
}

function choiceAmong(entries: readonly Entry[]): Choice | null {
  const [one, ...others] = entries
  return one?.body.kind === 'message' && others.length === 0 ? choiceIn(one.body.text) : null
}

/** The labels of both languages count, whichever was asked in. */
function choiceIn(text: string): Choice | null {
  for (const offered of [choices.en, choices.de]) {
    const chosen = gateAnswer({ type: 'DECISION', text, options: offered.map(({ label }) => label) })
    const found = chosen && 'chosen' in chosen ? offered.find(({ label }) => label === chosen.chosen) : undefined
    if (found) return found.means
  }
  const yesNo = gateAnswer({ type: 'APPROVAL', text })
  return yesNo && 'approved' in yesNo ? (yesNo.approved ? 'yes' : 'no') : null
}

function isChoice(text: string): boolean {
  return choiceIn(text) !== null
}

// ---- the form of a correction

/** Longer texts say more than that. */
const longest = 200
const x = '(?:the |agent |der |die |den |dem )?@?([a-z][a-z0-9_-]{0,63})'
const before = '^(?:(?:no|nope|nein|nee|hm+|hey|sorry|oh|ach|actually|eigentlich)[,.!:]? )*'
const after = '(?:,? (?:please|bitte|instead|stattdessen|really|though|not you|nicht du|next time|nächstes mal))*$'
const it = '(?:that|this|it|that one|this one|(?:that|this) (?:question|message|request|task|job))'
const shouldHave = "(?:should have|should've|shouldve|ought to have)"
const did = '(?:done|handled|answered|taken|had|got|gotten|made)'
const es = '(?:das|dies|dieses|es|die (?:frage|aufgabe|nachricht|bitte))'
const haette = '(?:hätte|haette)(?: besser| eigentlich| lieber| doch)*'
const machen = '(?:machen|tun|beantworten|erledigen|bekommen|kriegen|übernehmen|uebernehmen|haben)'
const sollen = '(?:sollen|müssen|muessen|dürfen|duerfen)'

const forms = [
  `${it} ${shouldHave} (?:gone|been (?:sent|given|passed|routed|handed|assigned|addressed)) (?:over )?to ${x}`,
  `${it} ${shouldHave} been (?:done|handled|answered|taken) by ${x}`,
  `${it} ${shouldHave} been (?:for )?${x}(?:'s)?(?: job| task| work)?`,
  `${it} was (?:meant |intended |something |one )?for ${x}`,
  `${x} ${shouldHave} ${did} ${it}`,
  `${es} ${haette} ${x} ${machen} ${sollen}`,
  `${es} ${haette} (?:an|zu) ${x} (?:gehen|geschickt werden|gegeben werden) ${sollen}`,
  `${es} ${haette} (?:an|zu) ${x} gehört`,
  `${x} ${haette} ${es} ${machen} ${sollen}`,
  `${es} (?:war|wäre|waere)(?: eigentlich| was| etwas| eine aufgabe| eine frage)* für ${x}(?: gewesen)?`,
].map((form) => new RegExp(before + form + after, 'u'))

/** Who is named as the one who should have had it; null: the text is no correction. */
export function calledIn(text: string): string | null {
  if (text.length > longest) return null
  const plain = text
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\s.!?]+$/, '')
  for (const form of forms) {
    const found = form.exec(plain)?.[1]
    if (found !== undefined) return found
  }
  return null
}
