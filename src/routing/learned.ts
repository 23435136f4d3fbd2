// Learned rules at work: which of them a text fulfils. A rule is fulfilled when each of its phrases occurs as whole words.
import type { PlacedRule } from './cascade.ts'
import { asWritten } from './keywords.ts'
import { beginningOf, openPhrases } from './phrases.ts'

export type Rules = {
  /** In the order in which they are asked. Linear in the text. */
  fulfilled(text: string): readonly PlacedRule[]
}

/** `rules` in the order in which they are asked. */
export function openRules(rules: readonly PlacedRule[]): Rules {
  if (rules.length === 0) return { fulfilled: () => [] }
  const words = [...new Set(rules.flatMap(({ when }) => when))]
  const numbers = new Map(words.map((word, number) => [word, number]))
  const wanted = rules.map((rule) => ({ rule, numbers: rule.when.map((word) => numbers.get(word) ?? -1) }))
  const phrases = openPhrases(words, asWritten)
  return {
    fulfilled(text) {
      const there = phrases.in(beginningOf(text).text)
      if (there.size === 0) return []
      return wanted.filter((one) => one.numbers.every((number) => there.has(number))).map(({ rule }) => rule)
    },
  }
}
