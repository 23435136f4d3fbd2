// Models: what there is, which tier uses what, a try of one.
import { iso } from '../../base/clock.ts'
import { Forbidden } from '../../base/errors.ts'
import type { Models } from '../../models/models.ts'
import * as api from '../../protocol/api-models.ts'
import type { Caller } from '../caller.ts'
import { endpoint } from '../endpoint.ts'

export const modelCalls = [
  endpoint({
    method: 'GET',
    path: '/api/models',
    summary: 'Providers, the chain of each tier, prices, windows, and what rests',
    access: 'read',
    answers: { 200: api.models },
    async run({ hub }) {
      return { status: 200, body: shown(hub.models.list()) }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/models',
    summary: 'Sets the chain of a tier, at once and for good; 409 where the environment decides it',
    access: 'models',
    body: api.chooseModels,
    answers: { 200: api.models },
    async run({ hub, caller, body }) {
      ownerOnly(caller)
      await hub.models.choose(body.tier, body.chain, caller.actor)
      return { status: 200, body: shown(hub.models.list()) }
    },
  }),
  endpoint({
    method: 'POST',
    path: '/api/models/test',
    summary: 'One tiny call: whether that model answers, how fast, or what is wrong',
    access: 'models',
    body: api.testModel,
    answers: { 200: api.tested },
    async run({ hub, caller, body }) {
      ownerOnly(caller)
      return { status: 200, body: await hub.models.test(body.model) }
    },
  }),
]

/** Models are everybody's, and cost the owner's money. */
function ownerOnly(caller: Caller): void {
  if (caller.user.role !== 'owner') throw new Forbidden('only the owner of the hub chooses and tries models')
}

function shown(view: ReturnType<Models['list']>) {
  const tiers = view.tiers.map((one) => ({
    ...one,
    chain: one.chain.map(({ rest, ...model }) => ({ ...model, rest: rest && { ...rest, until: iso(rest.until) } })),
  }))
  return { ...view, tiers }
}
