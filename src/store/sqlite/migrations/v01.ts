import type { Migration } from '../migration.ts'

export const v01: Migration = {
  version: 1,
  name: 'journal, mailboxes, timers, leases',
  up(db) {
    db.exec(`
      CREATE TABLE lanes (
        lane TEXT PRIMARY KEY, session TEXT, mailbox INTEGER NOT NULL, epoch INTEGER NOT NULL, seq INTEGER NOT NULL,
        last_event TEXT, resting TEXT NOT NULL, owner TEXT, closed INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX lanes_running ON lanes (lane) WHERE resting = 'running';

      CREATE TABLE events (
        cursor INTEGER PRIMARY KEY, lane TEXT NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
        at INTEGER NOT NULL, actor TEXT NOT NULL, visibility TEXT NOT NULL, session TEXT, cause TEXT, correlation TEXT,
        v INTEGER NOT NULL, data TEXT NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX events_lane ON events (lane, seq) WHERE seq > 0;
      CREATE INDEX events_session ON events (session, cursor) WHERE session IS NOT NULL;

      CREATE TABLE mailbox (
        lane TEXT NOT NULL, id TEXT NOT NULL, n INTEGER NOT NULL, cursor INTEGER NOT NULL, hash TEXT NOT NULL, ref TEXT,
        work INTEGER NOT NULL, person INTEGER NOT NULL, state TEXT NOT NULL, PRIMARY KEY (lane, id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX mailbox_line ON mailbox (lane, n) WHERE state = 'waiting';
      CREATE INDEX mailbox_held ON mailbox (lane, n) WHERE state = 'held';
      CREATE INDEX mailbox_person ON mailbox (lane, n) WHERE person = 1;

      CREATE TABLE snapshots (
        lane TEXT PRIMARY KEY, seq INTEGER NOT NULL, version INTEGER NOT NULL, state TEXT NOT NULL
      ) STRICT;

      CREATE TABLE timers (
        id TEXT PRIMARY KEY, lane TEXT NOT NULL, entry TEXT NOT NULL, due INTEGER NOT NULL, timer TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX timers_due ON timers (due, id);
      CREATE INDEX timers_entry ON timers (lane, entry);

      CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
      INSERT INTO meta (key, value) VALUES ('generation', 1);

      CREATE TABLE bodies (hash TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
      CREATE TABLE nodes (node TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE projections (name TEXT PRIMARY KEY, version INTEGER NOT NULL, position INTEGER NOT NULL) STRICT;
      CREATE TABLE parts (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT;
    `)
  },
}
