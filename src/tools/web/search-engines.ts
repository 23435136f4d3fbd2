// The search engines that can be configured: how each is asked, and what its answer means. Pure.
import { z } from 'zod'
import { isObject } from '../../base/json.ts'

export const searchEngines = ['searxng', 'brave', 'tavily'] as const
export type SearchEngine = (typeof searchEngines)[number]

/** The setting web.search. `keySecret`: the name of a secret, never the key itself. */
export const searchSetting = z.strictObject({
  engine: z.enum(searchEngines),
  url: z.string().optional(),
  keySecret: z
    .string()
    .regex(/^[a-z][a-z0-9_.-]{0,63}$/)
    .optional(),
})
export type SearchSetting = z.infer<typeof searchSetting>

export type Hit = { readonly title: string; readonly url: string; readonly text: string; readonly at?: string }
export type Query = { readonly query: string; readonly count: number; readonly days?: number; readonly language?: string }
export type SearchRequest = {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

type Form = {
  /** null: it has no place of its own, a person runs it. */
  readonly url: string | null
  readonly needsKey: boolean
  request(base: string, query: Query, key: string | null): SearchRequest
  /** [] for an answer that is not what it should be. */
  hits(answer: unknown): readonly Hit[]
}

export const searchForms: Record<SearchEngine, Form> = {
  searxng: {
    url: null,
    needsKey: false,
    request(base, query, key) {
      const url = new URL(base.replace(/\/?(search)?\/?$/, '/search'))
      url.searchParams.set('q', query.query)
      url.searchParams.set('format', 'json')
      if (query.language !== undefined) url.searchParams.set('language', query.language)
      if (query.days !== undefined) url.searchParams.set('time_range', rangeOf(query.days))
      return { url: url.href, method: 'GET', headers: key === null ? {} : { authorization: `Bearer ${key}` } }
    },
    hits: (answer) => listOf(answer, 'results').map((one) => hit(one, { text: 'content', at: 'publishedDate' })),
  },
  brave: {
    url: 'https://api.search.brave.com/res/v1/web/search',
    needsKey: true,
    request(base, query, key) {
      const url = new URL(base)
      url.searchParams.set('q', query.query)
      url.searchParams.set('count', String(query.count))
      if (query.language !== undefined) url.searchParams.set('search_lang', query.language.slice(0, 2))
      if (query.days !== undefined)
        url.searchParams.set('freshness', { day: 'pd', week: 'pw', month: 'pm', year: 'py' }[rangeOf(query.days)])
      return { url: url.href, method: 'GET', headers: { 'x-subscription-token': key ?? '' } }
    },
    hits: (answer) => listOf(isObject(answer) ? answer.web : null, 'results').map((one) => hit(one, { text: 'description', at: 'age' })),
  },
  tavily: {
    url: 'https://api.tavily.com/search',
    needsKey: true,
    request(base, query, key) {
      const body = {
        query: query.query,
        max_results: query.count,
        ...(query.days === undefined ? {} : { time_range: rangeOf(query.days) }),
      }
      return {
        url: base,
        method: 'POST',
        headers: { authorization: `Bearer ${key ?? ''}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }
    },
    hits: (answer) => listOf(answer, 'results').map((one) => hit(one, { text: 'content', at: 'published_date' })),
  },
}

function rangeOf(days: number): 'day' | 'week' | 'month' | 'year' {
  if (days <= 1) return 'day'
  if (days <= 7) return 'week'
  return days <= 31 ? 'month' : 'year'
}

function listOf(answer: unknown, name: string): readonly { readonly [key: string]: unknown }[] {
  const list = isObject(answer) ? answer[name] : null
  return Array.isArray(list) ? list.filter(isObject) : []
}

function hit(one: { readonly [key: string]: unknown }, names: { readonly text: string; readonly at: string }): Hit {
  const word = (name: string) => {
    const value = one[name]
    return typeof value === 'string' ? value : ''
  }
  const at = word(names.at)
  return { title: word('title'), url: word('url'), text: word(names.text), ...(at === '' ? {} : { at }) }
}
