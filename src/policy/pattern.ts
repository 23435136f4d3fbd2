// Patterns over targets: the target itself; `<prefix>/**` for a folder or an origin and all below it; `<words> **` for a command with
// any further arguments; `*` for everything. `=` before a target takes it literally, whatever it ends with.
import { InvalidInput } from '../base/errors.ts'

const longest = 20_000

export type Pattern =
  | { readonly kind: 'all' }
  | { readonly kind: 'exact'; readonly text: string }
  /** `text` without the boundary. */
  | { readonly kind: 'below'; readonly text: string; readonly boundary: '/' | ' ' }

/** Throws InvalidInput for what is no pattern; `path` names the field. */
export function checkPattern(text: string, path: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 77)}...` : text
  if (text.trim() === '' || text.length > longest) {
    throw new InvalidInput(`A pattern has 1 to ${longest} characters.`, { path })
  }
  const { kind, text: inner = '' } = { text: undefined, ...parsePattern(text) }
  if (kind === 'all' || text.startsWith('=') || !inner.includes('*')) return text
  const allowed = 'a target itself, a prefix that ends in "/**" or " **", or "*"; "=" before a target takes a * in it literally'
  throw new InvalidInput(`The pattern "${shown}" is not possible: allowed are ${allowed}.`, { path })
}

export function parsePattern(text: string): Pattern {
  if (text === '*') return { kind: 'all' }
  if (text.startsWith('=')) return { kind: 'exact', text: text.slice(1) }
  // `/**` alone is the whole disk.
  if (text.endsWith('/**')) return { kind: 'below', text: text.slice(0, -3), boundary: '/' }
  if (text.endsWith(' **') && text.length > 3) return { kind: 'below', text: text.slice(0, -3), boundary: ' ' }
  return { kind: 'exact', text }
}

/** The pattern that means this target and nothing else. */
export function exactly(target: string): string {
  return target === '*' || target.startsWith('=') || target.endsWith('/**') || target.endsWith(' **') ? `=${target}` : target
}

export function matches(pattern: Pattern, target: string): boolean {
  if (pattern.kind === 'all') return true
  if (pattern.kind === 'exact') return pattern.text === target
  if (!target.startsWith(pattern.text)) return false
  if (pattern.boundary === ' ') return target.length === pattern.text.length || target[pattern.text.length] === ' '
  return isBoundary(target, pattern.text.length) && !climbs(target)
}

/** Whether everything that `inner` matches is matched by `outer` too. */
export function isWithin(inner: Pattern, outer: Pattern): boolean {
  if (outer.kind === 'all') return true
  if (inner.kind === 'all') return false
  if (inner.kind === 'exact') return matches(outer, inner.text)
  if (outer.kind === 'exact' || inner.boundary !== outer.boundary) return false
  return inner.text === outer.text || inner.text.startsWith(outer.text + outer.boundary)
}

/** How much a pattern says: more is more specific. A literal target is more specific than any prefix. */
export function specificityOf(pattern: Pattern): number {
  if (pattern.kind === 'all') return 0
  return pattern.kind === 'exact' ? longest + 1 + pattern.text.length : 1 + pattern.text.length
}

/** Below a folder, or a whole origin: at its end, or where the path, the query or the fragment starts. */
function isBoundary(target: string, at: number): boolean {
  const next = target[at]
  return next === undefined || next === '/' || ((next === '?' || next === '#') && target.includes('://'))
}

/** Targets are canonical; one that is not must not slip out of a prefix. */
function climbs(target: string): boolean {
  return /(^|[/\\])(\.|%2e){1,2}([/\\?#]|$)/i.test(target)
}
