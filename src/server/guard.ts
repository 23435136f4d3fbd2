// Own origin only: Host names us, Origin is us, nothing is changed from another site's page. The first thing that every request
// and every upgrade meets, before anybody's identity is looked at.
import { Forbidden } from '../base/errors.ts'
import type { Arrival } from './caller.ts'

/** Loopback names, always allowed. */
export const loopbackNames = ['localhost', '127.0.0.1', '[::1]'] as const

export type Given = {
  readonly headers: Headers
  readonly arrival: Arrival
  /** An upgrade, or anything that is not GET, HEAD or OPTIONS. */
  readonly changes: boolean
}

/** Throws Forbidden with the reason. Requests through the command line's socket pass. */
export function guard(hosts: ReadonlySet<string>, { headers, arrival, changes }: Given): void {
  if (arrival.unix) return
  const host = (headers.get('host') ?? '').toLowerCase()
  if (!hosts.has(nameOf(host))) throw new Forbidden(`Host ${quoted(host)} is not an address of this hub`)
  if (!changes) return
  const origin = headers.get('origin')
  if (origin !== null && hostOf(origin) !== host) throw new Forbidden(`Origin ${quoted(origin)} is not this hub's own page`)
  const site = headers.get('sec-fetch-site')
  if (site === 'cross-site' || site === 'same-site') throw new Forbidden('a page of another site may not do this')
}

/** host:port of an http(s) origin; null for everything else, 'null' included. */
function hostOf(origin: string): string | null {
  if (!/^https?:\/\/[^/]+$/i.test(origin) || !URL.canParse(origin)) return null
  return origin.toLowerCase().replace(/^https?:\/\//, '')
}

/** Without the port: 'localhost:4180' is localhost, '[::1]:4180' is [::1]. */
function nameOf(host: string): string {
  return host.replace(/:\d{1,5}$/, '')
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
