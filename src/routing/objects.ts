// What a verb is said of. "Write" alone belongs to nobody: who writes tests changes code, who writes a guide writes prose; who looks into
// a failure looks for its cause; who changes one value in one file does a small thing.
import { askedIn, failures } from './asks.ts'
import { basesOf } from './inflect.ts'
import { isAsked, isOfOthers, isRuledOut } from './level.ts'
import type { Hit, Level, Scene } from './scene.ts'
import { determiners, prepositions } from './verbs-en.ts'
import { wordSet } from './word-set.ts'
import { gapEnd, gapNone, gapSoft, kindPath, kindPlain, type Words } from './words.ts'

/** The same hits, read by what they are said of, and those of verbs that mean something only by it. Linear. */
export function byObject(scene: Scene, hits: readonly Hit[]): readonly Hit[] {
  const made: Hit[] = madeIn(scene).map((hit) => ({ ...hit, says: inside(scene, hits, hit) ?? hit.says }))
  made.push(...askedIn(scene).filter((hit) => !isSaid(scene, [...hits, ...made], hit.class === 'coder' ? null : hit.class)))
  return choosing(scene, smaller(scene, ofFailures(scene, made.length === 0 ? hits : [...hits, ...made].sort((a, b) => a.start - b.start))))
}

const makers = wordSet(
  'put write draft create make prepare produce compose add update give provide generate need want adjust complete extend',
)
const prose = wordSet(
  `docs documentation readme changelog adr adrs runbook notes guide manual tutorial postmortem post-mortem docstring docstrings comments wiki
   faq handbook report summary announcement newsletter minutes walkthrough`,
)
const plans = wordSet(
  'plan spec specification roadmap stories story concept proposal requirements criteria epic epics milestones breakdown rfc',
)
const code = wordSet(
  `test tests function script class method endpoint migration module parser button page form toggle program command hook component query
   handler middleware wrapper helper validation flag option field column index pagination sorting filter filters export import retry retries
   snippet regex cli api webhook logging check checks fix patch`,
)
const reach = 7

/** Verbs of making with what they make, up to the next preposition: "write unit tests for the calculator". */
function madeIn(scene: Scene): readonly Hit[] {
  const { words } = scene
  const out: Hit[] = []
  for (let at = 0; at < words.count && out.length < mostMade; at += 1) {
    if (words.kind[at] !== kindPlain || !isMaker(words, at)) continue
    const found = objectAt(words, at) ?? partsAt(words, at)
    if (found === null) continue
    const says = `${words.word[at]} ${words.word[found.at]}`
    const level: Level = isRuledOut(scene, at) || isOfOthers(scene, at) ? 'none' : 'strong'
    const why = level === 'none' ? 'it is ruled out, or of others' : ''
    const end = found.at + 1
    out.push({ phrase: -1, class: found.class, says, start: at, end, size: end - at, level, why, asked: isAsked(scene, at) })
  }
  return out
}

/** What already speaks for the same class in its span: the two are one. */
function inside({ prepared }: Scene, hits: readonly Hit[], made: Hit): string | null {
  for (const hit of hits) {
    if (hit.start >= made.end) break
    const same = hit.class === made.class || (made.class !== null && prepared.phrases[hit.phrase]?.speaksFor.has(made.class) === true)
    if (same && hit.level === 'strong' && hit.end > made.start) return hit.says
  }
  return null
}

/** "Which database would suit us best?": who is asked to choose is not asked to look. */
function choosing({ prepared, clauseOf }: Scene, hits: readonly Hit[]): readonly Hit[] {
  const speaksFor = ({ phrase, class: own }: Hit, kind: string) => own === kind || prepared.phrases[phrase]?.speaksFor.has(kind) === true
  const chosen = new Set(hits.filter((hit) => hit.level === 'strong' && speaksFor(hit, 'reasoner')).map(({ start }) => clauseOf[start]))
  if (chosen.size === 0) return hits
  return hits.filter((hit) => !(chosen.has(clauseOf[hit.start]) && whiches.has(hit.says) && speaksFor(hit, 'scout')))
}

