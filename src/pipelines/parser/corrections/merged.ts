// Words that were written as one: `helloworld`.

/** Longer terms are not taken apart. */
export const mostTermLetters = 64

/**
 * The known parts that a term is made of, all of it or nothing; from the left, at each place the longest part that the rest can follow.
 * A term that is known itself is its only part. Each question to `isKnown` takes one from the budget; when nothing is left, it is null.
 */
export function splitTerm(term: string, isKnown: (part: string) => boolean, budget: { left: number }): readonly string[] | null {
  if (term === '' || term.length > mostTermLetters) return null
  const hopeless = new Set<number>()
  return from(0)

  function from(start: number): readonly string[] | null {
    if (start === term.length) return []
    if (hopeless.has(start)) return null
    for (let end = term.length; end > start && budget.left > 0; end--) {
      budget.left--
      const part = term.slice(start, end)
      const rest = isKnown(part) ? from(end) : null
      if (rest !== null) return [part, ...rest]
    }
    hopeless.add(start)
    return null
  }
}
