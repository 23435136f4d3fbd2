// Taint is ordered and only rises: what was made from several things has the highest of theirs.
import { type Taint, taints } from './decision.ts'

export function isHigher(taint: Taint, than: Taint): boolean {
  return taints.indexOf(taint) > taints.indexOf(than)
}

/** `none` of nothing. */
export function highest(...of: readonly Taint[]): Taint {
  return of.reduce((high, one) => (isHigher(one, high) ? one : high), 'none')
}
