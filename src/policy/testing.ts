// For tests of this and other rooms: plans, places and facts with everything filled in.
import { isId, type ProcessId, type SessionId, type TurnId } from '../base/ids.ts'
import type { PolicyFacts } from './decide.ts'
import type { Grant, Plan, Where } from './decision.ts'
import type { Level } from './levels.ts'
import { parseRules, type Rule } from './rule.ts'

export const digits = '01KB8T2K3XAAAAAAAAAAAAAAA'

function id<T extends ProcessId | SessionId | TurnId>(kind: 'prc' | 'ses' | 'trn', last: string): T {
  const made = `${kind}_${digits}${last}`
  const isRight = (text: string): text is T => isId(kind, text)
  if (isRight(made)) return made
  throw new Error(`${made} is no id`)
}

export const somewhere: Where = {
  user: 'ada',
  project: 'shop',
  session: id<SessionId>('ses', 'A'),
  process: id<ProcessId>('prc', 'B'),
  turn: id<TurnId>('trn', 'C'),
  run: 'ent_root',
  agent: { name: 'coder', pledge: ['fs.read', 'fs.write', 'exec', 'exec.network', 'web.read', 'web.send', 'documents.write', 'mail.send'] },
  taint: 'none',
}

export function where(given: Partial<Where> = {}): Where {
  return { ...somewhere, ...given }
}

export function plan(given: Partial<Plan> = {}): Plan {
  return {
    tool: 'file_write',
    capability: 'fs.write',
    target: '/work/shop/src/a.ts',
    risk: 'R2',
    outward: false,
    destructive: false,
    consequences: 'Writes src/a.ts.',
    ...given,
  }
}

export function command(line: string, given: Partial<Plan> = {}): Plan {
  return plan({ tool: 'exec_run', capability: 'exec', target: line, risk: 'R2', consequences: 'Runs a command.', ...given })
}

export function facts(given: Partial<PolicyFacts> = {}): PolicyFacts {
  return {
    where: somewhere,
    mode: 'ask',
    rules: [],
    faults: [],
    grants: [],
    ground: {
      closed: ['/home/ada/.steward'],
      addresses: [':4180'],
      sockets: ['/run/steward/s.sock'],
      home: '/home/ada',
      roots: ['/work/shop'],
    },
    now: 1_000,
    ...given,
  }
}

/** Of the level, from YAML lines as they stand below `rules:`. Throws when one is wrong. */
export function rules(level: Level, ...lines: readonly string[]): readonly Rule[] {
  const text = `rules:\n${lines.map((line, at) => `  - {id: r${at}, ${line}}`).join('\n')}\n`
  const set = parseRules(text, { level, place: `policy.yaml (${level})` })
  if (set.faults.length > 0) throw new Error(set.faults.map(({ message }) => message).join('\n'))
  return set.rules
}

export function grant(given: Partial<Grant> = {}): Grant {
  return {
    id: 'grt_1',
    user: 'ada',
    subject: '*',
    capability: 'fs.write',
    resource: '/work/shop/**',
    scope: 'always',
    within: null,
    taint: 'none',
    maxRisk: 'R3',
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    approval: null,
    ...given,
  }
}
