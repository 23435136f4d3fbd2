// From a URL that a model wrote to addresses that may be connected to (rules T40, T41). A name is looked up once, and what was
// looked at is what is connected to: a second look could be answered otherwise.
import { sameText, whyClosed } from './address.ts'

/** Answers addresses; throws when the name is not known. */
export type Lookup = (host: string) => Promise<readonly string[]>

export type Reach = {
  readonly lookup: Lookup
  /** Origins that a person configured: they may lie in closed ranges. Exactly these, with their port. */
  readonly exempt: () => readonly string[]
  /** Ports on which the hub itself listens. */
  readonly ownPorts: () => readonly number[]
  /** Addresses of this machine, public ones too. */
  readonly machine: () => readonly string[]
}

export type Target = { readonly url: URL; readonly addresses: readonly string[] }
export type NoTarget = { readonly code: 'invalid' | 'blocked' | 'not_found'; readonly why: string }

/**
 * Whether it is a URL that may be asked for at all: http or https, written plainly. Looks nothing up. Throws never.
 * Forms that browsers mend are refused: who reads such a URL and who mends it can disagree on the host.
 */
export function parseUrl(given: string): URL | NoTarget {
  const text = given.trim()
  const shown = shortened(text)
  if (text === '') return invalid('There is no URL; allowed are http:// and https:// addresses.')
  const form = /^(https?):\/\/([^/?#\\]*)/i.exec(text)
  if (!form) return invalid(`${shown} is no address on the web; allowed are http:// and https:// with a host.`)
  const [, , authority = ''] = form
  if (authority === '') return invalid(`${shown} names no host.`)
  if (text.length > 4096) return invalid('A URL has at most 4096 characters.')
  if (hasOddCharacters(text)) return invalid(`${shown} holds a space, a control character or a backslash; write them percent-encoded.`)
  if (authority.includes('@')) return invalid('A URL with a user name or password in it is not used; secrets go into a header.')
  if (/\{\{|%7b%7b/i.test(text))
    return invalid('A secret does not belong into a URL, which servers keep in their logs; put it into a header.')
  return canonicalUrl(text, authority) ?? invalid(`${shown} can't be read as a URL.`)
}

/** Everything but the addresses: the name and the port. null: nothing against it. Pure. */
export function whyNameBlocked(url: URL): string | null {
  const host = hostOf(url)
  if (isAddress(host)) {
    const closed = whyClosed(host)
    return closed === null ? null : `${host} is ${closed}`
  }
  if (isBlockedName(host)) return `${host} is a name for this machine or its own network`
  return null
}

/** `localhost`, `*.local`, `*.internal`, and addresses that are not public. A dot at the end changes nothing. */
export function isBlockedName(given: string): boolean {
  const host = given.toLowerCase().replace(/\.+$/, '')
  if (isAddress(host)) return whyClosed(host) !== null
  return /(^|\.)(localhost|ip6-localhost|ip6-loopback|local|internal|localdomain|home\.arpa|intranet)$/.test(host)
}

/**
 * Checks name, port and every address; one closed address among several refuses them all. `exempt`: whether an exempt origin may be
 * used for this request; a page must not lead into what the person configured.
 */
export async function findTarget(url: URL, reach: Reach, given: { readonly exempt: boolean }): Promise<Target | NoTarget> {
  const exempt = given.exempt && isExempt(url, reach)
  const named = exempt ? null : (whyNameBlocked(url) ?? whyPortBlocked(url))
  if (named !== null) return blocked(url, named)
  const addresses = await addressesOf(url, reach.lookup)
  if (addresses === null) return { code: 'not_found', why: `There is no host ${hostOf(url)}: its name can't be looked up.` }
  const own = addresses.some((address) => isOwn(address, reach))
  if (own && reach.ownPorts().includes(portOf(url))) return blocked(url, 'that is the hub itself')
  if (exempt) return { url, addresses }
  for (const address of addresses) {
    const closed = whyClosed(address)
    if (closed !== null) return blocked(url, `${hostOf(url)} leads to ${address}, ${closed}`)
  }
  return own ? blocked(url, `${hostOf(url)} leads to this machine`) : { url, addresses }
}

/** Whether a person configured exactly that origin. */
export function isExempt(url: URL, { exempt }: Pick<Reach, 'exempt'>): boolean {
  return exempt().some((origin) => originOf(origin) === url.origin)
}

function canonicalUrl(text: string, authority: string): URL | null | NoTarget {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.hostname === '') return null
  const written = authority.replace(/:\d*$/, '').toLowerCase()
  // Octal, hexadecimal, one number, fewer parts: the same address, hidden.
  if (isAddress(url.hostname) && !url.hostname.startsWith('[') && written.replace(/\.$/, '') !== url.hostname) {
    return invalid(`The host ${shortened(written)} hides the address ${url.hostname}; addresses are written as four plain numbers.`)
  }
  url.hash = ''
  return url
}

async function addressesOf(url: URL, lookup: Lookup): Promise<readonly string[] | null> {
  const host = hostOf(url)
  if (isAddress(host)) return [host]
  try {
    const found = await lookup(host)
    return found.length === 0 ? null : found
  } catch {
    return null
  }
}

/** 80, 443 and what programs of today use. The small numbers belong to mail, shells and the like, some large ones to databases. */
const closedPorts: readonly number[] = [
  1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 4222, 5060, 5061, 5432, 5900, 5984, 6000, 6379,
  6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092, 9200, 9300, 10080, 10250, 11211, 27017, 50000,
]

function whyPortBlocked(url: URL): string | null {
  const port = portOf(url)
  if (port === 80 || port === 443 || (port >= 1024 && !closedPorts.includes(port))) return null
  return `port ${port} is not one on which pages are served`
}

function isOwn(address: string, { machine }: Reach): boolean {
  const text = sameText(address)
  if (/^(127\.|0\.|::1$|::$)/.test(text)) return true
  return machine().some((one) => sameText(one) === text)
}

/** Without the brackets of an IPv6 address and without a dot at the end. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

function isAddress(host: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) || host.includes(':')
}

function originOf(given: string): string | null {
  return URL.canParse(given) ? new URL(given).origin : null
}

function hasOddCharacters(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\u0000-\u0020\u007f\\]/.test(text)
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 117)}...` : text)
}

function invalid(why: string): NoTarget {
  return { code: 'invalid', why }
}

function blocked(url: URL, why: string): NoTarget {
  return {
    code: 'blocked',
    why: `Nothing is sent to ${url.origin}: ${why}. Allowed are public hosts, and what the person configured by its exact origin.`,
  }
}
