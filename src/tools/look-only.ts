// What holds where no policy is open: looking is allowed, everything else is refused. Nothing can be asked, so nothing is.
import type { Decision, Plan } from '../policy/decision.ts'
import type { ToolPolicy } from './checked.ts'

export const lookOnly: ToolPolicy = {
  check: async (plan) => decide(plan),
  holds: async (_request, _answer, { plan }) => decide(plan),
  taint: { ofPaths: async () => 'none', writing: async () => ({ wrote: async () => undefined }) },
}

function decide({ risk, outward, destructive }: Plan): Decision {
  const isLook = risk === 'R0' && !outward && !destructive
  const rule = { id: 'floor.look-only', level: 'floor', text: 'without a policy only looking is allowed' }
  const reason = isLook ? 'It only looks.' : 'It would do more than look.'
  return { effect: isLook ? 'allow' : 'deny', rule, risk, reason, scopes: [], considered: [] }
}
