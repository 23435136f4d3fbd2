// What ties an envelope to its bytes: a digest, or a digest that only the holder of a key can make.
import { createHmac, hash, timingSafeEqual } from 'node:crypto'

export type Key = string | Uint8Array

/** A key shorter than this is none. */
export const shortestKey = 32

export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

export function macOf(bytes: Uint8Array, key: Key): string {
  return createHmac('sha256', key).update(bytes).digest('hex')
}

export function isLongEnough(key: Key | null | undefined): key is Key {
  return key !== null && key !== undefined && Buffer.byteLength(key) >= shortestKey
}

/** Takes the same time wherever the two differ. */
export function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
