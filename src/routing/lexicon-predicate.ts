// Closed lists of the five signs. Facts of the source's program: a word more or less changes decisions.

import { wordSet } from './word-set.ts'

/** Two words that are read as one: the second by the first. */
export const pairs: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['set', wordSet('up')],
  ['look', wordSet('into at')],
  ['figure', wordSet('out')],
  ['deal', wordSet('with')],
  ['work', wordSet('on')],
  ['roll', wordSet('back')],
  ['limited', wordSet('to')],
  ['so', wordSet('that')],
  ['exits', wordSet('0')],
  ['without', wordSet('error')],
  ['no', wordSet('longer')],
  ['the', wordSet('project codebase app repo system')],
  ['entire', wordSet('codebase')],
])

/** Orders. "make", "improve", "handle", "better" and the pairs "deal_with" and "work_on" say too little to be any. */
export const verbs = wordSet(
  'add append apply bootstrap build bump compile configure convert create delete deprecate disable edit enable export extend fix format ' +
    'generate implement import init insert install lint migrate modify patch provision publish refactor remove rename replace revert ' +
    'rewrite roll_back rollback scaffold seed set_up stub update upgrade wire write',
)

export const clauseMarkers = wordSet('and then also to please')

export const determiners = wordSet('the a an this that these those my our your his her its their no any some each every')

export const deliverables = wordSet(
  'ci class cli component config docs dockerfile endpoint field file fixture flag function hook method migration module patch pipeline ' +
    'readme route rule schema script table test workflow',
)

export const genericScopes = wordSet(
  'everything everywhere all entire whole project_wide repo_wide codebase throughout across anything somewhere ' +
    'the_project the_codebase the_app the_repo the_system entire_codebase',
)

export const limiters = wordSet('only just limited_to solely exclusively')

export const acceptance = wordSet('so_that until passes passing matches returns expected equal green exits_0 without_error no_longer fixes')

export const extensions = wordSet(
  'ts tsx js jsx py rb go rs sh bash json yaml yml toml md txt sql bats java kt c h cpp cs php lock cfg ini env',
)
