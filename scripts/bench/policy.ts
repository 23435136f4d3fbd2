// Decisions on calls, in this process: what a policy of many rules and grants costs a tool call.

import { decide } from '../../src/policy/decide.ts'
import { command, facts, grant, plan, rules } from '../../src/policy/testing.ts'
import type { Part } from './part.ts'

export const policy: Part = {
  name: 'policy',
  async run(at) {
    at.tell('policy decisions')
    const lines = Array.from({ length: 60 }, (_, index) => `effect: allow, capability: exec, resource: npm run task${index}`)
    const grants = Array.from({ length: 50 }, (_, index) => grant({ id: `grt_${index}`, resource: `/work/shop/${index}/**` }))
    const given = facts({ rules: rules('user', ...lines), grants })
    const page = plan({ capability: 'web.read', target: 'https://example.org/a', outward: true })
    const plans = [plan(), page, command('npm test'), command('rm -rf build && git push --force')]
    const rounds = at.quick ? 2_000 : 10_000
    const microseconds = () => {
      const started = performance.now()
      for (let round = 0; round < rounds; round++) for (const one of plans) decide(one, given)
      return ((performance.now() - started) * 1_000) / (rounds * plans.length)
    }
    microseconds()
    const ours = microseconds()
    return [{ name: 'a policy decision, 60 rules and 50 grants', unit: 'µs', ours, floor: null, hold: { most: 50 } }]
  },
}
