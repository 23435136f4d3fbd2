// Questions that are asked when nobody is sure enough: one round, one to three, made of what is missing, each with answers to choose from.
import type { Clarification } from './route.ts'
import { isGerman } from './verbs-de.ts'
import type { Weight } from './weigh.ts'
import { type Words, wordsOf } from './words.ts'

/** What the text has: a verb, a result, a target, a way to see that it is done, a border (reference/eidolons.md 1.10). */
export type Signs = { readonly verb: boolean; readonly target: boolean; readonly acceptance: boolean; readonly bounded: boolean }

export type Missing = {
  readonly german: boolean
  readonly signs: Signs
  /** The best first. */
  readonly ranked: readonly Weight[]
  /** It asks for a change and forbids one. */
  readonly contradiction: { readonly change: string; readonly ban: string } | null
  /** It speaks of everything at once. */
  readonly unbounded: boolean
  /** Whatever speaks for somebody stands in a question. */
  readonly onlyAsked: boolean
}

type Question = Clarification['questions'][number]
export type Language = 'de' | 'en'

const most = 3

export function clarificationFor(missing: Missing): Clarification {
  const language = missing.german ? 'de' : 'en'
  const questions = [readOrWrite(missing, language), whom(missing, language), where(missing, language), done(missing, language)]
  const asked = questions.filter((question) => question !== null).slice(0, most)
  return { questions: asked.length > 0 ? asked : [{ text: texts[language].who, options: kinds[language].map(({ option }) => option) }] }
}

/** In which of the two a person is answered who wrote that: the one that the questions above would have. */
export function languageOf(text: string): Language {
  return isGerman(wordsOf(text).word) ? 'de' : 'en'
}

/** The text that is routed once more, with `answered` in its context. */
export function joinAnswer(original: string, answers: readonly string[]): string {
  return [original.trimEnd(), ...answers.map((answer) => answer.trim()).filter((answer) => answer !== '')].join('\n\n')
}

export type Said = {
  /** What kind of work it is. */
  readonly classes: readonly string[]
  readonly readOnly: boolean
  /** Nobody is to work: the person wants an answer. */
  readonly nobody: boolean
}

/** What answers to our own questions say, whoever the table has. */
export function saidIn({ word }: Words): Said {
  const text = ` ${word.join(' ')} `
  const found = [...kinds.en, ...kinds.de].filter(({ key }) => text.includes(` ${key} `))
  return {
    classes: [...new Set(found.map(({ class: kind }) => kind))],
    readOnly: found.some(({ class: kind }) => kind === 'scout'),
    nobody: nobodyKeys.some((key) => text.includes(` ${key} `)),
  }
}

function readOrWrite({ ranked, contradiction, signs }: Missing, language: Language): Question | null {
  const { both, change } = texts[language]
  if (contradiction !== null)
    return { text: both(contradiction.change, contradiction.ban), options: optionsOf(language, ['coder', 'scout']) }
  if (ranked.length > 0) return null
  return { text: signs.verb ? change : texts[language].who, options: optionsOf(language, ['scout', 'coder', 'debugger', 'reasoner']) }
}

/** The two best, when there are two to choose from. */
function whom({ ranked, contradiction, onlyAsked }: Missing, language: Language): Question | null {
  const [first, second] = ranked.filter(({ scored }) => scored.score > 0)
  if (contradiction !== null || first === undefined) return null
  const { does, whoOf, only, asks, nobody } = texts[language]
  const other = second === undefined || second.class === first.class ? nobody : `${second.scored.agent}: ${does(second.class)}`
  const one = onlyAsked ? asks : only(first.scored.agent, first.scored.matched[0] ?? first.scored.agent)
  const text = other === nobody ? one : whoOf
  return { text, options: [`${first.scored.agent}: ${does(first.class)}`, other] }
}

function where({ signs, unbounded, ranked, onlyAsked }: Missing, language: Language): Question | null {
  const { everywhere, place, whole, one } = texts[language]
  if (unbounded) return { text: everywhere, options: [whole, one] }
  return signs.target || (onlyAsked && ranked.length > 0) ? null : { text: place, options: [one, whole] }
}

