// What parsing one input may cost, in steps of some ten nanoseconds. Usual inputs and dictionaries spend a few percent of it. What is left
// of the input when it is spent is still looked up; it is not corrected, put into phrases or shown to patterns any more.

export type Effort = { left: number }

export const mostEffort = 2_000_000

export const costs = {
  /** Comparing two words. */
  compared: 20,
  /** Asking whether a part of a word is known. */
  asked: 8,
  /** A place where a phrase may stand. */
  placed: 40,
} as const

export function newEffort(): Effort {
  return { left: mostEffort }
}

/** What a pattern may need for a text: the worst ones that are allowed grow with the cube of its length. */
export function patternCost(text: string): number {
  return 20 + text.length ** 3 / 8
}

/** false: there is not enough left, and nothing was spent. */
export function spend(effort: Effort, cost: number): boolean {
  if (effort.left < cost) return false
  effort.left -= cost
  return true
}
