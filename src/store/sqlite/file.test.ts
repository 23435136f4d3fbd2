// What happens to the file: lock, migrations, damage, backup, restore, other rooms' tables.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AlreadyOpen, CannotOpen, Conflict, NotFound, Unavailable } from '../../base/errors.ts'
import type { LaneId } from '../../base/ids.ts'
import type { LogFields } from '../../base/log.ts'
import { commitOne, postOne, using } from '../../journal/journal-store.contract.ts'
import { type Db, openDb } from './db.ts'
import type { Migration } from './migration.ts'
import { migrations } from './migrations.ts'
import { restoreSqlite } from './restore.ts'
import { openSqliteStore, type SqliteOptions, type SqliteStore } from './sqlite.ts'

let folder: string
let file: string
let backups: string
let opened: SqliteStore[]
let logged: { what: string; fields: LogFields | undefined }[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-file-'))
  file = join(folder, 'home', 'steward.db')
  backups = join(folder, 'home', 'backups')
  opened = []
  logged = []
})
afterEach(async () => {
  for (const store of opened) await store.close()
  rmSync(folder, { recursive: true })
})

const now = () => Date.UTC(2026, 0, 2)

async function open(more: Partial<SqliteOptions> = {}): Promise<SqliteStore> {
  const log = (_: string, what: string, fields?: LogFields) => void logged.push({ what, fields })
  const store = await openSqliteStore({ file, now, log, ...more })
  opened.push(store)
  return store
}

async function write(store: SqliteStore, types: readonly string[]) {
  const { commit, event } = using(store.journal)
  const lane = `prc_${types[0]}` as LaneId
  const creates = { session: null, mailbox: true }
  await commitOne(store.journal, commit(lane, 0, { events: types.map((type) => event(type)), creates }))
}

async function typesIn(store: SqliteStore): Promise<string[]> {
  return (await store.journal.readAll(0, 100)).events.map((event) => event.type)
}

const step = (version: number, name: string, up: (db: Db) => void): Migration => ({ version, name, up })

describe('opening', () => {
  it('[S15] makes the folder and the file for their owner alone, and finds all again', async () => {
    const first = await open()
    await write(first, ['one', 'two'])
    await first.close()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'home')).mode & 0o777).toBe(0o700)
    const second = await open()
    expect(await typesIn(second)).toEqual(['one', 'two'])
    expect(
      readdirSync(join(folder, 'home'))
        .filter((name) => name.includes('wal'))
        .map((name) => statSync(join(folder, 'home', name)).mode & 0o777),
    ).toEqual([0o600])
  })

  it('[S17] a second opener is told that it is open and which file; after closing it is free', async () => {
    const first = await open()
    const second = open()
    await expect(second).rejects.toBeInstanceOf(AlreadyOpen)
    await expect(second).rejects.toThrow(file)
    await write(first, ['still fine'])
    await first.close()
    await first.closed
    expect(await typesIn(await open())).toEqual(['still fine'])
  })

  it('[S17] an open that failed leaves no lock behind', async () => {
    const store = await open()
    await store.close()
    await expect(open({ steps: [] })).rejects.toBeInstanceOf(CannotOpen)
    await open()
  })

  it('[S11] after a restart no lease of before stands in the way', async () => {
    const first = await open()
    const { lane, node } = using(first.journal)
    const a = await lane()
    await first.journal.heartbeat(node(1), 3_600_000)
    await first.journal.claim([a], node(1))
    await first.close()
    const second = await open()
    expect((await second.journal.claim([a], node(2))).get(a)).toMatchObject({ epoch: 2 })
  })
})

