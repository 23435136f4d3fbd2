// Live news of pipelines for whoever streams: tasks that begin and end, calls, pauses. Never journalled; a turn that runs again tells
// again. Hearers of one process share one set.
import type { ProcessId, TurnId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json.ts'

export type Told = { readonly process: ProcessId; readonly turn: TurnId; readonly type: string; readonly data: JsonObject }

export type Tells = {
  tell(told: Told): void
  /** Hears what that process tells from now on; returns the way to stop. */
  listen(process: ProcessId, hear: (told: Told) => void): () => void
}

export function openTells(): Tells {
  const hearers = new Map<ProcessId, Set<(told: Told) => void>>()
  return {
    tell(told) {
      for (const hear of hearers.get(told.process) ?? []) hear(told)
    },
    listen(process, hear) {
      const all = hearers.get(process) ?? new Set()
      all.add(hear)
      hearers.set(process, all)
      return () => {
        all.delete(hear)
        if (all.size === 0) hearers.delete(process)
      }
    },
  }
}
