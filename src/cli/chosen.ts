// One of several by a part of its id: the person copies as much as is needed to tell it from the others.
import { HubRefused } from './hub.ts'
import { oneLine, WrongUsage } from './output.ts'

type WithId = { readonly id: string }
const shown = 8

/**
 * The one whose id is `part`, or begins with it (the kind in front may be left out), or ends with at least four characters of it.
 * Throws HubRefused when there is none, WrongUsage when there are several.
 */
export function chosen<T extends WithId>(items: readonly T[], part: string, what: string): T {
  const [found, ...others] = matching(items, part.trim().toLowerCase())
  if (found && others.length === 0) return found
  const named = (rows: readonly T[]): string =>
    rows
      .slice(0, shown)
      .map((one) => one.id)
      .join(', ')
  if (found) throw new WrongUsage(`"${oneLine(part, 40)}" means several: ${named([found, ...others])}. Give more of the id.`)
  const known = items.length === 0 ? 'There is none now.' : `There are ${named(items)}${items.length > shown ? ', ...' : ''}.`
  throw new HubRefused(404, 'not_found', `There is no ${what} "${oneLine(part, 40)}". ${known}`)
}

function matching<T extends WithId>(items: readonly T[], part: string): readonly T[] {
  if (part === '') return []
  const exact = items.filter((one) => one.id.toLowerCase() === part)
  if (exact.length > 0) return exact
  return items.filter(({ id }) => {
    const whole = id.toLowerCase()
    const bare = whole.slice(whole.indexOf('_') + 1)
    return whole.startsWith(part) || bare.startsWith(part) || (part.length >= 4 && bare.endsWith(part))
  })
}
