// EDDI's recorded facts about types of files.

import { expect, test } from 'vitest'
import { z } from 'zod'
import { compatible, detect, normalise } from '../../src/scopes/attachments/mime.ts'
import { describeShared } from '../shared.ts'

const row = z.discriminatedUnion('kind', [
  z.object({ id: z.string(), kind: z.literal('detect'), hex: z.string(), expected: z.string() }),
  z.object({
    id: z.string(),
    kind: z.literal('compatible'),
    declared: z.string().nullable(),
    detected: z.string().nullable(),
    expected: z.boolean(),
  }),
  z.object({ id: z.string(), kind: z.literal('normalize'), input: z.string().nullable(), expected: z.string() }),
])

describeShared("[Y211] EDDI's types of files", 'eddi/mime.json', ({ rows }) => {
  test('there are cases of each kind', () => {
    expect(new Set(rows.map((one) => row.parse(one).kind)).size).toBe(3)
  })
  test.each(rows.map((one) => row.parse(one)))('[Y211] $id $kind', (one) => {
    if (one.kind === 'detect') expect(detect(Buffer.from(one.hex, 'hex'))).toBe(one.expected)
    if (one.kind === 'compatible') expect(compatible(one.declared, one.detected)).toBe(one.expected)
    if (one.kind === 'normalize') expect(normalise(one.input)).toBe(one.expected)
  })
})
