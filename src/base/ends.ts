/**
 * The text without line ends at its end. Linear, which `replace(/\n+$/, '')` is not: that tries anew from each line end, and a
 * million empty lines would hold up the program for minutes.
 */
export function withoutLastLines(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '\n') end--
  return text.slice(0, end)
}
