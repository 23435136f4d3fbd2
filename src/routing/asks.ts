// What a whole question asks for, where no single word of it is anybody's: "should X or Y", "what makes it so slow", "is it still used".
import type { Clause } from './clauses.ts'
import { isAsked, isRuledOut } from './level.ts'
import type { Hit, Scene } from './scene.ts'
import { functionWords, isVerb, pronouns } from './verbs-en.ts'
import { wordSet } from './word-set.ts'
import { gapEnd, gapNone, kindPlain, type Words } from './words.ts'

/** Nouns and states of what goes wrong: looking into one is looking for its cause. */
export const failures = wordSet(
  `crash crashes crashed failure failures fails failing error errors exception leak leaks hang hangs freeze freezes slow slower outage
   regression broken wrong deadlock timeout timeouts stacktrace traceback absturz abstuerze ausfall fehler langsam langsame langsamer stuerzt
   kaputt haengt schlaegt scheitert speicherleck abgestuerzt cause caused causing causes reason ursache grund eating stuck
   why warum wieso weshalb woran`,
)

/** Hits by the shape of a sentence, in no order. Linear. */
export function askedIn(scene: Scene): readonly Hit[] {
  const out: Hit[] = []
  for (const clause of scene.clauses.slice(0, mostClauses)) {
    for (const found of [
      choiceIn(scene, clause),
      causeIn(scene, clause),
      huntIn(scene, clause),
      useIn(scene, clause),
      wishIn(scene, clause),
    ])
      if (found !== null) out.push(found)
  }
  const alone = bareWhy(scene)
  if (alone !== null) out.push(alone)
  return out
}

const mostClauses = 200

function hitOf(scene: Scene, { class: kind, says, start, end }: Pick<Hit, 'says' | 'start' | 'end'> & { readonly class: string }): Hit {
  return { phrase: -1, class: kind, says, start, end, size: end - start, level: 'strong', why: '', asked: isAsked(scene, start) }
}

const shoulds = wordSet('should shall sollte sollten soll sollen')
const comparing = wordSet('better best smarter cheaper safer faster easier simpler besser lieber sinnvoller guenstiger einfacher')
const ors = wordSet('or oder versus vs')
const shortestFragment = 3

/** "Should the app talk to it through REST or through GraphQL?", "Redis or Postgres for the queue?" */
function choiceIn(scene: Scene, { from }: Clause): Hit | null {
  const { words } = scene
  if (words.gap[from] !== gapEnd && from > 0) return null
  const end = sentenceEnd(words, from)
  const or = indexIn(words, { from: from + 1, to: end }, (word) => ors.has(word))
  const first = words.word[from] ?? ''
  if (or < 0 || words.after[end - 1] !== '?') return null
  if (shoulds.has(first) || indexIn(words, { from, to: end }, (word) => comparing.has(word)) >= 0)
    return hitOf(scene, { class: 'reasoner', says: `${first} … ${words.word[or]}`, start: from, end: from + 1 })
  const fragment =
    or <= from + 3 && end - from >= shortestFragment && isThing(words, from) && isThing(words, or - 1) && isThing(words, or + 1)
  return fragment ? hitOf(scene, { class: 'reasoner', says: `… ${words.word[or]} … ?`, start: from, end: or + 2 }) : null
}

function isThing({ word, kind }: Words, at: number): boolean {
  const one = word[at] ?? ''
  return one !== '' && kind[at] === kindPlain && !functionWords.has(one) && !pronouns.has(one) && !isVerb(one)
}

function indexIn({ word }: Words, { from, to }: Pick<Clause, 'from' | 'to'>, is: (word: string, at: number) => boolean): number {
  for (let at = from; at < to; at += 1) if (is(word[at] ?? '', at)) return at
  return -1
}

function sentenceEnd({ gap, count }: Words, from: number): number {
  let end = from + 1
  while (end < count && gap[end] !== gapEnd) end += 1
  return end
}

const makes = wordSet('makes made make macht keeps slows')
const whats = wordSet('what was')

/** "What makes the startup so slow?" */
function causeIn(scene: Scene, { from, to }: Clause): Hit | null {
  const { words } = scene
  const at = indexIn(words, { from, to }, (word, index) => whats.has(word) && makes.has(words.word[index + 1] ?? ''))
  if (at < 0) return null
  for (let index = at + 2; index < to; index += 1) {
    const word = words.word[index] ?? ''
    if (failures.has(word))
      return hitOf(scene, { class: 'debugger', says: `${words.word[at]} ${words.word[at + 1]} ${word}`, start: at, end: at + 2 })
  }
  return null
}

