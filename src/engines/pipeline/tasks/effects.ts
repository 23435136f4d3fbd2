// Tasks with effects, by their ids.
import type { EffectTasks } from '../run-tasks.ts'
import { TaskFailed, type TaskRooms } from '../scene.ts'
import { httpCallsTask } from './http-calls.ts'
import { mcpCallsTask } from './mcp-calls.ts'
import { toolCallsTask } from './tool-calls.ts'

export function effectTasks(rooms: TaskRooms): EffectTasks {
  return {
    'ai.labs.httpcalls': httpCallsTask(rooms),
    'ai.labs.mcpcalls': mcpCallsTask(rooms),
    'steward.toolcalls': toolCallsTask(rooms),
    'ai.labs.llm': async () => {
      throw new TaskFailed('the model task is being built')
    },
    'ai.labs.rag': async () => {},
  }
}
