// Who plays in a chain: the agents of its steps, and those who come in when a step fails. Read once and recorded.
import type { Agent } from '../../agents/agent.ts'
import type { Agents } from '../../agents/agents.ts'
import { isObject } from '../../base/json.ts'
import type { Tier } from '../../models/message.ts'
import type { ScopeRef } from '../../scopes/scopes.ts'
import { type Artifact, charterOf } from './charter.ts'
import type { PlannedStep } from './order.ts'

export type Member = {
  readonly agent: string
  readonly title: string
  readonly class: string
  readonly tier: Tier
  readonly handsOff: readonly string[]
  readonly artifact: Artifact
}

export type Cast = {
  /** One for each step, in its order. */
  readonly steps: readonly Member[]
  /** By class: who helps out. */
  readonly helpers: { readonly [kind: string]: Member }
}

/** Engines that lead others: they are no step of a chain. */
const leaders: ReadonlySet<string> = new Set(['hub', 'chain'])
const helping: readonly string[] = ['coder', 'debugger', 'reasoner', 'reviewer']

/** `missing`: sentences that name the steps for which there is nobody. */
export async function castFor(
  agents: Pick<Agents, 'roster'>,
  scope: ScopeRef,
  steps: readonly PlannedStep[],
): Promise<Cast | { readonly missing: readonly string[] }> {
  const roster = await agents.roster(scope)
  const found = steps.map((step) => ({ step, agent: roster.find(step.agent) }))
  const missing = found.flatMap(({ step, agent }) => {
    if (agent === null) return [`There is no agent "${step.agent}" here; there is ${roster.agents.map((one) => one.name).join(', ')}.`]
    return leaders.has(agent.engine) ? [`${agent.name} leads others and is no step of a chain.`] : []
  })
  if (missing.length > 0) return { missing }
  const helpers = helping.flatMap((kind): [string, Member][] => {
    const one = helperIn(roster.agents, kind)
    return one === null ? [] : [[kind, memberOf(one)]]
  })
  return { steps: found.flatMap(({ agent }) => (agent ? [memberOf(agent)] : [])), helpers: Object.fromEntries(helpers) }
}

/** Of several the one that is called like its class, which is the usual one. */
function helperIn(agents: readonly Agent[], kind: string): Agent | null {
  const all = agents.filter((one) => one.class === kind && !leaders.has(one.engine))
  return all.find((one) => one.name === kind) ?? all[0] ?? null
}

function memberOf({ name, title, class: kind, tier, handsOff, params }: Agent): Member {
  return { agent: name, title, class: kind, tier, handsOff, artifact: artifactIn(params) ?? charterOf(kind).artifact }
}

/** `params: {artifact: {kind, sections}}` of an agent's file. */
function artifactIn({ artifact }: Agent['params']): Artifact | null {
  if (!isObject(artifact)) return null
  const { kind, sections } = artifact
  if (typeof kind !== 'string' || !/^[a-z][a-z0-9-]{0,63}$/.test(kind)) return null
  const names = Array.isArray(sections) ? sections.filter((one): one is string => typeof one === 'string') : []
  return { kind, sections: names.slice(0, 20) }
}
