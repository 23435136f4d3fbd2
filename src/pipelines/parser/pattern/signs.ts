// Sets of characters, as a class of a pattern names them: their ranges, to see whether two sets share one, and their text for a
// regular expression with the flag `v`.

export type Range = readonly [from: number, to: number]

/** `ranges`: sorted, apart from each other. With `isExact` false they hold more than the set: Unicode's properties are not listed. */
export type Signs = { readonly ranges: readonly Range[]; readonly text: string; readonly isExact: boolean }

const last = 0x10ffff
export const everySign: Signs = { ranges: [[0, last]], text: '[^]', isExact: true }

export function signsOf(...given: readonly Range[]): Signs {
  const ranges = merged(given)
  return { ranges, text: `[${ranges.map(rangeText).join('')}]`, isExact: true }
}

export function signsIn(text: string): Signs {
  return signsOf(...[...text].map((sign): Range => [codeOf(sign), codeOf(sign)]))
}

/** A property of Unicode, as in `L` or `Lu`. For comparing, every letter that is not ASCII has it. */
export function propertySigns(name: string, ascii: readonly Range[]): Signs {
  return { ranges: merged([...ascii, [0x80, last]]), text: `[\\p{${name}}]`, isExact: false }
}

export function unionOf(sets: readonly Signs[]): Signs {
  const ranges = merged(sets.flatMap((set) => set.ranges))
  if (sets.every(({ isExact }) => isExact)) return signsOf(...ranges)
  return { ranges, text: `[${sets.map(({ text }) => text).join('')}]`, isExact: false }
}

export function bothOf(a: Signs, b: Signs): Signs {
  const ranges = a.ranges.flatMap(([from, to]) =>
    b.ranges.flatMap((other): Range[] => (from <= other[1] && other[0] <= to ? [[Math.max(from, other[0]), Math.min(to, other[1])]] : [])),
  )
  if (a.isExact && b.isExact) return signsOf(...ranges)
  return { ranges, text: `[${a.text}&&${b.text}]`, isExact: false }
}

export function allBut(set: Signs): Signs {
  if (!set.isExact) return { ranges: everySign.ranges, text: `[^${set.text}]`, isExact: false }
  const gaps: Range[] = []
  let from = 0
  for (const range of set.ranges) {
    if (range[0] > from) gaps.push([from, range[0] - 1])
    from = range[1] + 1
  }
  if (from <= last) gaps.push([from, last])
  return signsOf(...gaps)
}

/** Adds the other case of the letters a to z, as Java's flag `i` does. */
export function eitherCase(set: Signs): Signs {
  const other = (from: number, to: number, by: number) =>
    bothOf({ ...set, isExact: true }, signsOf([from, to])).ranges.map(([a, b]): Range => [a + by, b + by])
  return unionOf([set, signsOf(...other(0x41, 0x5a, 32), ...other(0x61, 0x7a, -32))])
}

export function shareSign(a: Signs, b: Signs): boolean {
  return a.ranges.some(([from, to]) => b.ranges.some((other) => from <= other[1] && other[0] <= to))
}

export function codeOf(sign: string): number {
  return sign.codePointAt(0) ?? 0
}

function merged(ranges: readonly Range[]): readonly Range[] {
  const found: Range[] = []
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = found.at(-1)
    if (before !== undefined && from <= before[1] + 1) found[found.length - 1] = [before[0], Math.max(before[1], to)]
    else found.push([from, to])
  }
  return found
}

function rangeText([from, to]: Range): string {
  const text = (code: number) => `\\u{${code.toString(16)}}`
  return from === to ? text(from) : `${text(from)}-${text(to)}`
}
