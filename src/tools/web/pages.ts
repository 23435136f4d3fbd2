// Pages that were read lately, so that a long one is asked for once and read on in parts. In memory: it is a copy of elsewhere.
import type { Clock } from '../../base/clock.ts'
import type { Link } from './markdown.ts'

export type KeptPage = {
  /** Where it was found, after all redirects. */
  readonly url: string
  readonly status: number
  /** Of a refusal: when the server wants to be asked again. */
  readonly retryAfterMs?: number
  readonly title: string
  readonly text: string
  readonly links: readonly Link[]
  readonly notes: readonly string[]
}
export type PagePlace = { readonly session: string; readonly url: string; readonly part: string }

export type Pages = {
  /** null: never read in that session, or too long ago. */
  find(place: PagePlace): KeptPage | null
  keep(place: PagePlace, page: KeptPage): void
}

const keptMs = 600_000
const mostPages = 40

export function recentPages(clock: Pick<Clock, 'now'>): Pages {
  const kept = new Map<string, { readonly page: KeptPage; readonly at: number }>()
  const keyOf = ({ session, url, part }: PagePlace) => JSON.stringify([session, url, part])
  return {
    find(place) {
      const found = kept.get(keyOf(place))
      return found && clock.now() - found.at < keptMs ? found.page : null
    },
    keep(place, page) {
      const key = keyOf(place)
      kept.delete(key)
      kept.set(key, { page, at: clock.now() })
      const [oldest] = kept.keys()
      if (kept.size > mostPages && oldest !== undefined) kept.delete(oldest)
    },
  }
}
