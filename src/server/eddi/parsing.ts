// What the parser's call needs beside the parser: its dictionaries, and its findings as text.
import type { Dictionary, ParserConfig } from '../../pipelines/configuration.ts'
import { wholeRefIn } from '../../pipelines/configurations/uri.ts'
import { expressionsText } from '../../pipelines/expressions/expressions.ts'
import type { Solution } from '../../pipelines/parser/parser.ts'
import { type EddiCall, placeOf } from './route.ts'

/** By the URI that the parser names them by. */
export async function dictionariesOf({ hub, caller }: EddiCall, { extensions }: ParserConfig): Promise<ReadonlyMap<string, Dictionary>> {
  const found = new Map<string, Dictionary>()
  for (const { config } of extensions.dictionaries) {
    const { uri } = config
    if (typeof uri !== 'string') continue
    const { id, version } = wholeRefIn(uri, 'extensions/dictionaries')
    const stored = await hub.pipelines.configurations.read({ kind: 'dictionary', id, version }, placeOf(caller))
    if (stored) found.set(uri, stored.value)
  }
  return found
}

export function expressionsOf(solution: Solution): string {
  return expressionsText(solution.flatMap(({ reading }) => reading.flatMap(({ expressions }) => expressions)))
}
