// Errors on the wire: application/problem+json (RFC 9457). The one place where an error becomes a status.
import {
  Conflict,
  DiskFull,
  Forbidden,
  Full,
  Gone,
  InvalidInput,
  messageOf,
  NotFound,
  StewardError,
  TooLarge,
  Unavailable,
} from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Problem } from '../protocol/api.ts'

/** A refusal that is about HTTP itself and has no class in base/errors.ts. */
export class HttpProblem extends StewardError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  constructor(status: number, code: string, message: string, options?: { path?: string; headers?: Record<string, string> }) {
    super(code, message, options)
    this.status = status
    this.headers = options?.headers ?? {}
  }
}

const titles: Readonly<Record<number, string>> = {
  400: 'The request is wrong',
  401: 'Not logged in',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'Too large',
  415: 'Wrong content type',
  422: 'Key used for another request',
  429: 'Too much at once',
  500: 'Something broke in the hub',
  503: 'Not available now',
  507: 'The disk is full',
}

export type Told = { readonly problem: Problem; readonly headers: Readonly<Record<string, string>> }

/** What a caller is told of anything thrown. Bugs are logged with their stack under the id that the caller gets. */
export function tell(thrown: unknown, told: { readonly log: Log; readonly id: string; readonly where: string }): Told {
  const status = statusOf(thrown)
  const known = thrown instanceof StewardError ? thrown : null
  const detail = known ? known.message : 'The hub could not do this. The log has the reason under this id.'
  if (status >= 500) told.log('error', 'a request failed', failure(thrown, told))
  const problem: Problem = {
    type: 'about:blank',
    title: titles[status] ?? 'Refused',
    status,
    detail,
    code: known?.code ?? 'internal',
    ...(known?.path === undefined ? {} : { path: known.path }),
    ...(status >= 500 ? { id: told.id } : {}),
  }
  return { problem, headers: headersOf(thrown, status) }
}

export function statusOf(thrown: unknown): number {
  if (thrown instanceof HttpProblem) return thrown.status
  if (thrown instanceof InvalidInput) return 400
  if (thrown instanceof NotFound) return 404
  if (thrown instanceof Conflict) return 409
  if (thrown instanceof Gone) return 410
  if (thrown instanceof Forbidden) return 403
  if (thrown instanceof Full) return 429
  if (thrown instanceof Unavailable) return 503
  if (thrown instanceof TooLarge) return 413
  if (thrown instanceof DiskFull) return 507
  return 500
}

function failure(thrown: unknown, told: { readonly id: string; readonly where: string }) {
  const stack = thrown instanceof Error ? thrown.stack : undefined
  return { id: told.id, where: told.where, error: messageOf(thrown), stack }
}

function headersOf(thrown: unknown, status: number): Readonly<Record<string, string>> {
  const own = thrown instanceof HttpProblem ? thrown.headers : thrown instanceof TooLarge ? { Connection: 'close' } : {}
  return status === 429 || status === 503 ? { 'Retry-After': '1', ...own } : own
}
