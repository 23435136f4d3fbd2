// The floor under everything durable: one table in node:sqlite (WAL, synchronous=FULL), what a tick brings in one transaction.

import { DatabaseSync } from 'node:sqlite'

export type BareStore = { append(text: string): Promise<void>; close(): void }

export function openBareStore(file: string): BareStore {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE events (n INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT')
  const insert = db.prepare('INSERT INTO events (text) VALUES (?)')
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  let queue: { readonly text: string; readonly done: () => void }[] = []

  function flush(): void {
    const group = queue
    queue = []
    begin.run()
    for (const { text } of group) insert.run(text)
    commit.run()
    for (const { done } of group) done()
  }

  return {
    append: (text) =>
      new Promise((done) => {
        queue.push({ text, done })
        if (queue.length === 1) setImmediate(flush)
      }),
    close: () => db.close(),
  }
}
