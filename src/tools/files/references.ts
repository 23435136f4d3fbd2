// A model never sees a secret that stands in a file, only its reference. Edits that carry the reference mean the value that stands
// there: so nothing is damaged by what was hidden.

const pattern = /(\{\{secret:[a-z][a-z0-9_.-]{0,63}\}\})/
const mostCharacters = 4_000_000

export type Seal = (text: string) => Promise<string>

/** Each text with the references in it replaced by what stands behind them in `file`; others stay as they are. */
export async function meant(texts: readonly string[], file: string, seal: Seal | undefined): Promise<readonly string[]> {
  if (seal === undefined || file.length > mostCharacters || !texts.some((text) => pattern.test(text))) return texts
  const values = await valuesBehind(file, seal)
  return texts.map((text) =>
    text
      .split(pattern)
      .map((part) => values.get(part) ?? part)
      .join(''),
  )
}

/** By reference: the values that sealing takes out of the text. */
async function valuesBehind(text: string, seal: Seal): Promise<ReadonlyMap<string, string>> {
  const parts = (await seal(text)).split(pattern)
  const values = new Map<string, string>()
  let at = 0
  for (const [index, part] of parts.entries()) {
    if (!pattern.test(part) || text.startsWith(part, at)) {
      at += part.length
      continue
    }
    const value = await valueAt(text.slice(at), { reference: part, next: parts[index + 1] ?? '', isLast: index + 2 >= parts.length, seal })
    if (value === null) break
    values.set(part, value)
    at += value.length
  }
  return values
}

type Behind = { readonly reference: string; readonly next: string; readonly isLast: boolean; readonly seal: Seal }

const mostTries = 50

/** The shortest beginning that seals to the reference and has the next part behind it; null: none is found. */
async function valueAt(rest: string, { reference, next, isLast, seal }: Behind): Promise<string | null> {
  let from = 1
  for (let tries = 0; tries < mostTries; tries++) {
    const end = next === '' ? (isLast ? rest.length : -1) : rest.indexOf(next, from)
    if (end < 0) return null
    const value = rest.slice(0, end)
    if ((await seal(value)) === reference) return value
    if (next === '') return null
    from = end + 1
  }
  return null
}
