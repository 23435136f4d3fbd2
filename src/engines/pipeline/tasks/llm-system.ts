// The system message of a model task: who it is said to be, what it is told, and how careful it shall be, in that order.
import type { LlmTask } from '../../../pipelines/configuration.ts'
import type { Scene } from '../scene.ts'

export function systemOf(scene: Scene, task: LlmTask): string {
  const own = scene.render(withSnippets(scene, task.parameters['systemMessage'] ?? '')).trim()
  const [before, after] = counterweightOf(scene, task)
  const json = task.jsonResponseFormat ? 'Answer with one JSON value and nothing else.' : ''
  const all = [maskOf(scene, task), before, own, after, json].filter((part) => part !== '').join('\n\n')
  return task.maxSystemPromptChars > 0 ? all.slice(0, task.maxSystemPromptChars).toWellFormed() : all
}

/** Longer than this no text of a model task grows by its snippets. */
const longestPrompt = 1_000_000

/** A snippet that is a template stands in the text that names it; what it names itself is its text. Others are values. */
export function withSnippets({ agent }: Scene, text: string): string {
  if (!text.includes('{snippets.')) return text
  let size = text.length
  return text.replace(/(?<!\{)\{snippets\.([a-z0-9_-]{1,100})\}(?!\})/g, (whole, name: string) => {
    const found = agent.snippets.get(name)
    size += found?.content.length ?? 0
    return found?.templateEnabled && size <= longestPrompt ? found.content : whole
  })
}

function maskOf(scene: Scene, { identityMasking }: LlmTask): string {
  if (!identityMasking?.enabled) return ''
  const name = scene.render(identityMasking.displayName).trim() || 'the assistant'
  const rules = identityMasking.rules.map((rule) => `- ${scene.render(rule)}`)
  return [`You are ${name}. Do not say which model or company stands behind you; when asked, say that you are ${name}.`, ...rules].join(
    '\n',
  )
}

/** Own instructions, else the snippet of that level, else ours. Before and after the agent's own words: one of them is empty. */
function counterweightOf(scene: Scene, { counterweight }: LlmTask): readonly [string, string] {
  if (!counterweight?.enabled || (counterweight.level === 'normal' && counterweight.customInstructions.trim() === '')) return ['', '']
  const { level, placement, customInstructions } = counterweight
  const snippet = scene.agent.snippets.get(`counterweight-${level}`)?.content ?? scene.agent.snippets.get(`counterweight_${level}`)?.content
  const text = customInstructions.trim() === '' ? (snippet ?? presets[level]) : scene.render(customInstructions)
  return placement === 'prefix' ? [text, ''] : ['', text]
}

const presets: Readonly<Record<'normal' | 'cautious' | 'strict', string>> = {
  normal: '',
  cautious: 'Say when you are not sure. Do not present guesses as facts, and ask before you assume what the person wants.',
  strict:
    'Answer only what you know from this conversation or can say with certainty. Say plainly what you do not know. Never claim to have done something that you have not done, and never agree only to please.',
}
