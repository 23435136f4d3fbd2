// Login and logout, who one is, one-time codes, tokens of programs.
import { iso } from '../../base/clock.ts'
import type { Token } from '../../people/people.ts'
import * as api from '../../protocol/api.ts'
import { homeOf } from '../../scopes/names.ts'
import { cookieNameOf, credentialOf } from '../caller.ts'
import { check } from '../check.ts'
import { type Endpoint, endpoint, type RawCall, type Reply } from '../endpoint.ts'
import { HttpProblem } from '../problem.ts'

const dayMs = 24 * 3_600_000

export const peopleCalls: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/api/login',
    summary: 'Turns a one-time code into the cookie',
    access: 'anyone',
    takesSecrets: true,
    body: api.loginWith,
    answers: { 200: api.user },
    run: logIn,
  },
  endpoint({
    method: 'POST',
    path: '/api/logout',
    summary: 'Ends this login',
    access: 'person',
    answers: { 204: 'text' },
    async run({ hub, caller, headers }) {
      if (caller.login !== undefined) await hub.people.endLogin(caller.login)
      if (caller.credential !== null && caller.via === 'cookie') hub.credentials.end(caller.credential)
      return { status: 204, body: null, headers: { 'Set-Cookie': cookie(headers, { value: '', maxAge: 0, isSecure: false }) } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/me',
    summary: 'Who one is here',
    access: 'person',
    answers: { 200: api.me },
    async run({ hub, caller }) {
      const { name, role } = caller.user
      const server = { version: hub.version }
      return { status: 200, body: { user: { name, role }, via: caller.via, scopes: caller.scopes, home: homeOf(name), server } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/codes',
    summary: "A new one-time code for the owner; only through the command line's socket",
    access: 'owner',
    answers: { 201: api.loginCode },
    async run({ hub, caller }) {
      const { code, expiresAt } = await hub.people.newCode(caller.user.name)
      const address = hub.address()
      return { status: 201, body: { code, expiresAt: iso(expiresAt), address: address && `${address}/#code=${code}` } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/api/tokens',
    summary: "Tokens of the person's programs, without their secrets",
    access: 'tokens',
    answers: { 200: api.tokens },
    async run({ hub, caller }) {
      const tokens = await hub.people.tokens(caller.user.name)
      return { status: 200, body: { items: tokens.map(shown), next: null } }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/tokens',
    summary: 'A new token; its secret is shown this once',
    access: 'tokens',
    body: api.newToken,
    answers: { 201: api.tokenMade },
    async run({ hub, caller, body }) {
      const expiresAt = body.days === undefined ? null : hub.clock.now() + body.days * dayMs
      const given = { name: body.name, scopes: body.scopes, expiresAt }
      const { token, secret } = await hub.people.newToken(caller.user.name, given, caller.scopes)
      return { status: 201, body: { ...shown(token), secret } }
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/api/tokens/:id',
    summary: 'Ends a token',
    access: 'tokens',
    answers: { 204: 'text' },
    async run({ hub, caller, params }) {
      const id = params.id ?? ''
      await hub.people.endToken(caller.user.name, id)
      hub.credentials.end(credentialOf(id))
      return { status: 204, body: null }
    },
  }),
]

async function logIn({ hub, body, headers }: RawCall): Promise<Reply> {
  const { code } = check(api.loginWith, body ?? {})
  const redeemed = await hub.people.redeem(code)
  if (redeemed.ok) {
    const { user, secret, expiresAt } = redeemed
    const maxAge = Math.floor((expiresAt - hub.clock.now()) / 1000)
    const isSecure = headers.get('origin')?.startsWith('https:') ?? false
    return {
      status: 200,
      body: { name: user.name, role: user.role },
      headers: { 'Set-Cookie': cookie(headers, { value: secret, maxAge, isSecure }) },
    }
  }
  if (redeemed.reason === 'wrong')
    throw new HttpProblem(401, 'wrong_code', 'this code is wrong, used or older than ten minutes: `steward start` prints a new one', {
      path: '/code',
    })
  const seconds = String(Math.ceil(redeemed.retryAfterMs / 1000))
  throw new HttpProblem(429, 'too_many_tries', `too many wrong codes: try again in ${seconds} seconds`, {
    headers: { 'Retry-After': seconds },
  })
}

function cookie(headers: Headers, given: { readonly value: string; readonly maxAge: number; readonly isSecure: boolean }): string {
  const secure = given.isSecure ? '; Secure' : ''
  return `${cookieNameOf(headers)}=${given.value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${given.maxAge}${secure}`
}

function shown({ id, name, scopes, createdAt, expiresAt }: Token) {
  return { id, name, scopes, createdAt: iso(createdAt), expiresAt: expiresAt === null ? null : iso(expiresAt) }
}
