// SIGKILL on the real program in the middle of main jobs; scripts/torture.ts does it more often.
import { expect, test } from 'vitest'
import { survive } from './survive.ts'

test('[E1, E2, E6, L5, K1] killed again and again while several jobs run at once: project, file, command, yes and report, each once', async () => {
  const { problems, ...rest } = await survive({ seed: 2, kills: 5 })
  expect(problems).toEqual([])
  expect(rest.kills).toBe(5)
  expect(rest.jobs).toBeGreaterThan(0)
}, 120_000)
