// Who asks: found from the socket it came through, its cookie, its token, or its address.
import type { ServerResponse } from 'node:http'
import { Forbidden } from '../base/errors.ts'
import type { User } from '../people/people.ts'
import type { Actor } from '../protocol/actor.ts'
import { userActor } from '../protocol/actor.ts'
import type { TokenScope } from '../protocol/api.ts'
import type { Chain } from '../protocol/entry.ts'
import type { Hub } from './hub.ts'

export type Caller = {
  readonly user: User
  readonly via: 'cookie' | 'token' | 'socket' | 'loopback'
  readonly actor: Actor
  /** null: a person, who may do everything of their own. */
  readonly scopes: readonly string[] | null
  /** The login or token that this hangs on; null: none that could end. */
  readonly credential: string | null
  /** The cookie's secret, to end that login. */
  readonly login?: string
  /** The turn that asks, when a pipeline asks in this process for the person it works for. */
  readonly within?: Within
}

export type Within = { readonly session: string; readonly chain: Chain }

/**
 * How a request came in. `remote` is the peer's address, null in tests without a socket. `answer`: where an answer that is whole can be
 * written at once; a Response for it would cost more than most calls do.
 */
export type Arrival = {
  readonly unix: boolean
  readonly remote: string | null
  readonly inside?: Inside
  readonly answer?: ServerResponse
}

/** Of a call that a pipeline makes to this hub's own routes: no socket, the rights of that person, and less than all of them. */
export type Inside = { readonly user: string; readonly within: Within }

/**
 * Browsers give one jar to all ports of a host, so a hub's cookie carries its port: two hubs on one machine don't log each other out.
 * `headers` are the request's; without a port in Host: steward.
 */
export function cookieNameOf(headers: Headers): string {
  const port = /:(\d{1,5})$/.exec(headers.get('host') ?? '')?.[1]
  return port === undefined ? 'steward' : `steward_${port}`
}

/** null: nobody we know. */
export async function identify(hub: Hub, headers: Headers, arrival: Arrival): Promise<Caller | null> {
  if (arrival.inside) return byPipeline(hub, arrival.inside)
  if (arrival.unix) return person(hub.people.owner, 'socket')
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (bearer !== undefined) return byToken(hub, bearer)
  for (const login of cookiesOf(headers)) {
    const user = await hub.people.byLogin(login)
    if (user) return { ...person(user, 'cookie'), login, credential: `login ${login}` }
  }
  return hub.trustLoopback && isLoopback(arrival.remote) ? person(hub.people.owner, 'loopback') : null
}

export function may(caller: Caller, scope: TokenScope): boolean {
  return caller.scopes === null || caller.scopes.includes(scope)
}

/** Throws Forbidden for a token without it. */
export function need(caller: Caller, scope: TokenScope): void {
  if (!may(caller, scope)) throw new Forbidden(`this token lacks the scope ${scope}`)
}

export function isLoopback(address: string | null): boolean {
  return address !== null && /^(::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/.test(address)
}

async function byToken(hub: Hub, secret: string): Promise<Caller | null> {
  const found = await hub.people.byToken(secret)
  return (
    found && { user: found.user, via: 'token', actor: userActor(found.user.name), scopes: found.scopes, credential: credentialOf(found.id) }
  )
}

/** An agent gives nobody a yes and reads no secret, whoever it works for. */
const rightsOfPipelines: readonly TokenScope[] = ['read', 'chat', 'documents']

async function byPipeline(hub: Hub, { user: name, within }: Inside): Promise<Caller | null> {
  const user = await hub.people.user(name)
  return user && { user, via: 'token', actor: userActor(name), scopes: rightsOfPipelines, credential: null, within }
}

/** The credential that a token is. */
export function credentialOf(token: string): string {
  return `token ${token}`
}

function person(user: User, via: Caller['via']): Caller {
  return { user, via, actor: userActor(user.name), scopes: null, credential: null }
}

/** That of this port, else one without a port; a stale one may stand beside the good one, so a few are looked at. */
function cookiesOf(headers: Headers): readonly string[] {
  const parts = (headers.get('cookie') ?? '').split(';').map((part) => part.trim().split('='))
  const named = (name: string) => parts.flatMap(([key, value]) => (key === name && value ? [value] : []))
  return [...new Set([...named(cookieNameOf(headers)), ...named('steward')])].slice(0, 4)
}
