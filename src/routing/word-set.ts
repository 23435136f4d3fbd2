// Lists of words as data: written as a text, asked as a set.

/** Words with white space between them. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/))
}
