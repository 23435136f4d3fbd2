// The decision, pure: a plan and the facts give one effect and the rule that made it. From the strongest word to the weakest:
// the floor; the pledge; a policy document that can't be read; a read-only session; then rules by level (levels.ts), the mode's preset
// last; then taint, which only ever turns an allow into an ask; and in the end grants, which only ever turn an ask into an allow.
import { originalOf } from './aside.ts'
import { assess, longestTarget } from './assess.ts'
import { harmless, isPledged } from './capability.ts'
import type { Decision, Grant, GrantScope, PermissionMode, Plan, Risk, RuleRef, Where } from './decision.ts'
import { floorOf } from './floor.ts'
import { type Asked, answers, covers, offered } from './grant.ts'
import type { Ground } from './ground.ts'
import { compareRules, type Effect, effects, type Level } from './levels.ts'
import { type Rule, type RuleFault, speaksOf } from './rule.ts'

export type PolicyFacts = {
  readonly where: Where
  readonly mode: PermissionMode
  readonly rules: readonly Rule[]
  /** Of policy documents that can't be read. */
  readonly faults: readonly RuleFault[]
  readonly grants: readonly Grant[]
  readonly ground: Ground
  /** Milliseconds since 1970. */
  readonly now: number
}

const mostConsidered = 10

/** Never throws for a plan. Of several targets the strictest word counts, and a yes to them is one for this call alone. */
export function decide(plan: Plan, facts: PolicyFacts): Decision {
  const own = decideOne(plan, facts)
  const others = (plan.also ?? []).map((target) => decideOne({ ...plan, target }, facts))
  const decided = others.length === 0 ? own : strictest([own, ...others], own)
  return plan.capability.startsWith('fs.') ? asOfOriginals(plan, facts, decided) : decided
}

/** A copy is never freer than the file that it stands for. */
function asOfOriginals(plan: Plan, facts: PolicyFacts, decided: Decision): Decision {
  const originals = [plan.target, ...(plan.also ?? [])].flatMap((target) => originalOf(target) ?? [])
  const there = originals.map((target) => decideOne({ ...plan, target }, facts))
  const isStricter = there.some(({ effect }) => effects.indexOf(effect) < effects.indexOf(decided.effect))
  return isStricter ? strictest([decided, ...there], decided) : decided
}

function strictest(all: readonly Decision[], own: Decision): Decision {
  const isStricter = (one: Decision, than: Decision) =>
    effects.indexOf(one.effect) - effects.indexOf(than.effect) || (one.risk > than.risk ? -1 : 0)
  const winner = all.reduce((found, one) => (isStricter(one, found) < 0 ? one : found), own)
  const weaker = all.flatMap((one) => (one === winner ? one.considered : [one.rule, ...one.considered]))
  return {
    ...winner,
    risk: highestRisk(all),
    // A grant names one target: it would be asked about the others again.
    scopes: winner.effect === 'ask' ? ['once'] : [],
    ...(winner.effect === 'allow' && all.some(({ review }) => review) ? { review: true } : {}),
    considered: weaker.slice(0, mostConsidered),
  }
}

/** R0 to R5 sort as texts. */
function highestRisk(all: readonly Decision[]): Risk {
  return (
    all
      .map(({ risk }) => risk)
      .sort()
      .at(-1) ?? 'R5'
  )
}

function decideOne(plan: Plan, facts: PolicyFacts): Decision {
  if (plan.target.length > longestTarget) return unjudged(plan, `the target is longer than ${longestTarget} characters`)
  const assessed = assess(plan, facts.ground)
  const { risk, because } = assessed
  const barred = floorOf(plan, facts.ground, assessed) ?? pledgeOf(plan, facts) ?? faultOf(plan, facts) ?? readOnly(risk, facts)
  if (barred !== null) return { effect: 'deny', rule: barred, risk, reason: barred.text, scopes: [], considered: [] }
  // What may have been ordered by what was read counts by the worst that it could do.
  const grave = assessed.outward || assessed.destructive || (assessed.opaque && facts.where.taint !== 'none')
  const asked: Asked = { capability: plan.capability, target: plan.target, risk, grave, where: facts.where, now: facts.now }
  const ruled = byRules(asked, facts, assessed.destructive)
  return settle(asked, facts, { ...ruled, because })
}

/** What can't be judged is denied, and says so. */
export function unjudged(plan: Pick<Plan, 'risk'>, why: string): Decision {
  const text = `This can't be judged, so it is refused: ${why}.`
  return { effect: 'deny', rule: { id: 'floor.unjudged', level: 'floor', text }, risk: plan.risk, reason: text, scopes: [], considered: [] }
}

// ---- what no rule and no grant lifts

function pledgeOf({ capability }: Plan, { where }: PolicyFacts): RuleRef | null {
  if (isPledged(where.agent.pledge, capability)) return null
  const held = where.agent.pledge.join(', ') || 'nothing'
  return { id: 'pledge', level: 'agent', text: `${where.agent.name} may not use ${capability}; what it may use is ${held}.` }
}

function faultOf({ capability }: Plan, { faults }: PolicyFacts): RuleRef | null {
  const [first] = faults
  if (first === undefined || capability === harmless) return null
  return {
    id: 'broken-policy',
    level: 'floor',
    text: `A policy document can't be read, so nothing is done until it is mended: ${first.message}`,
  }
}

