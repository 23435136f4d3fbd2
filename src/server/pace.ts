// How often somebody may ask, by who it is.
import { type Caller, isLoopback } from './caller.ts'
import type { Hub } from './hub.ts'
import { HttpProblem } from './problem.ts'

/** Counts one request. `caller` null: somebody unknown, counted by address. Throws HttpProblem 429 with Retry-After. */
export function keepPace(hub: Hub, caller: Caller | null, remote: string | null): void {
  const perSecond = rateOf(hub, caller, remote)
  const waitMs = hub.rate.take(caller ? `${caller.via} ${caller.credential ?? caller.user.name}` : `address ${remote ?? ''}`, perSecond)
  if (waitMs === 0) return
  const seconds = String(Math.ceil(waitMs / 1000))
  throw new HttpProblem(429, 'too_fast', `more than ${perSecond} requests a second`, { headers: { 'Retry-After': seconds } })
}

/** Programs of this machine that are not known yet look at health often, and share one address. */
function rateOf({ limits }: Hub, caller: Caller | null, remote: string | null): number {
  if (!caller) return isLoopback(remote) ? limits.strangerRate * 20 : limits.strangerRate
  return caller.via === 'token' ? limits.tokenRate : limits.ownerRate
}
