// A tool's context for tests.
import type { ProcessId, SessionId, TurnId } from '../base/ids.ts'
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
