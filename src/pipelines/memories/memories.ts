// What agents remember of a person beyond one conversation: properties of scope longTerm, and what a model stores by its memory
// tools. Facts in one stream a person. Source: EDDI's digest, sections 3.6 and 6.1 (without Dream).
import type { Json } from '../../base/json.ts'
import type { Visibility } from '../conversation.ts'

export type UserMemory = {
  readonly id: string
  readonly userId: string
  readonly key: string
  readonly value: Json
  readonly category: string
  readonly visibility: Visibility
  readonly sourceAgentId: string
  readonly groupIds: readonly string[]
  readonly sourceConversationId: string
  readonly accessCount: number
  /** ms */
  readonly createdAt: number
  readonly updatedAt: number
}

export type NewMemory = Pick<
  UserMemory,
  'userId' | 'key' | 'value' | 'visibility' | 'sourceAgentId' | 'groupIds' | 'sourceConversationId'
> & {
  readonly category?: string
}

export interface Memories {
  /** Own ones of that agent, those of its groups, and global ones, newest first. */
  visible(userId: string, agent: { readonly agentId: string; readonly groupIds: readonly string[] }): Promise<readonly UserMemory[]>
  /** Own and group ones are one per person, key and agent; global ones one per person and key. One commit. Throws InvalidInput over a limit. */
  put(memories: readonly NewMemory[]): Promise<void>
  forget(userId: string, id: string): Promise<boolean>
  all(userId: string): Promise<readonly UserMemory[]>
  close(): Promise<void>
}
