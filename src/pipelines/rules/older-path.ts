// Two forms of paths that agents older than the path language still have: the length of a text, and whether two values are equal.
import type { Json } from '../../base/json.ts'
import { sizeOf, valueAt } from '../paths/paths.ts'

/**
 * The value at a path. Where there is none: `a != b` and `a == b` (blanks around the sign) compare two paths by their texts, and
 * `a.length` is how many characters or members there are.
 */
export function lookUp(path: string, data: Json): Json | undefined {
  const found = valueAt(path, data)
  if (found !== undefined) return found
  const compared = /^(\S+) (==|!=) (\S+)$/.exec(path.trim())
  if (compared) return (textAt(compared[1] ?? '', data) === textAt(compared[3] ?? '', data)) === (compared[2] === '==')
  const counted = path.trim().endsWith('.length') ? valueAt(path.trim().slice(0, -'.length'.length), data) : undefined
  if (counted === undefined) return undefined
  return typeof counted === 'string' ? counted.length : sizeOf(counted)
}

function textAt(path: string, data: Json): string {
  const value = valueAt(path, data) ?? null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
