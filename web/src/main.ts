// Starts the page: reads the address, makes what is real (clock, ids, storage, line to the hub) and puts the parts together.

import type { Drafts } from './composer.ts'
import { hub } from './hub.ts'
import { openOutbox } from './outbox.ts'
import { makePage } from './page.ts'
import { openStore } from './state.ts'
import { openTalk, type Talk } from './talk.ts'

void start()

async function start(): Promise<void> {
  const address = takeAddress()
  const { store: outbox, lasting } = await openOutbox(globalThis.indexedDB)
  const channel = new BroadcastChannel('steward-outbox')
  let talk: Talk | null = null
  const draw = makePage({
    root: part('page'),
    polite: part('polite'),
    urgent: part('urgent'),
    talk: () => talk ?? fail(),
    drafts: openDrafts(),
    now: Date.now,
    wide: matchMedia('(min-width: 901px)'),
  })
  const store = openStore(draw)
  store.set({ lasting })
  talk = openTalk({
    store,
    hub,
    outbox,
    socketAddress: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/socket?profile=web`,
    newId,
    now: Date.now,
    alone: (act) => (navigator.locks ? navigator.locks.request('steward-outbox', act) : act()),
    tellOthers: () => channel.postMessage('changed'),
    shown: (session) => history.replaceState(null, '', session === null ? location.pathname : `#s=${session}`),
  })
  channel.onmessage = () => void talk?.sending.reload()
  window.addEventListener('online', () => talk?.tryNow())
  await talk.start(address)
}

function fail(): never {
  throw new Error('The page was used before it was started')
}

/** What the address says: a one-time code, which leaves the address bar at once (W7), or the conversation to show. */
function takeAddress(): { readonly code: string | null; readonly session: string | null } {
  const said = new URLSearchParams(location.hash.slice(1))
  const code = said.get('code')
  if (code !== null) history.replaceState(null, '', location.pathname)
  return { code: code || null, session: said.get('s') || null }
}

/** 26 hexadecimal characters; works where the page is not in a secure context too. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(13))
  return `w-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function part(id: string): HTMLElement {
  return document.getElementById(id) ?? fail()
}

function openDrafts(): Drafts {
  const key = (name: string) => `draft ${name}`
  return {
    get: (name) => quietly(() => localStorage.getItem(key(name))) ?? '',
    set: (name, text) => quietly(() => (text === '' ? localStorage.removeItem(key(name)) : localStorage.setItem(key(name), text))),
  }
}

/** Storage may be switched off or full; a draft is then kept in the field only. */
function quietly<T>(act: () => T): T | null {
  try {
    return act()
  } catch {
    return null
  }
}
