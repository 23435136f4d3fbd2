// What a task of a pipeline works with. The engine makes one scene a turn; tasks that only compute are in the room `pipelines`,
// tasks with effects (calls, models, knowledge) are in tasks/ and do every effect as a step of the turn, named after the task.
import type { Json, JsonObject } from '../../base/json.ts'
import type { Turn } from '../../lanes/engine.ts'
import type { CompiledAgent, CompiledStep } from '../../pipelines/configurations/store.ts'
import type { Memory } from '../../pipelines/conversation.ts'
import type { PropertyScene } from '../../pipelines/properties/properties.ts'
import type { TemplateData } from '../../pipelines/template/template.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { CallRooms } from '../turn/calls.ts'
import type { Guard } from '../turn/guard.ts'
import type { Mind } from '../turn/mind.ts'
import type { Setup } from '../turn/setup.ts'
import type { Voice } from '../turn/voice.ts'
import type { EffectRooms } from './rooms.ts'

export type Scene = {
  readonly turn: Turn
  readonly agent: CompiledAgent
  readonly memory: Memory
  /** Present when the agent has a task that needs tools or a model: read once a turn, and only then. */
  setup(): Promise<Setup>
  readonly mind: Mind
  readonly guard: Guard
  readonly voice: Voice
  /** Response objects by name: templates see them at the top level. `keep`: beyond this step, for the conversation. */
  readonly objects: Map<string, Json>
  keep(name: string): void
  /** Templates over everything that is known now. */
  data(): TemplateData
  render(text: string): string
  /** What property instructions work with; `httpCode` and the rest are set by who calls. */
  propertyScene(more?: { readonly httpCode?: number; readonly isValidationError?: boolean }): PropertyScene
  /** A number in [0, 1) from the turn's recorded seed and that name: the same again on a replay. */
  random(name: string): number
  /** References to secrets ({{secret:x}}, ${vault:x}, ${eddivault:x}) become values: only inside of a step's act, for that host. */
  resolve(text: string, host?: string): Promise<string>
  /** Agents that have a skill, best first, as `capabilityMatch` asks for them. */
  capabilities(skill: string, strategy: string): readonly string[]
  readonly tags: readonly string[]
  /** Work that came in while a task waited for a person: it is heard after this say. */
  heard(entries: readonly Entry[]): void
  /** Carries out what the task asked for and could not do itself; the engine calls it after each task. */
  settle(): Promise<void>
  /** Told to whoever streams: task_start, task_complete and the like come from the engine, `tool_call` and others from tasks. */
  tell(type: string, data: JsonObject): void
}

/** Throws TaskFailed; the engine then ends the turn with a clear error, and the conversation goes on. */
export type Task<Id extends CompiledStep['taskId']> = (scene: Scene, step: Extract<CompiledStep, { readonly taskId: Id }>) => Promise<void>

/** `message` is a sentence that names what failed, for the person. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed'
}

export type TaskRooms = CallRooms & EffectRooms
