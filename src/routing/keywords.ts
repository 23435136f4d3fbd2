// The keyword score: for each agent with a list, matched keywords / configured keywords. Whole words, in any case; a keyword of several
// words occurs as they stand. An empty list takes no part (R23).
import { beginningOf, openPhrases } from './phrases.ts'

export type KeywordScore = {
  readonly agent: string
  readonly matched: readonly string[]
  readonly of: number
  /** 0 to 1. */
  readonly score: number
}

export type Keywords = {
  /** Those above 0, the best first; equal ones as they are configured. */
  scores(text: string): readonly KeywordScore[]
}

/** No other forms of a word count; case and the kind of white space don't matter. */
export const asWritten = { fold: (): readonly string[] => [] }

/** Lists by agent, in the order in which ties are settled. Compiles once; `scores` is linear in the text. */
export function openKeywords(lists: ReadonlyMap<string, readonly string[]>): Keywords {
  const seats = [...lists].map(([agent, words]) => ({ agent, words: [...new Set(words)] })).filter(({ words }) => words.length > 0)
  const all = seats.flatMap(({ words }, seat) => words.map((word) => ({ seat, word })))
  const phrases = openPhrases(
    all.map(({ word }) => word),
    asWritten,
  )
  return {
    scores(text) {
      const matched: string[][] = seats.map(() => [])
      for (const index of [...phrases.in(beginningOf(text).text)].sort((a, b) => a - b)) {
        const hit = all[index]
        if (hit !== undefined) matched[hit.seat]?.push(hit.word)
      }
      const scored = seats.map(({ agent, words }, seat) => scoreOf(agent, matched[seat] ?? [], words.length))
      return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
    },
  }
}

function scoreOf(agent: string, matched: readonly string[], of: number): KeywordScore {
  return { agent, matched, of, score: matched.length / of }
}
