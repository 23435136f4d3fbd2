// How many slips of the pen lie between two words: a letter too many, one that is missing, another one, two that changed places. No
// part is changed twice (optimal string alignment): `ca` and `abc` are three apart.

/** Longer texts are cut: words are not that long. */
export const mostLetters = 128

export function distance(a: string, b: string): number {
  return slips(a.slice(0, mostLetters), b.slice(0, mostLetters), mostLetters)
}

/** The distance when it is at most `most`, else -1. Only cells that near to the diagonal are looked at. */
export function distanceWithin(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most || a.length > mostLetters || b.length > mostLetters) return -1
  const found = slips(a, b, most)
  return found > most ? -1 : found
}

const width = mostLetters + 2
/** Three rows of the table, used again and again: nothing here waits in between. */
const rows: readonly [Uint8Array, Uint8Array, Uint8Array] = [new Uint8Array(width), new Uint8Array(width), new Uint8Array(width)]

function slips(a: string, b: string, most: number): number {
  let [before, above, row] = rows
  for (let at = 0; at <= b.length; at++) above[at] = at
  for (let i = 1; i <= a.length; i++) {
    if (fillRow({ a, b, i, most, before, above, row }) > most) return most + 1
    ;[before, above, row] = [above, row, before]
  }
  return above[b.length] ?? most + 1
}

type Filling = {
  readonly a: string
  readonly b: string
  readonly i: number
  readonly most: number
  readonly before: Uint8Array
  readonly above: Uint8Array
  readonly row: Uint8Array
}

/** Fills the part of a row that can matter, and gives its least. */
function fillRow({ a, b, i, most, before, above, row }: Filling): number {
  const [from, to] = [Math.max(1, i - most), Math.min(b.length, i + most)]
  const [letter, last] = [a.charCodeAt(i - 1), i > 1 ? a.charCodeAt(i - 2) : -1]
  let least = from === 1 ? i : most + 1
  row[from - 1] = least
  for (let j = from; j <= to; j++) {
    const other = b.charCodeAt(j - 1)
    let cell = (above[j - 1] ?? 0) + (letter === other ? 0 : 1)
    cell = Math.min(cell, (row[j - 1] ?? 0) + 1, j < i + most ? (above[j] ?? 0) + 1 : cell)
    if (j > 1 && last === other && letter === b.charCodeAt(j - 2)) cell = Math.min(cell, (before[j - 2] ?? 0) + 1)
    row[j] = cell
    if (cell < least) least = cell
  }
  return least
}
