// What this room needs of a store for sessions and their conversations: a projection over the lanes' events, and its readers.
import type { MessageId, ProcessId, SessionId } from '../base/ids.ts'
import type { Projection } from '../journal/projection.ts'
import type { ProcessInfo } from '../lanes/engine.ts'
import type { Message } from '../protocol/message.ts'
import type { ProcessStatus } from '../protocol/process.ts'
import type { Question, Session } from '../protocol/shapes.ts'
import type { SessionLife } from './events.ts'
import type { Page, Paging, PastLine } from './scopes.ts'

export type ProcessRow = { readonly info: ProcessInfo; readonly status: ProcessStatus }
export type SessionRow = { readonly session: Session; readonly user: string; readonly life: SessionLife }
export type SessionsWanted = Paging & { readonly user: string; readonly project?: string; readonly archived: boolean }

export interface ConversationStore {
  readonly projection: Projection
  /** From that line towards the root, at most `limit`, oldest first. */
  walk(leaf: MessageId, limit: number): Promise<readonly Message[]>
  /** The chosen branch after that line, oldest first; what is queued stands at its end. */
  branch(session: SessionId, paging: Paging): Promise<Page<Message>>
  message(id: string): Promise<Message | null>
  past(where: { readonly user: string; readonly project: string; readonly limit: number }): Promise<readonly PastLine[]>
  question(id: string): Promise<(Question & { readonly lane: string }) | null>
  questions(where: { readonly user: string; readonly session?: SessionId; readonly status?: 'open' }): Promise<readonly Question[]>
  session(id: SessionId): Promise<SessionRow | null>
  /** The newest activity first. */
  sessions(wanted: SessionsWanted): Promise<Page<Session>>
  /** Sessions of a project that are open or suspended. */
  sessionsOf(project: string): Promise<readonly SessionId[]>
  process(id: ProcessId): Promise<ProcessRow | null>
  processes(session: SessionId): Promise<readonly ProcessRow[]>
  /** Sessions that are suspended, or open with a suspended process. */
  asleep(): Promise<readonly SessionId[]>
  /** Open sessions with onIdle SUSPEND that were still for longer than they may, and in which nothing runs or is asked. */
  idle(now: number, limit: number): Promise<readonly SessionId[]>
  /** Suspended sessions with onSuspend CLOSE whose time is over. */
  overdue(now: number, limit: number): Promise<readonly SessionId[]>
}
