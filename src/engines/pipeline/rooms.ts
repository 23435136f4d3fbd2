// What tasks with effects need of other rooms, beside what any engine's calls need.
import type { Clock } from '../../base/clock.ts'
import type { ModelPort } from '../../models/models.ts'
import type { Knowledge } from '../../pipelines/knowledge/knowledge.ts'
import type { Memories } from '../../pipelines/memories/memories.ts'
import type { Budgets } from '../../policy/budget.ts'
import type { Chain } from '../../protocol/entry.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { ToolPolicy } from '../../tools/checked.ts'
import type { McpServers } from '../../tools/mcp/mcp.ts'
import type { Tools } from '../../tools/tools.ts'
import type { Reach } from '../../tools/web/web.ts'

export type EffectRooms = {
  readonly models: ModelPort
  readonly secrets?: Pick<Secrets, 'resolve' | 'set' | 'seal'> & Partial<Pick<Secrets, 'inPieces'>>
  /** What a model is told about the hub's own tools. */
  readonly tools: Pick<Tools, 'specs' | 'allowed' | 'effectOf'>
  /** Absent: a budget that is used up ends the task. */
  readonly budgets?: Pick<Budgets, 'list' | 'set'>
  /** Absent: nothing is remembered beyond a conversation. */
  readonly memories?: Pick<Memories, 'visible' | 'put' | 'forget' | 'all'>
  /** Absent: knowledge bases have nothing. */
  readonly knowledge?: Pick<Knowledge, 'search'>
  /** Calls of an imported agent to EDDI's own address run in this process, with the rights of the person it works for. */
  readonly own?: OwnCalls
  readonly outgoing: Outgoing
}

/** What leaves the machine by a configuration: judged like a tool's call, sent to checked addresses only. */
export type Outgoing = {
  readonly policy: Pick<ToolPolicy, 'check' | 'holds'>
  readonly reach: Reach
  readonly mcp: McpServers
  readonly clock: Pick<Clock, 'after'>
}

export type OwnRequest = {
  readonly method: string
  /** Path and query below the address, as in `/agentstore/agents?version=1`. */
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}
export type OwnResponse = { readonly status: number; readonly headers: { readonly [name: string]: string }; readonly body: string }

export type OwnCaller = {
  readonly user: string
  readonly within: { readonly session: string; readonly chain: Chain }
  readonly signal: AbortSignal
}

export type OwnCalls = {
  /** Whether that URL means this hub's EDDI routes: its own address, or one that EDDI's agents use for themselves. */
  isOwn(url: string): boolean
  /** `within`: the conversation that calls, and what led to its turn. */
  call(request: OwnRequest, as: OwnCaller): Promise<OwnResponse>
}
