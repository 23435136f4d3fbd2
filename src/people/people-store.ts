// What the people room needs of a store. Secrets are kept as sha256 (hex) only; times are milliseconds since 1970.
import type { Id } from '../base/ids.ts'

export type TokenId = Id<'tok'>

export type User = { readonly name: string; readonly role: 'owner' | 'member'; readonly createdAt: number }
export type Code = { readonly hash: string; readonly user: string; readonly expiresAt: number }
export type Login = { readonly hash: string; readonly user: string; readonly createdAt: number; readonly expiresAt: number }
export type Token = {
  readonly id: TokenId
  readonly hash: string
  readonly user: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly createdAt: number
  /** null: it doesn't expire. */
  readonly expiresAt: number | null
}

export interface PeopleStore {
  users(): Promise<readonly User[]>
  user(name: string): Promise<User | null>
  /** false when there is one of that name already. */
  addUser(user: User): Promise<boolean>

  addCode(code: Code): Promise<void>
  /** Removes the code and returns it: of two callers at once only one gets it. null when there is none. */
  takeCode(hash: string): Promise<Code | null>

  addLogin(login: Login): Promise<void>
  login(hash: string): Promise<Login | null>
  removeLogin(hash: string): Promise<void>

  addToken(token: Token): Promise<void>
  token(hash: string): Promise<Token | null>
  /** Of one user, oldest first. */
  tokens(user: string): Promise<readonly Token[]>
  /** false when that user has none of that id. */
  removeToken(user: string, id: string): Promise<boolean>

  /** Forgets codes, logins and tokens that expired at or before `now`. */
  sweep(now: number): Promise<void>
}
