// What a model is told: the instructions, what was said before, what is known, and the question.
//
// Y116  With a limit of tokens the first steps and the newest that fit are given, in their order; what was said now is given always.
import type { ModelMessage } from '../../../models/message.ts'
import type { LlmTask } from '../../../pipelines/configuration.ts'
import type { Step } from '../../../pipelines/conversation.ts'
import { itemsOf, textOfItems } from '../../../pipelines/output/output.ts'
import type { Scene } from '../scene.ts'
import { systemOf, withSnippets } from './llm-system.ts'

/** Characters, as long as nobody has counted. */
export const perToken = 4

/** `knowledge`: content between marks that stands before the question; `rule`: one more instruction, for how to answer. */
export type Beside = { readonly knowledge?: string; readonly rule?: string }

export function messagesOf(scene: Scene, task: LlmTask, { knowledge = '', rule = '' }: Beside = {}): readonly ModelMessage[] {
  const { current, past } = scene.memory
  const prompt = scene.render(withSnippets(scene, task.parameters['prompt'] ?? '')).trim()
  const input = current.get('input:initial')
  const said = prompt !== '' ? prompt : typeof input === 'string' ? input : ''
  // A conversation that begins by itself has nothing that a model could answer but its instructions.
  const question = [knowledge, said === '' ? 'Begin.' : said].filter((one) => one !== '').join('\n\n')
  const system = [systemOf(scene, task), rule].filter((one) => one !== '').join('\n\n')
  const first: readonly ModelMessage[] = system === '' ? [] : [{ role: 'system', text: system }]
  const room = task.maxContextTokens * perToken - system.length - question.length
  return [...first, ...historyOf(past, task, room), { role: 'user', text: question }]
}

/** Each step with what was said and what was answered; a first answer that nobody asked for counts if it is to. */
function historyOf(past: readonly Step[], task: LlmTask, room: number): readonly ModelMessage[] {
  const withFirst = task.parameters['includeFirstBotMessage'] !== 'false'
  const limit = limitOf(task)
  if (limit === 0) return []
  if (task.maxContextTokens > 0) return windowOf(past, { withFirst, room, anchors: task.anchorFirstSteps })
  return (limit < 0 ? past : past.slice(-limit)).flatMap((step) => spokenIn(step, withFirst))
}

/** The older name of the limit is a parameter, and counts where it stands. */
function limitOf({ conversationHistoryLimit, parameters }: LlmTask): number {
  const older = parameters['logSizeLimit']?.trim() ?? ''
  return /^-?\d{1,9}$/.test(older) ? Number(older) : conversationHistoryLimit
}

type Window = { readonly withFirst: boolean; readonly room: number; readonly anchors: number }

function windowOf(past: readonly Step[], { withFirst, room, anchors }: Window): readonly ModelMessage[] {
  let left = room
  const kept = new Map<number, readonly ModelMessage[]>()
  const take = (at: number): boolean => {
    const step = past[at]
    const lines = step === undefined ? [] : spokenIn(step, withFirst)
    const size = lines.reduce((sum, { text }) => sum + text.length, 0)
    if (size > left) return false
    left -= size
    kept.set(at, lines)
    return true
  }
  for (let at = 0; at < Math.min(anchors, past.length); at++) if (!take(at)) break
  for (let at = past.length - 1; at >= 0 && !kept.has(at); at--) if (!take(at)) break
  return [...kept].sort(([a], [b]) => a - b).flatMap(([, lines]) => lines)
}

function spokenIn(step: Step, withFirst: boolean): readonly ModelMessage[] {
  const input = step.data.find(({ key }) => key === 'input:initial')?.value
  const said = typeof input === 'string' ? input : ''
  const text = textOfItems(itemsOf(step))
  if (said === '' && !withFirst) return []
  const user: readonly ModelMessage[] = said === '' ? [] : [{ role: 'user', text: said }]
  return [...user, ...(text === '' ? [] : [{ role: 'assistant' as const, text, toolCalls: [] }])]
}
