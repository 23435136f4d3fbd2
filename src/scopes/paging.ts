// Pages of lists: how long one may be, over HTTP and inside.
import { InvalidInput } from '../base/errors.ts'
import { maxLimit } from '../protocol/api.ts'
import { quote } from './names.ts'
import type { Paging } from './scopes.ts'

/** Throws InvalidInput for a limit outside 1 to 500. */
export function checkPaging({ after, limit }: Paging): Paging {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new InvalidInput(`The limit ${quote(limit)} is not possible: allowed are 1 to ${maxLimit}.`, { path: '/limit' })
  }
  return after === undefined ? { limit } : { after, limit }
}
