// Choices that look random and are the same again on a replay: numbers from the turn's seed and a name.
import { sha256 } from '../../base/hash.ts'

/** 16 hexadecimal digits. */
export function seedOf(turn: string, say: number): string {
  return sha256(`${turn} ${say}`).slice(0, 16)
}

/** In [0, 1), 32 bits. */
export function randomFrom(seed: string, name: string): number {
  return Number.parseInt(sha256(`${seed} ${name}`).slice(0, 8), 16) / 0x1_0000_0000
}

/** A UUID of version 4 in form, the same again on a replay. */
export function uuidFrom(seed: string, number: number): string {
  const digits = sha256(`${seed} uuid ${number}`)
  const variant = '89ab'[Number.parseInt(digits[16] ?? '0', 16) % 4] ?? '8'
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}
