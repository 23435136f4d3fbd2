// One step of the schema's history.
import type { Db } from './db.ts'

export type Migration = {
  /** The schema's version after it: 1, 2, ... without gaps. */
  readonly version: number
  /** What it does, for the message when it fails. */
  readonly name: string
  up(db: Db): void
}
