// Calls that pipelines make to EDDI's own address: they reach the routes below /eddi in this process, without a port.
//
// Y155  Only paths below /eddi, for the person whose conversation it is; such a call answers no approval and reads no secret.
// Y156  What such calls bring about is a chain of causes: it ends three deep, and no conversation waits for itself.
import type { OwnCalls } from '../../engines/pipeline/rooms.ts'
import { prefix } from './prefix.ts'

/** How the hub's routes are asked from inside: by whom, and within which chain of causes. */
type Handle = (request: Request, arrival: { readonly unix: false; readonly remote: null; readonly inside: Within }) => Promise<Response>
type Within = Pick<Parameters<OwnCalls['call']>[1], 'user' | 'within'>

export type OwnDoor = OwnCalls & {
  /** From now on calls are answered by that. */
  attach(handle: Handle): void
}

/** Names under which EDDI's agents call the instance that they run in. */
const ownNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', 'eddi'])
const ownPorts: ReadonlySet<string> = new Set(['7070', '7443'])

/** What an agent may build on. */
const told: ReadonlySet<string> = new Set(['content-type', 'location', 'retry-after'])

/** `here`: where this hub listens; null while it does not. */
export function openOwnCalls(here: { readonly address: string | null }): OwnDoor {
  let handle: Handle | null = null
  return {
    attach(given) {
      handle = given
    },
    isOwn(address) {
      if (!URL.canParse(address)) return false
      const url = new URL(address)
      if (url.protocol !== 'http:' && url.protocol !== 'https:') return false
      return isEddis(url) || (url.origin === here.address && url.pathname.startsWith(`${prefix}/`))
    },
    async call({ method, path, headers, body }, { user, within, signal }) {
      if (handle === null) return { status: 503, headers: {}, body: 'the hub is not ready' }
      const below = path.startsWith(`${prefix}/`) ? path : `${prefix}${path.startsWith('/') ? '' : '/'}${path}`
      const url = new URL(`http://localhost${below}`)
      if (!url.pathname.startsWith(`${prefix}/`)) return { status: 404, headers: {}, body: 'there is nothing at this address' }
      const verb = method.toUpperCase()
      const hasBody = body !== '' && verb !== 'GET' && verb !== 'HEAD'
      const request = new Request(url, {
        method: verb,
        headers: { ...headersOf(headers, hasBody), host: 'localhost' },
        signal,
        ...(hasBody ? { body } : {}),
      })
      const response = await handle(request, { unix: false, remote: null, inside: { user, within } })
      return {
        status: response.status,
        headers: Object.fromEntries([...response.headers].filter(([name]) => told.has(name))),
        body: await response.text(),
      }
    },
  }
}

function isEddis({ hostname, port }: URL): boolean {
  return ownNames.has(hostname) && (ownPorts.has(port) || (hostname === 'eddi' && port === ''))
}

/** What says what the body is; who asks is known, and says nothing else. */
function headersOf(given: Readonly<Record<string, string>>, hasBody: boolean): Record<string, string> {
  const kept = Object.entries(given).filter(([name]) => /^(?:accept|content-type|idempotency-key)$/i.test(name))
  const named = Object.fromEntries(kept.map(([name, value]) => [name.toLowerCase(), value]))
  return hasBody && named['content-type'] === undefined ? { ...named, 'content-type': 'application/json' } : named
}
