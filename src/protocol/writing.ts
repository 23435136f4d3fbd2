// Live words (L9): what a step has said so far, before it is settled. Pure.

/** Words of a step that is not settled. `gap`: something between them was missed; ask again from the start. */
export type Writing = {
  readonly turn: string
  readonly step: string
  readonly attempt: number
  readonly text: string
  readonly gap: boolean
}

/**
 * What is shown after these words came at that offset (UTF-16 units of the attempt's text). Words that were heard before change
 * nothing, words further on than what is known are not shown: a hole is marked until the text so far comes again.
 */
export function grow(known: Writing | undefined, words: Writing, offset: number): Writing {
  if (known && words.attempt < known.attempt) return known
  if (!known || words.attempt > known.attempt) return offset === 0 ? words : { ...words, text: '', gap: true }
  if (offset > known.text.length) return { ...known, gap: true }
  const end = offset + words.text.length
  if (end <= known.text.length) return known
  return { ...known, text: known.text.slice(0, offset) + words.text, gap: false }
}

/** Words were missed: ask for them again from the start. */
export function hasGap(writing: readonly Writing[]): boolean {
  return writing.some((one) => one.gap)
}
