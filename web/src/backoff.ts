// When to try again. Pure: randomness is an argument.

const FIRST_MS = 500
const MOST_MS = 30_000

/** Milliseconds before try number `tries` (from 1): doubling up to half a minute, spread over its upper half by `random` (0 to 1). */
export function waitBefore(tries: number, random: number): number {
  const most = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(tries - 1, 16))
  return Math.round(most / 2 + (most / 2) * random)
}
