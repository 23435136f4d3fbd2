// Before a call runs: surface, arguments, capability, plan, policy, in this order. Looks only. Whatever goes wrong here, nothing ran.

import { messageOf } from '../base/errors.ts'
import { canonical } from '../base/json.ts'
import { questionOf } from '../policy/approval.ts'
import { harmless, isPledged } from '../policy/capability.ts'
import type { Decision, Plan, Where } from '../policy/decision.ts'
import { requestHash } from '../policy/request-hash.ts'
import type { Checked, Permit, ToolPolicy } from './checked.ts'
import type { Call, Tool, ToolContext, ToolResult } from './tool.ts'

/** `touches`: the targets as they are; those of the plan are without secrets. */
type Judged =
  | { readonly tool: Tool; readonly plan: Plan; readonly touches: readonly string[]; readonly decision: Decision }
  | { readonly refusal: ToolResult }
export type Passed = { readonly tool: Tool; readonly plan: Plan; readonly touches: readonly string[] }
export type Gate = {
  readonly find: (name: string) => Tool | undefined
  readonly policy: ToolPolicy
  readonly seal?: (text: string) => Promise<string>
}

/** What an engine is told before it acts. The same call over the same things gives the same request. */
export async function look(gate: Gate, call: Call, context: ToolContext): Promise<Checked> {
  const judged = await judge(gate, call, context)
  if ('refusal' in judged) return { effect: 'deny', result: judged.refusal }
  const { plan, decision } = judged
  if (decision.effect === 'allow' && !decision.review) return { effect: 'allow' }
  if (decision.effect === 'deny') return { effect: 'deny', result: denied(plan, decision) }
  const request = { hash: requestHash(plan, call.input), plan, decision, where: whereOf(context), input: call.input }
  const text = questionOf(plan, decision, context.agent.name)
  return decision.effect === 'allow' ? { effect: 'allow', review: { request, text } } : { effect: 'ask', request, text }
}

/** The tool and its plan when the call may run now, the answer to the model otherwise. Policy is asked again, whatever was asked before. */
export async function pass(gate: Gate, call: Call, given: { context: ToolContext; permit?: Permit }): Promise<Passed | ToolResult> {
  const { context, permit } = given
  const judged = await judge(gate, call, context)
  if ('refusal' in judged) return judged.refusal
  const { tool, plan, touches, decision } = judged
  const passed: Passed = { tool, plan, touches }
  const answered = permit && 'answer' in permit ? permit : null
  if (answered?.answer.decision === 'deny') return rejected(plan, answered)
  if (decision.effect === 'allow' && (!decision.review || isReviewed(call, plan, permit))) return passed
  if (decision.effect === 'deny') return denied(plan, decision)
  if (answered === null) return needsApproval(plan, decision)
  const held = await holds(gate, { call, plan, context, permit: answered })
  if (held.effect === 'allow') return passed
  return held.effect === 'deny' ? denied(plan, held) : needsApproval(plan, held)
}

/** The same words on the way in and in the journal: who wants it, where, with what on its mind. */
export function whereOf({ process, turn, run, agent, taint }: ToolContext): Where {
  const { user, project, session, id } = process
  return { user, project, session, process: id, turn, run, agent, taint }
}

async function judge(gate: Gate, call: Call, context: ToolContext): Promise<Judged> {
  const tool = call.allowed.includes(call.name) ? gate.find(call.name) : undefined
  if (!tool) return { refusal: unknown(call) }
  const fault = tool.faultIn(call.input)
  if (fault !== null) return { refusal: { ok: false, code: 'invalid', text: fault } }
  try {
    const made = await tool.plan(call.input, context)
    if (made === null) return { refusal: { ok: false, code: 'invalid', text: `${tool.name}: the arguments don't fit.` } }
    const plan = await withoutSecrets(made, gate.seal)
    const missing = missingCapability(tool, plan, context.agent.pledge)
    if (missing !== null) return { refusal: unpledged(plan, missing, context) }
    // Judged as it is: what is taken out as a secret could be what a rule is about.
    const decision = await gate.policy.check(made, whereOf(context))
    return { tool, plan, touches: [made.target, ...(made.also ?? [])], decision }
  } catch (thrown) {
    context.signal.throwIfAborted()
    const text = `Not run: whether ${tool.name} may do this could not be found out (${messageOf(thrown).slice(0, 300)}).`
    return { refusal: { ok: false, code: 'broken', text } }
  }
}

