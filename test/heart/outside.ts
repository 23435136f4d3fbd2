// The outside world of a fuzz run: what really happened, kept where no crash reaches it.
import { seeded } from '../../src/base/testing.ts'

/** One effect that reached the world. `durable` is the newest cursor that was committed at that moment. */
export type Effect = {
  readonly key: string
  readonly kind: 'replayable' | 'idempotent' | 'once'
  readonly attempt: number
  readonly input: string
  readonly nonce: number
  readonly life: number
  readonly durable: number
}
/** What an engine was given under a name in one run; `acted`: its own act ran in that run; `begun`: what was durable when it began. */
export type Sight = {
  readonly turn: string
  readonly name: string
  readonly value: string
  readonly acted: boolean
  readonly begun: number
}

export type Random = ReturnType<typeof seeded>

export type Outside = {
  readonly random: Random
  readonly effects: Effect[]
  /** Enters an effect into the book. */
  note(effect: Effect): void
  readonly sights: Sight[]
  readonly problems: string[]
  /** Everything calms down: nothing hangs, throws or gets lost any more. */
  calm: boolean
  durable: number
  nonces: number
  readonly hung: Set<() => void>
}

export function outside(seed: number): Outside {
  const effects: Effect[] = []
  return {
    random: seeded(seed),
    effects,
    note: (effect) => void effects.push(effect),
    sights: [],
    problems: [],
    calm: false,
    durable: 0,
    nonces: 0,
    hung: new Set(),
  }
}

export const never = <T>(): Promise<T> => new Promise<T>(() => {})
export const tick = (): Promise<void> => new Promise((go) => setImmediate(go))

/** A few turns of the event loop. */
export async function ticks(most: number, random: Random): Promise<void> {
  for (let left = random.int(most + 1); left > 0; left--) await tick()
}

/** An act that nothing ends but calm. */
export function hang(world: Outside): Promise<void> {
  if (world.calm) return Promise.resolve()
  return new Promise((go) => void world.hung.add(go))
}

export function calmDown(world: Outside): void {
  world.calm = true
  for (const go of world.hung) go()
  world.hung.clear()
}

export function digest(...parts: readonly string[]): string {
  let h = 0x811c9dc5
  for (const part of parts) for (let i = 0; i < part.length; i++) h = Math.imul(h ^ part.charCodeAt(i), 0x01000193) >>> 0
  return h.toString(36)
}
