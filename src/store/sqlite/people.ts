// The people's rows in SQLite (people/people-store.ts).
import type { Code, Login, PeopleStore, Token, User } from '../../people/people-store.ts'
import type { SqliteStore } from './sqlite.ts'

const history = [
  `create table users (name text primary key, role text not null, created_at integer not null) strict;
   create table login_codes (hash text primary key, user text not null, expires_at integer not null) strict;
   create table logins (
     hash text primary key, user text not null, created_at integer not null, expires_at integer not null
   ) strict;
   create table tokens (
     id text primary key, hash text not null unique, user text not null, name text not null, scopes text not null,
     created_at integer not null, expires_at integer
   ) strict;
   create index tokens_by_user on tokens (user, id);`,
]

type Rooms = Pick<SqliteStore, 'db' | 'define' | 'transaction'>

/** Makes its tables when they are missing. Writes throw Unavailable when the disk is full or gone. */
export function sqlitePeople(store: Rooms): PeopleStore {
  store.define('people', history)
  return { ...users(store), ...codes(store), ...logins(store), ...tokens(store), ...sweeping(store) }
}

function users({ db, transaction }: Rooms): Pick<PeopleStore, 'users' | 'user' | 'addUser'> {
  const fields = 'name, role, created_at as createdAt'
  return {
    users: async () => db.all<User>(`select ${fields} from users order by created_at, name`),
    user: async (name) => db.get<User>(`select ${fields} from users where name = ?`, name) ?? null,
    addUser: async ({ name, role, createdAt }) =>
      transaction(() => db.run('insert or ignore into users (name, role, created_at) values (?, ?, ?)', name, role, createdAt)) === 1,
  }
}

function codes({ db, transaction }: Rooms): Pick<PeopleStore, 'addCode' | 'takeCode'> {
  return {
    async addCode({ hash, user, expiresAt }) {
      transaction(() => db.run('insert into login_codes (hash, user, expires_at) values (?, ?, ?)', hash, user, expiresAt))
    },
    async takeCode(hash) {
      const take = 'delete from login_codes where hash = ? returning hash, user, expires_at as expiresAt'
      return transaction(() => db.get<Code>(take, hash)) ?? null
    },
  }
}

function logins({ db, transaction }: Rooms): Pick<PeopleStore, 'addLogin' | 'login' | 'removeLogin'> {
  const fields = 'hash, user, created_at as createdAt, expires_at as expiresAt'
  const add = 'insert into logins (hash, user, created_at, expires_at) values (?, ?, ?, ?)'
  // Asked for with each request, so those that are in use are kept; this program alone changes them.
  const known = new Map<string, Login>()
  return {
    async addLogin({ hash, user, createdAt, expiresAt }) {
      transaction(() => db.run(add, hash, user, createdAt, expiresAt))
    },
    async login(hash) {
      const present = known.get(hash) ?? db.get<Login>(`select ${fields} from logins where hash = ?`, hash)
      if (present === undefined) return null
      if (known.size >= mostLogins) known.clear()
      known.set(hash, present)
      return present
    },
    async removeLogin(hash) {
      known.delete(hash)
      transaction(() => db.run('delete from logins where hash = ?', hash))
    },
  }
}

/** In memory. One that is over is told from its time by who asks. */
const mostLogins = 1_000

type TokenRow = Omit<Token, 'scopes'> & { readonly scopes: string }

function tokens({ db, transaction }: Rooms): Pick<PeopleStore, 'addToken' | 'token' | 'tokens' | 'removeToken'> {
  const fields = 'id, hash, user, name, scopes, created_at as createdAt, expires_at as expiresAt'
  const add = 'insert into tokens (id, hash, user, name, scopes, created_at, expires_at) values (?, ?, ?, ?, ?, ?, ?)'
  return {
    async addToken({ id, hash, user, name, scopes, createdAt, expiresAt }) {
      transaction(() => db.run(add, id, hash, user, name, scopes.join(' '), createdAt, expiresAt))
    },
    async token(hash) {
      const row = db.get<TokenRow>(`select ${fields} from tokens where hash = ?`, hash)
      return row ? tokenOf(row) : null
    },
    tokens: async (user) => db.all<TokenRow>(`select ${fields} from tokens where user = ? order by id`, user).map(tokenOf),
    removeToken: async (user, id) => transaction(() => db.run('delete from tokens where user = ? and id = ?', user, id)) === 1,
  }
}

function tokenOf(row: TokenRow): Token {
  return { ...row, scopes: row.scopes.split(' ') }
}

function sweeping({ db, transaction }: Rooms): Pick<PeopleStore, 'sweep'> {
  return {
    async sweep(now) {
      transaction(() => {
        for (const table of ['login_codes', 'logins', 'tokens']) db.run(`delete from ${table} where expires_at <= ?`, now)
      })
    },
  }
}
