// The fuzz is worth what it catches: each of these bugs must fail it.
import { expect, test } from 'vitest'
import { hunt, mutations } from './mutations.ts'

test.each(mutations.filter((mutation) => !mutation.isRare).map((mutation) => [mutation.trap, mutation.bug, mutation] as const))(
  '[L3] the bug of %s is caught: %s',
  async (_trap, _bug, mutation) => {
    expect(await hunt(mutation, 500)).toMatchObject({ caught: true })
  },
  90_000,
)