const hunts = wordSet('find locate hunt chase spot pinpoint suche such finde find')
const faults = wordSet(
  'leak leaks bug bugs fault error errors culprit cause problem crash deadlock bottleneck regression race leck fehler ursache uebeltaeter flaschenhals',
)
const huntReach = 6

/** "Find the leak": who hunts a fault looks for its cause. */
function huntIn(scene: Scene, { from, to }: Clause): Hit | null {
  const { words } = scene
  for (let at = from; at < to; at += 1) {
    if (!hunts.has(words.word[at] ?? '') || words.kind[at] !== kindPlain || isRuledOut(scene, at)) continue
    for (let index = at + 1; index < Math.min(to, at + huntReach) && !leavesObject.has(words.word[index] ?? ''); index += 1) {
      const word = words.word[index] ?? ''
      if (faults.has(word)) return hitOf(scene, { class: 'debugger', says: `${words.word[at]} ${word}`, start: at, end: index + 1 })
    }
  }
  return null
}

/** What follows belongs to another thing: "find the handler for errors", "find where errors are handled". */
const leavesObject = wordSet('for of in where which that all every how who alle jede wo welche out fuer von error errors')

const used = wordSet(
  'used called referenced imported needed read invoked benutzt verwendet genutzt gebraucht aufgerufen referenziert importiert gelesen gerufen',
)
const still = wordSet('still anywhere noch irgendwo somewhere ueberhaupt actually')
const beings = wordSet('is are wird werden does do')

/** "Is parseDate still used?", "Wird das irgendwo noch aufgerufen?" */
function useIn(scene: Scene, { from, to, mood }: Clause): Hit | null {
  const { words } = scene
  if (mood !== 'ask' || !beings.has(words.word[from] ?? '')) return null
  const at = indexIn(words, { from: from + 1, to }, (word) => used.has(word))
  const marked = at >= 0 && indexIn(words, { from, to }, (word) => still.has(word)) >= 0
  return at < 0 || !marked
    ? null
    : hitOf(scene, { class: 'scout', says: `${words.word[from]} … ${words.word[at]}`, start: from, end: from + 1 })
}

const wishes = wordSet('should soll sollen sollte sollten must')
const parts = wordSet(
  `button buttons dialog dialogs page pages form forms field fields table tables menu message messages error errors header footer column columns
   icon link links screen output log logs api endpoint command cli ui app importer parser login search toolbar tooltip sidebar dropdown modal export
   fehlermeldung fehlermeldungen dialoge schaltflaeche seite seiten formular feld felder tabelle spalte liste suche ausgabe befehl endpunkt anmeldung`,
)
const subjectReach = 6

/** "The button should be blue", "die Liste soll sortiert sein", "make login case insensitive": how a part of the software is to be. */
function wishIn(scene: Scene, { from, to, mood }: Clause): Hit | null {
  const { words } = scene
  const first = words.word[from] ?? ''
  const shaped = shapers.has(first) && mood === 'order'
  if (!shaped && (mood !== 'tell' || !subjects.has(first))) return null
  const end = Math.min(to, from + subjectReach)
  const at = shaped ? from : indexIn(words, { from: from + 2, to: end }, (word) => wishes.has(word))
  if (at < 0) return null
  const near = shaped ? { from: from + 1, to: Math.min(to, from + 4) } : { from, to: at }
  const part = indexIn(words, near, (word) => parts.has(word))
  return part < 0 || part + 1 >= to ? null : hitOf(scene, { class: 'coder', says: `${words.word[at]} …`, start: from, end: from + 1 })
}

const subjects = wordSet('the our all every der die das unser unsere alle jede')
const shapers = wordSet('make mach mache')

/** "Users get logged out after a while, why?": so many words tell what is wrong. */
const shortestReport = 4
const whys = wordSet('why warum wieso weshalb')

/** "I get a TypeError in cart.ts. Why?" */
function bareWhy({ words }: Scene): Hit | null {
  const fails = words.word.some((word) => failures.has(word) || word.endsWith('error') || word.endsWith('exception'))
  for (let at = 0; at < words.count; at += 1) {
    if (!whys.has(words.word[at] ?? '') || words.gap[at] === gapNone) continue
    const last = at + 1 >= words.count
    const alone = fails && words.gap[at] === gapEnd && (last || words.gap[at + 1] === gapEnd)
    if (!alone && !(last && at >= shortestReport)) continue
    const says = `${words.word[at]} of a failure`
    return { phrase: -1, class: 'debugger', says, start: at, end: at + 1, size: 1, level: 'strong', why: '', asked: true }
  }
  return null
}
