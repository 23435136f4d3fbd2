// Names that somebody may have meant: by the pairs of letters that they share.

const most = 3
const least = 0.4
const longest = 60

/** The nearest first, three at most, none that has little to do with it. */
export function nearest(name: string, names: readonly string[]): readonly string[] {
  const wanted = pairsOf(name)
  return names
    .map((one) => ({ one, likeness: likeness(wanted, pairsOf(one)) }))
    .filter((found) => found.likeness >= least)
    .sort((a, b) => b.likeness - a.likeness || (a.one < b.one ? -1 : 1))
    .slice(0, most)
    .map(({ one }) => one)
}

function pairsOf(text: string): ReadonlySet<string> {
  const plain = ` ${text.slice(0, longest).toLowerCase()} `
  return new Set(Array.from({ length: plain.length - 1 }, (_, at) => plain.slice(at, at + 2)))
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const one of a) if (b.has(one)) shared++
  return (2 * shared) / (a.size + b.size)
}
