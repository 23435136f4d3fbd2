// Versions of the wire. Each envelope is judged by the version that it declares: a newer rule never tightens an older envelope.

export const wireLines = ['1.0', '1.1', '1.2', '2.0', '2.1'] as const
export type WireLine = (typeof wireLines)[number]

/** The line of a version such as 2.0 or 2.0.4; null for any other. */
export function lineOf(version: unknown): WireLine | null {
  if (typeof version !== 'string' || !/^\d\.\d(\.\d{1,9})?$/.test(version)) return null
  return wireLines.find((line) => line === version.slice(0, 3)) ?? null
}

/** What a receiver speaks: one of 1.x knows no 2.x, one of 2.x takes all five. */
export type Target = 1 | 2

/** Of a text such as 1, 1.2, 2.0 or 2.1; null for what is none. */
export function targetOf(text: string): Target | null {
  const major = /^([12])(\.\d{1,9}){0,2}$/.exec(text)?.[1]
  if (major === undefined) return null
  return major === '1' ? 1 : 2
}

export function isTaken(line: WireLine, target: Target): boolean {
  return target === 2 || isFirst(line)
}

export function isFirst(line: WireLine): boolean {
  return line.startsWith('1.')
}

/** From 2.0 on an envelope may say what its sender vouches for (`ise`). */
export function hasIse(line: WireLine): boolean {
  return !isFirst(line)
}
