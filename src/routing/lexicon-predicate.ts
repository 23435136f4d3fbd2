// Closed lists of the five signs. Facts of the source's program: a word more or less changes decisions.

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Two words that are read as one: the second by the first. */
export const pairs: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['set', list('up')],
  ['look', list('into at')],
  ['figure', list('out')],
  ['deal', list('with')],
  ['work', list('on')],
  ['roll', list('back')],
  ['limited', list('to')],
  ['so', list('that')],
  ['exits', list('0')],
  ['without', list('error')],
  ['no', list('longer')],
  ['the', list('project codebase app repo system')],
  ['entire', list('codebase')],
])

/** Orders. "make", "improve", "handle", "better" and the pairs "deal_with" and "work_on" say too little to be any. */
export const verbs = list(
  'add append apply bootstrap build bump compile configure convert create delete deprecate disable edit enable export extend fix format ' +
    'generate implement import init insert install lint migrate modify patch provision publish refactor remove rename replace revert ' +
    'rewrite roll_back rollback scaffold seed set_up stub update upgrade wire write',
)

export const clauseMarkers = list('and then also to please')

export const determiners = list('the a an this that these those my our your his her its their no any some each every')

export const deliverables = list(
  'ci class cli component config docs dockerfile endpoint field file fixture flag function hook method migration module patch pipeline ' +
    'readme route rule schema script table test workflow',
)

export const genericScopes = list(
  'everything everywhere all entire whole project_wide repo_wide codebase throughout across anything somewhere ' +
    'the_project the_codebase the_app the_repo the_system entire_codebase',
)

export const limiters = list('only just limited_to solely exclusively')

export const acceptance = list('so_that until passes passing matches returns expected equal green exits_0 without_error no_longer fixes')

export const extensions = list(
  'ts tsx js jsx py rb go rs sh bash json yaml yml toml md txt sql bats java kt c h cpp cs php lock cfg ini env',
)
