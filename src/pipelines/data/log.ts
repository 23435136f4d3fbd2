// The log of a conversation as a text: what the person said and what was answered, a line each.
import type { Memory, Step } from '../conversation.ts'
import { itemsOf, textOfItems } from '../output/output.ts'

/** Characters of the newest lines that templates are given. */
export const logLimit = 100_000

/** The oldest line first; of a log that is too long the newest lines. */
export function logOf({ past, current }: Pick<Memory, 'past' | 'current'>): string {
  const lines: string[] = []
  let length = 0
  for (const step of [...past, current].reverse()) {
    for (const line of linesOf(step)) {
      length += line.length + 1
      if (length > logLimit) return lines.reverse().join('\n')
      lines.push(line)
    }
  }
  return lines.reverse().join('\n')
}

/** The newest first. */
function linesOf(step: Pick<Step, 'data' | 'output'>): readonly string[] {
  const said = step.output['input']
  const answered = textOfItems(itemsOf(step))
  return [...(answered === '' ? [] : [`assistant: ${answered}`]), ...(typeof said === 'string' && said !== '' ? [`user: ${said}`] : [])]
}
