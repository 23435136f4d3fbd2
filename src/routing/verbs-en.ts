// English words that routing knows, as data. What members answer to stands in the table; this is grammar, and the words of each class
// for the case that a class has nobody.
import { wordSet } from './word-set.ts'

/** Which form of a word stands in the text: as it is, with -s, with -ing, past or participle. */
export type Form = 'base' | 's' | 'ing' | 'ed'
export type Base = { readonly base: string; readonly form: Form }

export const classes = ['scout', 'debugger', 'reasoner', 'planner', 'coder', 'executor', 'scriber'] as const

/** Words of each class, for a table in which that class has no member. */
const classVerbs: Readonly<Record<(typeof classes)[number], string>> = {
  scout: 'map trace audit explore scout investigate analyze analyse inspect survey locate',
  debugger: 'diagnose debug bisect troubleshoot',
  reasoner: 'compare evaluate weigh deliberate decide',
  planner: 'plan spec design decompose outline scope specify',
  coder: 'implement build fix extend patch code refactor optimize optimise migrate rewrite modify port wire',
  executor: 'rename bump pin',
  scriber: 'document chronicle synthesize synthesise summarize summarise',
}

/** Base form -> class. */
export const classOfVerb: ReadonlyMap<string, string> = new Map(
  classes.flatMap((name) => classVerbs[name].split(' ').map((verb): [string, string] => [verb, name])),
)

/** Verbs that order something, beside those of the classes: a clause that begins with one is no question. */
const otherVerbs = wordSet(
  'adapt add adjust append apply arrange ask assign attach automate backport benchmark break build bring call capture change check clarify clean clear clone close collect combine commit configure connect convert copy correct create cut define delete deliver deploy describe detect disable draft drop dump edit enable enforce ensure estimate examine execute expand explain export expose extract fetch figure file fill find finish format generate get give go group guard handle help hide hook identify import improve increase inline insert install integrate introduce isolate join keep learn let limit link lint list load log look lower make mark measure merge mock monitor move name narrow normalize note open order organize package paste point polish prepare print profile propose prove provide publish pull push put raise read rebase recommend rework rebuild record reduce register release remember remind remove rename render reorder replace report reproduce reset resolve restart restore restructure retry return reuse revert review revise roll run save scaffold scan schedule search secure send separate serve set setup shorten show simplify skip solve sort speed split standardize start stop store strip stub submit suggest support swap sync tag take tell test tidy tie tighten track transform translate trim try tune turn unify unpack update upgrade use validate verify vendor walk wire wrap write zip',
)

/**
 * Verbs that a table's own general verb stands for: who has "change" among its triggers answers to each verb of change, who has "search"
 * to each of looking.
 */
export const generalVerb: ReadonlyMap<string, string> = new Map([
  ...wordsFor(
    'change',
    'hook plug relocate rewire invert repair mend throw cap allow append arrange attach automate bundle cache clean collapse combine configure connect copy create cut decouple deduplicate drop duplicate edit eliminate embed encapsulate encrypt ensure enforce expand expose extract finish format group guard handle harden hide improve increase inline insert install isolate join limit link load lock log lower mark memoize mock move narrow normalize open order parallelize paginate parse persist polish proxy push put redesign reduce register rename render reorder reset resolve restore restructure reuse revert revise sanitize save scaffold secure send separate serve set setup shorten shrink simplify skip solve sort standardize stop store strip style support swap switch sync throttle tidy tighten transform trim tune translate unify update upgrade use validate wrap zip',
  ),
  ...wordsFor('search', 'check count describe explain identify list locate look read'),
])

function wordsFor(general: string, verbs: string): readonly (readonly [string, string])[] {
  return verbs.split(' ').map((verb) => [verb, general] as const)
}

/** Takes a base form. */
export function isVerb(word: string): boolean {
  return classOfVerb.has(word) || otherVerbs.has(word) || generalVerb.has(word)
}

/** With a, an, or the: what they make is a thing to be made ("write the fix", "propose a plan"). */
export const makers = wordSet(
  'write draft create make prepare produce provide propose deliver compose generate sketch need want suggest require develop submit add',
)
/** With a or an only: "do an audit", but "run the build" makes none. */
export const doers = wordSet('do run perform conduct give get have start begin finish complete carry')

