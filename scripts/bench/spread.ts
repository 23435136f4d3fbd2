// How measured times are spread.

/** Of nothing: zeros. */
export type Spread = { readonly count: number; readonly p50: number; readonly p99: number; readonly max: number }

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

export function median(values: readonly number[]): number {
  return spreadOf(values).p50
}
