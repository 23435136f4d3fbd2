// Closed lists by which the form of an English sentence is told. Facts of the source's program: a word more or less changes decisions.

import { wordSet } from './word-set.ts'

/** The first word of a question. `wont` and `cant` are none, and there is no apostrophe in these: "isn't" is no opener. */
export const interrogatives = wordSet(
  'which what where when who whom whose why how is are was were am does did can could should would will has ' +
    'isnt arent doesnt dont didnt shouldnt couldnt wasnt werent',
)

/** The first word of a question when one of `subjects` follows: "do the migration" is an order. */
export const openers = wordSet('do have had')
export const subjects = wordSet('we you i they it he she this that anyone everyone any all')

/** With "you", "we", "u" or "yall" behind it: a request, however it ends. */
export const modals = wordSet('can could would will cant couldnt wont')

/** The first word of an order, however it ends. "have", "do", "take", "get", "let", "use", "run", "set" may start questions. */
export const imperatives = wordSet(
  'add analyse analyze audit build bump capture check clean compare configure create debug decompose delete deploy diagnose disable ' +
    'document draft drop enable evaluate explore expose extend extract fix give handle harden implement inspect install investigate make ' +
    'map merge migrate move optimise optimize outline patch plan port produce profile pull push refactor remove rename replace revert ' +
    'review rewrite scope silence sort spec split stub summarise summarize survey swap teach test tidy trace update validate walk ' +
    'weigh wire write',
)
