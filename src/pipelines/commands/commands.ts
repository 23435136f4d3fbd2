// The task steward.commands: what a sentence asks the hub to do, in English and German, as an object named `command` that rules and
// templates see. Owns: the words of commands, where a name ends and a text begins. Pure. Leaves what is done about it to rules and calls.
//
// Y196 A command is what a sentence begins with, what it ends with in German, or a question for what there is. What stands in quotes, after
//      a colon, or behind a name is never a command; who asks how, or says not to, has nothing done.
// Y197 One typing error in a word of a command is forgiven, none in a name.
import type { OpenStep } from '../conversation.ts'
import { actOf } from './grammar.ts'
import type { Act } from './reading.ts'
import { plainName, sentenceOf } from './sentence.ts'
import { slugOf } from './slug.ts'
import type { Language, Thing } from './vocabulary.ts'

/** All texts are '' where there is none. */
export type Command = {
  readonly act: Act
  readonly language: Language | ''
  /** What the sentence is about, where nothing was understood. */
  readonly about: Thing | ''
  /** Of the project, note or agent, as it was written; `slug` is what it is kept under. */
  readonly name: string
  readonly slug: string
  readonly text: string
  readonly folder: string
  readonly answer: 'yes' | 'no' | ''
  /** It says what is to be done and with what: it is no name that was asked for. */
  readonly isClear: boolean
  /** The whole sentence as a name, for an answer to "how shall it be called". */
  readonly whole: string
  readonly wholeSlug: string
}

export function readCommand(text: string): Command {
  const sentence = sentenceOf(text)
  const read = actOf(sentence)
  const name = plainName(read.name)
  const whole = plainName(called(text))
  return {
    ...{ act: read.act, language: read.language, about: read.about, name, slug: slugOf(name), text: read.text },
    ...{ folder: sentence.folder, answer: read.answer, isClear: read.isClear, whole, wholeSlug: slugOf(whole) },
  }
}

/** For the task: the sentence is the step's own input. */
export function commandIn(step: Pick<OpenStep, 'get'>): Command {
  const input = step.get('input:initial')
  return readCommand(typeof input === 'string' ? input : '')
}

const opening =
  /^(?:(?:please )?(?:call it|name it|it is called|the name is|let's call it)|(?:bitte )?(?:nenne es|nenn es|nenne sie|nenn sie|es heißt|sie heißt|es soll|er lautet|der name ist))\s+/i

function called(text: string): string {
  return text.slice(0, 400).trim().replace(opening, '')
}
