// What an agent must be allowed for the calls of the hub's tools that its configuration makes: no more than these, and policy is asked at
// each call all the same.
import type { CompiledStep } from './store.ts'

/** By how tools are called: the longest beginning counts. null: it needs nothing. */
const families: readonly (readonly [string, string])[] = [
  ['project_open_folder', 'hub'],
  ['project_archive', 'hub'],
  ['project_', 'projects'],
  ['hub_', 'hub'],
  ['document_', 'documents'],
  ['list_', 'documents'],
  ['tree_', 'documents'],
  ['records_', 'documents'],
  ['scratchpad_', 'scratchpad'],
  ['file_', 'fs'],
  ['process_', 'processes'],
]
const looking: ReadonlySet<string> = new Set(['get', 'find', 'query', 'fields', 'list', 'read', 'versions', 'look', 'search', 'status'])
const named: ReadonlyMap<string, string> = new Map([
  ['web_search', 'web.read'],
  ['web_fetch', 'web.read'],
  ['exec_run', 'exec'],
  ['process_stop', 'processes.stop'],
])

/** Sorted, each once. */
export function pledgeFor(steps: readonly CompiledStep[]): readonly string[] {
  const tools = steps.flatMap((step) => (step.taskId === 'steward.toolcalls' ? step.calls.toolCalls.map((call) => call.tool) : []))
  return [...new Set(tools.flatMap(capabilityOf))].sort()
}

function capabilityOf(tool: string): readonly string[] {
  const own = named.get(tool)
  if (own !== undefined) return [own]
  const family = families.find(([start]) => tool.startsWith(start))?.[1]
  if (family === undefined) return []
  return [`${family}.${looking.has(tool.slice(tool.lastIndexOf('_') + 1)) ? 'read' : 'write'}`]
}
