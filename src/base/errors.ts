// One class per thing that a caller can do something about. Bugs throw plain errors; expected failures are values.

/** What every error that may reach a person says: what was wrong, where, what is allowed. Never a stack, never a secret. */
export class StewardError extends Error {
  /** A stable word for programs: 'invalid', 'not_found', 'conflict', ... */
  readonly code: string
  /** The place of the fault in what was given, as a JSON pointer or a setting's name. */
  readonly path?: string
  constructor(code: string, message: string, options?: { path?: string; cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.code = code
    if (options?.path !== undefined) this.path = options.path
  }
}

/** The input is wrong: mend it and try again. HTTP 400. */
export class InvalidInput extends StewardError {
  constructor(message: string, options?: { path?: string; cause?: unknown }) {
    super('invalid', message, options)
  }
}

/** What was named does not exist, or is not the caller's to see. HTTP 404. */
export class NotFound extends StewardError {
  constructor(message: string, options?: { path?: string; cause?: unknown }) {
    super('not_found', message, options)
  }
}

/** It exists, but its state forbids this: a known id with other content, a system project, an illegal change. HTTP 409. */
export class Conflict extends StewardError {
  constructor(message: string, options?: { path?: string; cause?: unknown; code?: string }) {
    super(options?.code ?? 'conflict', message, options)
  }
}

/** It was there and is over: a stale approval, an answered question. HTTP 410. */
export class Gone extends StewardError {
  constructor(message: string, options?: { path?: string; cause?: unknown }) {
    super('gone', message, options)
  }
}

/** Not allowed for this caller. HTTP 403. */
export class Forbidden extends StewardError {
  constructor(message: string, options?: { path?: string; cause?: unknown }) {
    super('forbidden', message, options)
  }
}

/** Too much at once: try again later. HTTP 429. */
export class Full extends StewardError {
  constructor(message: string, options?: { path?: string; cause?: unknown }) {
    super('full', message, options)
  }
}

/** The store can't take anything now (disk full, database gone). Nothing was changed. HTTP 503. */
export class Unavailable extends StewardError {
  constructor(message: string, options?: { path?: string; cause?: unknown }) {
    super('unavailable', message, options)
  }
}

/** There is no room for it on the disk. Nothing was changed. HTTP 507. */
export class DiskFull extends StewardError {
  constructor(message: string, options?: { path?: string; cause?: unknown }) {
    super('disk_full', message, options)
  }
}

/** More bytes than are allowed. HTTP 413. */
export class TooLarge extends StewardError {
  constructor(message: string, options?: { path?: string; cause?: unknown }) {
    super('too_large', message, options)
  }
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Another process has it open: the hub already runs on that data folder. */
export class AlreadyOpen extends StewardError {
  constructor(message: string, options?: { path?: string; cause?: unknown }) {
    super('already_open', message, options)
  }
}

/** The store's file can't be used as it is: damaged, of a newer program, or a migration failed. The message says what to do. */
export class CannotOpen extends StewardError {
  constructor(
    code: 'damaged' | 'newer_schema' | 'migration_failed' | 'no_database',
    message: string,
    options?: { path?: string; cause?: unknown },
  ) {
    super(code, message, options)
  }
}
