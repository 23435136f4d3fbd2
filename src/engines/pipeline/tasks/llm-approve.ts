// Tools that need a yes because the configuration says so, beside what policy asks about.
//
// Y118  A tool that the configuration wants approved runs only after a yes for this very call; what silence means stands in the
//       configuration, and a no is told to the model. No configuration lifts a question of policy.
import type { JsonObject } from '../../../base/json.ts'
import type { ApprovalTerms, LlmTask, ToolApprovals } from '../../../pipelines/configuration.ts'
import { harmless } from '../../../policy/capability.ts'
import type { ApprovalRequest, Plan } from '../../../policy/decision.ts'
import { requestHash } from '../../../policy/request-hash.ts'
import type { ToolResult } from '../../../tools/tool.ts'
import { approve } from '../../turn/approve.ts'
import { millisOf } from '../pause.ts'
import { type Scene, TaskFailed } from '../scene.ts'
import { stepName } from './calls-scene.ts'
import { inOrder } from './calls-tool.ts'
import type { LoopTool } from './llm-tool.ts'

/** "Wait for ever", as a timer can hold it. */
const foreverMs = 366 * 24 * 3_600_000

export function approvedTools(scene: Scene, tools: readonly LoopTool[], task: LlmTask): readonly LoopTool[] {
  const wanted = task.toolApprovals ?? scene.agent.config.toolApprovals
  if (wanted === undefined || wanted.requireApproval.length === 0) return tools
  const counts = { pauses: 0, silent: 0 }
  return tools.map((tool) => (needsYes(wanted, tool.name) ? asking(scene, tool, { wanted, counts }) : tool))
}

export function needsYes({ requireApproval, exempt }: ToolApprovals, name: string): boolean {
  return requireApproval.some((glob) => matches(glob, name)) && !exempt.some((glob) => matches(glob, name))
}

/** `*`: any signs, `?`: one. Linear: what a star took is widened, never looked at again. */
export function matches(glob: string, name: string): boolean {
  let [at, place, star, after] = [0, 0, -1, 0]
  while (place < name.length) {
    if (glob[at] === '*') {
      star = at++
      after = place
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === name[place])) {
      at++
      place++
    } else if (star >= 0) {
      at = star + 1
      place = ++after
    } else return false
  }
  while (glob[at] === '*') at++
  return at === glob.length
}

type Asking = { readonly wanted: ToolApprovals; readonly counts: { pauses: number; silent: number } }

function asking(scene: Scene, tool: LoopTool, { wanted, counts }: Asking): LoopTool {
  const terms: ApprovalTerms = { ...wanted, ...wanted.rules.find(({ match }) => match.some((glob) => matches(glob, tool.name))) }
  return {
    ...tool,
    async run(args) {
      if (counts.pauses >= wanted.maxPausesPerTurn)
        return notRun('It needs a yes, and this answer has asked for as many as its configuration allows. Go on without it.')
      counts.pauses++
      const mayBeSilent = counts.silent < wanted.maxAutoApprovalsPerTurn
      const answer = await inOrder(scene, () => askYes(scene, { tool, args, terms, mayBeSilent }))
      if (answer.how === 'silent') counts.silent++
      return answer.how === 'no' ? notRun(answer.said) : tool.run(args)
    },
  }
}

function notRun(text: string): ToolResult {
  return { ok: false, code: 'denied', text: text.startsWith('Not run') ? text : `Not run: ${text}` }
}

type Question = {
  readonly tool: Pick<LoopTool, 'name' | 'description'>
  readonly args: JsonObject
  readonly terms: ApprovalTerms
  readonly mayBeSilent: boolean
}
type Said = { readonly how: 'yes' | 'silent' } | { readonly how: 'no'; readonly said: string }

/** Throws TaskFailed where silence is to end the task. */
export async function askYes(scene: Scene, { tool, args, terms, mayBeSilent }: Question): Promise<Said> {
  const { timeoutPolicy = 'WAIT_INDEFINITELY', approvalTimeout, pauseReason = '', pendingMessage = '' } = terms
  const setup = await scene.setup()
  const timeoutMs = timeoutPolicy === 'WAIT_INDEFINITELY' ? foreverMs : (millisOf(approvalTimeout) ?? setup.approvalMs ?? 24 * 3_600_000)
  const name = stepName(scene, 'approval', tool.name)
  const reason = pauseReason.trim() === '' ? 'its configuration wants a yes for this tool' : pauseReason.trim().slice(0, 1_000)
  const request = requestFor(scene, { agent: setup.agent, tool, args, reason })
  const text = `May ${setup.agent.title} use ${tool.name}? (${reason})`
  scene.tell('awaiting_approval', { tool: tool.name, reason })
  if (pendingMessage.trim() !== '') scene.voice.say(`pending-${name}`, { text: pendingMessage.trim().slice(0, 4_000) })
  const answer = await approve(scene.turn, { name, agent: setup.agent.name, request, text, timeoutMs, heard: scene.heard })
  if (answer.ok) return { how: 'yes' }
  if (!answer.isSilence) return { how: 'no', said: answer.said }
  if (timeoutPolicy === 'ABORT') throw new TaskFailed(`nobody said in time whether ${tool.name} may be used`)
  return timeoutPolicy === 'AUTO_APPROVE' && mayBeSilent ? { how: 'silent' } : { how: 'no', said: answer.said }
}

type Requesting = Pick<Question, 'tool' | 'args'> & {
  readonly agent: { readonly name: string; readonly pledge?: readonly string[] }
  readonly reason: string
}

function requestFor({ turn, mind }: Scene, { agent, tool, args, reason }: Requesting): ApprovalRequest {
  const plan: Plan = {
    tool: tool.name,
    capability: harmless,
    target: tool.name,
    risk: 'R2',
    outward: false,
    destructive: false,
    consequences: tool.description.slice(0, 1_000),
    preview: JSON.stringify(args, null, 2).slice(0, 20_000).toWellFormed(),
  }
  const rule = { id: 'toolApprovals', level: 'deployed', text: reason }
  const { user, project, session, id } = turn.process
  return {
    hash: requestHash(plan, args),
    plan,
    decision: { effect: 'ask', rule, risk: 'R2', reason, scopes: ['once'], considered: [] },
    where: {
      ...{ user, project, session, process: id, turn: turn.id, run: turn.chain.root, taint: mind.taint },
      agent: { name: agent.name, pledge: agent.pledge ?? [] },
    },
    input: args,
  }
}
