// What one turn of a pipeline stands on: its agent, what was before, and the ways to keep facts and to speak.
import type { Turn } from '../../lanes/engine.ts'
import type { CompiledAgent } from '../../pipelines/configurations/store.ts'
import type { StepAttachment } from '../../pipelines/conversation.ts'
import type { Agent, Fact, Remembered } from '../../pipelines/conversations/conversations.ts'
import type { Memories } from '../../pipelines/memories/memories.ts'
import type { Templates } from '../../pipelines/template/template.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { Attachment } from '../../protocol/message.ts'
import type { ScopeRef } from '../../scopes/scopes.ts'
import type { Guard } from '../turn/guard.ts'
import type { Mind, Minds } from '../turn/mind.ts'
import type { Routes } from '../turn/route.ts'
import type { Setup, SetupRooms } from '../turn/setup.ts'
import type { Voice } from '../turn/voice.ts'
import type { EffectRooms } from './rooms.ts'
import type { EffectTasks } from './run-tasks.ts'
import type { Tells } from './tells.ts'

export type StageRooms = Pick<EffectRooms, 'secrets'> &
  Omit<SetupRooms, 'minds'> & {
    readonly minds: Minds
    readonly tells: Tells
    readonly effects: EffectTasks
    /** Absent: all work is for the pipeline. */
    readonly routes?: Routes
    readonly templates: Templates
    /** Absent: nothing is remembered beyond a conversation. */
    readonly memories?: Pick<Memories, 'visible' | 'put'>
    /** Who has which skill, the best first. */
    readonly skills?: (scope: ScopeRef) => Promise<readonly { readonly agent: string; readonly skills: readonly string[] }[]>
    /** The type of an attachment is found by its bytes, once, when it is given. Absent: there are none. */
    readonly attachments?: (given: readonly Attachment[], user: string) => Promise<readonly StepAttachment[]>
    /** Global variables, as `{vars.key}` shows them. */
    readonly vars?: (user: string) => Promise<Readonly<Record<string, string>>>
  }

export type Stage = {
  readonly rooms: StageRooms
  readonly turn: Turn
  readonly agent: Agent
  readonly compiled: CompiledAgent
  readonly voice: Voice
  /** With what this turn has made so far. */
  readonly remembered: Remembered
  /** How many facts this turn has noted: the names of its parts are counted by it. */
  readonly facts: number
  keep(fact: Fact): Promise<void>
  /** Work that came in while a task waited for a person. */
  readonly waiting: Entry[]
  /** Read at the first use of the turn, and recorded. */
  setup(): Promise<Setup>
  mind(): Mind
  readonly guard: Guard
}
