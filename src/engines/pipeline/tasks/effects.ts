// Tasks with effects, by their ids.
import type { EffectTasks } from '../run-tasks.ts'
import { TaskFailed, type TaskRooms } from '../scene.ts'
import { httpCallsTask } from './http-calls.ts'
import { llmTask } from './llm-task.ts'
import { mcpCallsTask } from './mcp-calls.ts'
import { toolCallsTask } from './tool-calls.ts'

export function effectTasks(rooms: TaskRooms): EffectTasks {
  return {
    'ai.labs.httpcalls': httpCallsTask(rooms),
    'ai.labs.mcpcalls': mcpCallsTask(rooms),
    'steward.toolcalls': toolCallsTask(rooms),
    'ai.labs.llm': llmTask(rooms),
    // Knowledge is refused when an agent is deployed (pipelines/configurations/checks.ts); a step that is there all the same says so.
    'ai.labs.rag': async (_scene, { at }) => {
      throw new TaskFailed(`${at}: knowledge bases are not supported`)
    },
  }
}
