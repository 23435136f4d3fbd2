// A chain at work: what it was asked, who plays, what was handed over so far.
import type { Agents } from '../../agents/agents.ts'
import type { JournalStore } from '../../journal/journal-store.ts'
import type { Turn } from '../../lanes/engine.ts'
import type { Price } from '../../models/catalogue.ts'
import type { Tier } from '../../models/message.ts'
import type { Budgets } from '../../policy/budget.ts'
import type { Taints } from '../../policy/policy.ts'
import type { Entry } from '../../protocol/entry.ts'
import type { Routing } from '../../routing/routing.ts'
import type { Settings } from '../../scopes/scopes.ts'
import type { Seen } from '../../work/envelope/verify.ts'
import type { Mind, Minds } from '../turn/mind.ts'
import type { WorkerRooms } from '../turn/route-worker.ts'
import type { Setup, SetupRooms } from '../turn/setup.ts'
import type { Voice } from '../turn/voice.ts'
import type { Cast } from './cast.ts'
import type { EdgeRooms } from './edges.ts'
import type { Folder, KeepRooms, Kept } from './keeping.ts'
import type { Cost } from './ledger.ts'
import type { Memory } from './memory.ts'
import type { Plan, PlannedStep } from './order.ts'
import type { Runs } from './runs.ts'

export type ChainRooms = SetupRooms &
  WorkerRooms &
  KeepRooms &
  EdgeRooms & {
    readonly agents: Pick<Agents, 'find' | 'at' | 'roster'>
    readonly minds: Minds
    readonly runs: Runs
    /** Absent: only a route that came along is followed. */
    readonly routing?: Pick<Routing, 'route'>
    readonly memory: Memory
    /** What is brought back carries its taint, and so do copies. */
    readonly taint: Pick<Taints, 'writing' | 'ofPaths'>
    /** Of a million tokens; null: the model of that tier has no price. */
    readonly priceOf: (tier: Tier) => Price | null
    readonly settings: Pick<Settings, 'get' | 'getForUser'>
    /** Absent: there are no budgets. */
    readonly budgets?: Pick<Budgets, 'list'>
    /** What a worker spent and changed is read from its lane. */
    readonly events: Pick<JournalStore, 'readLane' | 'body'>
  }

export type Scene = {
  readonly rooms: ChainRooms
  readonly turn: Turn
  readonly setup: Setup
  readonly mind: Mind
  readonly voice: Voice
  readonly order: string
  readonly plan: Plan
  readonly steps: readonly PlannedStep[]
  readonly cast: Cast
  readonly folder: Folder
  /** Work that the turn took, the words that came in meanwhile included. */
  readonly entries: Entry[]
  readonly heard: string[]
  /** Artifacts that count, in the order in which they were made. */
  readonly kept: Kept[]
  /** Of all that was ever handed over in it. */
  readonly messages: Seen[]
  /** What became of each step, for the end. */
  readonly told: Told[]
  /** It alone may change the project's folders. */
  hasClaim: boolean
}

/** What became of one part of a step. */
export type Told = {
  readonly step: number
  readonly title: string
  readonly gist: string
  readonly path: string | null
  readonly cost: Cost
  readonly ok: boolean
}
