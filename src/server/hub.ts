// What the server needs of the other rooms, and its limits.
import type { Agents } from '../agents/agents.ts'
import type { AgentImports } from '../agents/import/import.ts'
import type { Attention } from '../attention/attention.ts'
import type { Clock } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Context } from '../context/context.ts'
import type { Tells } from '../engines/pipeline/tells.ts'
import type { Journal } from '../journal/journal.ts'
import type { Lanes } from '../lanes/lanes.ts'
import type { Models } from '../models/models.ts'
import type { People } from '../people/people.ts'
import type { Knowledge } from '../pipelines/knowledge/knowledge.ts'
import type { PipelinesRoom } from '../pipelines/open-pipelines.ts'
import type { OpenTransfer } from '../pipelines/transfer/open-transfer.ts'
import type { Budgets } from '../policy/budget.ts'
import type { Policy } from '../policy/policy.ts'
import type { AgentListing, ConfigItem, Finding } from '../protocol/api.ts'
import type { Routing } from '../routing/routing.ts'
import type { Attachments } from '../scopes/attachments/attachments.ts'
import type { RootRules } from '../scopes/root-folder.ts'
import type { ScopeRef, Scopes } from '../scopes/scopes.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Work } from '../work/work.ts'
import type { Credentials } from './credentials.ts'
import type { OwnDoor } from './eddi/own-calls.ts'
import type { Feed } from './feed.ts'
import type { Rate } from './rate.ts'

/** Pipelines as the outside sees them: what is kept and deployed, and how agents come and go. */
export type PipelineDesk = Pick<PipelinesRoom, 'configurations' | 'deployments' | 'conversations' | 'memories' | 'vars'> &
  OpenTransfer & {
    readonly knowledge: Omit<Knowledge, 'resume' | 'close'>
    readonly tells: Pick<Tells, 'listen'>
    readonly own: OwnDoor
  }

export type Rooms = {
  readonly people: People
  readonly scopes: Scopes
  readonly attachments: Attachments
  readonly attention: Attention
  readonly policy: Pick<Policy, 'approvals' | 'grants' | 'mode'>
  readonly context: Pick<Context, 'summaries' | 'compact' | 'undo' | 'rebase'>
  readonly work: Pick<Work, 'owner'>
  readonly routing: Omit<Routing, 'close'>
  readonly models: Pick<Models, 'list' | 'choose' | 'test'>
  readonly secrets: Omit<Secrets, 'close' | 'exportKey' | 'importKey'>
  readonly budgets: Pick<Budgets, 'set' | 'remove' | 'list' | 'spending' | 'ofRun'>
  readonly lanes: Lanes
  readonly journal: Journal
  /** Which folders of this machine a project may have. */
  readonly places: RootRules
  /** The agents that can be reached from there, through the cascade. */
  readonly agents: (scope: ScopeRef) => Promise<readonly AgentListing[]>
  readonly agentFiles: Pick<Agents, 'roster' | 'check'> & { readonly imports: AgentImports }
  readonly pipelines: PipelineDesk
  /** What other rooms found wrong or fine; the server adds its own findings. */
  readonly doctor: () => Promise<readonly Finding[]>
  /** Effective settings, secrets masked. */
  readonly config: () => Promise<readonly ConfigItem[]>
  readonly log: Log
  readonly clock: Clock
  readonly newId: NewId
  readonly version: string
}

export type Limits = {
  readonly bodyBytes: number
  /** Requests a second (and twice that at once) of the owner, of a program's token, of somebody unknown (by address). */
  readonly ownerRate: number
  readonly tokenRate: number
  readonly strangerRate: number
  readonly connections: number
  readonly sockets: number
  readonly streams: number
  /** Entries that may wait in one lane before an edge answers 429. */
  readonly mailbox: number
  /** Bytes that may wait for a slow reader before it is closed. */
  readonly readerBytes: number
  readonly pingIntervalMs: number
  /** How often an event stream says that it is alive. */
  readonly beatMs: number
  /** How long a call waits to learn what became of a control entry before it answers `pending`. */
  readonly outcomeMs: number
}

export const defaultLimits: Limits = {
  bodyBytes: 1024 * 1024,
  ownerRate: 20_000,
  tokenRate: 500,
  strangerRate: 50,
  connections: 5_000,
  sockets: 2_000,
  streams: 1_000,
  mailbox: 1_000,
  readerBytes: 1024 * 1024,
  pingIntervalMs: 25_000,
  beatMs: 15_000,
  outcomeMs: 2_000,
}

export type Hub = Rooms & {
  readonly limits: Limits
  readonly feed: Feed
  readonly rate: Rate
  readonly credentials: Credentials
  /** Own addresses by host name, lower case: what Host and Origin may name. */
  readonly hosts: ReadonlySet<string>
  readonly trustLoopback: boolean
  /** Where the page is reached, once it listens. */
  readonly address: () => string | null
  /** Ends each event stream that is open. */
  readonly streams: Set<() => void>
  /** Lets each call that waits for a reply answer with how it stands. */
  readonly waits: Set<() => void>
  /** True from the moment it shuts down: readiness fails. */
  readonly closing: () => boolean
}