function done({ signs, onlyAsked, ranked }: Missing, language: Language): Question | null {
  const { finished, tests, look } = texts[language]
  return signs.acceptance || !signs.verb || (onlyAsked && ranked.length > 0) ? null : { text: finished, options: [tests, look] }
}

type Kind = { readonly class: string; readonly key: string; readonly option: string }

const kinds: Readonly<Record<Language, readonly Kind[]>> = {
  en: [
    { class: 'scout', key: 'only look', option: 'Only look, and tell me' },
    { class: 'coder', key: 'change files', option: 'Change files' },
    { class: 'debugger', key: 'find the cause', option: 'Find the cause of a failure' },
    { class: 'reasoner', key: 'help me choose', option: 'Help me choose' },
  ],
  de: [
    { class: 'scout', key: 'nur ansehen', option: 'Nur ansehen und berichten' },
    { class: 'coder', key: 'dateien aendern', option: 'Dateien ändern' },
    { class: 'debugger', key: 'den grund finden', option: 'Den Grund finden' },
    { class: 'reasoner', key: 'bei der wahl helfen', option: 'Bei der Wahl helfen' },
  ],
}

const nobodyKeys = ['no just answer me', 'nein nur eine antwort']

function optionsOf(language: Language, classes: readonly string[]): readonly string[] {
  return classes.flatMap((kind) => kinds[language].find(({ class: one }) => one === kind)?.option ?? [])
}

const doing: Readonly<Record<string, readonly [en: string, de: string]>> = {
  scout: ['looks', 'sieht nach'],
  debugger: ['finds the cause', 'sucht den Grund'],
  reasoner: ['weighs it', 'wägt ab'],
  planner: ['makes a plan', 'macht einen Plan'],
  coder: ['changes the code', 'ändert den Code'],
  executor: ['makes the small change', 'macht die kleine Änderung'],
  scriber: ['writes it down', 'schreibt es auf'],
}

const texts = {
  en: {
    both: (change: string, ban: string) => `The text asks for a change ("${change}") and forbids one ("${ban}"). Which of them holds?`,
    change: 'Is something to be changed, or only looked at?',
    who: 'What should come of it?',
    whoOf: 'Who should do it?',
    only: (agent: string, phrase: string) => `Only "${phrase}" speaks for ${agent}. Is it for ${agent}?`,
    asks: 'Is that a question, or is something to be done?',
    nobody: 'No, just answer me',
    does: (kind: string) => doing[kind]?.[0] ?? `works as ${kind}`,
    everywhere: 'The text speaks of everything at once. How far may it go?',
    place: 'Which file, folder or part is it about?',
    whole: 'All of the project',
    one: 'One place only; I will name it',
    finished: 'How do we see that it is done?',
    tests: 'The tests are green',
    look: 'I look at it myself',
  },
  de: {
    both: (change: string, ban: string) => `Der Text verlangt eine Änderung („${change}“) und verbietet sie („${ban}“). Was gilt?`,
    change: 'Soll etwas geändert oder nur angesehen werden?',
    who: 'Was soll dabei herauskommen?',
    whoOf: 'Wer soll es machen?',
    only: (agent: string, phrase: string) => `Nur „${phrase}“ spricht für ${agent}. Ist es für ${agent}?`,
    asks: 'Ist das eine Frage, oder soll etwas getan werden?',
    nobody: 'Nein, nur eine Antwort',
    does: (kind: string) => doing[kind]?.[1] ?? `arbeitet als ${kind}`,
    everywhere: 'Der Text meint alles auf einmal. Wie weit darf es gehen?',
    place: 'Um welche Datei, welchen Ordner oder welchen Teil geht es?',
    whole: 'Das ganze Projekt',
    one: 'Nur eine Stelle; ich nenne sie',
    finished: 'Woran sehen wir, dass es fertig ist?',
    tests: 'Die Tests sind grün',
    look: 'Ich sehe es mir selbst an',
  },
}
