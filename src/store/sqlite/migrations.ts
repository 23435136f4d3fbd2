// The schema's history. A step is never changed after a release; a later one changes what it made.

import type { Migration } from './migration.ts'
import { v01 } from './migrations/v01.ts'

export const migrations: readonly Migration[] = [v01]
