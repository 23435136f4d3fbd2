// Wrong tries in a window of time: a pause for everyone who guesses.

export type Attempts = {
  add(now: number): void
  /** Milliseconds until the next try is allowed; 0 when it is. */
  blockedFor(now: number): number
}

/** At most `most` wrong tries within `windowMs`. */
export function attempts(most: number, windowMs: number): Attempts {
  let times: number[] = []
  const recent = (now: number) => {
    times = times.filter((at) => at > now - windowMs)
    return times
  }
  return {
    add(now) {
      recent(now).push(now)
    },
    blockedFor(now) {
      const oldest = recent(now).at(-most)
      return oldest === undefined ? 0 : oldest + windowMs - now
    },
  }
}
