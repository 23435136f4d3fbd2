// The schema's history. A step is never changed after a release; a later one changes what it made.

import type { Db } from './db.ts'
import { v01 } from './migrations/v01.ts'

export type Migration = {
  /** The schema's version after it: 1, 2, ... without gaps. */
  readonly version: number
  /** What it does, for the message when it fails. */
  readonly name: string
  up(db: Db): Promise<void>
}

export const migrations: readonly Migration[] = [v01]
