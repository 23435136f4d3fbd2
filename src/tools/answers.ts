// Answers that may be given again: the same call of the same session, with the same on its mind, within the tool's own time.
import type { Clock } from '../base/clock.ts'
import { sha256 } from '../base/hash.ts'
import { canonical } from '../base/json.ts'
import type { Call, Tool, ToolContext, ToolResult } from './tool.ts'

export type Answers = {
  get(tool: Tool, call: Call, context: ToolContext): ToolResult | null
  keep(tool: Tool, call: Call, given: { readonly context: ToolContext; readonly result: ToolResult }): void
  /** What a session did may have made its answers old. */
  forget(session: string): void
}

const mostKept = 500

export function openAnswers({ now }: Pick<Clock, 'now'>): Answers {
  const kept = new Map<string, { readonly result: ToolResult; readonly until: number; readonly session: string }>()
  return {
    get(tool, call, context) {
      if (!isKept(tool)) return null
      const found = kept.get(keyOf(call, context))
      return found && found.until > now() ? found.result : null
    },
    keep(tool, call, { context, result }) {
      if (!isKept(tool) || !result.ok) return
      const key = keyOf(call, context)
      kept.delete(key)
      kept.set(key, { result, until: now() + (tool.cacheMs ?? 0), session: context.process.session })
      for (const oldest of kept.keys()) {
        if (kept.size <= mostKept) break
        kept.delete(oldest)
      }
    },
    forget(session) {
      for (const [key, one] of kept) if (one.session === session) kept.delete(key)
    },
  }
}

function isKept({ cacheMs, effect }: Tool): boolean {
  return effect === 'replayable' && (cacheMs ?? 0) > 0
}

/** All that an answer may depend on. */
function keyOf({ name, input }: Call, { process, taint, agent, roots }: ToolContext): string {
  const { session, id, user, project } = process
  return sha256(canonical({ name, input, session, id, user, project, taint, agent, roots }))
}
