// Builds the room: gathers the facts of a decision, and keeps approvals, grants and taint by its projection.
import { realpath } from 'node:fs/promises'
import { Gone, messageOf, NotFound } from '../base/errors.ts'
import { silent } from '../base/log.ts'
import { checkOpen, viewOf } from './approval.ts'
import { isExec } from './assess.ts'
import { decide, type PolicyFacts, unjudged } from './decide.ts'
import type { ApprovalRequest, Decision, Plan, Taint, Where } from './decision.ts'
import { checkAnswer } from './grant.ts'
import { openGrants } from './grants.ts'
import { judgeApproval } from './holds.ts'
import { modeOf } from './mode.ts'
import type { Approvals, Policy, Taints } from './policy.ts'
import type { PolicyOptions, PolicyRooms } from './rooms.ts'
import type { RuleFault } from './rule.ts'
import { openRuleCascade, type RuleCascade, type RulePlace } from './rule-cascade.ts'
import { highest } from './taint.ts'
import { openWriting } from './taint-writing.ts'

/** All of the policy but the budgets, which are a store of their own. */
export type PolicyRoom = Omit<Policy, 'budgets'> & {
  /** What is wrong with the policy documents of a place: each names its document and line. */
  faults(place: RulePlace): Promise<readonly RuleFault[]>
}

type Parts = PolicyOptions & PolicyRooms & { readonly cascade: RuleCascade; readonly caughtUp: () => Promise<void> }

/** Resolves when the projection is up to date. */
export async function openPolicy(options: PolicyOptions): Promise<PolicyRoom> {
  const rooms = { ...options, log: options.log ?? silent }
  await rooms.journal.project(rooms.view.projection)
  const cascade = openRuleCascade(rooms)
  const parts: Parts = { ...rooms, cascade, caughtUp: () => caughtUp(rooms) }
  const check = (plan: Plan, where: Where) => judged(parts, plan, async () => decide(plan, await gather(parts, plan, where)))
  return {
    check,
    holds: (request, answer, { plan, where }) =>
      judged(parts, plan, async () => {
        const present = decide(plan, await gather(parts, plan, where))
        return judgeApproval({ view: rooms.view, now: rooms.clock.now }, { request, answer }, { plan, where, present })
      }),
    grants: openGrants(rooms, parts.caughtUp),
    approvals: approvalsOf(parts, check),
    taint: taintsOf(parts),
    mode: (where) => modeOf(rooms.settings, where),
    faults: async (place) => (await cascade.at(place)).faults,
    async close() {
      cascade.close()
    },
  }
}

/** What was written before this call is seen. A projection that stopped knows less than there is: nothing is decided on it. */
async function caughtUp({ journal, view }: PolicyRooms): Promise<void> {
  const { name } = view.projection
  await journal.passed(journal.head(), name)
  const stopped = journal.health().projections.find((one) => one.name === name)?.stopped
  if (stopped) throw new Error(`the projection ${name} has stopped: ${stopped}`)
}

async function judged({ log }: Parts, plan: Plan, judge: () => Promise<Decision>): Promise<Decision> {
  try {
    return await judge()
  } catch (thrown) {
    log('error', 'a call could not be judged and was refused', { tool: plan.tool, error: messageOf(thrown) })
    return unjudged(plan, "the hub's own rules could not be read; its log says why")
  }
}

/** A command runs what lies in the project's folders, so what is on its mind is theirs too, before anybody has read a file. */
async function gather(parts: Parts, plan: Plan, given: Where): Promise<PolicyFacts> {
  const { view, cascade, settings, clock, projects } = parts
  await parts.caughtUp()
  const now = clock.now()
  const [taint, mode, { rules, faults }, grants, project] = await Promise.all([
    view.taintOfProcess(given.process),
    modeOf(settings, given),
    cascade.at(given),
    view.grantsFor(given, now),
    projects.get(given.project),
  ])
  const roots = await realRoots(project?.roots ?? [])
  const around = isExec(plan.capability) ? await view.taintOfPaths(roots) : 'none'
  const where = { ...given, taint: highest(given.taint, taint, around) }
  const ground = { ...parts.own(), home: parts.home, roots }
  return { where, mode, rules, faults, grants, ground, now }
}

/** A folder that is gone is none. */
async function realRoots(roots: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(roots.map((root) => realpath(root).catch(() => null)))
  return found.filter((root) => root !== null)
}

function approvalsOf(parts: Parts, check: Policy['check']): Approvals {
  const { view, clock, caughtUp } = parts
  return {
    async get(id) {
      await caughtUp()
      const row = await view.approval(id)
      return row === null ? null : viewOf(row)
    },
    async list(wanted) {
      await caughtUp()
      return (await view.approvals(wanted)).map(viewOf)
    },
    async check(id, answer) {
      await caughtUp()
      const row = await view.approval(id)
      if (row === null) throw new NotFound(`There is no approval ${id}.`)
      checkOpen(row, clock.now())
      checkAnswer(row.request, answer)
      if (answer.decision === 'allow') await checkStill(row.request, check)
      return viewOf(row)
    },
  }
}

/** A rule that was made since says no: then a yes would do nothing. Throws Gone. */
async function checkStill({ plan, where }: ApprovalRequest, check: Policy['check']): Promise<void> {
  const { effect, reason } = await check(plan, where)
  if (effect === 'deny') throw new Gone(`This can't be approved any more: ${reason}`)
}

function taintsOf(parts: Parts): Taints {
  const { view, caughtUp } = parts
  const after = async (read: () => Promise<Taint>) => {
    await caughtUp()
    return read()
  }
  const ofProcess = (process: string) => after(() => view.taintOfProcess(process))
  return {
    ...openWriting(parts, ofProcess),
    ofProcess,
    ofPath: (path) => after(() => view.taintOfPaths([path])),
    ofPaths: (paths) => after(() => view.taintOfPaths(paths)),
  }
}
