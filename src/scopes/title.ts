// What a session is called while no person has named it.

const longest = 60

/** The first line with words in it, at most 60 characters, cut at a word's end. '' when there is none. */
export function autoTitle(text: string): string {
  const line =
    text
      .split(/\r\n|[\n\r\u2028\u2029]/)
      .map(tidy)
      .find((one) => one !== '') ?? ''
  const signs = [...line]
  if (signs.length <= longest) return line
  const cut = signs.slice(0, longest + 1).join('')
  const space = cut.lastIndexOf(' ')
  return space > 0 ? cut.slice(0, space) : signs.slice(0, longest).join('')
}

function tidy(line: string): string {
  return line
    .replace(/\p{Cc}/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
