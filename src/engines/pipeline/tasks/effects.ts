// Tasks with effects, by their ids.
import type { EffectTasks } from '../run-tasks.ts'
import type { TaskRooms } from '../scene.ts'
import { httpCallsTask } from './http-calls.ts'
import { llmTask } from './llm-task.ts'
import { mcpCallsTask } from './mcp-calls.ts'
import { ragTask } from './rag-knowledge.ts'
import { toolCallsTask } from './tool-calls.ts'

export function effectTasks(rooms: TaskRooms): EffectTasks {
  return {
    'ai.labs.httpcalls': httpCallsTask(rooms),
    'ai.labs.mcpcalls': mcpCallsTask(rooms),
    'steward.toolcalls': toolCallsTask(rooms),
    'ai.labs.llm': llmTask(rooms),
    'ai.labs.rag': ragTask(),
  }
}