const whiches = wordSet('which welche welcher welches')

/** Somebody of the class (null: anybody) is asked for in plain words already. */
function isSaid({ prepared }: Scene, hits: readonly Hit[], kind: string | null): boolean {
  return hits.some(({ class: own, level, phrase }) => {
    const { triggers = [], speaksFor } = prepared.phrases[phrase] ?? {}
    return (
      level === 'strong' &&
      (kind === null ? own !== null || triggers.length > 0 : own === kind || (triggers.length > 0 && speaksFor?.has(kind) === true))
    )
  })
}

const mostMade = 200

function isMaker({ word, gap }: Words, at: number): boolean {
  const one = word[at] ?? ''
  if (splitters.has(one)) return true
  if (gap[at] === gapNone && determiners.has(word[at - 1] ?? '')) return false
  return makers.has(one) || makersDe.has(one) || basesOf(one).some(({ base, form }) => form === 'ing' && makers.has(base))
}

function objectAt(words: Words, from: number): { readonly at: number; readonly class: string } | null {
  let found: { readonly at: number; readonly class: string } | null = null
  if (splitters.has(words.word[from] ?? '')) return null
  for (let at = from + 1; at < Math.min(words.count, from + reach); at += 1) {
    const word = words.word[at] ?? ''
    if (words.gap[at] !== gapNone || enders.has(word) || prepositions.has(word)) break
    const kind = words.kind[at] === kindPlain ? classOf(word) : null
    if (kind !== null && (kind === 'planner' || !makersDe.has(words.word[from] ?? ''))) found = { at, class: kind }
  }
  return found
}

/** "Ablaufplan", "Feinkonzept". */
const planEndings = ['plan', 'konzept', 'spezifikation']
const makersDe = wordSet('mach mache erstell erstelle schreib schreibe brauche brauchen entwickle gib entwirf')

/** "Split the epic into tickets": who cuts work plans it. */
function partsAt({ word, gap }: Words, from: number): { readonly at: number; readonly class: string } | null {
  if (!splitters.has(word[from] ?? '')) return null
  let into = false
  for (let at = from + 1; at < Math.min(word.length, from + reachOfParts) && gap[at] !== gapEnd; at += 1) {
    if (word[at] === 'into' || word[at] === 'in') into = true
    else if (into && pieces.has(word[at] ?? '')) return { at, class: 'planner' }
  }
  return null
}

const reachOfParts = 12
const splitters = wordSet('split break divide cut slice zerlege zerleg teile teil')
const pieces = wordSet(
  'tickets ticket stories tasks steps milestones phases packages issues subtasks aufgaben schritte schritten arbeitspakete teilaufgaben phasen',
)

const enders = wordSet('fuer ueber mit zu wie to with on that which so and or how why what where')

function classOf(word: string): string | null {
  if (prose.has(word)) return 'scriber'
  if (plans.has(word)) return 'planner'
  if (code.has(word)) return 'coder'
  return word.length > 6 && planEndings.some((ending) => word.endsWith(ending)) ? 'planner' : null
}

const inquiries = wordSet(
  'have understand investigate analyze analyse inspect examine explore look check trace suchen suche such find finden rausfinden untersuchen untersuche analysieren analysiere pruefen pruefe herausfinden finde schau schauen sieh',
)
/** Looking into a failure is looking for its cause; what stands in the same clause, or in the sentence before an order without object. */
function ofFailures(scene: Scene, hits: readonly Hit[]): readonly Hit[] {
  return hits.map((hit) => {
    const phrase = scene.prepared.phrases[hit.phrase]
    const scouts = hit.class === 'scout' || (phrase !== undefined && phrase.triggers.length > 0 && phrase.speaksFor.has('scout'))
    if (scouts && isWritten(scene, hit)) return { ...hit, phrase: -1, class: 'scriber', says: `${hit.says}, in writing` }
    if (!scouts || hit.level === 'none' || !isInquiry(scene, hit) || !failsIn(scene, hit)) return hit
    return { ...hit, phrase: -1, class: 'debugger', says: `${hit.says} of a failure` }
  })
}

