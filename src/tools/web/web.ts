// The web family: reading pages and searching. Others import this door.
// Owns: the guard against requests into closed networks, what a page becomes for a model, search engines. Leaves who may ask to policy.
//
// T40 Nothing is sent to an address that is not public, whatever the URL's form, the name it is found by, or the redirects on the way,
//     unless a person configured exactly that origin; to the hub itself never.
// T41 What was checked is what is connected to: one lookup, no proxy of the environment, each redirect like a new request, at most five.
// T42 A secret goes only to hosts that it was given for, encrypted, in a header; a redirect elsewhere takes no headers along.
// T43 A page ends within its limits of time, bytes, depth and memory; what is no text is named, not poured out.
// T44 What comes from outside stands in a frame whose end can't be written by who wrote the page.
import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import type { Clock } from '../../base/clock.ts'
import type { Tool } from '../tool.ts'
import { recentPages } from './pages.ts'
import type { Lookup, Reach } from './target.ts'
import { webFetch } from './web-fetch.ts'
import { type SearchRooms, webSearch } from './web-search.ts'

export { contentOf } from './content.ts'
export { fetchPage, type NoPage, type Page } from './fetching.ts'
export { retryAfterIn } from './request.ts'
export { isExempt, parseUrl, type Reach } from './target.ts'

export type WebRooms = Pick<SearchRooms, 'setting' | 'isConfigured' | 'secret'> & {
  readonly clock: Pick<Clock, 'now'>
  /** Origins that a person configured, as of a model on this machine. */
  readonly exempt: () => readonly string[]
  /** Ports on which the hub listens. */
  readonly ownPorts: () => readonly number[]
  /** For tests; default: the system's. */
  readonly lookup?: Lookup
  readonly machine?: () => readonly string[]
  readonly newWord?: () => string
}

export function webTools(rooms: WebRooms): readonly Tool[] {
  const { clock, newWord = freshWord } = rooms
  const reach = reachOf(rooms)
  return [
    webFetch({ reach, pages: recentPages(clock), newWord }),
    webSearch({ reach, newWord, setting: rooms.setting, isConfigured: rooms.isConfigured, secret: rooms.secret }),
  ]
}

/** The guard, over the system's own names and addresses. Commands in the sandbox reach the network by it too. */
export function reachOf(given: Pick<WebRooms, 'exempt' | 'ownPorts' | 'lookup' | 'machine'>): Reach {
  const { exempt, ownPorts, lookup: look = systemLookup, machine = machineAddresses } = given
  return { exempt, ownPorts, lookup: look, machine }
}

/** 96 random bits. */
function freshWord(): string {
  return randomBytes(12).toString('hex')
}

async function systemLookup(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .map(({ address }) => address.replace(/%.*$/, ''))
}
