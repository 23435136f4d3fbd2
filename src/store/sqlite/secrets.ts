// The rows of secrets in SQLite (secrets/secrets-store.ts). What was removed or replaced is overwritten in the file, not only unlinked.
import type { KeyRow, SecretRow, SecretsStore, ValueRow } from '../../secrets/secrets-store.ts'
import type { SqliteStore } from './sqlite.ts'

const history = [
  `create table secret_keys (
     one integer primary key check (one = 1), id text not null, kept_in text not null, kdf text, salt blob, wrapped blob not null,
     naming blob not null
   ) strict;
   create table secrets (
     name text primary key, origin text not null, agents text not null, hosts text not null, version integer not null,
     created_at integer not null, rotated_at integer, last_used_at integer, everywhere integer not null
   ) strict;
   create table secret_values (
     name text not null, version integer not null, cipher blob not null, primary key (name, version)
   ) strict;`,
]

type Rooms = Pick<SqliteStore, 'db' | 'define' | 'transaction' | 'quickly'>

/** Makes its tables when they are missing. Writes throw Unavailable when the disk is full or gone. */
export function sqliteSecrets(store: Rooms): SecretsStore {
  store.define('secrets', history)
  return { ...keys(store), ...reads(store), ...writes(store) }
}

const keyFields = 'id, kept_in as keptIn, kdf, salt, wrapped, naming'
const putKey = 'insert or replace into secret_keys (one, id, kept_in, kdf, salt, wrapped, naming) values (1, ?, ?, ?, ?, ?, ?)'
const putValue = 'insert or replace into secret_values (name, version, cipher) values (?, ?, ?)'

function keys(store: Rooms): Pick<SecretsStore, 'key' | 'putKey' | 'rekey'> {
  const { db } = store
  const put = ({ id, keptIn, kdf, salt, wrapped, naming }: KeyRow) => db.run(putKey, id, keptIn, kdf, salt, wrapped, naming)
  return {
    key: async () => db.get<KeyRow>(`select ${keyFields} from secret_keys`) ?? null,
    async putKey(key) {
      overwriting(store, () => void put(key))
    },
    async rekey(key, values) {
      overwriting(store, () => {
        put(key)
        for (const { name, version, cipher } of values) db.run(putValue, name, version, cipher)
      })
    },
  }
}

type Row = Omit<SecretRow, 'agents' | 'hosts' | 'everywhere'> & {
  readonly agents: string
  readonly hosts: string
  readonly everywhere: number
}

function reads({ db }: Rooms): Pick<SecretsStore, 'secrets' | 'values'> {
  const fields = `name, origin, agents, hosts, version, created_at as createdAt, rotated_at as rotatedAt, last_used_at as lastUsedAt, everywhere`
  return {
    secrets: async () => db.all<Row>(`select ${fields} from secrets order by created_at, name`).map(secretOf),
    values: async () =>
      db.all<ValueRow>(`select v.name, v.version, v.cipher from secret_values v join secrets s on s.name = v.name
        order by s.created_at, v.name, v.version`),
  }
}

function secretOf(row: Row): SecretRow {
  return { ...row, agents: JSON.parse(row.agents), hosts: JSON.parse(row.hosts), everywhere: row.everywhere === 1 }
}

function writes(store: Rooms): Pick<SecretsStore, 'put' | 'update' | 'used' | 'remove'> {
  const { db, transaction, quickly } = store
  const put = `insert or replace into secrets
    (name, origin, agents, hosts, version, created_at, rotated_at, last_used_at, everywhere) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`
  const write = (row: SecretRow) => {
    const lists = [JSON.stringify(row.agents), JSON.stringify(row.hosts)]
    const times = [row.createdAt, row.rotatedAt, row.lastUsedAt]
    db.run(put, row.name, row.origin, ...lists, row.version, ...times, row.everywhere ? 1 : 0)
  }
  return {
    async put(secret, { value, forget }) {
      overwriting(store, () => {
        write(secret)
        db.run(putValue, value.name, value.version, value.cipher)
        db.run('delete from secret_values where name = ? and version <= ?', secret.name, forget)
      })
    },
    async update(secret) {
      transaction(() => write(secret))
    },
    async used(name, at) {
      quickly(() => db.run('update secrets set last_used_at = ? where name = ?', at, name))
    },
    async remove(name) {
      return overwriting(store, () => {
        db.run('delete from secret_values where name = ?', name)
        return db.run('delete from secrets where name = ?', name) === 1
      })
    },
  }
}

/** With zeros where rows were: an encrypted value that was removed is not to be had from the file's free pages either. */
function overwriting<T>({ db, transaction }: Rooms, work: () => T): T {
  db.exec('pragma secure_delete = on')
  try {
    return transaction(work)
  } finally {
    db.exec('pragma secure_delete = off')
  }
}