/** "Explain the release in a wiki page": what is explained in a document is written there. */
function isWritten({ words, clauses, clauseOf }: Scene, { start, level }: Hit): boolean {
  if (level === 'none' || !tellers.has(words.word[start] ?? '')) return false
  const to = clauses[clauseOf[start] ?? 0]?.to ?? words.count
  for (let at = start + 1; at < to; at += 1) {
    if (words.word[at] !== 'in' && words.word[at] !== 'im') continue
    for (let next = at + 1; next <= at + 3 && next < to; next += 1) if (prose.has(words.word[next] ?? '')) return true
  }
  return false
}

const tellers = wordSet('explain describe list erklaer erklaere beschreib beschreibe liste')

function isInquiry({ words }: Scene, { start }: Hit): boolean {
  const word = words.word[start] ?? ''
  return inquiries.has(word) || basesOf(word).some(({ base }) => inquiries.has(base))
}

function failsIn({ words, clauses, clauseOf }: Scene, { start, end, says }: Hit): boolean {
  const number = clauseOf[start] ?? 0
  const clause = clauses[number]
  if (clause === undefined) return false
  const alone = end >= words.count || (words.gap[end] !== gapNone && (words.word[end] ?? '') !== 'and')
  const from = alone && words.gap[clause.from] === gapSoft ? (clauses[number - 1]?.from ?? clause.from) : clause.from
  const next = clauses[number + 1]
  const to = next !== undefined && words.gap[next.from] !== gapEnd && next.mood === 'sub' ? next.to : clause.to
  if (says.includes('where') && words.word.slice(start, to).some((word) => placed.has(word))) return false
  for (let at = from; at < to; at += 1) {
    const word = words.word[at] ?? ''
    if (at > start && (word === 'and' || word === 'und')) return false
    if (failures.has(word)) return true
  }
  return false
}

/** "Find out where the timeouts are defined": a place is looked for. */
const placed = wordSet('defined configured set declared stored handled documented logged raised')

const smallVerbs = wordSet(
  `change set remove delete rename bump raise lower increase correct replace fix adjust comment drop aendere aender setze entferne loesche
   ersetze erhoehe korrigiere`,
)
const smallThings = wordSet(
  'import imports port typo timeout variable constant version comment line lines value flag default level number whitespace limit key heading title true false wert zeile konstante kommentar ueberschrift tippfehler zahl',
)

/** One thing in one file: the coder's verb, a thing that a glance sees to be right, and one path. */
function smaller(scene: Scene, hits: readonly Hit[]): readonly Hit[] {
  const { words, prepared } = scene
  const slip = words.word.some((word) => slips.has(word))
  if (words.count > mostSmall || prepared.byClass.get('executor') === undefined) return hits
  if (slip ? pathsIn(words) > 1 : pathsIn(words) !== 1) return hits
  const own = hits.find((hit) => prepared.phrases[hit.phrase]?.speaksFor.has('executor') === true && hit.level === 'strong')
  const small = own !== undefined || words.word.some((word, at) => words.kind[at] === kindPlain && smallThings.has(word))
  if (!small) return hits
  return hits.map((hit) => {
    const phrase = prepared.phrases[hit.phrase]
    const [only] = phrase?.words ?? []
    const coder =
      phrase?.speaksFor.has('coder') === true && phrase.words.length === 1 && (smallVerbs.has(only ?? '') || hit.class === 'coder')
    return coder && hit.level === 'strong'
      ? { ...hit, phrase: -1, class: 'executor', says: own?.says ?? `${hit.says}, one thing in one file` }
      : hit
  })
}

const mostSmall = 18
const slips = wordSet('typo typos misspelled misspelt spelling tippfehler schreibfehler rechtschreibfehler')

function pathsIn({ kind, word }: Words): number {
  return new Set(word.filter((_, at) => ((kind[at] ?? 0) & kindPath) !== 0)).size
}