/** A plan is shown to people and kept: a file's preview may hold what nobody is to see. Looking shows nothing. */
async function withoutSecrets(plan: Plan, seal: Gate['seal']): Promise<Plan> {
  if (seal === undefined || (plan.risk === 'R0' && plan.preview === undefined)) return plan
  const { target, also, consequences, preview } = plan
  const [shown, said] = await Promise.all([seal(target), seal(consequences)])
  const more = also === undefined ? {} : { also: await Promise.all(also.map(seal)) }
  return { ...plan, target: shown, ...more, consequences: said, ...(preview === undefined ? {} : { preview: await seal(preview) }) }
}

/** Both what the tool always needs and what this call needs. */
function missingCapability(tool: Tool, plan: Plan, pledge: readonly string[]): string | null {
  return [tool.capability ?? harmless, plan.capability].find((one) => !isPledged(pledge, one)) ?? null
}

type Answered = Extract<Permit, { answer: unknown }>
type Held = { readonly call: Call; readonly plan: Plan; readonly context: ToolContext; readonly permit: Answered }

/** What was found fine is this very call, over the same things. */
function isReviewed(call: Call, plan: Plan, permit: Permit | undefined): boolean {
  return permit !== undefined && 'reviewed' in permit && isSameCall(call, plan, permit)
}

function isSameCall(call: Call, plan: Plan, { request }: Permit): boolean {
  return requestHash(plan, call.input) === request.hash && canonical(request.input) === canonical(call.input)
}

/** A yes holds for the very call that was shown: same arguments, same plan, same state of what it was made from. */
async function holds({ policy }: Gate, { call, plan, context, permit }: Held): Promise<Decision> {
  const { request, answer } = permit
  if (isSameCall(call, plan, permit)) return policy.holds(request, answer, { plan, where: whereOf(context) })
  const text = 'A yes holds only for what was shown'
  const rule = { id: 'approval.stale', level: 'floor', text }
  const reason = 'the call, or what it would change, is another one than the person was shown'
  return { ...request.decision, effect: 'ask', rule, reason }
}

function unknown(call: Call): ToolResult {
  const names = call.allowed.join(', ') || 'none'
  return { ok: false, code: 'unknown_tool', text: `There is no tool "${call.name.slice(0, 64)}" here. Tools are: ${names}.` }
}

function unpledged(plan: Plan, missing: string, { agent }: ToolContext): ToolResult {
  const has = agent.pledge.join(', ') || 'none'
  const text = `Refused: ${plan.tool} needs the capability ${missing} here, and the agent ${agent.name} pledged only: ${has}.`
  return { ok: false, code: 'denied', text }
}

function denied(plan: Plan, { rule, reason }: Decision): ToolResult {
  return { ok: false, code: 'denied', text: `Refused: ${plan.tool} was not run, by the rule ${rule.id} (${rule.text}). ${reason}` }
}

function needsApproval(plan: Plan, { rule, reason }: Decision): ToolResult {
  const text = `Not run: ${plan.tool} needs a person's yes, by the rule ${rule.id} (${rule.text}). ${reason}`
  return { ok: false, code: 'needs_approval', text }
}

function rejected(plan: Plan, { answer }: Answered): ToolResult {
  const why = answer.reason ? ` The reason: ${answer.reason}` : ''
  return { ok: false, code: 'rejected', text: `Not run: the person said no to ${plan.tool}.${why}` }
}
