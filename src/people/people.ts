// People: users, logins, one-time codes, tokens of programs, who owns what.
// Owns: user rows; secrets that prove who is there, kept as hashes. Leaves to server: cookies and headers; to scopes: sessions and
// projects of a user; to policy: what an agent may do.
//
// U1  There is one owner, made at the first start; every other user is made by the owner.
// U2  A one-time code is used once, within ten minutes, also when two use it at once.
// U3  After ten wrong codes in a minute further tries are refused until the minute is over.
// U4  No secret is stored or shown again: what is stored is its hash.
// U5  A token never has more scopes than whoever made it.
import type { Clock } from '../base/clock.ts'
import { Forbidden, InvalidInput, NotFound } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import { attempts } from './attempts.ts'
import type { PeopleStore, Token, User } from './people-store.ts'
import { hashOf, newSecret, type RandomBytes } from './secret.ts'

export type { Token, User } from './people-store.ts'

export const codeMs = 10 * 60_000
export const loginMs = 90 * 24 * 3_600_000
const triesAMinute = 10

export type Redeemed =
  | { readonly ok: true; readonly user: User; readonly secret: string; readonly expiresAt: number }
  | { readonly ok: false; readonly reason: 'wrong' }
  | { readonly ok: false; readonly reason: 'too_many'; readonly retryAfterMs: number }

export type NewToken = { readonly name: string; readonly scopes: readonly string[]; readonly expiresAt: number | null }

export type People = {
  /** The owner; from memory. */
  readonly owner: User
  user(name: string): Promise<User | null>
  users(): Promise<readonly User[]>
  /** A one-time code for that user. */
  newCode(user: string): Promise<{ readonly code: string; readonly expiresAt: number }>
  /** Turns a code into a login; the secret is the cookie's value. */
  redeem(code: string): Promise<Redeemed>
  /** Whose login it is; null when it is none, expired or ended. */
  byLogin(secret: string): Promise<User | null>
  endLogin(secret: string): Promise<void>
  /** `held`: the scopes of whoever asks, null for a person. Throws Forbidden when more is asked for (U5). */
  newToken(user: string, given: NewToken, held: readonly string[] | null): Promise<{ readonly token: Token; readonly secret: string }>
  byToken(secret: string): Promise<{ readonly id: string; readonly user: User; readonly scopes: readonly string[] } | null>
  tokens(user: string): Promise<readonly Token[]>
  /** Throws NotFound when that user has none of that id. */
  endToken(user: string, id: string): Promise<void>
  /** Forgets what has expired; called now and then by steward.ts. */
  sweep(): Promise<void>
}

export type PeopleOptions = {
  readonly store: PeopleStore
  readonly clock: Clock
  readonly newId: NewId
  readonly random: RandomBytes
  /** Wished login name of the owner, used at the first start only; what it can't be becomes 'owner'. */
  readonly ownerName?: string
}

/** Opens the room; makes the owner when there is none yet. */
export async function openPeople(options: PeopleOptions): Promise<People> {
  const { store, clock } = options
  const owner = await ensureOwner(options)
  const userNow = async (name: string) => (name === owner.name ? owner : store.user(name))
  return {
    owner,
    user: userNow,
    users: () => store.users(),
    endLogin: (secret) => store.removeLogin(hashOf(secret)),
    tokens: (user) => store.tokens(user),
    sweep: () => store.sweep(clock.now()),
    async byLogin(secret) {
      const login = await store.login(hashOf(secret))
      return login && login.expiresAt > clock.now() ? userNow(login.user) : null
    },
    async endToken(user, id) {
      if (!(await store.removeToken(user, id))) throw new NotFound(`there is no token ${id}`)
    },
    ...codes(options, userNow),
    ...tokens(options, userNow),
  }
}

type UserNow = (name: string) => Promise<User | null>

function codes({ store, clock, random }: PeopleOptions, userNow: UserNow): Pick<People, 'newCode' | 'redeem'> {
  const wrong = attempts(triesAMinute, 60_000)
  return {
    async newCode(user) {
      const code = newSecret(random, '')
      const expiresAt = clock.now() + codeMs
      await store.addCode({ hash: hashOf(code), user, expiresAt })
      return { code, expiresAt }
    },
    async redeem(code) {
      const now = clock.now()
      // The right code passes also in the pause: it can't be guessed, and who guesses must not be able to shut the owner out.
      const taken = await store.takeCode(hashOf(code.trim()))
      const user = taken && taken.expiresAt > now ? await userNow(taken.user) : null
      if (!user) {
        const retryAfterMs = wrong.blockedFor(now)
        if (retryAfterMs > 0) return { ok: false, reason: 'too_many', retryAfterMs }
        wrong.add(now)
        return { ok: false, reason: 'wrong' }
      }
      const secret = newSecret(random, '')
      const expiresAt = now + loginMs
      await store.addLogin({ hash: hashOf(secret), user: user.name, createdAt: now, expiresAt })
      return { ok: true, user, secret, expiresAt }
    },
  }
}

function tokens({ store, clock, newId, random }: PeopleOptions, userNow: UserNow): Pick<People, 'newToken' | 'byToken'> {
  return {
    async newToken(user, given, held) {
      const beyond = given.scopes.filter((scope) => held !== null && !held.includes(scope))
      if (beyond.length > 0) throw new Forbidden(`this token can't give what it doesn't have: ${beyond.join(', ')}`)
      const secret = newSecret(random, 'stw_')
      const scopes = [...new Set(given.scopes)]
      const token: Token = { ...given, scopes, id: newId('tok'), hash: hashOf(secret), user, createdAt: clock.now() }
      await store.addToken(token)
      return { token, secret }
    },
    async byToken(secret) {
      const token = await store.token(hashOf(secret))
      if (!token || (token.expiresAt !== null && token.expiresAt <= clock.now())) return null
      const user = await userNow(token.user)
      return user && { id: token.id, user, scopes: token.scopes }
    },
  }
}

async function ensureOwner({ store, clock, ownerName }: PeopleOptions): Promise<User> {
  const present = (await store.users()).find((user) => user.role === 'owner')
  if (present) return present
  const owner: User = { name: loginName(ownerName), role: 'owner', createdAt: clock.now() }
  if (await store.addUser(owner)) return owner
  throw new InvalidInput(`there is a user ${owner.name} who is not the owner; remove that user or name another owner`)
}

/** Lower-case letters, digits, `-` and `_`, at most 32, starting with a letter; 'owner' when nothing of that is left. */
export function loginName(wished: string | undefined): string {
  const name = (wished ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 32)
  return name === '' || name === 'root' ? 'owner' : name
}
