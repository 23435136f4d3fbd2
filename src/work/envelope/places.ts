// Where the payload of an envelope may lie. Only plain relative paths are ever looked up.

const longest = 1_024

/** Relative, without "..", backslashes, drive letters and control characters. */
export function isPlainPath(path: string): boolean {
  if (path === '' || path.length > longest || path.startsWith('/') || path.includes('..') || path.includes('\\')) return false
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return !/^[a-z]:|[\u0000-\u001f\u007f]/i.test(path) && path.isWellFormed()
}

/** The last part of a path as the name of a file; null when that is none. */
export function baseName(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name !== '.' && isPlainPath(name) ? name : null
}

/** A path from the folder of the envelope, or from where the checker was called. */
export type PayloadPlace = { readonly from: 'envelope' | 'here'; readonly path: string }
/** The bytes at that place; null when no readable file is there. Must not throw. */
export type PayloadAt = (place: PayloadPlace) => Uint8Array | null

/** In the order in which the conformance checker looks (reference/eidolons.md 2.9). */
export function checkerPlaces(path: string): readonly PayloadPlace[] {
  const name = baseName(path)
  if (name === null) return []
  const whole = isPlainPath(path) ? (['here', 'envelope'] as const).map((from) => ({ from, path })) : []
  return [{ from: 'envelope', path: name }, ...whole]
}

/** The gate looks where the envelope says, then for the file that the envelope is named after. */
export function gatePlaces(path: string, envelopeName: string): readonly PayloadPlace[] {
  const beside = envelopeName.endsWith(suffix) ? baseName(envelopeName.slice(0, -suffix.length)) : null
  const own = isPlainPath(path) && baseName(path) !== null ? [path] : []
  return [...own, ...(beside === null ? [] : [beside])].map((one) => ({ from: 'envelope', path: one }))
}
const suffix = '.envelope.json'

export function firstPayload(places: readonly PayloadPlace[], at: PayloadAt): Uint8Array | null {
  for (const place of places) {
    const bytes = at(place)
    if (bytes !== null) return bytes
  }
  return null
}
