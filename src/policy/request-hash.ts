// What an approval is bound to: the tool, its arguments, and the plan that was shown, with what that was made from.
import { sha256 } from '../base/hash.ts'
import { canonical, type JsonObject } from '../base/json.ts'
import type { Plan } from './decision.ts'

/** The same call over the same things has the same hash; anything else makes the approval stale. */
export function requestHash(plan: Plan, input: JsonObject): string {
  return sha256(canonical({ plan, input }))
}
