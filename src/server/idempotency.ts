// Idempotency-Key: the same key with the same request gets the same answer, without being done again; with another request it is
// refused. Kept in memory, bounded; what must be durable has its own key (a message's id).
import { createHash } from 'node:crypto'
import { InvalidInput } from '../base/errors.ts'
import { HttpProblem } from './problem.ts'

export type Remembered<T> = {
  /** Runs `act` unless that key was used; throws when it was used for another request. A throw or `forget` frees the key. */
  once(key: string, request: string, act: () => Promise<T>): Promise<T>
}

const keyPattern = /^[\x21-\x7e][\x20-\x7e]{0,254}$/

/** The header's value; null when there is none. Throws InvalidInput for what is no key. */
export function keyOf(header: string | null): string | null {
  if (header === null) return null
  if (keyPattern.test(header)) return header
  throw new InvalidInput('Idempotency-Key must be 1 to 255 printable ASCII characters', { path: 'Idempotency-Key' })
}

/** `keep`: whether an answer is worth keeping (not when trying again may help). */
export function remember<T>(options: { readonly most: number; readonly keep: (answer: T) => boolean }): Remembered<T> {
  const kept = new Map<string, { readonly request: string; readonly answer: Promise<T> }>()
  return {
    async once(key, request, act) {
      const hash = createHash('sha256').update(request).digest('base64')
      const before = kept.get(key)
      if (before !== undefined) {
        if (before.request === hash) return before.answer
        throw new HttpProblem(422, 'key_reused', 'this Idempotency-Key was used for another request')
      }
      const answer = act()
      kept.set(key, { request: hash, answer })
      forgetOldest(kept, options.most)
      const isWorth = await answer.then(options.keep, () => false)
      if (!isWorth) kept.delete(key)
      return answer
    },
  }
}

function forgetOldest(kept: Map<string, unknown>, most: number): void {
  if (kept.size <= most) return
  const oldest = kept.keys().next()
  if (!oldest.done) kept.delete(oldest.value)
}
