// Whether an answer of a model can be used, and what is done when it can't.
//
// Y121  An answer that is empty, cut, stopped by a filter, a refusal or too slow is passed over, told, asked for again or ends the task, as
//       configured for each; it is asked for again twice at most, and then told.
import type { LlmTask, ValidationReaction } from '../../../pipelines/configuration.ts'
import { type Scene, TaskFailed } from '../scene.ts'
import { stepName } from './calls-scene.ts'
import type { Failed } from './llm-ask.ts'
import type { Thought } from './llm-loop.ts'

const mostAgain = 2

type Fault = { readonly what: string; readonly reaction: ValidationReaction }

/** `again`: asks once more, as steps of that name. A failure that nothing here is about comes back as it is. */
export async function validated(
  scene: Scene,
  task: LlmTask,
  { name, ask }: { readonly name: string; readonly ask: (name: string) => Promise<Thought | Failed> },
): Promise<Thought | Failed> {
  for (let tries = 0; ; tries++) {
    const got = await ask(tries === 0 ? name : stepName(scene, name, `again-${tries}`))
    const fault = task.responseValidation.enabled ? faultOf(got, task) : null
    if (fault === null || fault.reaction === 'ignore') return fault === null ? got : usable(got)
    if (fault.reaction === 'fail') throw new TaskFailed(`the answer of the model ${fault.what}`)
    if (fault.reaction === 'warn' || tries >= mostAgain) {
      scene.voice.notice(`The answer of the model ${fault.what}.`)
      return usable(got)
    }
  }
}

/** No words came in time: that is an empty answer where nobody wanted the task to end. */
function usable(got: Thought | Failed): Thought | Failed {
  if (!('failed' in got)) return got
  const usage = { input: null, output: null, cached: null }
  return {
    ...{ text: '', toolCalls: [], tools: [], model: '', finish: 'other' as const, usage },
    ...{ cost: null, lost: 0, fellBack: [], notices: [], attempt: 1 },
  }
}

function faultOf(got: Thought | Failed, { responseValidation: wanted }: LlmTask): Fault | null {
  if ('failed' in got) return got.code === 'timeout' ? { what: 'did not come in time', reaction: wanted.onStreamingTimeout } : null
  if (got.finish === 'content-filter') return { what: "was ended by the provider's content filter", reaction: wanted.onContentFilter }
  if (got.finish === 'length') return { what: 'was cut at its longest length', reaction: wanted.onTruncation }
  if (got.text.trim() === '') return { what: 'was empty', reaction: wanted.onEmpty }
  return isRefusal(got.text) ? { what: 'was a refusal', reaction: wanted.onRefusal } : null
}

/** How models begin when they say no. */
const refusals: readonly string[] = [
  ...["i can't help", 'i cannot help', "i can't assist", 'i cannot assist', "i won't", 'i will not', "i'm unable to", 'i am unable to'],
  ...[
    "i can't do that",
    'i cannot do that',
    "i can't provide",
    'i cannot provide',
    'as an ai',
    'ich kann dabei nicht helfen',
    'ich kann dir dabei nicht',
  ],
  ...['ich kann ihnen dabei nicht', 'das kann ich nicht tun', 'als ki'],
]

export function isRefusal(text: string, phrases: readonly string[] = refusals): boolean {
  const begin = text.slice(0, 200).toLowerCase().replaceAll('\u2019', "'")
  return phrases.some((phrase) => phrase !== '' && begin.includes(phrase.toLowerCase()))
}
