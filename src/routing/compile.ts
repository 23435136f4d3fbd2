// A table made ready: what is slow is done once, here.
import { compileTable } from './compiled.ts'
import type { Cortex } from './cortex.ts'
import { decide } from './decide.ts'
import { prepare } from './prepared.ts'
import { strict } from './strict.ts'
import type { RoutingTable } from './table.ts'

/** Linear in the table. What comes back keeps nothing between two calls. */
export function compileCortex(table: RoutingTable): Cortex {
  const compiled = compileTable(table)
  const prepared = prepare(table)
  return {
    table,
    strict: (text, context = {}, options = {}) => strict(compiled, text, { context, options }),
    decide: (text, context = {}) => decide(prepared, text, context),
  }
}
