// From a URL to the page at its end: each redirect is a new request, checked like the first (T41).
import { type Answered, send } from './request.ts'
import { findTarget, hostOf, type NoTarget, parseUrl, type Reach, type Target } from './target.ts'

const mostRedirects = 5
const redirects: readonly number[] = [301, 302, 303, 307, 308]

export type Wanted = {
  readonly url: URL
  /** Default GET. */
  readonly method?: string
  readonly body?: string
  readonly accept: string
  readonly mostBytes: number
  readonly signal: AbortSignal
  /** Headers for one origin: they are made when it is asked, and go to no other. */
  headersFor(origin: string): Promise<Readonly<Record<string, string>>>
}
export type Page = { readonly ok: true; readonly url: URL; readonly answer: Answered }
/** `isSent`: a request may have arrived. */
export type NoPage = { readonly ok: false; readonly code: string; readonly why: string; readonly isSent?: boolean }

/** Rejects only when the signal was aborted, and with what `headersFor` throws. */
export async function fetchPage(wanted: Wanted, reach: Reach): Promise<Page | NoPage> {
  let { url, method = 'GET', body } = wanted
  for (let hops = 0; hops <= mostRedirects; hops++) {
    // An exemption is for who named that origin itself; a page elsewhere must not lead into it.
    const target = await findTarget(url, reach, { exempt: url.origin === wanted.url.origin })
    if ('why' in target) return { ...noPage(target), isSent: hops > 0 }
    if (!isSameSite(url, wanted.url)) return { ...elsewhere(url, wanted.url), isSent: true }
    const { signal, mostBytes } = wanted
    const headers = await headersOf(wanted, target)
    const answer = await send(target, { method, headers, signal, mostBytes, ...(body === undefined ? {} : { body }) })
    if (!answer.ok) return answer
    const location = redirects.includes(answer.status) ? answer.headers.location : undefined
    if (location === undefined) return { ok: true, url, answer }
    const next = nextUrl(location, url)
    if (!(next instanceof URL))
      return { ...noPage({ ...next, why: `${url.origin} leads on to an address that is not used. ${next.why}` }), isSent: true }
    url = next
    if (!keepsMethod(answer.status, method)) [method, body] = ['GET', undefined]
  }
  return {
    ok: false,
    code: 'redirects',
    why: `${wanted.url.origin} leads on more than ${mostRedirects} times; that is given up.`,
    isSent: true,
  }
}

/** As browsers do it: after 303, and after 301 and 302 of a POST, the next one only asks. */
function keepsMethod(status: number, method: string): boolean {
  if (method === 'GET' || method === 'HEAD') return true
  return status === 307 || status === 308 || (status !== 303 && method !== 'POST')
}

/** The same host, with or without `www.`, and no other port; https instead of http is the same. */
function isSameSite(one: URL, other: URL): boolean {
  const site = (url: URL) => `${hostOf(url).replace(/^www\./, '')}:${url.port}`
  return site(one) === site(other)
}

/** What was let through was a request to that site. Another one is a call of its own: rules and grants may say otherwise about it. */
function elsewhere(url: URL, asked: URL): NoPage {
  const why = `${asked.origin} leads on to another site, and nothing was asked there: ${url.href.slice(0, 500)} . Ask for that address itself if it is what you want.`
  return { ok: false, code: 'elsewhere', why }
}

async function headersOf(wanted: Wanted, { url }: Target): Promise<Record<string, string>> {
  const own = url.origin === wanted.url.origin ? await wanted.headersFor(url.origin) : {}
  return { accept: wanted.accept, 'accept-language': 'en, *;q=0.5', ...own }
}

function nextUrl(location: string, from: URL): URL | NoTarget {
  if (!URL.canParse(location, from.href)) return { code: 'invalid', why: 'It can not be read.' }
  const next = new URL(location, from)
  if (from.protocol === 'https:' && next.protocol === 'http:') {
    return { code: 'blocked', why: `From https it leads to ${next.origin} without encryption.` }
  }
  return parseUrl(next.href)
}

function noPage({ code, why }: NoTarget): NoPage {
  return { ok: false, code, why }
}
