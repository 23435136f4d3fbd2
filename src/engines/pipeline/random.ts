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
