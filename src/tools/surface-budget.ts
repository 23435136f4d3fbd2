// Endpoints take only so many schemas: which families of tools lose theirs. Pure.
import { type Named, placeIn } from './selector.ts'

export type Preference = { readonly keep?: readonly string[]; readonly dropFirst?: readonly string[] }

/**
 * Takes away whole families until at most `most` are left: those of `dropFirst` in its order, then the largest, then those of `keep`,
 * the last named first. What fits comes back as it is.
 */
export function fitted<T extends Named>(tools: readonly T[], preference: Preference, most: number): readonly T[] {
  if (tools.length <= most) return tools
  let left = tools
  for (const family of inOrder(tools, preference)) {
    if (left.length <= most) break
    left = left.filter((tool) => familyOf(tool) !== family)
  }
  return left
}

/** `slack_rest__post` is of slack_rest, `file_read` of file. */
function familyOf({ name }: Named): string {
  return name.includes('__') ? name.slice(0, name.indexOf('__')) : (name.split('_')[0] ?? name)
}

function inOrder(tools: readonly Named[], preference: Preference): readonly string[] {
  const families = [...Map.groupBy(tools, familyOf)].map(([name, members]) => ({
    name,
    size: members.length,
    rank: rankOf(members, preference),
  }))
  return families.sort((a, b) => a.rank - b.rank || b.size - a.size || (a.name < b.name ? -1 : 1)).map((one) => one.name)
}

/** Below 0: dropped first. Above 0: dropped last; that wins. */
function rankOf(members: readonly Named[], { keep = [], dropFirst = [] }: Preference): number {
  const kept = first(members, keep)
  if (kept >= 0) return keep.length - kept
  const dropped = first(members, dropFirst)
  return dropped < 0 ? 0 : dropped - dropFirst.length
}

function first(members: readonly Named[], selectors: readonly string[]): number {
  const places = members.map((tool) => placeIn(tool, selectors)).filter((place) => place >= 0)
  return places.length === 0 ? -1 : Math.min(...places)
}
