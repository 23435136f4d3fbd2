import type { Migration } from '../migration.ts'

export const v01: Migration = {
  version: 1,
  name: 'journal, mailboxes, timers, leases',
  async up(db) {
    await db.exec(`
      CREATE TABLE lanes (
        lane text COLLATE "C" PRIMARY KEY, session text, mailbox bool NOT NULL, epoch int NOT NULL, seq bigint NOT NULL,
        last_event text, resting text NOT NULL, owner text, closed bool NOT NULL
      );
      CREATE INDEX lanes_running ON lanes (lane) WHERE resting = 'running';

      CREATE TABLE events (
        cursor bigint PRIMARY KEY, lane text COLLATE "C" NOT NULL, seq bigint NOT NULL, id text NOT NULL, type text NOT NULL,
        at bigint NOT NULL, actor text NOT NULL, visibility text NOT NULL, session text COLLATE "C", cause text, correlation text,
        v bigint NOT NULL, data text NOT NULL
      );
      CREATE UNIQUE INDEX events_lane ON events (lane, seq) WHERE seq > 0;
      CREATE INDEX events_session ON events (session, cursor) WHERE session IS NOT NULL;

      CREATE TABLE mailbox (
        lane text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, n bigint NOT NULL, cursor bigint NOT NULL, hash text NOT NULL,
        ref text, work bool NOT NULL, person bool NOT NULL, state text NOT NULL, PRIMARY KEY (lane, id)
      );
      CREATE INDEX mailbox_line ON mailbox (lane, n) WHERE state = 'waiting';
      CREATE INDEX mailbox_held ON mailbox (lane, n) WHERE state = 'held';
      CREATE INDEX mailbox_person ON mailbox (lane, n) WHERE person;

      CREATE TABLE snapshots (lane text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL, version int NOT NULL, state text NOT NULL);

      CREATE TABLE timers (
        id text COLLATE "C" PRIMARY KEY, lane text COLLATE "C" NOT NULL, entry text COLLATE "C" NOT NULL, due bigint NOT NULL,
        timer text NOT NULL
      );
      CREATE INDEX timers_due ON timers (due, id);
      CREATE INDEX timers_entry ON timers (lane, entry);

      CREATE TABLE bodies (hash text COLLATE "C" PRIMARY KEY, text text NOT NULL);
      CREATE TABLE nodes (node text COLLATE "C" PRIMARY KEY, until timestamptz NOT NULL);
    `)
  },
}
