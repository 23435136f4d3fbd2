import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { LaneId } from '../../base/ids.ts'
import type { Event } from '../../protocol/event.ts'
import { type ProjectionSpec, sqliteProjection } from './projection.ts'
import { openSqliteStore, type SqliteStore } from './sqlite.ts'

let folder: string
let store: SqliteStore
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-projection-'))
  store = await openSqliteStore({ file: join(folder, 'steward.db'), now: () => 0 })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const spec: ProjectionSpec = {
  name: 'words',
  version: 1,
  tables: {
    words: (t) => `
      CREATE TABLE ${t('words')} (word TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT;
      CREATE INDEX ${t('words')}_by_n ON ${t('words')} (n);`,
    word_log: (t) => `CREATE VIRTUAL TABLE ${t('word_log')} USING fts5 (word)`,
  },
  on: {
    said(db, event, t) {
      const word = String(event.data['word'])
      db.run(`INSERT INTO ${t('words')} (word, n) VALUES (?, 1) ON CONFLICT (word) DO UPDATE SET n = n + 1`, word)
      db.run(`INSERT INTO ${t('word_log')} (word) VALUES (?)`, word)
    },
    failed() {
      throw new Error("can't be applied")
    },
  },
}
const louder: ProjectionSpec = {
  ...spec,
  version: 2,
  on: { said: (db, event, t) => void db.run(`INSERT OR REPLACE INTO ${t('words')} (word, n) VALUES (?, 10)`, `${event.data['word']}!`) },
}

const event = (cursor: number, word: string, type = 'said') =>
  ({ type, data: { word }, cursor, lane: 'prc_1' as LaneId, seq: cursor }) as unknown as Event
const words = () =>
  store.db.all<{ word: string; n: number }>('SELECT word, n FROM words ORDER BY word').map(({ word, n }) => `${word} ${n}`)

it('[S22] tables and position move together; a throw moves neither', async () => {
  const projection = sqliteProjection(store, spec)
  expect(await projection.position()).toBe(0)
  await projection.apply([event(1, 'a'), event(2, 'b'), event(3, 'a'), event(4, 'x', 'unheard')], 4)
  expect([words(), await projection.position()]).toEqual([['a 2', 'b 1'], 4])
  await expect(projection.apply([event(5, 'c'), event(6, 'c', 'failed')], 6)).rejects.toThrow("can't be applied")
  expect([words(), await projection.position()]).toEqual([['a 2', 'b 1'], 4])
})

it('[S22] events that change nothing move the position only after many of them', async () => {
  const projection = sqliteProjection(store, spec)
  await projection.position()
  const unheard = (from: number, count: number) => Array.from({ length: count }, (_, i) => event(from + i, 'x', 'unheard'))
  await projection.apply(unheard(1, 600), 600)
  expect(await projection.position()).toBe(0)
  await projection.apply(unheard(601, 600), 1_200)
  expect(await projection.position()).toBe(1_200)
  await projection.apply([...unheard(1_201, 1), event(1_202, 'a')], 1_202)
  expect([words(), await projection.position()]).toEqual([['a 1'], 1_202])
})

it('[S22] a position survives a restart; another version asks for a rebuild', async () => {
  await sqliteProjection(store, spec).position()
  await sqliteProjection(store, spec).apply([event(1, 'a')], 1)
  await store.close()
  store = await openSqliteStore({ file: join(folder, 'steward.db'), now: () => 0 })
  expect(await sqliteProjection(store, spec).position()).toBe(1)
  expect(await sqliteProjection(store, louder).position()).toBeNull()
})

it('[S22] a rebuild happens beside the tables in use, and takes their place at once, again and again', async () => {
  const old = sqliteProjection(store, spec)
  await old.position()
  await old.apply([event(1, 'a'), event(2, 'b')], 2)
  const next = sqliteProjection(store, louder)
  for (const round of [1, 2]) {
    const rebuilding = await next.rebuild()
    await rebuilding.apply([event(1, 'a')], 1)
    if (round === 1) expect(words()).toEqual(['a 1', 'b 1'])
    await rebuilding.apply([event(2, 'c')], 2)
    await rebuilding.replace()
    expect([words(), await next.position()]).toEqual([['a! 10', 'c! 10'], 2])
  }
  const names = store.db.all<{ name: string }>(`SELECT name FROM sqlite_schema WHERE tbl_name LIKE 'word%' AND sql NOT NULL ORDER BY name`)
  expect(names.map((row) => row.name).filter((name) => !name.startsWith('word_log_'))).toEqual(['word_log', 'words', 'words__r2_by_n'])
  expect(store.db.all('SELECT * FROM word_log')).toEqual([])
})

it('[S22] an abandoned rebuild, or one that a crash ended, leaves the tables in use alone', async () => {
  const projection = sqliteProjection(store, spec)
  await projection.position()
  await projection.apply([event(1, 'a')], 1)
  const abandoned = await projection.rebuild()
  await abandoned.apply([event(1, 'zzz')], 1)
  await abandoned.abandon()
  const crashed = await projection.rebuild()
  await crashed.apply([event(1, 'zzz')], 1)
  const again = await projection.rebuild()
  expect([words(), await projection.position()]).toEqual([['a 1'], 1])
  await again.replace()
  expect([words(), await projection.position()]).toEqual([[], 0])
})

it('[S15] what is written quickly is followed by durable commits again', async () => {
  store.quickly(() => store.db.run('INSERT INTO parts (name, version) VALUES (?, ?)', 'x', 1))
  expect(store.db.get('PRAGMA synchronous')).toEqual({ synchronous: 2 })
  expect(() =>
    store.quickly(() => {
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(store.db.get('PRAGMA synchronous')).toEqual({ synchronous: 2 })
})

it('[S22] projections that have something in the same round share a transaction, and a throw undoes its own part only', async () => {
  const other: ProjectionSpec = { ...spec, name: 'others', tables: { others: (t) => `CREATE TABLE ${t('others')} (word TEXT) STRICT` } }
  const others = sqliteProjection(store, {
    ...other,
    on: { said: (db, one, t) => void db.run(`INSERT INTO ${t('others')} (word) VALUES (?)`, String(one.data['word'])) },
  })
  const broken = sqliteProjection(store, {
    ...other,
    name: 'broken',
    tables: { broken: (t) => `CREATE TABLE ${t('broken')} (word TEXT) STRICT` },
    on: {
      said(db, _, t) {
        db.run(`INSERT INTO ${t('broken')} (word) VALUES ('half')`)
        throw new Error('broken')
      },
    },
  })
  const all = [sqliteProjection(store, spec), broken, others]
  for (const one of all) await one.position()
  const ended = await Promise.allSettled(all.map((one) => one.apply([event(1, 'a')], 1, 'soon')))
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const rows = (table: string) => store.db.all(`SELECT word FROM ${table}`).length
  expect([words(), rows('others'), rows('broken')]).toEqual([['a 1'], 1, 0])
  expect(await Promise.all(all.map((one) => one.position()))).toEqual([1, 0, 1])
})