export const determiners = wordSet(
  'the a an this that these those my our your his her its their each every any some no another which what whose der die das den dem des ein eine einen einem einer eines diese dieser dieses diesen diesem mein meine meinen unser unsere unseren jede jeder jeden kein keine keinen',
)
export const indefinite = wordSet('a an another ein eine einen einem einer some')
export const prepositions = wordSet('for of about by on without before after from in behind against into during than at between via per')
export const pronouns = wordSet("i we he she they you it i've we've they've he's she's somebody someone who that ich wir er sie ihr du")
export const negators = wordSet("don't dont never not won't cannot can't doesn't didn't shouldn't mustn't without nicht nie niemals ohne")
/** Words after which a participle is something that is wanted: "should be fixed", "needs to be documented". */
export const wanting = wordSet('be get have want need needs must should please got werden soll sollte sollen muss bitte gehoert')

export const functionWords = wordSet(
  'the a an we i it this that there any anything our your their my you they us them everyone anyone do does did is are was were be been am still ever of to in on at for with and or not if so but from by as into than then too very can could should would will shall has have had what which who whose whom why how where when',
)

/** Things that others make: as the object of another verb they are read, not ordered ("fix the runbook"). */
export const artifacts = wordSet('spec specification plan design requirements epic adr adrs runbook changelog readme notes criteria story')

/** A noun that stands for an act, when somebody is to do it: "do the migration". */
export const acts: ReadonlyMap<string, string> = new Map([
  ['migration', 'migrate'],
  ['implementation', 'implement'],
  ['optimization', 'optimize'],
  ['optimisation', 'optimize'],
  ['modification', 'modify'],
  ['investigation', 'investigate'],
  ['analysis', 'analyze'],
  ['inspection', 'inspect'],
  ['exploration', 'explore'],
  ['documentation', 'document'],
  ['comparison', 'compare'],
  ['evaluation', 'evaluate'],
  ['diagnosis', 'diagnose'],
  ['decomposition', 'decompose'],
  ['extension', 'extend'],
  ['rewriting', 'rewrite'],
])

function forms(lines: string): ReadonlyMap<string, readonly Base[]> {
  const out = new Map<string, readonly Base[]>()
  for (const line of lines.split('\n')) {
    const [base = '', ...past] = line.trim().split(' ')
    for (const word of past) out.set(word, [...(out.get(word) ?? []), { base, form: 'ed' satisfies Form }])
  }
  return out
}

/** Forms that no rule gives; a word that is here has no other base. */
export const irregular: ReadonlyMap<string, readonly Base[]> = new Map([
  ...forms(`build built
    rebuild rebuilt
    write wrote written
    rewrite rewrote rewritten
    find found
    break broke
    understand understood
    make made
    draw drew drawn
    show shown
    take took taken
    bring brought
    think thought
    choose chose chosen
    fall fell fallen
    run ran
    keep kept
    spec specced spec'd
    read reread
    tell told
    give gave given
    begin began begun
    find found`),
  ['writing', [{ base: 'write', form: 'ing' }]],
  ['rewriting', [{ base: 'rewrite', form: 'ing' }]],
  ['speccing', [{ base: 'spec', form: 'ing' }]],
  ['analyses', [{ base: 'analyze', form: 's' }]],
  ['analyse', [{ base: 'analyze', form: 'base' }]],
  ['analysing', [{ base: 'analyze', form: 'ing' }]],
  ['analysed', [{ base: 'analyze', form: 'ed' }]],
  ['optimise', [{ base: 'optimize', form: 'base' }]],
  ['optimising', [{ base: 'optimize', form: 'ing' }]],
  ['optimised', [{ base: 'optimize', form: 'ed' }]],
  ['summarise', [{ base: 'summarize', form: 'base' }]],
  ['summarising', [{ base: 'summarize', form: 'ing' }]],
  ['summarised', [{ base: 'summarize', form: 'ed' }]],
  ['synthesise', [{ base: 'synthesize', form: 'base' }]],
  ['synthesising', [{ base: 'synthesize', form: 'ing' }]],
  ['debugging', [{ base: 'debug', form: 'ing' }]],
  ['news', []],
  ['this', []],
  ['does', [{ base: 'do', form: 's' }]],
  ['during', []],
  ['nothing', []],
  ['something', []],
  ['anything', []],
  ['everything', []],
  ['need', []],
  ['string', []],
  ['indeed', []],
])