describe('migrations', () => {
  const colours = step(2, 'colours', (db) => db.exec('CREATE TABLE colours (name TEXT) STRICT; ALTER TABLE bodies ADD COLUMN colour TEXT;'))
  const broken = step(3, 'shapes', (db) => {
    db.exec('CREATE TABLE shapes (name TEXT) STRICT; INSERT INTO colours (name) VALUES (7); ')
    db.exec('INSERT INTO shapes (nothing) VALUES (1)')
  })

  it('[S18] runs what is missing after a copy was put aside, and only then', async () => {
    const first = await open()
    await write(first, ['old'])
    await first.close()
    expect(existsSync(backups)).toBe(false)
    const second = await open({ steps: [...migrations, colours] })
    expect(second.db.all('SELECT * FROM colours')).toEqual([])
    expect(await typesIn(second)).toEqual(['old'])
    expect(readdirSync(backups)).toEqual(['steward.db-schema1-2026-01-02T00-00-00-000Z.db'])
    await second.close()
    await (await open({ steps: [...migrations, colours] })).close()
    expect(readdirSync(backups)).toHaveLength(1)
    // The program of before starts on the copy.
    const old = await open({ file: join(backups, readdirSync(backups)[0] ?? '') })
    expect(await typesIn(old)).toEqual(['old'])
  })

  it('[S18] a step that fails half-way is undone and named, with where the copy is; the steps before it stay', async () => {
    const first = await open()
    await write(first, ['old'])
    await first.close()
    const failing = open({ steps: [...migrations, colours, broken] })
    await expect(failing).rejects.toMatchObject({ code: 'migration_failed' })
    await expect(failing).rejects.toThrow(/step 3 \(shapes\) .* undone: .*nothing.* kept at .*steward.db-schema1-/)
    const raw = openDb(file)
    expect(raw.get('PRAGMA user_version')).toEqual({ user_version: 2 })
    expect(raw.all(`SELECT name FROM sqlite_schema WHERE name IN ('shapes', 'colours')`)).toEqual([{ name: 'colours' }])
    raw.close()
    expect(await typesIn(await open({ steps: [...migrations, colours] }))).toEqual(['old'])
  })

  it('[S18] nothing is migrated when the copy cannot be written', async () => {
    await (await open()).close()
    writeFileSync(backups, 'in the way')
    await expect(open({ steps: [...migrations, colours] })).rejects.toThrow(
      /must be migrated from schema 1, but no backup could be written/,
    )
    rmSync(backups)
    await open()
  })

  it('[S18] a newer schema is refused with both versions, and the file stays as it was', async () => {
    await (await open({ steps: [...migrations, colours] })).close()
    const before = readFileSync(file)
    const refused = open()
    await expect(refused).rejects.toMatchObject({ code: 'newer_schema', path: file })
    await expect(refused).rejects.toThrow(/schema 2 .* up to 1/)
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})

describe('damage', () => {
  it('[S21] a file that is no database is refused and not changed', async () => {
    await (await open()).close()
    rmSync(file)
    writeFileSync(file, 'these are my notes, not a database; '.repeat(100))
    await expect(open()).rejects.toMatchObject({ code: 'damaged' })
    expect(readFileSync(file, 'utf8')).toContain('these are my notes')
    expect(readdirSync(join(folder, 'home')).sort()).toEqual(['steward.db', 'steward.db-lock'])
  })

  it("[S21] another program's database is refused and not changed", async () => {
    await (await open()).close()
    rmSync(file)
    const other = openDb(file)
    other.exec('CREATE TABLE notes (x); PRAGMA user_version = 1;')
    other.close()
    const before = readFileSync(file)
    await expect(open()).rejects.toMatchObject({ code: 'no_database' })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('[S21] broken pages and a cut file are found at start and said', async () => {
    const store = await open()
    await write(
      store,
      Array.from({ length: 3000 }, (_, i) => `event-${i}`),
    )
    await store.close()
    const whole = readFileSync(file)
    const broken = Buffer.from(whole)
    broken.fill(0x55, Math.floor(whole.length / 2), Math.floor(whole.length / 2) + 8192)
    writeFileSync(file, broken)
    await expect(open()).rejects.toMatchObject({ code: 'damaged' })
    expect(readFileSync(file).equals(broken)).toBe(true)
    writeFileSync(file, whole)
    truncateSync(file, Math.floor(whole.length / 8192) * 4096)
    await expect(open()).rejects.toMatchObject({ code: 'damaged' })
    writeFileSync(file, whole)
    expect((await open()).journal.generation).toBe(1)
  })

  it('[S21] a large file is checked while the store runs', async () => {
    const store = await open()
    const { lane, commit } = using(store.journal)
    const text = 'x'.repeat(1_000_000)
    await commitOne(store.journal, commit(await lane(), 0, { bodies: Array.from({ length: 36 }, (_, i) => ({ hash: `h${i}`, text })) }))
    await store.close()
    const whole = await open()
    expect(await whole.checked).toEqual([])
    await whole.close()
    const broken = readFileSync(file)
    broken.fill(0x55, broken.length - 4096 * 40, broken.length - 4096 * 30)
    writeFileSync(file, broken)
    const store2 = await open()
    expect((await store2.checked).length).toBeGreaterThan(0)
    expect(logged.some(({ what }) => what.includes('damaged'))).toBe(true)
  })
})

describe('backup and restore', () => {
  const restore = (from: string, replace: 'replace' | 'keep' = 'keep') => restoreSqlite({ from, file, replace, backups, now })

  it('[S16] a backup is made while commits go on, and holds a state of between', async () => {
    const store = await open()
    const { lane, commit, event } = using(store.journal)
    const a = await lane()
    await commitOne(store.journal, commit(a, 0, { events: Array.from({ length: 3000 }, () => event('before')) }))
    const copy = join(folder, 'copy.db')
    const copying = store.backup(copy)
    let during = 0
    for (; during < 200; during++) {
      await commitOne(store.journal, commit(a, 3000 + during, { events: [event('during')] }))
      await new Promise<void>((go) => setImmediate(go))
    }
    await copying
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    const read = await open({ file: copy })
    const head = await read.journal.head(a)
    expect(head?.seq).toBeGreaterThanOrEqual(3000)
    expect(head?.seq).toBe(await read.journal.last())
    await expect(store.backup(copy)).rejects.toBeInstanceOf(Conflict)
    await expect(store.backup(join(folder, 'no', 'such', 'folder.db'))).rejects.toBeInstanceOf(Unavailable)
  })

  it('[S16] a restored store has a higher generation than both, what it replaced is kept, and leases are gone', async () => {
    const store = await open()
    await write(store, ['one'])
    const copy = join(folder, 'copy.db')
    await store.backup(copy)
    await write(store, ['two'])
    expect(() => restore(copy, 'replace')).toThrow(AlreadyOpen)
    await store.close()
    expect(() => restore(copy)).toThrow(Conflict)
    const { generation, replaced } = restore(copy, 'replace')
    expect(generation).toBe(2)
    const second = await open()
    expect(second.journal.generation).toBe(2)
    expect(await typesIn(second)).toEqual(['one'])
    await second.close()
    expect(await typesIn(await open({ file: replaced ?? '' }))).toEqual(['one', 'two'])
    expect(restore(copy, 'replace').generation).toBe(3)
  })

  it('[S16] restores into an empty home', async () => {
    const store = await open({ file: join(folder, 'other.db') })
    await write(store, ['one'])
    await store.backup(join(folder, 'copy.db'))
    expect(restore(join(folder, 'copy.db'))).toEqual({ generation: 2, replaced: null })
    expect(await typesIn(await open())).toEqual(['one'])
  })

  it('[S16] refuses what is no backup, damaged, newer or missing, and leaves the store alone', async () => {
    const store = await open()
    await write(store, ['mine'])
    await store.close()
    const bad = join(folder, 'bad.db')
    expect(() => restore(bad, 'replace')).toThrow(NotFound)
    writeFileSync(bad, 'x'.repeat(10_000))
    expect(() => restore(bad, 'replace')).toThrow(/bad.db is damaged/)
    rmSync(bad)
    writeFileSync(bad, '')
    expect(() => restore(bad, 'replace')).toThrow(/is an empty database/)
    const newer = await open({
      file: join(folder, 'newer.db'),
      steps: [...migrations, step(2, 'x', (db) => db.exec('CREATE TABLE x (y)'))],
    })
    await newer.close()
    expect(() => restore(join(folder, 'newer.db'), 'replace')).toThrow(/schema 2 .* up to 1/)
    expect(await typesIn(await open())).toEqual(['mine'])
    expect(readdirSync(join(folder, 'home')).filter((name) => name.includes('restoring'))).toEqual([])
  })
})

describe("other rooms' tables", () => {
  it('[S18] a part has its own history; a step that fails is undone and named; a newer part is refused', async () => {
    const store = await open()
    store.define('people', ['CREATE TABLE people (name TEXT)'])
    store.define('people', ['CREATE TABLE people (name TEXT)', 'ALTER TABLE people ADD COLUMN age INTEGER'])
    store.transaction(() => store.db.run('INSERT INTO people (name, age) VALUES (?, ?)', 'ann', 7))
    expect(store.db.all('SELECT * FROM people')).toEqual([{ name: 'ann', age: 7 }])
    expect(() => store.define('pets', ['CREATE TABLE pets (name TEXT)', 'CREATE TABLE toys (x); SELEC'])).toThrow(
      /step 2 of the tables "pets"/,
    )
    expect(store.db.all(`SELECT name FROM sqlite_schema WHERE name IN ('pets', 'toys')`)).toEqual([{ name: 'pets' }])
    expect(() => store.define('people', ['CREATE TABLE people (name TEXT)'])).toThrow(/version 2 .* up to 1/)
  })

  it('[S15] a transaction that throws is undone', async () => {
    const store = await open()
    store.define('people', ['CREATE TABLE people (name TEXT)'])
    expect(() =>
      store.transaction(() => {
        store.db.run('INSERT INTO people (name) VALUES (?)', 'ann')
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(store.db.all('SELECT * FROM people')).toEqual([])
    const { lane, post } = using(store.journal)
    expect(await postOne(store.journal, post(await lane(), 'x'))).toMatchObject({ ok: true })
  })

  it('[S19] after closing, groups are answered unavailable', async () => {
    const store = await open()
    const { commit, event, id } = using(store.journal)
    await store.close()
    expect(await commitOne(store.journal, commit(id(), 0, { events: [event('x')] }))).toMatchObject({ ok: false, reason: 'unavailable' })
  })
})

it('[S21] a folder that cannot be written is said', async () => {
  await (await open()).close()
  rmSync(file)
  rmSync(`${file}-lock`)
  chmodSync(join(folder, 'home'), 0o500)
  // The superuser may write anyway; then there is nothing to say.
  if (process.getuid?.() !== 0) await expect(open()).rejects.toThrow(/home/)
  chmodSync(join(folder, 'home'), 0o700)
})