function readOnly(risk: Risk, { mode }: PolicyFacts): RuleRef | null {
  if (mode !== 'read-only' || risk === 'R0') return null
  return { id: 'read-only', level: 'mode', text: 'This session may only look: its permission mode is read-only.' }
}

// ---- rules

/** By the mode, for what nobody made a rule about. In a read-only session nothing else than R0 comes this far. */
const presets: Readonly<Record<PermissionMode, Readonly<Record<Risk, Effect>>>> = {
  'read-only': { R0: 'allow', R1: 'ask', R2: 'ask', R3: 'ask', R4: 'ask', R5: 'ask' },
  ask: { R0: 'allow', R1: 'allow', R2: 'ask', R3: 'ask', R4: 'ask', R5: 'ask' },
  auto: { R0: 'allow', R1: 'allow', R2: 'allow', R3: 'ask', R4: 'ask', R5: 'ask' },
}
const riskWords: Readonly<Record<Risk, string>> = {
  R0: 'It only looks.',
  R1: 'It can be undone and stays here.',
  R2: 'It changes something here that matters.',
  R3: 'Something leaves the machine.',
  R4: 'It is about money or security.',
  R5: "It can't be undone.",
}

type Ruled = { readonly winner: Ranked; readonly considered: readonly RuleRef[] }
type Ranked = { readonly id: string; readonly effect: Effect; readonly level: Level; readonly text: string; readonly specificity: number }

function byRules(asked: Asked, { rules, mode, where }: PolicyFacts, destructive: boolean): Ruled {
  const about = { capability: asked.capability, target: asked.target, agent: where.agent.name, risk: asked.risk }
  const speaking: Ranked[] = rules.filter((rule) => speaksOf(rule, about))
  speaking.push(preset(mode, asked.risk, destructive))
  speaking.sort(compareRules)
  const [winner = preset(mode, asked.risk, destructive), ...rest] = speaking
  return { winner, considered: rest.slice(0, mostConsidered).map(ref) }
}

function preset(mode: PermissionMode, risk: Risk, destructive: boolean): Ranked {
  const usual = presets[mode][risk]
  const effect = destructive && usual === 'allow' ? 'ask' : usual
  const text = destructive && risk < 'R5' ? "What it changes can't be brought back." : riskWords[risk]
  return { id: `${mode}.${risk}`, effect, level: 'preset', text, specificity: 0 }
}

// ---- taint, then grants

type Settling = Ruled & { readonly because: readonly string[] }

function settle(asked: Asked, facts: PolicyFacts, { winner, considered, because }: Settling): Decision {
  const { risk } = asked
  const reason = [...because, winner.text].join(' ')
  if (winner.effect === 'deny') return { effect: 'deny', rule: ref(winner), risk, reason, scopes: [], considered }
  const tainted = taintOf(asked)
  if (winner.effect === 'allow' && tainted === null) {
    const review = isForReview(winner, asked, facts) ? { review: true } : {}
    return { effect: 'allow', rule: ref(winner), risk, reason, scopes: [], ...review, considered }
  }
  const level = winner.effect === 'ask' ? winner.level : 'preset'
  const grant = facts.grants.find((one) => answers(one, level) && covers(one, asked))
  const weaker = winner.effect === 'ask' ? considered : [ref(winner), ...considered]
  if (grant !== undefined) return granted(grant, risk, [ref(winner), ...considered])
  const asking = tainted !== null && winner.effect === 'allow' ? tainted : ref(winner)
  const scopes: readonly GrantScope[] = offered({ level, risk, grave: asked.grave, taint: asked.where.taint })
  const also = tainted === null || asking === tainted ? [] : [tainted]
  const why = [...because, ...(asking === tainted ? [] : [winner.text]), ...(tainted === null ? [] : [tainted.text])].join(' ')
  return { effect: 'ask', rule: asking, risk, reason: why, scopes, considered: [...also, ...weaker] }
}

/** What the mode auto alone lets pass that the mode ask would not. A yes of the person is not reviewed. */
function isForReview({ level }: Ranked, asked: Asked, { mode, grants }: PolicyFacts): boolean {
  return mode === 'auto' && level === 'preset' && presets.ask[asked.risk] !== 'allow' && !grants.some((one) => covers(one, asked))
}

/** Nothing outward and nothing destructive: what was read changes nothing. */
function taintOf({ grave, where }: Asked): RuleRef | null {
  if (!grave || where.taint === 'none') return null
  return { id: `taint.${where.taint}`, level: 'taint', text: taintWords[where.taint] }
}

const taintWords = {
  content: 'The agent has read files of the project, and this leaves the machine, or destroys something, or may.',
  foreign: 'The agent has read something from outside, which may have told it to do this.',
} as const

function granted(grant: Grant, risk: Risk, considered: readonly RuleRef[]): Decision {
  const text = `You allowed ${grant.capability} on ${grant.resource === '*' ? 'everything' : grant.resource} (${grant.scope}).`
  const rule = { id: `grant.${grant.id}`, level: 'grant', text }
  return { effect: 'allow', rule, risk, reason: text, grant: grant.id, scopes: [], considered: considered.slice(0, mostConsidered) }
}

function ref({ id, level, text }: Ranked): RuleRef {
  return { id, level, text }
}
