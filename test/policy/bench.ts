// The policy over a hub's lower half: real SQLite, the journal, lanes with an engine that asks as it is told.
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { askOfApproval, laneOf, type ProcessId, type SessionId, type TurnId } from '../../src/base/ids.ts'
import type { Turn } from '../../src/lanes/engine.ts'
import type { ApprovalAnswer, ApprovalRequest, Plan, Where } from '../../src/policy/decision.ts'
import { groundOfHub } from '../../src/policy/ground.ts'
import { openPolicy, type PolicyRoom } from '../../src/policy/open-policy.ts'
import type { ApprovalView } from '../../src/policy/policy.ts'
import { requestHash } from '../../src/policy/request-hash.ts'
import { turnedToAsk } from '../../src/policy/review.ts'
import { plan } from '../../src/policy/testing.ts'
import type { Actor } from '../../src/protocol/actor.ts'
import { sqlitePolicy } from '../../src/store/sqlite/policy.ts'
import { type BenchOptions, engineOf, openBench, type Bench as ScopesBench } from '../scopes/bench.ts'

export type Bench = {
  readonly inner: ScopesBench
  readonly policy: PolicyRoom
  /** The project's folder, a real path. */
  readonly root: string
  readonly session: SessionId
  readonly process: ProcessId
  where(given?: Partial<Where>): Where
  /** A turn that asks for it and ends when it was answered; resolves with the approval that stands open. */
  ask(
    what: Plan,
    given?: AskOptions,
  ): Promise<{ readonly approval: ApprovalView; readonly where: Where; readonly request: ApprovalRequest }>
  answer(approval: ApprovalView, answer: unknown, by?: Actor): Promise<void>
  /** One turn that asks for so many changes at once. */
  askMany(count: number): Promise<void>
  /** A turn that notes facts and ends. */
  note(type: string, data: Record<string, unknown>): Promise<void>
  reopen(): Promise<Bench>
  close(): Promise<void>
}
/** `why`: what a reviewer said. */
type AskOptions = {
  readonly why?: string
  readonly input?: Record<string, string>
  readonly timeoutMs?: number
  readonly where?: Partial<Where>
}

type Todo = (turn: Turn) => Promise<void>
const todo: { next: Todo } = { next: async () => undefined }
/** Does what the test said last; a replay does the same again. */
const obedient = engineOf('echo', (turn) => todo.next(turn))

export async function openPolicyBench(given: BenchOptions = {}): Promise<Bench> {
  const inner = await openBench({ ...given, engines: [obedient] })
  const root = join(realpathSync(inner.home), 'shop')
  mkdirSync(root, { recursive: true })
  await inner.scopes.projects.create({ name: 'shop', roots: [root] }, 'user:ada')
  const { value } = await inner.scopes.sessions.create({ user: 'ada', project: 'shop' }, 'user:ada')
  return over(inner, { root, session: value.id as SessionId, process: value.process as ProcessId })
}

type Place = Pick<Bench, 'root' | 'session' | 'process'>

async function over(inner: ScopesBench, place: Place): Promise<Bench> {
  const { journal, store, clock, newId, scopes } = inner
  const policy = await openPolicy({
    ...{ journal, store: store.journal, view: sqlitePolicy(store), clock, newId },
    ...{ projects: scopes.projects, documents: scopes.documents, settings: scopes.settings },
    own: () => groundOfHub({ home: join(inner.home, 'hub'), address: 'http://127.0.0.1:4180', socket: null }),
    home: '/home/ada',
  })
  const { session, process } = place
  const where = (more: Partial<Where> = {}): Where => ({
    ...{ user: 'ada', project: 'shop', session, process, turn: newId('trn'), run: 'ent_root', taint: 'none' },
    agent: { name: 'coder', pledge: ['fs.*', 'exec', 'web.*'] },
    ...more,
  })
  return {
    ...{ inner, policy, where, ...place },
    async ask(what, options = {}) {
      const asked = Promise.withResolvers<{ readonly where: Where; readonly request: ApprovalRequest }>()
      todo.next = async (turn) => {
        const here = where({ turn: turn.id, run: turn.chain.root, ...options.where })
        const input = options.input ?? { path: what.target }
        const checked = await policy.check(what, here)
        const decision = checked.review ? turnedToAsk(checked, options.why ?? '') : checked
        const request = { hash: requestHash(what, input), plan: what, decision, where: here, input }
        asked.resolve({ where: here, request })
        await turn.ask(
          'approve',
          { kind: 'approval', text: 'May I?', request: { ...request } as never, timeoutMs: options.timeoutMs ?? 86_400_000 },
          { wake: false },
        )
        await turn.ask('hold', { kind: 'timer', afterMs: 1_000_000_000 }, { wake: false })
      }
      await inner.say(session, 'do it')
      const { where: here, request } = await asked.promise
      await inner.until('approval-requested', (data) => data.turn === here.turn)
      const [approval] = await policy.approvals.list({ user: 'ada', status: 'requested' })
      if (approval === undefined) throw new Error('no approval is open')
      return { approval, where: here, request }
    },
    async answer(approval, value, by = 'user:ada') {
      const body = { kind: 'answer', ask: askOfApproval(approval.id), value } as never
      const posted = await inner.lanes.post({ lane: laneOf(process), id: newId('ent'), from: by, body })
      if (!posted.ok) throw new Error(posted.reason)
      await inner.until('approval-decided', (data) => data.approval === approval.id)
    },
    async askMany(count) {
      todo.next = async (turn) => {
        const asks = Array.from({ length: count }, (_, at) => {
          const what = plan({ target: join(place.root, `${at}.ts`) })
          const scopes = ['once'] as const
          const decision = {
            effect: 'ask',
            rule: { id: 'r', level: 'preset', text: 't' },
            risk: 'R2',
            reason: 'r',
            scopes,
            considered: [],
          } as const
          const here = where({ turn: turn.id, run: turn.chain.root })
          const request = { hash: requestHash(what, {}), plan: what, decision, where: here, input: {} }
          return turn.open(`approve-${at}`, { kind: 'approval', text: 'May I?', request: request as never, timeoutMs: 86_400_000 })
        })
        await turn.wait('all', asks, { wake: false })
      }
      await inner.say(session, 'do it all')
      await inner.until('turn-parked')
    },
    async note(type, data) {
      todo.next = async (turn) => turn.note('fact', { type, data: data as never })
      await inner.say(session, `note ${type}`)
      await inner.until(type, (seen) => Object.entries(data).every(([key, value]) => JSON.stringify(seen[key]) === JSON.stringify(value)))
    },
    async reopen() {
      await policy.close()
      return over(await inner.reopen(), place)
    },
    async close() {
      await policy.close()
      await inner.close()
    },
  }
}

export const yes = (given: Partial<ApprovalAnswer> = {}): ApprovalAnswer => ({ decision: 'allow', scope: 'once', ...given })
export const no: ApprovalAnswer = { decision: 'deny', scope: 'once' }
/** A change of a file in the project. */
export const change = (bench: Bench, name = 'a.ts', given: Partial<Plan> = {}) =>
  plan({ target: join(bench.root, name), binding: 'b1', ...given })

export async function stop(bench: Bench, turn: TurnId): Promise<void> {
  const { lanes, newId } = bench.inner
  const posted = await lanes.post({ lane: laneOf(bench.process), id: newId('ent'), from: 'user:ada', body: { kind: 'stop', turn } })
  if (!posted.ok) throw new Error(posted.reason)
  await bench.inner.until('turn-settled', (data) => data.turn === turn)
}
