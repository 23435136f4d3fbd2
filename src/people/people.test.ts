import { afterEach, beforeEach, expect, test } from 'vitest'
import { countingIds, handClock } from '../base/testing.ts'
import { codeMs, loginMs, loginName, openPeople, type People } from './people.ts'
import type { Code, Login, PeopleStore, Token, User } from './people-store.ts'

/** Every row that was ever written, so that a test can look for secrets in it. */
function memoryPeople(): PeopleStore & { readonly rows: unknown[] } {
  const rows: unknown[] = []
  const [users, codes, logins] = [new Map<string, User>(), new Map<string, Code>(), new Map<string, Login>()]
  const tokens = new Map<string, Token>()
  const put = <T>(map: Map<string, T>, key: string, row: T) => {
    rows.push(row)
    map.set(key, row)
  }
  return {
    rows,
    users: async () => [...users.values()],
    user: async (name) => users.get(name) ?? null,
    async addUser(user) {
      if (users.has(user.name)) return false
      put(users, user.name, user)
      return true
    },
    addCode: async (code) => put(codes, code.hash, code),
    async takeCode(hash) {
      const code = codes.get(hash) ?? null
      codes.delete(hash)
      return code
    },
    addLogin: async (login) => put(logins, login.hash, login),
    login: async (hash) => logins.get(hash) ?? null,
    removeLogin: async (hash) => void logins.delete(hash),
    addToken: async (token) => put(tokens, token.hash, token),
    token: async (hash) => tokens.get(hash) ?? null,
    tokens: async (user) => [...tokens.values()].filter((token) => token.user === user),
    async removeToken(user, id) {
      const found = [...tokens.values()].find((token) => token.user === user && token.id === id)
      return found !== undefined && tokens.delete(found.hash)
    },
    async sweep() {},
  }
}

let store: ReturnType<typeof memoryPeople>
let clock: ReturnType<typeof handClock>
let people: People
let seed = 0
const random = (count: number) =>
  Uint8Array.from({ length: count }, () => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    return seed >> 8
  })
beforeEach(async () => {
  store = memoryPeople()
  clock = handClock()
  people = await openPeople({ store, clock, newId: countingIds(), random, ownerName: 'Ada L.' })
})
afterEach(() => {
  seed = 0
})

test('[U1] the owner is made once, whatever the name is at the next start', async () => {
  expect(people.owner).toMatchObject({ name: 'ada-l', role: 'owner' })
  const again = await openPeople({ store, clock, newId: countingIds(), random, ownerName: 'bob' })
  expect(again.owner).toEqual(people.owner)
})

test('what can be no login name becomes one, or owner', () => {
  expect(['Ada', 'root', '', '1a', '_x', 'Ünal', 'a b/c', undefined].map((name) => loginName(name))).toEqual([
    'ada', 'owner', 'owner', 'a', 'x', 'nal', 'a-b-c', 'owner',
  ]) // biome-ignore format: one line reads better
})

test('[U2] a code works once, also when two use it at once', async () => {
  const { code } = await people.newCode('ada-l')
  const both = await Promise.all([people.redeem(code), people.redeem(code)])
  expect(both.map((one) => one.ok).sort()).toEqual([false, true])
})

test('[U2] a code works up to ten minutes', async () => {
  const [early, late] = [await people.newCode('ada-l'), await people.newCode('ada-l')]
  clock.advance(codeMs - 1)
  expect((await people.redeem(early.code)).ok).toBe(true)
  clock.advance(1)
  expect((await people.redeem(late.code)).ok).toBe(false)
})

test('[U3] ten wrong codes in a minute, then a pause for guesses; the right one still opens the door', async () => {
  const { code } = await people.newCode('ada-l')
  for (let i = 0; i < 10; i++) expect(await people.redeem(`wrong${i}`)).toEqual({ ok: false, reason: 'wrong' })
  expect(await people.redeem('wrong again')).toEqual({ ok: false, reason: 'too_many', retryAfterMs: 60_000 })
  expect((await people.redeem(code)).ok).toBe(true)
  clock.advance(60_000)
  expect(await people.redeem('wrong again')).toEqual({ ok: false, reason: 'wrong' })
})

test('a login lasts until it expires or is ended', async () => {
  const logIn = async () => {
    const redeemed = await people.redeem((await people.newCode('ada-l')).code)
    return redeemed.ok ? redeemed.secret : ''
  }
  const [one, two] = [await logIn(), await logIn()]
  await people.endLogin(one)
  expect(await people.byLogin(one)).toBeNull()
  expect(await people.byLogin(two)).toMatchObject({ name: 'ada-l' })
  clock.advance(loginMs)
  expect(await people.byLogin(two)).toBeNull()
})

test('[U4] no secret stands in a row', async () => {
  const { code } = await people.newCode('ada-l')
  const redeemed = await people.redeem(code)
  const made = await people.newToken('ada-l', { name: 't', scopes: ['read'], expiresAt: null }, null)
  const text = JSON.stringify(store.rows)
  for (const secret of [code, redeemed.ok ? redeemed.secret : '', made.secret]) {
    expect(secret).not.toBe('')
    expect(text).not.toContain(secret)
  }
})

test('[U5] a token gives only what it has', async () => {
  const given = { name: 't', scopes: ['read', 'chat'], expiresAt: null }
  await expect(people.newToken('ada-l', given, ['read'])).rejects.toMatchObject({ code: 'forbidden' })
  expect((await people.newToken('ada-l', given, null)).token.scopes).toEqual(['read', 'chat'])
})

test('a token ends when it expires or is ended by its own user', async () => {
  const made = await people.newToken('ada-l', { name: 't', scopes: ['read'], expiresAt: clock.now() + 10 }, null)
  expect(await people.byToken(made.secret)).toMatchObject({ scopes: ['read'] })
  await expect(people.endToken('bob', made.token.id)).rejects.toMatchObject({ code: 'not_found' })
  clock.advance(10)
  expect(await people.byToken(made.secret)).toBeNull()
})
