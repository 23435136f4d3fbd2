// What comes from outside may be nested; everything that walks it does so by descent, so it is bounded here.
import { InvalidInput } from '../../base/errors.ts'

/** Lists and objects within each other. A condition within another one is two of them. */
export const mostDepth = 200

/** Throws InvalidInput. Not by descent itself. */
export function refuseDeep(value: unknown): void {
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }]
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    if (typeof one.value !== 'object' || one.value === null) continue
    if (one.depth > mostDepth) throw new InvalidInput(`it is nested too deep: allowed are ${mostDepth} levels`, { path: '/' })
    for (const inner of Object.values(one.value)) if (typeof inner === 'object') waiting.push({ value: inner, depth: one.depth + 1 })
  }
}
