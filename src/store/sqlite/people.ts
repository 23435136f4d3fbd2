// The people's rows in SQLite (people/people-store.ts).
import type { DatabaseSync } from 'node:sqlite'
import type { Code, Login, PeopleStore, Token, TokenId, User } from '../../people/people-store.ts'

export const peopleSchema = `
create table if not exists users (name text primary key, role text not null, created_at integer not null) strict;
create table if not exists login_codes (hash text primary key, user text not null, expires_at integer not null) strict;
create table if not exists logins (hash text primary key, user text not null, created_at integer not null, expires_at integer not null) strict;
create table if not exists tokens (
  id text primary key, hash text not null unique, user text not null, name text not null, scopes text not null,
  created_at integer not null, expires_at integer
) strict;
create index if not exists tokens_by_user on tokens (user, id);
`

/** Makes its tables when they are missing. */
export function sqlitePeopleStore(db: DatabaseSync): PeopleStore {
  db.exec(peopleSchema)
  return { ...users(db), ...codes(db), ...logins(db), ...tokens(db), ...sweeping(db) }
}

function users(db: DatabaseSync): Pick<PeopleStore, 'users' | 'user' | 'addUser'> {
  const all = db.prepare('select name, role, created_at from users order by created_at, name')
  const one = db.prepare('select name, role, created_at from users where name = ?')
  const add = db.prepare('insert or ignore into users (name, role, created_at) values (?, ?, ?)')
  return {
    users: async () => all.all().map(userOf),
    user: async (name) => first(one.get(name), userOf),
    addUser: async (user) => add.run(user.name, user.role, user.createdAt).changes === 1,
  }
}

function codes(db: DatabaseSync): Pick<PeopleStore, 'addCode' | 'takeCode'> {
  const add = db.prepare('insert into login_codes (hash, user, expires_at) values (?, ?, ?)')
  const take = db.prepare('delete from login_codes where hash = ? returning hash, user, expires_at')
  return {
    addCode: async (code) => void add.run(code.hash, code.user, code.expiresAt),
    takeCode: async (hash) => first(take.get(hash), codeOf),
  }
}

function logins(db: DatabaseSync): Pick<PeopleStore, 'addLogin' | 'login' | 'removeLogin'> {
  const add = db.prepare('insert into logins (hash, user, created_at, expires_at) values (?, ?, ?, ?)')
  const one = db.prepare('select hash, user, created_at, expires_at from logins where hash = ?')
  const remove = db.prepare('delete from logins where hash = ?')
  return {
    addLogin: async (login) => void add.run(login.hash, login.user, login.createdAt, login.expiresAt),
    login: async (hash) => first(one.get(hash), loginOf),
    removeLogin: async (hash) => void remove.run(hash),
  }
}

function tokens(db: DatabaseSync): Pick<PeopleStore, 'addToken' | 'token' | 'tokens' | 'removeToken'> {
  const fields = 'id, hash, user, name, scopes, created_at, expires_at'
  const add = db.prepare(`insert into tokens (${fields}) values (?, ?, ?, ?, ?, ?, ?)`)
  const one = db.prepare(`select ${fields} from tokens where hash = ?`)
  const ofUser = db.prepare(`select ${fields} from tokens where user = ? order by id`)
  const remove = db.prepare('delete from tokens where user = ? and id = ?')
  return {
    addToken: async (t) => void add.run(t.id, t.hash, t.user, t.name, JSON.stringify(t.scopes), t.createdAt, t.expiresAt),
    token: async (hash) => first(one.get(hash), tokenOf),
    tokens: async (user) => ofUser.all(user).map(tokenOf),
    removeToken: async (user, id) => remove.run(user, id).changes === 1,
  }
}

function sweeping(db: DatabaseSync): Pick<PeopleStore, 'sweep'> {
  const sweeps = ['login_codes', 'logins', 'tokens'].map((t) => db.prepare(`delete from ${t} where expires_at <= ?`))
  return {
    async sweep(now) {
      for (const sweep of sweeps) sweep.run(now)
    },
  }
}

type Row = Record<string, unknown>

function first<T>(row: Row | undefined, of: (row: Row) => T): T | null {
  return row === undefined ? null : of(row)
}

function userOf(row: Row): User {
  return { name: String(row['name']), role: row['role'] === 'owner' ? 'owner' : 'member', createdAt: Number(row['created_at']) }
}
function codeOf(row: Row): Code {
  return { hash: String(row['hash']), user: String(row['user']), expiresAt: Number(row['expires_at']) }
}
function loginOf(row: Row): Login {
  return { ...codeOf(row), createdAt: Number(row['created_at']) }
}
function tokenOf(row: Row): Token {
  const scopes: unknown = JSON.parse(String(row['scopes']))
  return {
    id: String(row['id']) as TokenId,
    hash: String(row['hash']),
    user: String(row['user']),
    name: String(row['name']),
    scopes: Array.isArray(scopes) ? scopes.map(String) : [],
    createdAt: Number(row['created_at']),
    expiresAt: row['expires_at'] === null ? null : Number(row['expires_at']),
  }
}
