// Grants: what a person said yes to, and for how long. A grant answers a question; it never lifts a denial.
import { InvalidInput } from '../base/errors.ts'
import type { Actor } from '../protocol/actor.ts'
import { userOf } from '../protocol/actor.ts'
import { coversCapability } from './capability.ts'
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Decision,
  type Grant,
  type GrantScope,
  grantScopes,
  type Risk,
  risks,
  type Taint,
  taints,
  type Where,
} from './decision.ts'
import { type Level, rankOf } from './levels.ts'
import { checkPattern, exactly, isWithin, matches, type Pattern, parsePattern } from './pattern.ts'
import { highestRemembered } from './rule.ts'
import { highest, isHigher } from './taint.ts'

/** A grant for a run ends at the latest then, should the run never do. */
const longestRunMs = 7 * 24 * 3_600_000
const longestMs = 10 * 365 * 24 * 3_600_000

/** How strong a yes is among the rules (levels.ts). */
export const levelOfScope: Readonly<Record<GrantScope, Level>> = {
  once: 'instruction',
  step: 'instruction',
  run: 'run',
  project: 'project',
  always: 'user',
}

/** What a call is, as far as grants care. */
export type Asked = {
  readonly capability: string
  readonly target: string
  readonly risk: Risk
  /** It leaves the machine or destroys: then taint counts. */
  readonly grave: boolean
  readonly where: Where
  readonly now: number
}

/** Whether this grant stands and covers it. `once` covers nothing but the call that was asked, which `holds` looks after. */
export function covers(grant: Grant, asked: Asked): boolean {
  const { where } = asked
  return (
    grant.scope !== 'once' &&
    grant.user === where.user &&
    (grant.subject === '*' || grant.subject === where.agent.name) &&
    isLive(grant, asked.now) &&
    isHere(grant, where) &&
    asked.risk <= grant.maxRisk &&
    asked.risk <= highestRemembered &&
    coversCapability(grant.capability, asked.capability) &&
    (!asked.grave || minds(grant, where.taint)) &&
    matches(patternOf(grant.resource), asked.target)
  )
}

export function isLive(grant: Grant, now: number): boolean {
  return grant.revokedAt === null && (grant.expiresAt === null || now < grant.expiresAt)
}

/** Whether it answers a question of that level: a rule of a project is not overruled by what was once allowed everywhere. */
export function answers(grant: Grant, level: Level): boolean {
  return rankOf(levelOfScope[grant.scope]) < rankOf(level)
}

/** A standing yes knows nothing of a page that was read today: with foreign taint only a yes given under it counts, and never for ever. */
function minds(grant: Grant, taint: Taint): boolean {
  return taint !== 'foreign' || (!isHigher(taint, grant.taint) && grant.scope !== 'always')
}

function isHere(grant: Grant, where: Where): boolean {
  const within: Record<GrantScope, string | null> = {
    once: where.turn,
    step: where.turn,
    run: where.run,
    project: where.project,
    always: null,
  }
  return grant.within === within[grant.scope]
}

/** Patterns of grants are few and come again. */
const parsed = new Map<string, Pattern>()
function patternOf(resource: string): Pattern {
  const known = parsed.get(resource)
  if (known) return known
  if (parsed.size >= 1_000) parsed.clear()
  const pattern = parsePattern(resource)
  parsed.set(resource, pattern)
  return pattern
}

/** The scopes that may be offered where that level asked, the narrowest first. */
export function offered(asked: {
  readonly level: Level
  readonly risk: Risk
  readonly grave: boolean
  readonly taint: Taint
}): readonly GrantScope[] {
  if (asked.risk > highestRemembered) return ['once']
  return grantScopes.filter((scope) => {
    if (rankOf(levelOfScope[scope]) >= rankOf(asked.level)) return false
    return !(scope === 'always' && asked.grave && asked.taint === 'foreign')
  })
}

/** Checks that an answer is one that its request allows. Throws InvalidInput, naming what is allowed. */
export function checkAnswer(request: Pick<ApprovalRequest, 'plan' | 'decision'>, answer: ApprovalAnswer): void {
  if (answer.decision === 'deny') return
  const { scopes } = request.decision
  if (!scopes.includes(answer.scope)) {
    const message = `The scope "${answer.scope}" is not offered here: allowed are ${scopes.join(', ')}.`
    throw new InvalidInput(message, { path: '/scope' })
  }
  const { resource, expiresInMs } = answer.narrow ?? {}
  if (resource !== undefined) {
    checkPattern(resource, '/narrow/resource')
    if (!isWithin(parsePattern(resource), parsePattern(exactly(request.plan.target)))) {
      const message = `An approval can only be narrowed: "${resource.slice(0, 80)}" is more than "${request.plan.target.slice(0, 80)}".`
      throw new InvalidInput(message, { path: '/narrow/resource' })
    }
  }
  if (expiresInMs !== undefined && !(Number.isSafeInteger(expiresInMs) && expiresInMs > 0 && expiresInMs <= longestMs)) {
    throw new InvalidInput('An approval ends in a whole number of milliseconds, 1 at least.', { path: '/narrow/expiresInMs' })
  }
}

type Given = { readonly id: string; readonly by: Actor; readonly at: number; readonly approval: string }

/** What an answered approval gives; null for a no, for an answer of anybody but the person asked, and for one that was not offered. Pure. */
export function grantOf(request: ApprovalRequest, answer: ApprovalAnswer, { id, by, at, approval }: Given): Grant | null {
  const { plan, decision, where } = request
  if (answer.decision !== 'allow' || userOf(by) !== where.user) return null
  try {
    checkAnswer(request, answer)
  } catch {
    return null
  }
  const within: Record<GrantScope, string | null> = {
    once: where.turn,
    step: where.turn,
    run: where.run,
    project: where.project,
    always: null,
  }
  const ends = answer.narrow?.expiresInMs ?? (answer.scope === 'run' ? longestRunMs : null)
  return {
    id,
    user: where.user,
    subject: where.agent.name,
    capability: plan.capability,
    resource: answer.narrow?.resource ?? exactly(plan.target),
    scope: answer.scope,
    within: within[answer.scope],
    taint: highest(where.taint, ...taintsIn(decision)),
    maxRisk: decision.risk,
    createdAt: at,
    expiresAt: ends === null ? null : at + ends,
    revokedAt: null,
    approval,
  }
}

/** What was known of more than the asking turn had read stands among the rules. */
function taintsIn({ rule, considered }: Decision): readonly Taint[] {
  return taints.filter((taint) => [rule, ...considered].some(({ id, level }) => level === 'taint' && id === `taint.${taint}`))
}

/** A risk that a grant may be made for in advance. Throws InvalidInput. */
export function checkMaxRisk(risk: Risk): Risk {
  if (risks.includes(risk) && risk <= highestRemembered) return risk
  throw new InvalidInput(`A grant can't hold for "${risk}": what is above ${highestRemembered} is asked each time.`, { path: '/maxRisk' })
}
