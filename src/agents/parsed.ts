// Agent files that were read before, so that the same file is not read again for each process that sees it.
import { type AgentFile, type ParsedAgent, parseAgent } from './agent.ts'

export type ParsedFiles = {
  /** As parseAgent does; from memory for a text that was read at that place before. */
  parse(file: AgentFile): ParsedAgent
  /** The same for the same text at the same place and version, and for nothing else. */
  idOf(file: AgentFile): number
}

type Kept = ParsedAgent & { readonly text: string; readonly version: number; readonly id: number }
const mostKept = 5_000

export function openParsed(): ParsedFiles {
  const kept = new Map<string, Kept>()
  let made = 0
  function keptOf(file: AgentFile): Kept {
    const { level, scope, path, text, version } = file
    const key = JSON.stringify([level, scope, path])
    const present = kept.get(key)
    if (present?.version === version && present.text === text) return present
    if (kept.size >= mostKept) kept.clear()
    const fresh = { ...parseAgent(file), text, version, id: ++made }
    kept.set(key, fresh)
    return fresh
  }
  return { parse: keptOf, idOf: (file) => keptOf(file).id }
}
