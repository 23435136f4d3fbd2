// The quick replies of the step before, as a dictionary for one input: what was offered is understood, before all else.
import type { QuickReply } from '../configuration.ts'
import type { Source } from './found.ts'
import { regularSource } from './vocabulary.ts'

/** More of them are not looked at. */
export const mostReplies = 200

/** `normalize`: as the input is. null: there are none. */
export function replySource(replies: readonly QuickReply[], normalize: (text: string) => string): Source | null {
  const offered = replies.slice(0, mostReplies).map((reply) => ({ text: normalize(reply.value), expressions: replyExpressions(reply) }))
  const filled = offered.filter(({ text }) => text !== '')
  if (filled.length === 0) return null
  const [words, phrases] = [filled.filter(({ text }) => !text.includes(' ')), filled.filter(({ text }) => text.includes(' '))]
  const dictionary = {
    lang: '',
    words: words.map(({ text, expressions }) => ({ word: text, expressions, frequency: 0 })),
    phrases: phrases.map(({ text, expressions }) => ({ phrase: text, expressions })),
    regExs: [],
  }
  return regularSource(dictionary, false)
}

/** Its own, else one made of its value: "Yes please!" is `yes_please`. */
export function replyExpressions({ value, expressions }: QuickReply): string {
  if (expressions.trim() !== '') return expressions
  const words = value.replace(/[^A-Za-z0-9 ]/g, '').split(' ')
  return words
    .filter((word) => word !== '')
    .join('_')
    .toLowerCase()
}
