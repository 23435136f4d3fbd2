// The reviewer of the mode auto (D15): it is shown what nobody but the mode allows, and all that it can do is to have a person asked.
import type { Decision, GrantScope } from './decision.ts'

export type Review = { readonly verdict: 'fine' | 'ask' /** For the person: what made it ask. */; readonly why: string }

/** The allow as a question. `why` may be words of a model: they are quoted. */
export function turnedToAsk(decision: Decision, why: string): Decision {
  const { review: _, ...rest } = decision
  const text = 'The reviewer of this session wants you to look at it.'
  const said = why === '' ? '' : ` It says: ${JSON.stringify(why)}.`
  const scopes: readonly GrantScope[] = decision.risk > 'R3' ? ['once'] : ['once', 'step', 'run']
  return {
    ...rest,
    effect: 'ask',
    rule: { id: 'reviewer', level: 'mode', text },
    reason: `${text}${said} ${decision.reason}`,
    scopes,
    considered: [decision.rule, ...decision.considered],
  }
}
