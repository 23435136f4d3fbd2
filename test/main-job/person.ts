// The person of the main job over HTTP, through lives of a hub that is killed: everything is asked again until it was answered, with
// the same id, and each yes is given by two clients at once.
import { setTimeout as pause } from 'node:timers/promises'

export type Json = { readonly [key: string]: Json } & { readonly items: readonly Json[] }
export type Person = {
  /** Asks until a hub answers. Throws what a hub refuses. */
  readonly call: (method: string, path: string, body?: object) => Promise<Json>
  /** A new hub: where it is, and the code that logs in. */
  readonly meet: (hub: { readonly address: string; readonly code: string }) => Promise<void>
}

export class Refused extends Error {
  readonly status: number
  constructor(status: number, text: string) {
    super(`${status} ${text}`)
    this.status = status
  }
}

export function newPerson(): Person {
  let address = ''
  let cookie = ''
  const headers = { 'content-type': 'application/json' }
  const send = async (method: string, path: string, body?: object): Promise<Json | null> => {
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    const signal = AbortSignal.timeout(10_000)
    const got = await fetch(address + path, { method, headers: { ...headers, cookie }, signal, ...given }).catch(() => null)
    const text = (await got?.text().catch(() => null)) ?? null
    if (got === null || text === null || got.status === 401 || got.status === 503) return null
    if (!got.ok) throw new Refused(got.status, `${method} ${path}: ${text}`)
    return JSON.parse(text)
  }
  return {
    async meet(hub) {
      // A cookie is for one port, and each life has another.
      const login = await fetch(`${hub.address}/api/login`, { method: 'POST', headers, body: JSON.stringify({ code: hub.code }) })
      cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
      address = hub.address
    },
    async call(method, path, body) {
      for (;;) {
        const got = await send(method, path, body)
        if (got !== null) return got
        await pause(20)
      }
    },
  }
}

/** Says yes to all that waits, twice at once: the same answer is given to both, or it is over for both. */
export async function sayYes({ call }: Person, problems: string[]): Promise<void> {
  const { items } = await call('GET', '/api/approvals?status=requested')
  for (const { id } of items) {
    const path = `/api/approvals/${String(id)}`
    const both = [1, 2].map(() => call('POST', path, { decision: 'allow', scope: 'once' }).then(String, (error: unknown) => String(error)))
    const [one, other] = await Promise.all(both)
    if (one !== other) problems.push(`two clients said yes to ${String(id)} and were told different things: ${one} / ${other}`)
  }
}

/** Answers whether an interrupted command happened, by looking at what it leaves. `left`: by the name of the project. */
export async function answerDoubts({ call }: Person, left: (project: string) => boolean): Promise<number> {
  const { items } = await call('GET', '/api/questions')
  const open = items.filter((one) => String(one['status']) === 'open')
  for (const { id, session } of open) {
    const { project } = await call('GET', `/api/sessions/${String(session)}`)
    const option = left(String(project)) ? 'Yes, it happened' : 'No, do it again'
    // A life may end after the answer was taken and before it was told.
    await call('POST', `/api/questions/${String(id)}`, { option }).catch((error: unknown) => {
      if (!(error instanceof Refused && [409, 410].includes(error.status))) throw error
    })
  }
  return open.length
}
