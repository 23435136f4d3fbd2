// A tool's context, and policies, for tests.
import type { ProcessId, SessionId, TurnId } from '../base/ids.ts'
import type { Decision, Plan, Taint } from '../policy/decision.ts'
import { highest } from '../policy/taint.ts'
import type { ToolPolicy } from './checked.ts'
import type { ToolContext } from './tool.ts'

export function contextFor(given: Partial<ToolContext> & { readonly session?: string } = {}): ToolContext {
  const { session = 'ses_1', ...rest } = given
  return {
    process: {
      id: 'prc_1' as ProcessId,
      session: session as SessionId,
      tenant: 'home',
      project: 'site',
      agent: 'quick',
      engine: 'quick',
      params: {},
      user: 'ada',
      parent: null,
      facesPerson: true,
    },
    roots: [],
    closed: [],
    allowed: [],
    signal: new AbortController().signal,
    key: 'trn_1/tool-1',
    progress: () => {},
    taint: 'none',
    agent: { name: 'quick', pledge: ['fs.read'] },
    turn: 'trn_1' as TurnId,
    run: 'ent_1',
    resolve: async (text) => text,
    ...rest,
  }
}

/** A policy that says the same to every plan. Every yes holds. */
export function policyThat(
  effect: Decision['effect'] | ((plan: Plan) => Decision['effect']),
  tainted: Readonly<Record<string, Taint>> = {},
): ToolPolicy {
  const decide = (plan: Plan, forced?: Decision['effect']): Decision => ({
    effect: forced ?? (typeof effect === 'string' ? effect : effect(plan)),
    rule: { id: 'test.rule', level: 'system', text: 'a rule of this test' },
    risk: plan.risk,
    reason: 'The test says so.',
    scopes: ['once'],
    considered: [],
  })
  return {
    check: async (plan) => decide(plan),
    holds: async (_, answer, { plan }) => decide(plan, answer.decision === 'allow' ? 'allow' : 'deny'),
    taint: {
      ofPaths: async (paths) => highest(...paths.map((path) => tainted[path] ?? 'none')),
      writing: async () => ({ wrote: async () => undefined }),
    },
  }
}
