// Secrets that are given out once and kept as a hash. 160 random bits: no guessing, so an unsalted fast hash is enough.
import { hash } from 'node:crypto'

export type RandomBytes = (count: number) => Uint8Array

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** `prefix` and 32 characters of Crockford's base 32. */
export function newSecret(random: RandomBytes, prefix: string): string {
  let out = prefix
  for (const byte of random(32)) out += alphabet[byte & 31]
  return out
}

/** sha256 in hex. Looking up by it takes the same time for every wrong secret: what an attacker varies is not what is compared. */
export function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex')
}
