// SIGKILL on a real process over a real file; scripts/torture.ts does it a thousand times.
import { expect, test } from 'vitest'
import { type KillMode, survive } from './kill.ts'

const runs: readonly (readonly [KillMode, number, string])[] = [
  ['work', 26, 'at any moment'],
  ['recovery', 15, 'while it starts'],
  ['wal', 9, 'with a write-ahead log that only grows'],
]

test.each(runs)(
  '[L3] [L5] [S15] killed again and again (%s, %i kills, %s): nothing is lost, no once step happens twice',
  async (mode, kills) => {
    const { problems, ...rest } = await survive({ seed: 7, kills, mode })
    expect(problems).toEqual([])
    expect(rest.kills).toBe(kills)
    expect(rest.acked).toBeGreaterThan(0)
  },
  120_000,
)
