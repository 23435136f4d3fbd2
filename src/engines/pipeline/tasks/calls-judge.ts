// Whether a call of a configuration may be made. Policy is asked as for any tool, at the moment of the act (T8).
//
// Y90  A fixed address that rules ask is what the person agreed to by deploying: no question, but denials, the floor, read-only
//      sessions, rules that a person wrote and local-only projects hold. Every other call is asked about as a tool's would be.
import { z } from 'zod'
import type { Json, JsonObject } from '../../../base/json.ts'
import type { Act } from '../../../lanes/engine.ts'
import { isPledged } from '../../../policy/capability.ts'
import type { Decision, Plan } from '../../../policy/decision.ts'
import { turnedToAsk } from '../../../policy/review.ts'
import type { Permit, ToolPolicy, ToReview } from '../../../tools/checked.ts'
import { type Gate, look, pass } from '../../../tools/gate.ts'
import { defineTool, type Tool, type ToolContext } from '../../../tools/tool.ts'
import { approve } from '../../turn/approve.ts'
import { review } from '../../turn/review.ts'
import type { Setup } from '../../turn/setup.ts'
import type { Scene, TaskRooms } from '../scene.ts'

export type Intent = Pick<Plan, 'target' | 'risk' | 'outward' | 'consequences' | 'preview' | 'binding'> & {
  readonly tool: 'http_call' | 'mcp_call'
  readonly capability: 'web.read' | 'web.send'
  /** What a yes is bound to. */
  readonly input: JsonObject
  /** The person agreed to it by deploying. */
  readonly isAgreed: boolean
  /** It stays on this machine, or goes where the person let this project send its texts. */
  readonly isLocal: boolean
  /** What it acts on, looked at anew; absent: `binding` can't change. */
  readonly bindingNow?: (signal: AbortSignal) => Promise<string>
}

export type Refusal = { readonly ok: false; readonly code: string; readonly text: string }
/** At the moment of the act; null: it may go on. */
export type Clear = (acting: Acting) => Promise<Refusal | null>
type Acting = Pick<Act, 'signal' | 'key' | 'progress'>

export type Wanted<T extends Json> = {
  /** Of the step; unique in the turn. */
  readonly name: string
  readonly intent: Intent
  /** Does it as a step of that name, which asks `clear` before it acts. */
  readonly run: (name: string, clear: Clear) => Promise<T | Refusal>
}

const defaultApprovalMs = 24 * 3_600_000

export async function judged<T extends Json>(rooms: TaskRooms, scene: Scene, { name, intent, run }: Wanted<T>): Promise<T | Refusal> {
  const setup = await scene.setup()
  if (setup.localOnly && !intent.isLocal) return refusal('denied', localOnlyWords(intent))
  const judging: Judging = { rooms, scene, setup, intent, gate: gateOf(rooms, intent) }
  if (!intent.isAgreed) return looked(judging, { name, run })
  const first = await run(name, clearWith(judging))
  // A rule that a person wrote asks all the same.
  return isRefusal(first) && first.code === 'needs_approval' ? looked(judging, { name: `${name}-asked`, run }) : first
}

export function isRefusal(value: Json | Refusal): value is Refusal {
  return typeof value === 'object' && value !== null && 'ok' in value && value.ok === false && 'code' in value
}

export function refusal(code: string, text: string): Refusal {
  return { ok: false, code, text }
}

type Judging = { readonly rooms: TaskRooms; readonly scene: Scene; readonly setup: Setup; readonly intent: Intent; readonly gate: Gate }
type Doing<T extends Json> = Pick<Wanted<T>, 'name' | 'run'>

async function looked<T extends Json>(judging: Judging, { name, run }: Doing<T>): Promise<T | Refusal> {
  const { scene, intent, gate } = judging
  const { turn } = scene
  const acting = { signal: turn.signal, key: `${turn.id}/${name}`, progress: () => {} }
  const checked = await turn.read(`check-${name}`, async () => ({ ...(await look(gate, callOf(intent), contextOf(judging, acting))) }))
  if (checked.effect === 'deny') return refusal(checked.result.code ?? 'denied', checked.result.text)
  if (checked.effect === 'ask') return asked(judging, { name, run }, checked)
  return checked.review ? reviewed(judging, { name, run }, checked.review) : run(name, clearWith(judging))
}

async function asked<T extends Json>(judging: Judging, { name, run }: Doing<T>, { request, text }: ToReview): Promise<T | Refusal> {
  const { scene, setup } = judging
  const timeoutMs = setup.approvalMs ?? defaultApprovalMs
  const approved = await approve(scene.turn, { name, agent: setup.agent.name, request, text, timeoutMs, heard: scene.heard })
  return approved.ok ? run(name, clearWith(judging, approved.permit)) : refusal('denied', approved.said)
}

