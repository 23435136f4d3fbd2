// The parts that schemas of configurations are made of. Missing members get their defaults. Unknown ones are passed over here: read.ts
// finds them by what a schema gave back, so that one schema serves strict and lenient reading.
import { z } from 'zod'
import type { JsonObject } from '../../../base/json.ts'

/** Older files write numbers and truths as texts. */
const numeral = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/, 'a number is wanted')
  .transform(Number)
export const number = z.union([z.number(), numeral])
export const whole = number.pipe(z.int('a whole number is wanted'))
export const count = whole.pipe(z.int().min(0, 'allowed is 0 or more'))
export const truth = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
/** At most 1 MB, like any document. */
export const text = z.string().max(1_000_000)
/** What stands where a text is wanted and is a number or a truth. */
export const plain = z.union([text, z.number().transform(String), z.boolean().transform(String)])
export const texts = z.array(text).max(10_000)
export const names = z.record(z.string(), plain)
export const json = z.json()
export const object: z.ZodType<JsonObject> = z.record(z.string(), z.json())

/** Of an enumeration, whatever its case. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  const find = (given: string) => words.find((word) => word.toLowerCase() === given.toLowerCase()) ?? given
  return z.string().transform(find).pipe(z.enum(words))
}
