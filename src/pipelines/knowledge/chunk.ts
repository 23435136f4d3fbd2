// A text in pieces that a model can be given: at the end of a paragraph where one is near, else of a line, a sentence, a word. Pure and
// linear.

export type Chunking = {
  /** Characters of a piece at most. */
  readonly size: number
  /** So many of them, at most, stand at the end of the piece before as well; never more than half of `size`. */
  readonly overlap: number
}

/** Behind which signs a piece may end, the best first. */
const ends = [/\n[^\S\n]*\n\s*/g, /\n/g, /[.!?。！？…]["'»”)\]]*\s+/g, /\s+/g]
/** An end that leaves less than this part of a piece is passed over for one of the next kind: a heading alone is no piece. */
const least = 0.25

/** [] for a text of white space. Pieces are trimmed, none is empty, and no character is cut in two. */
export function chunksOf(text: string, { size, overlap: wanted }: Chunking): readonly string[] {
  const overlap = Math.min(wanted, Math.floor(size / 2))
  const plain = text.replaceAll('\r\n', '\n')
  const chunks: string[] = []
  for (let from = 0; from < plain.length; ) {
    const end = endOf(plain, from, size)
    const piece = plain.slice(from, end).trim()
    if (piece !== '') chunks.push(piece)
    if (end >= plain.length) break
    from = nextStart(plain, { from, end, overlap })
  }
  return chunks
}

function endOf(text: string, from: number, size: number): number {
  const most = from + size
  if (most >= text.length) return text.length
  const window = text.slice(from, most)
  for (const kind of ends) {
    let last = 0
    for (const found of window.matchAll(kind)) last = found.index + found[0].length
    if (last >= size * least) return from + last
  }
  return whole(text, most, from)
}

/** At the beginning of a word, so near to the end that no more than `overlap` is said twice. */
function nextStart(
  text: string,
  { from, end, overlap }: { readonly from: number; readonly end: number; readonly overlap: number },
): number {
  const wanted = end - overlap
  if (overlap === 0 || wanted <= from) return end
  const word = /(?<=\s)\S/.exec(text.slice(Math.max(from + 1, wanted) - 1, end))
  return word === null ? whole(text, Math.max(from + 1, wanted), from) : Math.max(from + 1, wanted) - 1 + word.index
}

/** Not between the halves of a character, and always further on. */
function whole(text: string, at: number, from: number): number {
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at))
  return isHalf ? (at - 1 > from ? at - 1 : at + 1) : at
}