/** What only the mode allows: a reviewer's "fine" lets it run, everything else asks the person. */
async function reviewed<T extends Json>(judging: Judging, doing: Doing<T>, { request, text }: ToReview): Promise<T | Refusal> {
  const { rooms, scene, setup } = judging
  const given = { name: doing.name, request, entries: scene.turn.entries, localOnly: setup.localOnly ?? false }
  const found = await review(rooms, scene.turn, given)
  if (found.verdict === 'fine') return doing.run(doing.name, clearWith(judging, { request, reviewed: true }))
  const decision = turnedToAsk(request.decision, found.why)
  return asked(judging, doing, { request: { ...request, decision }, text: `${text} ${decision.reason}` })
}

function clearWith(judging: Judging, permit?: Permit): Clear {
  const { gate, intent } = judging
  return async (acting) => {
    const passed = await pass(gate, callOf(intent), { context: contextOf(judging, acting), ...(permit ? { permit } : {}) })
    return 'tool' in passed ? null : refusal(passed.code ?? 'denied', passed.text)
  }
}

function callOf({ tool, input }: Intent) {
  return { name: tool, input, allowed: [tool] }
}

function contextOf({ scene, setup, intent }: Judging, acting: Acting): ToolContext {
  const { turn } = scene
  return {
    process: turn.process,
    roots: setup.roots,
    closed: [],
    allowed: [intent.tool],
    ...{ signal: acting.signal, key: acting.key, progress: acting.progress },
    taint: scene.mind.taint,
    agent: { name: setup.agent.name, pledge: pledgeOf(scene, setup, intent) },
    turn: turn.id,
    run: turn.chain.root,
    resolve: scene.resolve,
  }
}

/** Its configuration says that it makes calls; who made the process may have given it less. */
function pledgeOf({ turn }: Scene, { agent }: Setup, { capability }: Intent): readonly string[] {
  const held = agent.pledge ?? []
  const outer = turn.process.params['pledge']
  const bound = Array.isArray(outer) ? outer.filter((one): one is string => typeof one === 'string') : null
  return bound !== null && !isPledged(bound, capability) ? held : [...held, capability]
}

function gateOf({ outgoing, secrets }: TaskRooms, intent: Intent): Gate {
  const tool = toolOf(intent)
  const taint = { ofPaths: async () => 'none' as const, writing: async () => ({ wrote: async () => undefined }) }
  const policy: ToolPolicy = { ...outgoing.policy, taint }
  const seal = secrets?.seal
  return { find: () => tool, policy: intent.isAgreed ? agreed(policy) : policy, ...(seal ? { seal } : {}) }
}

/** Only its plan is looked at: the act is the step's own. */
function toolOf(intent: Intent): Tool {
  const { tool, target, risk, outward, consequences, preview, binding, capability, bindingNow } = intent
  return defineTool({
    name: tool,
    description: consequences,
    labels: [],
    capability: null,
    effect: 'once',
    risk,
    outward,
    input: z.looseObject({}),
    async plan(_, { signal }) {
      const bound = bindingNow ? await bindingNow(signal) : binding
      return {
        ...{ target, risk, outward, consequences, capability, destructive: false },
        ...(preview === undefined ? {} : { preview }),
        ...(bound === undefined ? {} : { binding: bound }),
      }
    },
    async run() {
      throw new Error('a call of a configuration is run by its step')
    },
  })
}

/** Neither the mode's own question nor what was read makes a question of it: whatever it says, it says to whom the person chose. */
function agreed(policy: ToolPolicy): ToolPolicy {
  const check: ToolPolicy['check'] = async (plan, where) => {
    const decision = await policy.check(plan, where)
    const { review: _, ...rest } = decision
    if (decision.effect === 'allow') return rest
    const isByNobody = decision.rule.level === 'preset' || decision.rule.level === 'taint'
    return decision.effect === 'ask' && isByNobody ? letThrough(rest) : decision
  }
  return { ...policy, check }
}

function letThrough(decision: Decision): Decision {
  const text = 'The person deployed an agent whose configuration makes this call.'
  const considered = [decision.rule, ...decision.considered]
  return { ...decision, effect: 'allow', rule: { id: 'deployed', level: 'deployed', text }, reason: text, scopes: [], considered }
}

function localOnlyWords({ target }: Intent): string {
  return `Not sent to ${target}: the texts of this project stay on this machine (localOnly), unless the person names that origin in web.exempt.`
}
