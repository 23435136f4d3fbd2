// How much of what tools answer a model is told: each answer, and all of them together. A frame stays closed, whatever is cut.
import type { ModelMessage } from '../../../models/message.ts'
import { perToken } from './llm-messages.ts'

const least = 200

/** At most about so many characters of it. What stands in a frame is cut inside of it. */
export function cutTo(text: string, most: number): string {
  const limit = Math.max(least, most)
  if (text.length <= limit) return text
  const note = `\n[cut: ${text.length} characters, ${limit} are shown]`
  const begin = /^begin ([0-9a-f]{16,64})\n/m.exec(text)
  const end = begin === null ? -1 : text.lastIndexOf(`\nend ${begin[1]}`)
  if (begin === null || end < 0) return `${text.slice(0, limit).toWellFormed()}${note}`
  const body = begin.index + begin[0].length
  const rest = text.slice(end, end + mostBehind).toWellFormed()
  return `${text.slice(0, Math.max(body, limit - rest.length)).toWellFormed()}${note}${rest}`
}

/** Characters that stand behind a frame. */
const mostBehind = 2_000

const leftOut = '[This result was given before and is left out now: there is too much. Ask again if it is needed.]'

/** The newest answers of tools that fit; older ones keep their place, so that each call has its result. */
export function fitted(lines: readonly ModelMessage[], mostTokens: number): readonly ModelMessage[] {
  let left = mostTokens * perToken
  const kept = [...lines].reverse().map((line): ModelMessage => {
    if (line.role !== 'tool') return line
    const room = left
    left -= line.text.length
    if (left >= 0 || line.text.length <= leftOut.length) return line
    return { ...line, text: room >= least ? cutTo(line.text, room) : leftOut }
  })
  return kept.reverse()
}
